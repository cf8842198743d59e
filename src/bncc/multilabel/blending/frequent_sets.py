"""The label sets that occur in training."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

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
    keys = _keys(targets)
    whole = np.ones(len(keys), bool)
    if targets.unknown is not None:
        whole = np.asarray(targets.unknown.sum(axis=1)).ravel() == 0
    count = Counter(key for key, is_whole in zip(keys, whole, strict=True) if is_whole)
    kept = sorted(sorted(count, key=_as_digits), key=lambda key: -count[key])[:most]
    kept.sort(key=_as_digits)
    sets = np.zeros((len(kept), targets.n_labels), bool)
    for place, key in enumerate(kept):
        sets[place, np.frombuffer(key, np.int32)] = True
    out = _places({key: place for place, key in enumerate(kept)}, keys)
    out[~whole] = -1
    return sets, out


def places_of_sets(sets: Bools, targets: Targets) -> Longs:
    """The set of each row among some sets, -1 for another; of many rows the first 200,000."""
    targets = targets if targets.n_rows <= _MOST_ROWS else targets.take(np.arange(_MOST_ROWS))
    place = {np.flatnonzero(each).astype(np.int32).tobytes(): number for number, each in enumerate(sets)}
    return _places(place, _keys(targets))


def _keys(targets: Targets) -> list[bytes]:
    """The labels of each row as bytes: with thousands of labels, rows of zeros and ones would take gigabytes."""
    labels = targets.positives.tocsr().copy()
    labels.eliminate_zeros()
    labels.sort_indices()
    columns, ends = labels.indices.astype(np.int32), labels.indptr.tolist()
    return [columns[begin:end].tobytes() for begin, end in pairwise(ends)]


def _as_digits(key: bytes) -> list[int]:
    """What sorts sets as their rows of zeros and ones would be sorted: at the first difference, the label is larger."""
    return (-np.frombuffer(key, np.int32)).tolist()


def _places(place_of: dict[bytes, int], keys: list[bytes]) -> Longs:
    return np.array([place_of.get(key, -1) for key in keys], np.int64)
