"""Greedy search over equivalence classes of acyclic graphs (GES; Chickering, 2002): the twin of `ges.cpp`.

A class is kept as its completed graph: a directed edge points the same way in every member, an undirected one does not.
Forward, the edge is inserted that improves the score most; then, backward, deleted; in turns until neither does. Limits
and constraints are not looked at, except that no table has more than `max_parents` parents: climbing heeds them.

Insert(x, y, T) joins x and y and turns the undirected edges of y with T towards y. With N the neighbours of y (joined
without direction) that are joined to x, it is valid if S = N + T is a clique and every path from y to x that no edge
opposes goes through S; its gain is that of x beside the parents of y and S. Delete(x, y, H) parts x and y and turns the
edges of H, some of N, away from both; it is valid if N - H is a clique.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from bncc._typing import Bools, Floats
from bncc.graph import Parents, equivalence_class
from bncc.graph.topology import positions
from bncc.structure.candidate_scores import CandidateScorer
from bncc.structure.search_task import ParentSearch

__all__ = ["member_of", "search_classes"]

# A gain, the labels x and y, and of an insertion S, of a deletion what is left of N.
Step = tuple[float, int, int, tuple[int, ...]]
_NOTHING: Step = (0.0, -1, -1, ())
_MOST_ROUNDS = 10


def search_classes(scorer: CandidateScorer, search: ParentSearch) -> Parents:
    """The parents of every label in a member of the class that is found."""
    found = _ClassSearch(scorer, search)
    # A score that differs between members of a class may insert and delete the same edge forever.
    for _ in range(_MOST_ROUNDS):
        inserted = deleted = False
        while found.insert(found.best_insertion()):
            inserted = True
        while found.remove(found.best_deletion()):
            deleted = True
        if not inserted or not deleted:
            break
    return member_of(found.leads, found.place) or ((),) * len(search.order)


def member_of(leads: Bools, place: Sequence[int]) -> Parents | None:
    """An acyclic member of a class: sinks are taken away one by one (Dor and Tarsi, 1992); None where there is none.

    ``leads[a, b]`` says that an edge leads from a to b or joins them without direction. Of several sinks the one that
    comes last is taken; parents are sorted by place.
    """
    n = len(leads)
    around = [set(np.flatnonzero(leads[x] | leads[:, x]).tolist()) for x in range(n)]
    left = set(range(n))
    out: list[tuple[int, ...]] = [()] * n

    def is_sink(x: int) -> bool:
        near = around[x] & left
        if any(not leads[y, x] for y in near):
            return False
        return all(near - {y} <= around[y] for y in near if leads[x, y])

    while left:
        sinks = [x for x in left if is_sink(x)]
        if not sinks:
            return None
        last = max(sinks, key=lambda x: place[x])
        left.discard(last)
        out[last] = tuple(sorted(around[last] & left, key=lambda x: place[x]))
    return tuple(out)


class _ClassSearch:
    """The class so far."""

    def __init__(self, scorer: CandidateScorer, search: ParentSearch) -> None:
        self.scorer, self.most = scorer, search.max_parents
        self.forbidden = search.forbidden
        self.n = len(search.order)
        self.place = positions(search.order)
        self.leads: Bools = np.zeros((self.n, self.n), bool)
        self.known: dict[tuple[int, tuple[int, ...]], tuple[float, Floats]] = {}
        self.scores: dict[tuple[int, tuple[int, ...]], float] = {}

    def best_insertion(self) -> Step:
        """The valid insertion with the largest gain; a gain of 0 where there is none."""
        best = _NOTHING
        for y in range(self.n):
            parents, neighbours = self._parents(y), self._neighbours(y)
            for clique in self._cliques(neighbours, self.most - 1 - len(parents)):
                base = tuple(sorted(parents + clique))
                if len(base) >= self.most:
                    continue
                score, with_label = self._with_each(y, base)
                for x in np.flatnonzero(np.rint((with_label - score) / 100.0) >= max(best[0], 1.0)).tolist():
                    step = (float(np.rint((with_label[x] - score) / 100.0)), x, y, clique)
                    if not self._adjacent(x, y) and self._better(step, best) and self._is_valid(step):
                        best = step
        return best

    def best_deletion(self) -> Step:
        """The valid deletion with the largest gain; a gain of 0 where there is none."""
        best = _NOTHING
        for y in range(self.n):
            parents = self._parents(y)
            for x in np.flatnonzero(self.leads[:, y]).tolist():
                shared = self._shared(x, y)
                for kept in self._cliques(shared, len(shared)):
                    base = tuple(sorted({*parents, *kept, x}))
                    if len(base) > self.most:
                        continue
                    rest = tuple(label for label in base if label != x)
                    gain = float(np.rint((self._score(y, rest) - self._score(y, base)) / 100.0))
                    step = (gain, x, y, kept)
                    if gain > 0 and self._better(step, best):
                        best = step
        return best

    def insert(self, step: Step) -> bool:
        """Do an insertion; False if there is none."""
        gain, x, y, clique = step
        if not gain > 0:
            return False
        changed = self.leads.copy()
        changed[x, y] = True
        changed[y, list(clique)] = False
        return self._adopt(changed)

    def remove(self, step: Step) -> bool:
        """Do a deletion; False if there is none."""
        gain, x, y, kept = step
        if not gain > 0:
            return False
        changed = self.leads.copy()
        changed[x, y] = changed[y, x] = False
        for other in self._shared(x, y):
            if other not in kept:
                changed[other, y] = False
                if changed[x, other]:
                    changed[other, x] = False
        return self._adopt(changed)

    def _adopt(self, changed: Bools) -> bool:
        member = member_of(changed, self.place)
        if member is None:
            return False
        found = equivalence_class(member)
        self.leads = np.zeros_like(self.leads)
        for parent, child in found.directed:
            self.leads[parent, child] = True
        for one, other in found.undirected:
            self.leads[one, other] = self.leads[other, one] = True
        return True

    def _better(self, step: Step, best: Step) -> bool:
        """Larger gains first, then the labels that come first in the initial order, then smaller sets."""
        if step[0] != best[0] or best[1] < 0:
            return step[0] > best[0]
        return self._rank(step) < self._rank(best)

    def _rank(self, step: Step) -> tuple[int, int, int, tuple[int, ...]]:
        return self.place[step[1]], self.place[step[2]], len(step[3]), step[3]

    def _is_valid(self, step: Step) -> bool:
        _, x, y, clique = step
        if not set(self._shared(x, y)) <= set(clique):
            return False
        seen, stack = {y, *clique}, [y]
        while stack:
            for after in np.flatnonzero(self.leads[stack.pop()]).tolist():
                if after not in seen:
                    if after == x:
                        return False
                    seen.add(after)
                    stack.append(after)
        return True

    def _cliques(self, labels: tuple[int, ...], most: int) -> Iterator[tuple[int, ...]]:
        """All cliques among some labels, the empty one first."""
        found: list[tuple[int, ...]] = [()]
        for clique in found:
            yield clique
            if len(clique) < most:
                found += [
                    (*clique, label)
                    for label in labels
                    if (not clique or label > clique[-1]) and all(self._adjacent(label, other) for other in clique)
                ]

    def _adjacent(self, a: int, b: int) -> bool:
        return bool(self.leads[a, b] or self.leads[b, a])

    def _parents(self, y: int) -> tuple[int, ...]:
        return tuple(np.flatnonzero(self.leads[:, y] & ~self.leads[y]).tolist())

    def _neighbours(self, y: int) -> tuple[int, ...]:
        return tuple(np.flatnonzero(self.leads[:, y] & self.leads[y]).tolist())

    def _shared(self, x: int, y: int) -> tuple[int, ...]:
        return tuple(other for other in self._neighbours(y) if self._adjacent(other, x))

    def _score(self, y: int, base: tuple[int, ...]) -> float:
        if (y, base) not in self.scores:
            self.scores[y, base] = float(np.rint(self.scorer.one(y, list(base)) * 1e6))
        return self.scores[y, base]

    def _with_each(self, y: int, base: tuple[int, ...]) -> tuple[float, Floats]:
        if (y, base) not in self.known:
            barred = {y, *base, *self.forbidden[y]}
            candidates = np.array([label for label in range(self.n) if label not in barred], np.int64)
            values = np.full(self.n, -np.inf)
            if candidates.size:
                values[candidates] = np.rint(self.scorer.many(y, list(base), candidates) * 1e6)
            self.known[y, base] = self._score(y, base), values
        return self.known[y, base]
