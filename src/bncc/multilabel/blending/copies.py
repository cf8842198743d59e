"""Rows that stand several times in the data: what is held out must not be a copy of what was learned."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from bncc._rows import row_blocks
from bncc._typing import Array, Matrix, Rows

__all__ = ["are_all_equal", "groups_of_copies"]

# Copies are looked after from this share of the rows on.
_LEAST_SHARE = 0.02
# A feature tells rows apart that has as many values as this share of some different rows, and so many at least.
_TELLING = 0.5
_LEAST_VALUES = 20
_LOOKED_AT = 200
# Numbers of X that are worked on at a time.
_BLOCK = 1 << 20


def groups_of_copies(X: Matrix) -> Rows | None:
    """A number for each row, the same for rows that are equal; None where few are, or may be so by chance.

    By chance where no feature tells most rows apart, as among marks and words. New rows will then be like old ones too,
    and there is nothing to look after. Sparse features count as such.

    >>> rows = np.random.default_rng(0).normal(size=(100, 2))
    >>> groups_of_copies(rows) is None, groups_of_copies(np.vstack([rows, rows[:5]]))[100:].tolist()
    (True, [0, 1, 2, 3, 4])
    >>> groups_of_copies(np.vstack([rows, rows]) > 0) is None
    True
    """
    if not isinstance(X, np.ndarray) or X.size == 0:
        return None
    codes: Any = _codes(X)
    _, first, group = np.unique(codes, return_index=True, return_inverse=True)
    if X.shape[0] - first.size < _LEAST_SHARE * X.shape[0]:
        return None
    some = X[np.sort(first)[:: -(-first.size // _LOOKED_AT)]].astype(np.float64)
    ordered = np.sort(np.where(np.isnan(some), np.inf, some), axis=0)
    n_values = 1 + np.count_nonzero(ordered[1:] != ordered[:-1], axis=0)
    if n_values.max() < max(_TELLING * len(ordered), _LEAST_VALUES):
        return None
    by_appearance: Rows = np.empty(first.size, np.int64)
    by_appearance[np.argsort(first)] = np.arange(first.size)
    return by_appearance[group.ravel()]


def are_all_equal(X: Matrix) -> bool:
    """Whether no feature tells any two rows apart; a gap is as good as a value.

    >>> are_all_equal(np.array([[1.0, np.nan], [1.0, np.nan]])), are_all_equal(np.array([[1.0], [np.nan]]))
    (True, False)
    """
    first = X[:1]
    return all(_equal_first(block, first) for block in row_blocks(X, _LOOKED_AT))


def _equal_first(block: Matrix, first: Matrix) -> bool:
    if isinstance(block, np.ndarray):
        gaps = np.isnan(block) & np.isnan(first) if block.dtype.kind == "f" else False
        return bool(((block == first) | gaps).all())
    both = sparse.csr_array(sparse.vstack([first, block], format="csr"))
    both.eliminate_zeros()
    both.sort_indices()
    if (np.diff(both.indptr) != both.indptr[1]).any():
        return False
    shape = (both.shape[0], -1) if both.nnz else (1, 0)
    columns, values = both.indices.reshape(shape), both.data.reshape(shape)
    return bool((columns == columns[0]).all()) and _equal_first(values, values[:1])


def _codes(X: Array) -> NDArray[np.uint64]:
    """A number of each row, which other rows have only by a chance of next to nothing."""
    factors = np.random.default_rng(0).integers(1, 2**63, X.shape[1], np.uint64) * np.uint64(2) + np.uint64(1)
    out = np.empty(X.shape[0], np.uint64)
    step = max(1, _BLOCK // X.shape[1])
    for start in range(0, X.shape[0], step):
        numbers = np.ascontiguousarray(X[start : start + step], np.float64) + 0.0  # no -0
        numbers[np.isnan(numbers)] = np.nan  # there are several
        mixed = numbers.view(np.uint64)
        mixed = (mixed ^ (mixed >> np.uint64(29))) * factors
        out[start : start + step] = (mixed ^ (mixed >> np.uint64(32))).sum(axis=1, dtype=np.uint64)
    return out
