"""What batches of binary problems have in common, whoever solves them: how a problem ended, its rows, their weights."""

from __future__ import annotations

from enum import IntEnum

import numpy as np
from numpy.typing import ArrayLike

from bncc._typing import Array, Floats

__all__ = ["Status", "check_row_set", "read_weight_table"]


class Status(IntEnum):
    """How a problem ended."""

    CONVERGED = 0
    ITERATION_LIMIT = 1
    ONE_CLASS = 2


def check_row_set(number: int, rows: Array, n_rows: int) -> None:
    """Raise ValueError unless a set of rows ascends within 0..n_rows - 1; `number` is what the message calls it."""
    if rows.ndim != 1 or (rows.size and rows.dtype.kind not in "iu"):
        raise ValueError(f"Row set {number} must be a 1-D array of row numbers; got dtype {rows.dtype}.")
    if rows.size and (rows.min() < 0 or rows.max() >= n_rows):
        raise ValueError(f"Row set {number} must lie in 0..{n_rows - 1}; got {rows.min()}..{rows.max()}.")
    if (np.diff(rows) <= 0).any():
        raise ValueError(f"Row set {number} must ascend without duplicates; use numpy.unique.")


def read_weight_table(weights: ArrayLike | None, n_rows: int) -> Floats:
    """Weights of rows as a table (n_weights, n_rows), without a line where there are none.

    >>> read_weight_table([1, 2], 2).tolist(), read_weight_table(None, 2).shape
    ([[1.0, 2.0]], (0, 2))
    """
    if weights is None:
        return np.zeros((0, n_rows))
    table = np.atleast_2d(np.asarray(weights, np.float64))
    if table.ndim != 2 or table.shape[1] != n_rows:
        raise ValueError(f"`weights` must have one column per row ({n_rows}); got shape {table.shape}.")
    if not np.isfinite(table).all() or (table < 0).any():
        raise ValueError("`weights` must be finite and not negative; use 0 to leave a row out.")
    return np.ascontiguousarray(table)
