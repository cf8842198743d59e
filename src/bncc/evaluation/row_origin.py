"""What a row belongs to and when it is from: groups that no fold divides, and the order of time."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from datetime import UTC, datetime

import numpy as np

from bncc._checks import is_missing
from bncc._typing import Floats, Fold, Longs, Rows
from bncc.datasets.column_table import number
from bncc.datasets.files import shorten

__all__ = ["check_groups", "deal_by_time", "group_numbers", "parse_times", "time_blocks"]

_LEAST_GROUPS = 3
_N_BLOCKS = 10
#: Beside ISO 8601; days and months are told apart by the whole column.
_PATTERNS = ("%Y/%m/%d", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d %b %Y", "%d %B %Y", "%b %d, %Y", "%B %d, %Y")
_CLOCKS = ("", " %H:%M", " %H:%M:%S")


def group_numbers(cells: Sequence[object]) -> Longs:
    """A number for each distinct value; a row without one is a group of its own.

    >>> group_numbers(["b", "a", None, "b", None]).tolist()
    [0, 1, 2, 0, 3]
    """
    number_of_value: dict[object, int] = {}
    return np.array(
        [number_of_value.setdefault(("missing", row) if _missing(cell) else str(cell).strip(), len(number_of_value))
         for row, cell in enumerate(cells)],
        np.int64,
    )  # fmt: skip


def _missing(cell: object) -> bool:
    return is_missing(cell) or (isinstance(cell, str) and not cell.strip())


def parse_times(cells: Sequence[object], column: str) -> Floats:
    """Moments as numbers that grow with time, from numbers or dates; what is neither is an error that says so.

    Dates are ISO 8601 (``2024-03-01``, ``2024-03-01 17:45``) or as people write them (``01.03.2024``,
    ``1 March 2024``); ``03/04/2024`` is understood where other rows tell days from months.

    >>> parse_times(["10", 2, "3.5"], "t").tolist()
    [10.0, 2.0, 3.5]
    >>> np.diff(parse_times(["2024-03-01", "2024-03-02"], "t")).tolist()
    [86400.0]
    """
    missing = next((row for row, cell in enumerate(cells) if _missing(cell)), None)
    if missing is not None:
        raise ValueError(
            f"every row must have a time in column {shorten(column)}; row {missing + 1} has none. Leave such rows out."
        )
    texts = [str(cell).strip() for cell in cells]
    numbers = [number(text) for text in texts]
    if all(value is not None and math.isfinite(value) for value in numbers):
        return np.array(numbers, np.float64)
    readers: list[Callable[[str], datetime]] = [datetime.fromisoformat]
    readers += [_reader(pattern + clock) for pattern in _PATTERNS for clock in _CLOCKS]
    readings = [moments for read in readers if (moments := _read_all(texts, read)) is not None]
    if len({tuple(moments) for moments in readings}) > 1:
        raise ValueError(
            f"the dates in column {shorten(column)}, such as {shorten(texts[0])}, may be day/month or month/day. "
            "Write them as 2024-03-01."
        )
    if not readings:
        odd = next((text for text in texts if not _is_iso(text)), texts[0])
        raise ValueError(
            f"column {shorten(column)} must hold numbers or dates, all of one kind; got {shorten(odd)}. "
            "Write dates as 2024-03-01 or 2024-03-01 17:45."
        )
    return np.array(readings[0], np.float64)


def _reader(pattern: str) -> Callable[[str], datetime]:
    return lambda text: datetime.strptime(text, pattern)


def _read_all(texts: Sequence[str], read: Callable[[str], datetime]) -> list[float] | None:
    """Seconds of all texts; None if one cannot be read. Those without a zone are taken as UTC."""
    try:
        moments = [read(text) for text in texts]
        return [(m if m.tzinfo else m.replace(tzinfo=UTC)).timestamp() for m in moments]
    except (ValueError, OverflowError):
        return None


def _is_iso(text: str) -> bool:
    return _read_all([text], datetime.fromisoformat) is not None


def deal_by_time(times: Floats, n_folds: int, groups: Longs | None = None) -> list[Fold]:
    """Folds that test on later rows than they learn from.

    Rows are cut into ``n_folds + 1`` parts by time, as equal as rows of one moment allow, which are never divided.
    Fold k learns from the first k parts and is tested on the next. With groups, a fold does not learn from rows of the
    groups that it is tested on.

    >>> [(train.tolist(), test.tolist()) for train, test in deal_by_time(np.array([3.0, 1, 2]), 2)]
    [([1], [2]), ([1, 2], [0])]
    """
    part = _parts(times, n_folds + 1)
    if part.max(initial=0) < n_folds:
        raise ValueError(
            f"{n_folds} folds by time need at least {n_folds + 1} different moments that part the rows; got "
            f"{np.unique(times).size}. `n_folds` must be smaller."
        )
    folds: list[Fold] = [(np.flatnonzero(part < k), np.flatnonzero(part == k)) for k in range(1, n_folds + 1)]
    if groups is not None:
        folds = [(train[~np.isin(groups[train], groups[test])], test) for train, test in folds]
        if any(train.size == 0 for train, _ in folds):
            raise ValueError("a fold has no row to learn from whose group is not tested too. Leave out one of both.")
    return folds


def _parts(values: Floats, n_parts: int) -> Longs:
    """The part of each row, from 0 on: about equal parts in ascending order, equal values in one."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    middle = np.cumsum(counts) - counts / 2.0
    wanted = np.minimum((middle * n_parts / len(values)).astype(np.int64), n_parts - 1)
    _, numbered = np.unique(wanted, return_inverse=True)  # no empty part between others
    return np.asarray(numbered, np.int64).reshape(-1)[inverse.reshape(-1)]


def time_blocks(times: Floats) -> Longs:
    """Ten blocks of neighbouring moments, to be held out one by one where settings and thresholds are chosen."""
    return _parts(times, _N_BLOCKS)


def check_groups(groups: Longs, rows: Rows | None = None) -> None:
    """Refuse rows of so few groups that nothing can be chosen on groups held out."""
    n_groups = np.unique(groups if rows is None else groups[rows]).size
    if n_groups < _LEAST_GROUPS:
        raise ValueError(
            f"the rows to learn from must be of at least {_LEAST_GROUPS} groups; got {n_groups}. "
            "Take more folds (`n_folds`), or leave `group=` out."
        )
