"""Squared distances between rows: computed once, they serve every link, order, fold and sigma.

Dense features are centred first (distances do not change, rounding does), so that single precision is enough; a set
with rows far out takes the product in double. When the matrix would exceed its budget it is not held, and engines
compute rows from the features on demand.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from bncc.svm.threads import limit_blas

__all__ = ["Distances", "Points", "cross_distances", "prepare_points", "squared_distances"]

# A sparse product costs about this many times more per multiplication than a dense one.
_SPARSE_COST = 100
# Dense copies of sparse rows are made for at most this many numbers at a time (128 MB).
_DENSE_LIMIT = 1 << 25
# Rows whose squared norm exceeds the mean by this factor make the whole product run in double.
_OUTLIER = 100.0


@dataclass(frozen=True, eq=False)
class Points:
    """Rows of features, ready for distances: centred if dense, in single precision.

    Attributes
    ----------
    values : array of shape (n_rows, n_features), float32, or csr_array with int64 `indptr`
    norms : array of shape (n_rows,), float32
        Squared norm of each row.
    centre : array of shape (n_features,), float64, or None
        What was subtracted from every row; None for sparse rows.
    precise : bool
        Whether products are taken in double.
    """

    values: Any
    norms: NDArray[np.float32]
    centre: NDArray[np.float64] | None
    precise: bool

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.values.shape[0])

    @property
    def is_sparse(self) -> bool:
        """Whether the rows are held as a sparse matrix."""
        return self.centre is None

    def take(self, rows: NDArray[np.integer[Any]]) -> Points:
        """Some of the rows, with the same centre."""
        return Points(_as_csr(self.values[rows]), self.norms[rows], self.centre, self.precise)


@dataclass(frozen=True, eq=False)
class Distances:
    """Squared distances between all pairs of rows, held as a matrix or computed from the points on demand.

    Attributes
    ----------
    held : Points
    matrix : array of shape (n_rows, n_rows), float32, or None
        None when it would exceed the budget.
    """

    held: Points
    matrix: NDArray[np.float32] | None

    @property
    def n_rows(self) -> int:
        """Number of rows N."""
        return self.held.n_rows

    @property
    def n_features(self) -> int:
        """Number of features d."""
        return int(self.held.values.shape[1])

    @property
    def points(self) -> Any:
        """The rows of features."""
        return self.held.values

    @property
    def norms(self) -> NDArray[np.float32]:
        """Squared norm of each row."""
        return self.held.norms

    def block(self, rows: NDArray[np.integer[Any]]) -> NDArray[np.float32]:
        """Distances of some rows to all rows, shape (len(rows), n_rows)."""
        if self.matrix is not None:
            return self.matrix[rows]
        return _product(self.held.take(rows), self.held)


def prepare_points(X: Any) -> Points:
    """Bring rows of features (dense or sparse, finite) to the form distances are computed from.

    Raises
    ------
    ValueError
        If X holds NaN or infinity, or values whose squared distances single precision cannot hold.
    """
    values = X if sparse.issparse(X) else np.asarray(X)
    if values.ndim != 2:
        raise ValueError(f"`X` must be 2-D (rows x features); got {values.ndim} dimension(s).")
    if sparse.issparse(values):
        return _finish(_as_csr(sparse.csr_array(values)), None)
    centre = values.mean(axis=0, dtype=np.float64) if values.shape[0] else np.zeros(values.shape[1])
    return _finish(values - centre, centre)


def _finish(values: Any, centre: NDArray[np.float64] | None) -> Points:
    norms = _norms(values)
    largest = float(norms.max(initial=0.0))
    if not np.isfinite(largest):
        raise ValueError("`X` must be finite; got NaN or infinity (or values too large to square).")
    if largest > 1e37:
        raise ValueError(f"`X` is too large for single precision: squared norms up to {largest:.3g}. Scale it first.")
    precise = largest > _OUTLIER * max(float(norms.mean()) if norms.size else 0.0, 1e-30)
    return Points(_as_csr(_to_single(values)), norms.astype(np.float32), centre, precise)


def _norms(values: Any) -> NDArray[np.float64]:
    if sparse.issparse(values):
        squares = sparse.csr_array((values.data.astype(np.float64) ** 2, values.indices, values.indptr), values.shape)
        return np.asarray(squares.sum(axis=1), np.float64).ravel()
    return np.einsum("ij,ij->i", values, values, dtype=np.float64)


def _to_single(values: Any) -> Any:
    if sparse.issparse(values):
        return values.astype(np.float32)
    return np.ascontiguousarray(values, np.float32)


def _as_csr(values: Any) -> Any:
    """A csr_array whose index arrays have the types the native engine reads; dense rows pass through."""
    if not sparse.issparse(values):
        return np.ascontiguousarray(values)
    out = sparse.csr_array(values)
    out.indptr = out.indptr.astype(np.int64, copy=False)
    out.indices = out.indices.astype(np.int32, copy=False)
    return out


def squared_distances(X: Any, *, cache_size: float = 2000.0, n_jobs: int | None = None) -> Distances:
    """Squared distances between all rows of X, held if they take at most half of `cache_size` megabytes.

    Parameters
    ----------
    X : array or sparse matrix of shape (n_rows, n_features), or Points
    cache_size : float, default=2000
        Budget in megabytes for distances and kernel rows together.
    n_jobs : int or None, default=None
        Threads for the matrix product; None and -1 mean all cores.

    >>> squared_distances([[0.0, 0.0], [3.0, 4.0]]).matrix.tolist()
    [[0.0, 25.0], [25.0, 0.0]]
    """
    points = X if isinstance(X, Points) else prepare_points(X)
    if 4.0 * points.n_rows**2 > 0.5 * cache_size * 1e6:
        return Distances(points, None)
    with limit_blas(n_jobs):
        matrix = _product(points, points)
    np.fill_diagonal(matrix, 0.0)
    return Distances(points, matrix)


def cross_distances(points: Points, X: Any, *, n_jobs: int | None = None) -> NDArray[np.float32]:
    """Squared distances of new rows to known ones, shape (rows of X, rows of points).

    >>> cross_distances(prepare_points([[0.0], [2.0]]), [[3.0]]).tolist()
    [[9.0, 1.0]]
    """
    with limit_blas(n_jobs):
        return _product(_like(points, X), points)


def _like(points: Points, X: Any) -> Points:
    if sparse.issparse(X) and points.is_sparse:
        values = _as_csr(sparse.csr_array(X))
    elif points.is_sparse:
        values = _as_csr(sparse.csr_array(np.asarray(X)))
    else:
        values = np.asarray(X.toarray() if sparse.issparse(X) else X) - points.centre
    norms = _norms(values)
    if norms.size and not np.isfinite(norms.max()):
        raise ValueError("`X` must be finite; got NaN or infinity (or values too large to square).")
    return Points(_as_csr(_to_single(values)), norms.astype(np.float32), points.centre, points.precise)


def _product(left: Points, right: Points) -> NDArray[np.float32]:
    if left.is_sparse:
        return _sparse_product(left, right)
    dtype = np.float64 if left.precise else np.float32
    out = np.empty((left.n_rows, right.n_rows), np.float32)
    wide = _with_ones(right, dtype)
    step = left.n_rows if dtype is np.float32 else max(1, _DENSE_LIMIT // max(1, right.n_rows))
    for start in range(0, left.n_rows, max(1, step)):
        rows = slice(start, start + step)
        tall = _with_norms(left.values[rows], left.norms[rows], dtype)
        if dtype is np.float32:
            np.matmul(tall, wide.T, out=out[rows])
        else:
            out[rows] = tall @ wide.T
    np.maximum(out, 0.0, out=out)
    return out


def _with_norms(values: NDArray[Any], norms: NDArray[Any], dtype: Any) -> NDArray[Any]:
    """[-2x, |x|^2, 1]: its product with [x', 1, |x'|^2] is the squared distance, in one pass over the result."""
    out = np.empty((values.shape[0], values.shape[1] + 2), dtype)
    np.multiply(values, -2.0, out=out[:, :-2])
    out[:, -2] = norms if dtype is np.float32 else _norms(values)
    out[:, -1] = 1.0
    return out


def _with_ones(points: Points, dtype: Any) -> NDArray[Any]:
    values = points.values
    out = np.empty((values.shape[0], values.shape[1] + 2), dtype)
    out[:, :-2] = values
    out[:, -2] = 1.0
    out[:, -1] = points.norms if dtype is np.float32 else _norms(values)
    return out


def _sparse_product(left: Points, right: Points) -> NDArray[np.float32]:
    n_features = left.values.shape[1]
    mine = np.bincount(left.values.indices, minlength=n_features).astype(np.float64)
    theirs = np.bincount(right.values.indices, minlength=n_features).astype(np.float64)
    dense_work = float(left.n_rows) * right.n_rows * n_features
    if _SPARSE_COST * float(mine @ theirs) > dense_work and right.n_rows * n_features <= 4 * _DENSE_LIMIT:
        return _densified_product(left, right)
    out = np.empty((left.n_rows, right.n_rows), np.float32)
    transposed = right.values.T.tocsr()
    step = max(1, _DENSE_LIMIT // max(1, right.n_rows))
    for start in range(0, left.n_rows, step):
        rows = slice(start, min(start + step, left.n_rows))
        out[rows] = _assemble((left.values[rows] @ transposed).toarray(), left.norms[rows], right.norms)
    return out


def _densified_product(left: Points, right: Points) -> NDArray[np.float32]:
    out = np.empty((left.n_rows, right.n_rows), np.float32)
    wide = right.values.toarray().T
    step = max(1, _DENSE_LIMIT // max(1, left.values.shape[1]))
    for start in range(0, left.n_rows, step):
        rows = slice(start, min(start + step, left.n_rows))
        out[rows] = _assemble(left.values[rows].toarray() @ wide, left.norms[rows], right.norms)
    return out


def _assemble(product: NDArray[Any], mine: NDArray[Any], theirs: NDArray[Any]) -> NDArray[Any]:
    product *= -2.0
    product += mine[:, None]
    product += theirs[None, :]
    return np.maximum(product, 0.0, out=product)
