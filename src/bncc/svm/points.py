"""Rows of features in the form distances are computed from."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse

from bncc._checks import read_sparse
from bncc._typing import CSC, CSR, Array, Features, Floats, Floats32, Matrix, Rows
from bncc.svm.native import extension

__all__ = ["Points", "prepare_points"]

PANEL = 32
SCALES = (1e-140, 1e140)  # of features: double precision holds their squares

_SQUARES = (1e-25, 1e30)  # of rows: single precision holds their distances, and sums of them

# One multiplication of a sparse product costs about as much as this many of a dense one.
_SPARSE_COST = 30.0


@dataclass(frozen=True, eq=False)
class Points:
    """Rows of features in single precision, dense or sparse, whichever makes distances cheaper.

    Dense rows are centred (distances do not change, rounding does) and lie in panels of 32: ``panels[p, k, r]`` is
    feature k of row 32 p + r.

    Attributes
    ----------
    n_rows, n_features : int
    norms : array of shape (32 n_panels,), float32
        Squared norm of each row, zeros after the last one.
    panels : array of shape (n_panels, n_features, 32), float32, or None
    centre : array of shape (n_features,), float64, or None
        What was subtracted from every dense row.
    by_row, by_column : csr_array and csc_array, or None
        The same sparse rows, in both orders.
    exact : array or csr_array, or None
        The rows as they came, for problems that single precision is not enough for.
    exponent : int
        Power of two that the rows above were divided by to fit into single precision; not 0 where that was needed,
        and then they are good for nothing but their shape: `exact` is used.
    slip : float
        What rounding to single precision may have moved a row by.
    """

    n_rows: int
    n_features: int
    norms: Floats32
    panels: Floats32 | None = None
    centre: Floats | None = None
    by_row: Any = None
    by_column: Any = None
    exact: Any = None
    exponent: int = 0
    slip: float = 0.0

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        if self.by_row is not None:
            _widen(self.by_row, self.by_column)  # some formats narrow them

    def take(self, rows: Rows, *, exact: bool = False) -> Points:
        """Some of the rows, in the given order; `exact` where they may be asked for as they came."""
        if self.by_row is not None:
            norms = np.zeros(-(-len(rows) // PANEL) * PANEL, np.float32)
            norms[: len(rows)] = self.norms[rows]
            part = _both_orders(self.by_row[rows], norms)
        else:
            part = replace(_dense_points(self.values()[rows], np.zeros(self.n_features)), centre=self.centre)
        kept = self.exact[rows] if exact and self.exact is not None else None
        return replace(part, exact=kept, exponent=self.exponent, slip=self.slip)

    def exact_rows(self, rows: Rows | slice = slice(None)) -> Matrix:
        """Some of the rows as they came, in double; from single precision where they were not kept."""
        if self.exact is not None:
            return self.exact[rows].astype(np.float64, copy=False)
        if self.by_row is not None:
            return self.by_row[rows].astype(np.float64)
        assert self.centre is not None
        return self.values()[rows] + self.centre

    def like(self, X: Matrix) -> Points:
        """Other rows in the same form, so that distances to these can be taken."""
        if X.shape[1] != self.n_features:
            raise ValueError(f"`X` must have {self.n_features} features; got {X.shape[1]}.")
        if self.by_row is not None:
            return _within_single(_sparse_points(read_sparse(X)))
        assert self.centre is not None
        return _within_single(replace(_dense_points(_dense(X), self.centre), centre=self.centre))

    def values(self) -> Floats32:
        """The dense rows as they are held (centred), shape (n_rows, n_features)."""
        assert self.panels is not None
        return self.panels.transpose(0, 2, 1).reshape(-1, self.n_features)[: self.n_rows]


def prepare_points(X: Features) -> Points:
    """Bring rows of features (dense or sparse) to the form distances are computed from.

    Raises
    ------
    ValueError
        If X holds NaN or infinity, or values whose squares double precision cannot hold.
    """
    matrix: Matrix = X if sparse.issparse(X) else np.asarray(X)
    if matrix.ndim != 2:
        raise ValueError(f"`X` must be 2-D (rows x features); got {matrix.ndim} dimension(s).")
    if matrix.dtype.kind not in "biuf":
        raise ValueError(f"`X` must hold real numbers; got dtype {matrix.dtype}.")
    if not isinstance(matrix, np.ndarray):
        matrix = read_sparse(matrix)
    points = _points(matrix)
    largest = float(points.norms.max(initial=0.0))
    if _SQUARES[0] < largest < _SQUARES[1]:
        return points
    return _rescaled(matrix, points)


def _points(matrix: Matrix) -> Points:
    """Rows in single precision, with what is needed to do without it."""
    if _sparse_is_cheaper(matrix):
        points = _sparse_points(matrix)
        stored: Array = matrix[matrix != 0] if isinstance(matrix, np.ndarray) else matrix.data
        with np.errstate(over="ignore"):
            is_exact = stored.dtype == np.float32 or bool((stored.astype(np.float32) == stored).all())
        return replace(points, exact=matrix, slip=0.0 if is_exact else _slip(points))
    dense = _dense(matrix)
    with np.errstate(over="ignore", invalid="ignore"):
        centre = dense.mean(axis=0, dtype=np.float64) if dense.shape[0] else np.zeros(dense.shape[1])
        points = _dense_points(dense, centre)
    return replace(points, exact=dense, slip=_slip(points))


def _slip(points: Points) -> float:
    return float(2.0**-24 * np.sqrt(points.norms.max(initial=0.0)))


def _rescaled(matrix: Matrix, points: Points) -> Points:
    """Rows whose squares leave single precision, divided by a power of two."""
    stored = matrix if isinstance(matrix, np.ndarray) else matrix.data
    largest = float(np.abs(stored).max(initial=0.0)) if stored.size else 0.0
    if not np.isfinite(largest):
        raise ValueError("`X` must be finite; got NaN or infinity. Impute or drop those rows first.")
    if largest == 0.0 or (points.by_row is None and _all_equal(stored)):
        return points  # no two rows differ
    if largest < SCALES[0] or largest > SCALES[1]:
        raise ValueError(
            f"The largest value of `X` must lie in {SCALES[0]:g}..{SCALES[1]:g} in size, so that double precision "
            f"holds squared distances; got {largest:g}. Scale it first."
        )
    exponent = int(np.frexp(largest)[1])
    scaled = matrix.astype(np.float64) * 2.0**-exponent
    return replace(_points(scaled), exact=matrix, exponent=exponent)


def _all_equal(X: Array) -> bool:
    return bool((X[:1] == X).all())


def _sparse_is_cheaper(X: Matrix) -> bool:
    """Compare the multiplications of both ways; only the data decide, so that results depend on nothing else."""
    n_rows, n_features = X.shape
    if not isinstance(X, np.ndarray):
        columns = X.indices
    elif np.count_nonzero(X) * 5 > X.size:
        return False
    else:
        columns = np.nonzero(X)[1]
    per_column = np.bincount(columns, minlength=n_features).astype(np.float64)
    return _SPARSE_COST * float(per_column @ per_column) < float(n_rows) ** 2 * n_features


def _dense(X: Matrix) -> Array:
    dense = X if isinstance(X, np.ndarray) else X.toarray()
    return np.ascontiguousarray(dense, np.float32 if dense.dtype == np.float32 else np.float64)


def _dense_points(X: Array, centre: Floats) -> Points:
    n_rows, n_features = X.shape
    n_panels = -(-n_rows // PANEL)
    panels = np.empty((n_panels, n_features, PANEL), np.float32)
    norms = np.empty(n_panels * PANEL, np.float32)
    if (native := extension()) is not None:
        native.pack(X, centre, panels, norms)
    else:
        with np.errstate(over="ignore", invalid="ignore"):
            wide = np.zeros((n_panels * PANEL, n_features), np.float32)
            wide[:n_rows] = X - centre
            panels[:] = wide.reshape(n_panels, PANEL, n_features).transpose(0, 2, 1)
            norms[:] = np.einsum("ij,ij->i", wide, wide, dtype=np.float64)
    return Points(n_rows, n_features, norms, panels=panels, centre=centre)


def _sparse_points(X: Matrix) -> Points:
    with np.errstate(over="ignore"):
        by_row = sparse.csr_array(X, dtype=np.float32, copy=True)
    by_row.sum_duplicates()
    by_row.eliminate_zeros()
    norms = np.zeros(-(-by_row.shape[0] // PANEL) * PANEL, np.float32)
    with np.errstate(over="ignore", invalid="ignore"):
        squares = sparse.csr_array((by_row.data.astype(np.float64) ** 2, by_row.indices, by_row.indptr), by_row.shape)
        norms[: by_row.shape[0]] = np.asarray(squares.sum(axis=1)).ravel()
    return _both_orders(by_row, norms)


def _both_orders(by_row: CSR, norms: Floats32) -> Points:
    by_column = by_row.tocsc()
    _widen(by_row, by_column)
    n_rows, n_features = by_row.shape
    return Points(n_rows, n_features, norms, by_row=by_row, by_column=by_column)


def _widen(*matrices: CSR | CSC) -> None:
    """Bring index arrays to the widths that compiled code reads."""
    for matrix in matrices:
        matrix.indptr = matrix.indptr.astype(np.int64, copy=False)
        matrix.indices = matrix.indices.astype(np.int32, copy=False)


def _within_single(points: Points) -> Points:
    largest = float(points.norms.max(initial=0.0))
    if not np.isfinite(largest) or largest > 1e37:
        raise ValueError(
            "`X` must be finite and its squared norms within single precision, as those that were learned from; got "
            "NaN, infinity or values too large. Impute or scale it first."
        )
    return points
