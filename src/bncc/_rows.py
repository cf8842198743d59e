"""Rows of what callers hand over: some of them, and how much each counts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import sparse

from bncc._typing import Floats, Rows, Weights

__all__ = ["read_weights", "row_blocks", "take_rows"]


def take_rows(data: Any, rows: Rows) -> Any:
    """Some rows of an array, a sparse matrix, a data frame or a list, as the same kind of thing.

    >>> take_rows(["a", "b", "c"], np.array([2, 0]))
    ['c', 'a']
    """
    if hasattr(data, "iloc"):
        return data.iloc[rows]
    if sparse.issparse(data) and data.format not in ("csr", "csc", "lil"):
        return data.tocsr()[rows]  # the others have no rows to take
    has_rows = hasattr(data, "shape") or hasattr(data, "__array__")
    return data[rows] if has_rows else [data[row] for row in rows]


def row_blocks(data: Any, step: int) -> Iterator[Any]:
    """Rows in blocks of `step`, in their order; of what has no shape, all at once.

    >>> [block.tolist() for block in row_blocks(np.arange(3), 2)]
    [[0, 1], [2]]
    """
    n_rows = data.shape[0] if hasattr(data, "shape") else 0
    if n_rows <= step:
        yield data
        return
    for start in range(0, n_rows, step):
        yield take_rows(data, np.arange(start, min(start + step, n_rows)))


def read_weights(sample_weight: Weights, n_rows: int) -> Floats:
    """One finite weight per row, none negative and not all zero; a single number counts for every row.

    >>> read_weights(2, 3).tolist()
    [2.0, 2.0, 2.0]
    """
    try:
        given = np.asarray(sample_weight)
        if given.dtype.kind == "c":
            raise TypeError
        weight = np.asarray(given, np.float64)
    except (TypeError, ValueError):
        raise ValueError("`sample_weight` must hold real numbers, one per row.") from None
    weight = np.full(n_rows, float(weight)) if weight.ndim == 0 else weight
    if weight.shape != (n_rows,):
        raise ValueError(f"`sample_weight` must have one value per row ({n_rows}); got shape {weight.shape}.")
    if not np.isfinite(weight).all() or (weight < 0).any():
        raise ValueError("`sample_weight` must be finite and not negative.")
    if not (weight > 0).any():
        raise ValueError("`sample_weight` must have a positive value; all are zero.")
    return weight
