"""Squared distances between rows: computed once, they serve every link, order, fold and sigma.

When the matrix would exceed its budget it is not held, and engines compute rows from the points on demand; both ways
give the same numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import sparse
from scipy.spatial.distance import cdist

from bncc._checks import check_number, read_sparse
from bncc._native import simd
from bncc._threads import n_threads
from bncc._typing import Features, Floats, Floats32, Matrix, Rows
from bncc.svm.native import extension
from bncc.svm.points import SCALES, Points, prepare_points

__all__ = ["Distances", "blocks_of_rows", "cross_distances", "exact_distances", "squared_distances", "squared_norms"]

_DENSE_NUMBERS = 1 << 22  # in a part of the features, where they come sparse


@dataclass(frozen=True, eq=False)
class Distances:
    """Squared distances between all pairs of rows, held as a matrix or computed from the points on demand.

    Attributes
    ----------
    points : Points
    held : bool
        Whether the matrix is within the budget.
    n_jobs : int or None
        Threads that compute it.
    """

    points: Points
    held: bool
    n_jobs: int | None = None

    @cached_property
    def matrix(self) -> Floats32 | None:
        """The matrix of shape (n_rows, n_rows), computed when first asked for; None when it is not held.

        Of points that do not fit into single precision it is that of the points divided by their ``exponent``.
        """
        return _distances(self.points, self.points, self.n_jobs) if self.held else None

    @property
    def n_rows(self) -> int:
        """Number of rows N."""
        return self.points.n_rows

    def block(self, rows: Rows, *, n_jobs: int | None = None, exact: bool = False) -> Floats32 | Floats:
        """Distances of some rows to all rows, shape (len(rows), n_rows); `exact` is in double precision."""
        if exact or self.points.exponent:
            return exact_distances(self.points.exact_rows(rows), self.points.exact_rows())
        if self.matrix is not None:
            return self.matrix[rows]
        return _distances(self.points.take(rows), self.points, n_jobs)


def squared_distances(X: Features | Points, *, cache_size: float = 2000.0, n_jobs: int | None = None) -> Distances:
    """Squared distances between all rows of X, held if they take at most half of `cache_size` megabytes.

    They are computed when first needed, so that a device can form its own.

    Parameters
    ----------
    X : array or sparse matrix of shape (n_rows, n_features), or Points
    cache_size : float, default=2000
        Budget in megabytes for distances and kernel rows together.
    n_jobs : int or None, default=None
        Threads; None and -1 mean all cores.

    >>> squared_distances([[0.0, 0.0], [3.0, 4.0]]).matrix.tolist()
    [[0.0, 25.0], [25.0, 0.0]]
    """
    check_number("cache_size", cache_size, 0.0, 1e9)
    points = X if isinstance(X, Points) else prepare_points(X)
    return Distances(points, 4.0 * points.n_rows**2 <= 0.5e6 * cache_size, n_jobs)


def cross_distances(
    points: Points, X: Features, *, n_jobs: int | None = None, exact: bool = False
) -> Floats32 | Floats:
    """Squared distances of new rows to known ones, shape (rows of X, rows of points).

    In single precision; in double where `exact` is asked for, or where single does not hold the known rows.

    >>> cross_distances(prepare_points([[0.0], [2.0]]), np.array([[3.0]])).tolist()
    [[9.0, 1.0]]
    """
    if exact or points.exponent:
        return exact_distances(_exact_like(points, X), points.exact_rows())
    return _distances(points.like(X), points, n_jobs)


def exact_distances(left: Matrix, right: Matrix) -> Floats:
    """Squared distances between rows in double precision, from their differences: nothing cancels.

    >>> exact_distances(np.array([[1e-20]]), np.array([[1e-20], [1e20]])).tolist()
    [[0.0, 1e+40]]
    """
    out = np.zeros((left.shape[0], right.shape[0]))
    step = max(1, _DENSE_NUMBERS // max(1, left.shape[0] + right.shape[0]))
    for start in range(0, left.shape[1], step):
        part = slice(start, start + step)
        out += cdist(_dense_part(left, part), _dense_part(right, part), "sqeuclidean")
    return out


def _dense_part(X: Matrix, columns: slice) -> Floats:
    part = X[:, columns]
    return np.asarray(part if isinstance(part, np.ndarray) else part.toarray(), np.float64)


def _exact_like(points: Points, X: Features) -> Matrix:
    rows: Matrix = read_sparse(X) if sparse.issparse(X) else np.asarray(X)
    if rows.shape[1] != points.n_features:
        raise ValueError(f"`X` must have {points.n_features} features; got {rows.shape[1]}.")
    stored = rows if isinstance(rows, np.ndarray) else rows.data
    largest = float(np.abs(stored).max(initial=0.0))
    if not largest <= SCALES[1]:
        raise ValueError(f"Values of `X` must be at most {SCALES[1]:g} in size; got {largest:g}. Scale it first.")
    return rows


def blocks_of_rows(n_new: int, n_rows: int, cache_size: float) -> list[slice]:
    """New rows in parts whose distances to the known rows take a quarter of the budget.

    >>> blocks_of_rows(5, 1_000_000, 32.0)
    [slice(0, 2, None), slice(2, 4, None), slice(4, 5, None)]
    """
    step = max(1, int(0.25e6 * cache_size / 4) // max(1, n_rows))
    return [slice(start, min(start + step, n_new)) for start in range(0, n_new, step)]


def _distances(left: Points, right: Points, n_jobs: int | None) -> Floats32:
    out = np.empty((left.n_rows, right.n_rows), np.float32)
    if (native := extension()) is not None:
        native.distances(left, right, out, n_threads(n_jobs), simd())
        return out
    step = max(1, (1 << 24) // max(1, right.n_rows))
    for start in range(0, left.n_rows, step):
        out[start : start + step] = _block(left, right, slice(start, start + step))
    if left is right:
        np.fill_diagonal(out, 0.0)
    return out


def _block(left: Points, right: Points, rows: slice) -> Floats:
    """The same in NumPy, in double; what cancels to within its rounding is a duplicate."""
    if left.by_row is not None:
        mine, theirs = left.by_row[rows].astype(np.float64), right.by_row.astype(np.float64)
        product = (mine @ theirs.T).toarray()
    else:
        mine, theirs = left.values()[rows].astype(np.float64), right.values().astype(np.float64)
        product = mine @ theirs.T
    scale = squared_norms(mine)[:, None] + squared_norms(theirs)[None, :]
    out = scale - 2.0 * product
    out[out < 1e-13 * scale] = 0.0
    return out


def squared_norms(values: Matrix) -> Floats:
    """Squared length of each row, dense or sparse."""
    if isinstance(values, np.ndarray):
        return np.asarray((values * values).sum(axis=1), np.float64)
    return np.asarray(values.multiply(values).sum(axis=1), np.float64).ravel()
