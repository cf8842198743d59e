"""Contests between two labels: the rows that tell them apart, and who wins where one always does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.random import sample_without_replacement

from bncc._typing import Floats, Longs, Random, Signs
from bncc.multilabel.targets import Targets
from bncc.structure import LabelNetwork

__all__ = ["LabelContests", "all_contests", "certainty", "contests_of_pairs", "edge_pairs", "random_pairs"]


@dataclass(frozen=True, eq=False)
class LabelContests:
    """Pairs of labels that some row tells apart.

    Attributes
    ----------
    pairs : array of shape (n_pairs, 2)
        The lower label first; pairs ascend.
    rows : tuple of arrays of row numbers
        Where exactly one of the two labels holds, and both are known.
    certain : array of shape (n_pairs,)
        1 or -1 where the first label wins or loses in all of its rows, else 0.
    """

    pairs: Longs
    rows: tuple[Longs, ...]
    certain: Floats


def certainty(target: Signs) -> float:
    """1 or -1 where known values of a target are always or never 1, else 0; -1 where nothing is known."""
    return 1.0 if target.size and (target == 1).all() else -1.0 if (target == 0).all() else 0.0


def all_contests(columns: Signs) -> LabelContests:
    """The contests of all pairs of labels, from their columns (n_labels, n_rows)."""
    pairs, rows, certain = [np.zeros((0, 2), np.int64)], list[Longs](), [np.zeros(0)]
    for first in range(len(columns) - 1):
        seconds, met, always = _contests_with(columns, first)
        pairs.append(np.column_stack([np.full_like(seconds, first), seconds]))
        rows += met
        certain.append(always)
    return LabelContests(np.concatenate(pairs), tuple(rows), np.concatenate(certain))


def _contests_with(columns: Signs, first: int) -> tuple[Longs, list[Longs], Floats]:
    """The labels after `first` that some row tells apart from it, these rows, and who wins where one always does."""
    # Of 0, 1 and -1 (unknown), only 0 and 1 differ in exactly the last bit.
    second, row = np.divmod(np.flatnonzero((columns[first + 1 :] ^ columns[first]) == 1), columns.shape[1])
    count = np.bincount(second, minlength=len(columns) - first - 1)
    wins = np.bincount(second, weights=columns[first][row], minlength=count.size)
    met = np.flatnonzero(count)
    rows = np.split(row, np.cumsum(count[met])[:-1]) if met.size else []
    return met + first + 1, rows, (wins == count)[met] * 1.0 - (wins == 0)[met]


def contests_of_pairs(targets: Targets, pairs: Sequence[tuple[int, int]]) -> LabelContests:
    """The contests of some pairs of labels; only two columns are spread over all rows at a time."""
    met, rows, certain = list[tuple[int, int]](), list[Longs](), list[float]()
    for first, second in pairs:
        column = targets.column(first)
        told_apart = np.flatnonzero((column ^ targets.column(second)) == 1)
        if told_apart.size:
            met.append((first, second))
            rows.append(told_apart)
            certain.append(certainty(column[told_apart]))
    return LabelContests(np.array(met, np.int64).reshape(-1, 2), tuple(rows), np.array(certain, np.float64))


def edge_pairs(network: LabelNetwork) -> list[tuple[int, int]]:
    """The labels of each edge, the lower one first, ascending."""
    return sorted((min(edge), max(edge)) for edge in network.edges)


def random_pairs(n_labels: int, n_pairs: int, random_state: Random) -> list[tuple[int, int]]:
    """Distinct pairs of labels, the lower one first, ascending.

    >>> random_pairs(4, 6, 0)
    [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
    """
    random = check_random_state(random_state)
    drawn = sample_without_replacement(n_labels * (n_labels - 1) // 2, n_pairs, random_state=random).astype(np.int64)
    # The number of a pair (first, second) is second * (second - 1) / 2 + first.
    second = np.floor((1.0 + np.sqrt(1.0 + 8.0 * drawn)) / 2.0).astype(np.int64)
    second -= second * (second - 1) // 2 > drawn
    first = drawn - second * (second - 1) // 2
    return sorted(zip(first.tolist(), second.tolist(), strict=True))
