"""The rows that links learn from in each fold, equal sets stored once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bncc.svm.links import Links

__all__ = ["Fold", "RowSets", "training_sets"]

Fold = tuple[NDArray[np.integer[Any]], NDArray[np.integer[Any]]]


class RowSets:
    """Ascending sets of rows, numbered in the order in which they first came.

    >>> sets = RowSets()
    >>> [sets.place(np.array(rows)) for rows in ([0, 2], [1], [0, 2])]
    [0, 1, 0]
    """

    def __init__(self) -> None:
        self.sets: list[NDArray[np.integer[Any]]] = []
        self._known: dict[bytes, int] = {}

    def place(self, rows: NDArray[np.integer[Any]]) -> int:
        """The number of a set; all sets of one collection have the same dtype."""
        found = self._known.setdefault(rows.tobytes(), len(self.sets))
        if found == len(self.sets):
            self.sets.append(rows)
        return found


def training_sets(sets: RowSets, links: Sequence[Links], folds: Sequence[Fold], n_rows: int) -> NDArray[np.int32]:
    """The set of each link in each fold, shape (n_folds, n_links): its own rows among the training rows."""
    out = np.empty((len(folds), len(links[0])), np.int32)
    for fold, (train, _) in enumerate(folds):
        inside = np.zeros(n_rows, bool)
        inside[np.asarray(train, np.int64)] = True
        own = links[fold].rows
        if own is None:
            out[fold] = sets.place(np.flatnonzero(inside).astype(np.int32))
            continue
        for link, rows in enumerate(own):
            chosen = np.asarray(rows)[inside[rows]].astype(np.int32)
            out[fold, link] = sets.place(chosen if (np.diff(chosen) > 0).all() else np.unique(chosen))
    return out
