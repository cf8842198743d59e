"""Topological orders (Algorithm 2 of the paper)."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Sequence
from operator import index

import numpy as np

from bncc._typing import Random
from bncc.graph.cycles import HasACycle, find_cycle
from bncc.graph.parents import check_parents, children_of

__all__ = ["check_order", "positions", "topological_order"]


def check_order(order: Sequence[int], n_nodes: int, argument: str = "order") -> tuple[int, ...]:
    """An order as a tuple: position -> node, a permutation of all nodes."""
    try:
        out = tuple(index(node) for node in order)
    except TypeError as error:
        raise ValueError(f"`{argument}` must be a permutation of 0..{n_nodes - 1}: {error}.") from error
    if sorted(out) != list(range(n_nodes)):
        times = Counter(out)
        wrong = sorted(node for node, count in times.items() if count > 1 or not 0 <= node < n_nodes)[:5]
        missing = sorted(set(range(n_nodes)) - set(out))[:5]
        raise ValueError(
            f"`{argument}` must be a permutation of 0..{n_nodes - 1}; got {len(out)} entries, "
            f"repeated or outside: {wrong}, missing: {missing}."
        )
    return out


def positions(order: Sequence[int]) -> tuple[int, ...]:
    """Where each node stands in an order: node -> position.

    >>> positions((2, 0, 1))
    (1, 2, 0)
    """
    return tuple(np.argsort(np.asarray(order, np.int64)).tolist())


def topological_order(
    parents: Sequence[Sequence[int]], *, priority: Sequence[int] | None = None, random_state: Random = None
) -> tuple[int, ...]:
    """Parents before children (Algorithm 2).

    Among the free nodes the one that comes first in `priority` (an order; default: by index) is taken; with
    `random_state` (a seed or a NumPy generator) a free node is drawn at random instead, whatever the priority, which
    gives the other legal orders. O(M log M + E).

    >>> topological_order([(1,), (), (1,)])
    (1, 0, 2)
    >>> topological_order([(1,), (), (1,)], priority=(2, 0, 1))
    (1, 2, 0)
    """
    graph = check_parents(parents, len(parents))
    left = [len(group) for group in graph]
    children = children_of(graph)
    start = [node for node, count in enumerate(left) if count == 0]
    free = _Drawn(start, random_state) if random_state is not None else _Ranked(start, priority, len(graph))
    order: list[int] = []
    while free:
        node = free.pop()
        order.append(node)
        for child in children[node]:
            left[child] -= 1
            if left[child] == 0:
                free.push(child)
    if len(order) < len(graph):
        cycle = find_cycle(graph) or ()
        shown = " -> ".join(map(str, (*cycle, *cycle[:1])))
        raise HasACycle(f"A topological order needs a graph without cycles; got the cycle {shown}.", cycle)
    return tuple(order)


class _Ranked:
    """Free nodes by their place in a priority."""

    def __init__(self, nodes: list[int], priority: Sequence[int] | None, n_nodes: int) -> None:
        self.priority_of = positions(
            check_order(priority, n_nodes, "priority") if priority is not None else range(n_nodes)
        )
        self.heap = [(self.priority_of[node], node) for node in nodes]
        heapq.heapify(self.heap)

    def push(self, node: int) -> None:
        heapq.heappush(self.heap, (self.priority_of[node], node))

    def pop(self) -> int:
        return heapq.heappop(self.heap)[1]

    def __len__(self) -> int:
        return len(self.heap)


class _Drawn:
    """Free nodes in random order."""

    def __init__(self, nodes: list[int], random_state: Random) -> None:
        self.random = np.random.default_rng(random_state)
        self.nodes = list(nodes)

    def push(self, node: int) -> None:
        self.nodes.append(node)

    def pop(self) -> int:
        drawn = int(self.random.integers(len(self.nodes)))
        self.nodes[drawn], self.nodes[-1] = self.nodes[-1], self.nodes[drawn]
        return self.nodes.pop()

    def __len__(self) -> int:
        return len(self.nodes)
