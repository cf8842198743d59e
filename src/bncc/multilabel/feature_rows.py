"""Features as links see them: with label columns after them, and with narrow indices where they are sparse."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from bncc._typing import Array, Matrix, Rowwise, Sparse

__all__ = ["append_context", "as_array", "bytes_of", "is_plain", "narrow", "sample_rows"]

_MOST_SAMPLED = 100
_MOST_SAMPLED_BYTES = 4 << 20


def append_context(X: Matrix, context: Array | Sparse) -> Matrix:
    """Features with label columns after them; sparse stays sparse.

    >>> append_context(np.array([[0.5], [0.25]]), np.array([[1], [0]])).tolist()
    [[0.5, 1.0], [0.25, 0.0]]
    """
    if context.shape[1] == 0:
        return X
    if sparse.issparse(X):
        return narrow(sparse.hstack([X, sparse.csr_array(context)], format="csr", dtype=X.dtype))
    dense = context if isinstance(context, np.ndarray) else context.toarray()
    return np.hstack([X, dense.astype(X.dtype if X.dtype.kind == "f" else np.float64)])


def is_plain(X: Rowwise) -> bool:
    """Whether scikit-learn's check would find nothing to say and hand X back: finite floats in a dense or CSR matrix.

    Where the values are finite and their sum is not, False: that check knows better.

    >>> is_plain(np.eye(2)), is_plain(np.array([[0.0, np.inf]])), is_plain([[0.0]])
    (True, False, False)
    """
    if type(X) not in (np.ndarray, sparse.csr_array, sparse.csr_matrix):
        return False
    if X.ndim != 2 or X.dtype not in (np.float64, np.float32) or 0 in X.shape:
        return False
    with np.errstate(over="ignore", invalid="ignore"):
        return bool(np.isfinite((X if type(X) is np.ndarray else X.data).sum()))


def as_array(X: Matrix) -> Array:
    """Features as an array: what has learned from one may take nothing else, or no gaps in anything else."""
    return X if isinstance(X, np.ndarray) else X.toarray()


def narrow(X: Matrix) -> Matrix:
    """X; a sparse one with one entry per place, and indices of 32 bits where they suffice.

    Many scikit-learn estimators want these indices, and some take each of several entries for the whole value.
    """
    if isinstance(X, np.ndarray):
        return X
    if not X.has_canonical_format:
        X = X.copy()  # the caller's stays as it is
        X.sum_duplicates()
    if X.indices.dtype == np.int32 or max(X.nnz, *X.shape) > np.iinfo(np.int32).max:
        return X
    return type(X)((X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32)), shape=X.shape)


def bytes_of(X: Matrix) -> int:
    """Memory that features take."""
    if isinstance(X, np.ndarray):
        return int(X.nbytes)
    return int(X.data.nbytes + X.indices.nbytes + X.indptr.nbytes)


def sample_rows(X: Matrix) -> Matrix:
    """At most 100 rows in at most 4 MB (at least one), evenly spread; a copy, in floating point.

    >>> sample_rows(np.arange(1000)[:, None])[[0, 1, -1]].ravel().tolist()
    [0.0, 10.0, 999.0]
    """
    bytes_per_row = max(1, bytes_of(X) // max(1, X.shape[0]))
    n_kept = min(X.shape[0], _MOST_SAMPLED, max(1, _MOST_SAMPLED_BYTES // bytes_per_row))
    rows = X[np.linspace(0, X.shape[0] - 1, n_kept).astype(np.int64)]
    return rows if rows.dtype in (np.float32, np.float64) else rows.astype(np.float64)
