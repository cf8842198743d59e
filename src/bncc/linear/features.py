"""Rows of features as the engines read them: CSR with 32-bit indices, or a dense matrix, in one precision."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from bncc._checks import read_sparse

__all__ = ["Features", "prepare_features"]


@dataclass(frozen=True, eq=False)
class Features:
    """Rows that every problem of a batch shares (make one with `prepare_features`).

    Attributes
    ----------
    n_rows, n_features : int
    values : float32 or float64
        Of shape (n_rows, n_features) if dense, else of the stored entries.
    indptr, indices : int64 and int32, or None if dense
        As in a CSR matrix; columns ascend within a row and do not repeat.
    """

    n_rows: int
    n_features: int
    values: NDArray[Any]
    indptr: NDArray[np.int64] | None = None
    indices: NDArray[np.int32] | None = None

    @property
    def is_sparse(self) -> bool:
        """Whether only some entries are stored."""
        return self.indices is not None

    def astype(self, dtype: Any) -> Features:
        """The same rows in another precision; itself where it has that one."""
        return self if self.values.dtype == dtype else replace(self, values=self.values.astype(dtype))

    def matrix(self) -> Any:
        """The rows as a csr_array, or as an array if dense; values are not copied."""
        if self.indices is None:
            return self.values
        return sparse.csr_array((self.values, self.indices, self.indptr), shape=(self.n_rows, self.n_features))


def prepare_features(X: Any) -> Features:
    """Check rows (an array or any sparse matrix, with indices of any width) and bring them into the engines' form.

    What already has it is not copied. Float32 stays; any other numbers become float64.

    >>> from scipy.sparse import csr_array
    >>> prepare_features(csr_array([[0.0, 2.0], [0.0, 0.0]])).indptr.tolist()
    [0, 1, 1]
    """
    if isinstance(X, Features):
        return X
    if sparse.issparse(X):
        return _from_sparse(X)
    values = np.ascontiguousarray(X, None if getattr(X, "dtype", None) == np.float32 else np.float64)
    if values.ndim != 2:
        raise ValueError(f"X must be 2-D (rows x features); got shape {values.shape}.")
    _check_finite(values)
    return Features(values.shape[0], values.shape[1], values)


def _from_sparse(X: Any) -> Features:
    if X.ndim != 2:
        raise ValueError(f"X must be 2-D (rows x features); got {X.ndim} dimension(s).")
    if X.dtype.kind not in "biuf":
        raise ValueError(f"X must hold real numbers; got dtype {X.dtype}.")
    if X.shape[1] >= 2**30:
        raise ValueError(f"X may have up to {2**30 - 1:,} columns; got {X.shape[1]:,}. Hash them into fewer.")
    rows = read_sparse(X)
    if not rows.has_canonical_format:
        rows = rows.copy()  # the caller's stays as it is
        rows.sum_duplicates()
    values = np.ascontiguousarray(rows.data, np.float32 if rows.dtype == np.float32 else np.float64)
    _check_finite(values)
    indptr = np.ascontiguousarray(rows.indptr, np.int64)
    indices = np.ascontiguousarray(rows.indices[: indptr[-1]], np.int32)
    return Features(rows.shape[0], rows.shape[1], values[: indptr[-1]], indptr, indices)


def _check_finite(values: NDArray[Any]) -> None:
    if not np.isfinite(values).all():
        raise ValueError("X must be finite; got NaN or infinity. Impute missing values or drop those rows first.")
