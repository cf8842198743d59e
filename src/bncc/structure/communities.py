"""Communities of labels: a partition into groups that are joined more within than between."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush

import numpy as np

from bncc._checks import check_count
from bncc._typing import Floats
from bncc.structure.families import edge_information
from bncc.structure.network import LabelNetwork

__all__ = ["label_communities"]

# Gains that differ by less than this are equal: ties go to the communities of the lower labels.
_DIGITS = 12


def label_communities(network: LabelNetwork, max_size: int = 5) -> tuple[tuple[int, ...], ...]:
    """A partition of the labels into communities of the network, of at most `max_size` labels each.

    From every label alone on, the two communities are joined whose union raises the modularity of the partition most
    (Clauset, Newman and Moore 2004), while any raises it and the union is not too large. Edges weigh as much as their
    two labels tell about each other (mutual information). Of equal gains the communities of the lower labels are
    joined first.

    Returns
    -------
    tuple of tuples of int
        Labels ascend within a community. Communities stand in the network's order: by the mean place of their labels
        in it, ties by the lowest label.

    Examples
    --------
    >>> from bncc.structure import learn_network
    >>> Y = [[1, 1, 0, 0], [1, 1, 0, 1], [0, 0, 1, 1], [0, 0, 1, 0], [0, 0, 1, 1], [1, 1, 1, 1]]
    >>> label_communities(learn_network(Y, search=[(), (0,), (), (2,)]))
    ((0, 1), (2, 3))
    """
    check_count("max_size", max_size, 1, 1 << 24)
    weights = edge_information(network)
    merging = _Merging.of(network, weights, max_size) if weights.sum() > 0 else None
    groups = [(label,) for label in range(network.n_labels)] if merging is None else merging.run()
    place = np.argsort(network.order)
    return tuple(sorted(groups, key=lambda group: (float(place[list(group)].mean()), group)))


@dataclass(eq=False)
class _Merging:
    """Communities under way, each known by its lowest label.

    `between` has the weight of the edges that join two of them, `degree` that of all edges of each (those within count
    twice), both as shares of the weight of all edges; `age` counts what a community has taken in.
    """

    max_size: int
    members: dict[int, list[int]]
    between: dict[int, dict[int, float]]
    degree: list[float]
    age: list[int] = field(default_factory=list)
    offers: list[tuple[float, int, int, int, int]] = field(default_factory=list)

    @classmethod
    def of(cls, network: LabelNetwork, weights: Floats, max_size: int) -> _Merging:
        between: dict[int, dict[int, float]] = defaultdict(dict)
        degree = [0.0] * network.n_labels
        shares = (weights / weights.sum()).tolist()
        for (parent, child), share in zip(network.edges, shares, strict=True):
            between[parent][child] = between[child][parent] = share
            degree[parent] += share
            degree[child] += share
        members = {label: [label] for label in range(network.n_labels)}
        return cls(max_size, members, between, degree, [0] * network.n_labels)

    def run(self) -> list[tuple[int, ...]]:
        """Join while modularity rises; the communities."""
        self.offers = [
            self._offer(first, second) for first, near in self.between.items() for second in near if first < second
        ]
        heapify(self.offers)
        while self.offers:
            loss, first, second, *ages = heappop(self.offers)
            if loss >= 0:
                break
            current = first in self.members and second in self.members and ages == [self.age[first], self.age[second]]
            if current and len(self.members[first]) + len(self.members[second]) <= self.max_size:
                self._join(first, second)
        return [tuple(sorted(group)) for group in self.members.values()]

    def _offer(self, one: int, other: int) -> tuple[float, int, int, int, int]:
        """A union as the heap ranks it: by its gain in modularity, then by labels; ages tell when it is old."""
        first, second = min(one, other), max(one, other)
        gain = self.between[first][second] - self.degree[first] * self.degree[second] / 2.0
        return -round(gain, _DIGITS), first, second, self.age[first], self.age[second]

    def _join(self, first: int, second: int) -> None:
        self.members[first] += self.members.pop(second)
        self.degree[first] += self.degree[second]
        self.age[first] += 1
        for near, share in self.between.pop(second).items():
            del self.between[near][second]
            if near != first:
                joined = self.between[first].get(near, 0.0) + share
                self.between[first][near] = self.between[near][first] = joined
        for near in self.between[first]:
            heappush(self.offers, self._offer(first, near))
