"""The whole front of networks over few labels, by dynamic programming over sets of labels.

Every acyclic network has a label without children, so the best networks over a set of labels come from those over the
set without one of them, and the best parents for that one among the rest (Silander and Myllymäki 2006). Here the best
is kept for every cost, not for one score. Time and memory double with every label.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from bncc._typing import Floats, Longs
from bncc.structure.candidate_scores import CandidateScorer
from bncc.structure.front_points import FrontPoint, non_dominated

__all__ = ["MOST_EXACT", "exact_front"]

MOST_EXACT = 12
_DECIMALS = 6


def exact_front(scorer: CandidateScorer, n_labels: int, costs: tuple[int, ...]) -> tuple[FrontPoint, ...]:
    """All non-dominated pairs of bits and cost, each with one network; for up to `MOST_EXACT` labels.

    Sets of labels are the bits of an integer. Of equal networks the one whose last label, then number of parents, then
    set of parents comes first is given.
    """
    best_parents = [_best_parents(scorer, child, n_labels, len(costs) - 1) for child in range(n_labels)]
    most = sum(costs[min(n, len(costs) - 1)] for n in range(n_labels))
    bits = np.full((1 << n_labels, most + 1), -np.inf)  # row: a set of labels, column: a cost
    last = np.full((1 << n_labels, most + 1), -1, np.int64)  # which label came last, and its number of parents
    bits[0, 0] = 0.0
    for labels in range(1, 1 << n_labels):
        for child, rest in _taken_out(labels):
            for n_parents, cost in enumerate(costs):
                gain = best_parents[child][0][n_parents, rest]
                if not np.isfinite(gain):
                    break
                found = np.round(bits[rest, : most + 1 - cost] + gain, _DECIMALS)
                better = found > bits[labels, cost:]
                bits[labels, cost:][better] = found[better]
                last[labels, cost:][better] = child * len(costs) + n_parents
    whole = (1 << n_labels) - 1
    sets = [found[1] for found in best_parents]
    return non_dominated(
        FrontPoint(_trace(last, sets, whole, cost, costs), float(bits[whole, cost]), cost)
        for cost in np.flatnonzero(np.isfinite(bits[whole])).tolist()
    )


def _taken_out(labels: int) -> Iterator[tuple[int, int]]:
    """Each label of a set, with the set of the others."""
    for child in range(labels.bit_length()):
        if labels >> child & 1:
            yield child, labels & ~(1 << child)


def _best_parents(scorer: CandidateScorer, child: int, n_labels: int, most: int) -> tuple[Floats, Longs]:
    """By number of parents and set of labels to choose from: the most bits, and the set that has them."""
    shape = (most + 1, 1 << n_labels)
    bits, chosen = np.full(shape, -np.inf), np.zeros(shape, np.int64)
    bits[0, 0] = scorer.one(child, [])
    others = [label for label in range(n_labels) if label != child]
    for n_accepted in range(min(most, len(others))):
        for accepted in combinations(others, n_accepted):
            later = np.array([label for label in others if not accepted or label > accepted[-1]], np.int64)
            if later.size:
                sets = sum(1 << label for label in accepted) | (1 << later)
                bits[n_accepted + 1, sets] = scorer.many(child, list(accepted), later)
                chosen[n_accepted + 1, sets] = sets
    for label in range(n_labels):
        _spread(bits, chosen, label)
    return bits, chosen


def _spread(bits: Floats, chosen: Longs, label: int) -> None:
    """Let sets with a label also choose what the same sets without it may; in place."""
    halves: tuple[NDArray[np.float64], NDArray[np.int64]] = (
        bits.reshape(len(bits), -1, 2, 1 << label),
        chosen.reshape(len(chosen), -1, 2, 1 << label),
    )
    better = halves[0][:, :, 0] > halves[0][:, :, 1]
    for half in halves:
        half[:, :, 1] = np.where(better, half[:, :, 0], half[:, :, 1])


def _trace(
    last: Longs, sets: list[Longs], labels: int, cost: int, costs: tuple[int, ...]
) -> tuple[tuple[int, ...], ...]:
    """The network behind the best bits of a set and a cost, label by label from the last one."""
    parents: list[tuple[int, ...]] = [()] * len(sets)
    while labels:
        child, n_parents = divmod(int(last[labels, cost]), len(costs))
        labels &= ~(1 << child)
        group = int(sets[child][n_parents, labels])
        parents[child] = tuple(label for label in range(len(sets)) if group >> label & 1)
        cost -= costs[n_parents]
    return tuple(parents)
