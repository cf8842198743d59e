"""The label sets that occur in training."""

from __future__ import annotations

import numpy as np

from bncc._typing import Bools, Longs
from bncc.multilabel.targets import Targets

__all__ = ["frequent_sets", "places_of_sets"]

_MOST_SETS = 500
_MOST_ROWS = 200_000


def frequent_sets(targets: Targets, most: int = _MOST_SETS) -> tuple[Bools, Longs]:
    """The label sets that occur most often, in lexicographic order, and the set of each row.

    -1 stands for rows with another set or with an unknown label. Of sets that are equally frequent the first is taken.
    Of many rows the first 200,000 are looked at.
    """
    targets = targets if targets.n_rows <= _MOST_ROWS else targets.take(np.arange(_MOST_ROWS))
    labels = np.asarray(targets.positives.toarray() != 0)
    whole = np.ones(len(labels), bool)
    if targets.unknown is not None:
        whole = np.asarray(targets.unknown.sum(axis=1)).ravel() == 0
    if not whole.any():
        return np.zeros((0, targets.n_labels), bool), np.full(len(labels), -1)
    sets, code, count = np.unique(labels[whole], axis=0, return_inverse=True, return_counts=True)
    kept = np.sort(np.argsort(-count, kind="stable")[:most])
    place = np.full(len(sets), -1)
    place[kept] = np.arange(kept.size)
    out = np.full(len(labels), -1)
    out[whole] = place[code.ravel()]
    return sets[kept], out


def places_of_sets(sets: Bools, targets: Targets) -> Longs:
    """The set of each row among some sets, -1 for another; of many rows the first 200,000."""
    place = {each.tobytes(): number for number, each in enumerate(sets)}
    first = targets.positives.tocsr()[: min(targets.n_rows, _MOST_ROWS)]
    return np.array([place.get(row.tobytes(), -1) for row in np.asarray(first.toarray() != 0)], np.int64)
