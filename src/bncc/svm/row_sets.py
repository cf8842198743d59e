"""The rows that links learn from in each fold, equal sets stored once."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bncc._typing import Bools, Fold, Rows
from bncc.svm.link_table import LinkTable

__all__ = ["RowSets", "training_sets"]


class RowSets:
    """Ascending sets of rows, numbered in the order in which they first came.

    >>> sets = RowSets()
    >>> [sets.number_of(np.array(rows)) for rows in ([0, 2], [1], [0, 2])]
    [0, 1, 0]
    """

    def __init__(self) -> None:
        self.sets: list[Rows] = []
        self._known: dict[bytes, int] = {}

    def number_of(self, rows: Rows) -> int:
        """The number of a set; all sets of one collection have the same dtype."""
        number = self._known.setdefault(rows.tobytes(), len(self.sets))
        if number == len(self.sets):
            self.sets.append(rows)
        return number


def training_sets(sets: RowSets, links: Sequence[LinkTable], folds: Sequence[Fold], n_rows: int) -> NDArray[np.int32]:
    """The set of each link in each fold, shape (n_folds, n_links): its own rows among the training rows."""
    out = np.empty((len(folds), len(links[0])), np.int32)
    for fold, (train, _) in enumerate(folds):
        inside = np.zeros(n_rows, bool)
        inside[np.asarray(train, np.int64)] = True
        rows_of_links = links[fold].rows
        if rows_of_links is None:
            out[fold] = sets.number_of(np.flatnonzero(inside).astype(np.int32))
        else:
            out[fold] = [sets.number_of(rows) for rows in _parts_inside(rows_of_links, inside)]
    return out


def _parts_inside(parts: Sequence[Rows], inside: Bools) -> list[NDArray[np.int32]]:
    """Rows of each part that are inside, ascending and once each; all parts in one go, since there may be many."""
    joined = np.concatenate([np.zeros(0, np.int32), *parts]).astype(np.int32)
    kept = inside[joined]
    stops = np.cumsum([len(part) for part in parts])
    bounds = np.concatenate([[0], np.cumsum(kept)])[np.concatenate([[0], stops])]
    rows = joined[kept]
    out = [rows[start:stop] for start, stop in itertools.pairwise(bounds.tolist())]
    falls = rows[1:] <= rows[:-1]
    falls[bounds[(bounds > 0) & (bounds < rows.size)] - 1] = False
    return [np.unique(part) for part in out] if falls.any() else out
