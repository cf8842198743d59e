"""Hill climbing: add, remove or reverse the edge that improves the score most, until none does.

The twin of `climb.cpp`, with the same results: gains are compared after rounding to 4 decimals; of equal ones an
addition comes first, then a removal, then a reversal, then the parent and the child that come first in the initial
order.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bncc._typing import Bools, Floats
from bncc.graph.topology import positions
from bncc.structure.candidate_scores import CandidateScorer
from bncc.structure.search_task import ParentSearch, RawSearch

__all__ = ["climb"]

_ADD, _REMOVE, _REVERSE = range(3)
_NO_CHANGE = 4  # in STOPS

# A gain, what is done to the edge, its parent and its child.
Change = tuple[float, int, int, int]


def climb(scorer: CandidateScorer, search: ParentSearch, start: Sequence[Sequence[int]] = ()) -> RawSearch:
    """The parents of every label in an acyclic graph, from the required edges and those of `start` on."""
    climber = _Climber(scorer, search, start)
    while (change := climber.best_change())[0] > 0:
        climber.apply(change)
    groups = climber.parents
    scores = [
        [
            float(_millionths(scorer.one(child, group[:k]))) / 1e6
            for k in range(len(search.required[child]), len(group) + 1)
        ]
        for child, group in enumerate(groups)
    ]
    return [tuple(group) for group in groups], [tuple(values) for values in scores], [_NO_CHANGE] * len(groups)


class _Climber:
    """The graph so far, and for each child the score with any other label and without any of its parents."""

    def __init__(self, scorer: CandidateScorer, search: ParentSearch, start: Sequence[Sequence[int]]) -> None:
        self.scorer, self.search = scorer, search
        n_labels = len(search.order)
        self.parents = [list(group) for group in search.required]
        self.place = positions(search.order)
        self.left = list(search.child_limits)
        self.above: Bools = self._ancestors()
        for child, group in enumerate(start):
            for parent in group:
                self._begin_with(parent, child)
        self.score = np.zeros(n_labels)
        self.with_label = np.full((n_labels, n_labels), -np.inf)
        self.without: list[list[float]] = [[] for _ in range(n_labels)]
        for child in range(n_labels):
            self._renew(child)

    def best_change(self) -> Change:
        """The change with the largest gain; a gain of 0 where there is none."""
        changes = [(0.0, _REVERSE, -1, -1), *self._additions()]
        for child, group in enumerate(self.parents):
            for at, parent in enumerate(group):
                if parent in self.search.required[child]:
                    continue
                loss = self.without[child][at] - float(self.score[child])
                changes.append((_rounded(loss), _REMOVE, parent, child))
                if self._may_reverse(parent, child):
                    gain = loss + float(self.with_label[parent, child] - self.score[parent])
                    changes.append((_rounded(gain), _REVERSE, parent, child))
        return max(changes, key=lambda change: (change[0], -change[1], *(-self.place[label] for label in change[2:])))

    def apply(self, change: Change) -> None:
        """Do it, and look at the labels again whose parents changed."""
        _, kind, parent, child = change
        if kind == _ADD:
            self.parents[child].append(parent)
            self.left[parent] -= 1
        else:
            self.parents[child].remove(parent)
            self.left[parent] += 1
        if kind == _REVERSE:
            self.parents[parent].append(child)
            self.left[child] -= 1
        self.above = self._ancestors()
        self._renew(child)
        if kind == _REVERSE:
            self._renew(parent)

    def _begin_with(self, parent: int, child: int) -> None:
        """An edge of the start, unless something forbids it."""
        group = self.parents[child]
        closed = self.left[parent] <= 0 or self.above[parent, child] or len(group) >= self.search.max_parents
        if closed or parent in group or parent in self.search.forbidden[child]:
            return
        group.append(parent)
        self.left[parent] -= 1
        self.above = self._ancestors()

    def _additions(self) -> list[Change]:
        gains = np.rint((self.with_label - self.score[:, None]) / 100.0)
        gains[:, np.asarray(self.left) <= 0] = -np.inf
        gains[self.above.T] = -np.inf  # the child is above the parent
        best = gains.max()
        if not best > 0:
            return []
        return [
            (float(best), _ADD, int(parent), int(child))
            for child, parent in zip(*np.nonzero(gains == best), strict=True)
        ]

    def _may_reverse(self, parent: int, child: int) -> bool:
        if self.left[child] <= 0 or not np.isfinite(self.with_label[parent, child]):
            return False
        return not any(other != parent and self.above[other, parent] for other in self.parents[child])

    def _renew(self, child: int) -> None:
        group = self.parents[child]
        self.score[child] = _millionths(self.scorer.one(child, group))
        self.without[child] = [
            float(_millionths(self.scorer.one(child, [other for other in group if other != parent])))
            for parent in group
        ]
        self.with_label[child] = -np.inf
        if len(group) < self.search.max_parents:
            barred = {child, *group, *self.search.forbidden[child]}
            candidates = np.array([label for label in range(len(self.parents)) if label not in barred], np.int64)
            if candidates.size:
                self.with_label[child, candidates] = _millionths(self.scorer.many(child, group, candidates))

    def _ancestors(self) -> Bools:
        """Row: a label, column: whether that label is above it."""
        n_labels = len(self.parents)
        above = np.zeros((n_labels, n_labels), bool)
        waiting = [len(group) for group in self.parents]
        ready = [label for label, count in enumerate(waiting) if count == 0]
        while ready:
            parent = ready.pop()
            for child, group in enumerate(self.parents):
                if parent in group:
                    above[child] |= above[parent]
                    above[child, parent] = True
                    waiting[child] -= 1
                    if waiting[child] == 0:
                        ready.append(child)
        return above


def _rounded(difference: float) -> float:
    return float(np.rint(difference / 100.0))


def _millionths(score: Floats | float) -> Floats:
    """Scores as whole millionths."""
    return np.asarray(np.rint(np.asarray(score) * 1e6))
