"""How many numbers a fitted model lays out for a row: the more, the fewer rows are handed to it at a time.

Whoever asks a model about many rows that came from one must not need many times the memory of that one.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy import sparse

from bncc._typing import Classifier

__all__ = ["numbers_laid_out", "rows_at_a_time", "sum_over_parts"]

_HOLDERS = ("bncc", "sklearn")
_CELLS = 1 << 20
_LEAST_ROWS = 16
_COUNTS = ("n_output_features_", "_n_out_full")  # columns that a part makes without an array as long


def rows_at_a_time(numbers: int) -> int:
    """Rows whose numbers lie in some 8 MB together, and a few at least.

    >>> rows_at_a_time(1000), rows_at_a_time(10**6)
    (1048, 16)
    """
    return max(_LEAST_ROWS, _CELLS // max(numbers, 1))


def numbers_laid_out(model: Classifier) -> int:
    """Numbers that a model makes of a row, about: features, classes, distances to rows that it keeps.

    Each is as long as an array of the model or of one of its parts, and parts may answer side by side.
    """
    return sum_over_parts(model, _lengths)


def sum_over_parts(model: object, of_itself: Callable[[object], int]) -> int:
    """The sum over a model and its parts, which count as often as they are there."""
    return _sum(model, of_itself, {})


def _sum(part: object, of_itself: Callable[[object], int], known: dict[int, int]) -> int:
    if isinstance(part, list | tuple | set):
        return sum(_sum(each, of_itself, known) for each in part)
    if isinstance(part, dict):
        return sum(_sum(each, of_itself, known) for each in part.values())
    if isinstance(part, np.ndarray):
        return _sum(part.ravel().tolist(), of_itself, known) if part.dtype == object else 0
    if type(part).__module__.partition(".")[0] not in _HOLDERS or not hasattr(part, "__dict__"):
        return 0
    if id(part) not in known:
        known[id(part)] = 0  # a part within itself is no other part
        known[id(part)] = of_itself(part) + _sum(vars(part), of_itself, known)
    return known[id(part)]


def _lengths(part: object) -> int:
    fields = vars(part)
    counts = [value for name in _COUNTS if isinstance(value := fields.get(name), int | np.integer)]
    return sum(map(_length, fields.values())) + max(map(int, counts), default=0)


def _length(value: object) -> int:
    if isinstance(value, list | tuple):
        return sum(_length(each) for each in value if isinstance(each, np.ndarray))
    is_table = isinstance(value, np.ndarray) or sparse.issparse(value)
    return int(max(getattr(value, "shape", ()), default=0)) if is_table else 0
