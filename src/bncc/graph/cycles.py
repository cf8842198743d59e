"""Breaking cycles (Algorithm 1 of the paper), and the error of those who need a graph without any.

The paper does not say which circle to break first. The rule here: walk the edges from heaviest to lightest and keep
an edge unless it closes a cycle with edges already kept. This is a legal run of Algorithm 1 (deleting the rejected
edges from heaviest to lightest, each is the lightest edge of a cycle that is still there), it is deterministic, and no
rejected edge can be put back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from bncc._native import load_extension
from bncc._typing import Array, Bools, Longs
from bncc.graph.parents import Parents, check_edges, check_parents, children_of, parents_of

if TYPE_CHECKING:
    import bncc.graph._cycles as native
else:
    native = load_extension("bncc.graph._cycles")

__all__ = ["WEIGHT_DECIMALS", "HasACycle", "break_cycles", "complete_order", "find_cycle"]

WEIGHT_DECIMALS = 10


class HasACycle(ValueError):
    """A graph that must be acyclic is not; `cycle` lists the nodes of one cycle in order."""

    def __init__(self, message: str, cycle: Sequence[int]) -> None:
        super().__init__(message)
        self.cycle = tuple(cycle)


def break_cycles(
    edges: Iterable[Sequence[int]] | Array,
    weights: ArrayLike,
    n_nodes: int,
    *,
    required: Iterable[Sequence[int]] | Array = (),
) -> tuple[tuple[int, int], ...]:
    """Keep edges from heaviest to lightest unless they close a cycle (Algorithm 1).

    Parameters
    ----------
    edges : sequence of (parent, child) or array of shape (E, 2)
    weights : array of shape (E,)
        Compared after rounding to 10 decimals; ties are decided by (parent, child).
    n_nodes : int
    required : sequence of (parent, child)
        Kept before all others, whatever their weight. A cycle among them is an error.

    Returns
    -------
    kept : tuple of (parent, child), sorted
        Independent of the order in which the edges are given.

    >>> break_cycles([(0, 1), (1, 2), (2, 0)], [0.9, 0.5, 0.7], n_nodes=3)
    ((0, 1), (2, 0))
    """
    array = check_edges(edges, n_nodes)
    heaviness = np.round(np.asarray(weights, np.float64), WEIGHT_DECIMALS)
    if heaviness.shape != (len(array),):
        raise ValueError(f"`weights` must have one weight per edge ({len(array)}); got shape {heaviness.shape}.")
    if not np.isfinite(heaviness).all():
        raise ValueError("`weights` must be finite; got NaN or infinity.")
    first = check_edges(required, n_nodes, "required")
    _refuse_required_cycle(first, n_nodes)
    # Required edges come first, then the others from heaviest to lightest.
    by_weight = np.lexsort((array[:, 1], array[:, 0], -heaviness))
    queue = np.concatenate([first, array[by_weight]]).astype(np.int32)
    kept = queue[:, 0] != queue[:, 1]
    inside = _inside_components(queue, n_nodes)
    kept[inside] = _keep_acyclic(queue[inside], n_nodes)
    return tuple(sorted({(parent, child) for parent, child in queue[kept].tolist()}))


def complete_order(potential: ArrayLike) -> tuple[int, ...]:
    """The order that `break_cycles` leaves on a complete two-way graph whose weights come from a potential.

    If ``w(k -> j) - w(j -> k) = h(k) - h(j)`` for all pairs, the heavier edge of each pair leads from the higher to
    the lower potential; these edges form no cycle, so exactly they are kept, and the only topological order is by
    decreasing potential (ties by index). Dependence degrees are such weights, with the entropy as potential.
    O(M log M) instead of O(M^2) edges.

    >>> complete_order([0.2, 0.9, 0.9, 0.5])
    (1, 2, 3, 0)
    """
    return tuple(np.argsort(-np.asarray(potential), kind="stable").tolist())


def find_cycle(parents: Sequence[Sequence[int]]) -> tuple[int, ...] | None:
    """One cycle as the nodes along its edges, starting at its lowest node; None if the graph has none.

    >>> find_cycle([(2,), (0,), (1,)])
    (0, 1, 2)
    """
    graph: Parents = check_parents(parents, len(parents))
    left = [len(group) for group in graph]
    children = children_of(graph)
    free = [node for node, count in enumerate(left) if count == 0]
    while free:
        for child in children[free.pop()]:
            left[child] -= 1
            if left[child] == 0:
                free.append(child)
    stuck = [node for node, count in enumerate(left) if count > 0]
    if not stuck:
        return None
    # Every stuck node has a stuck parent: walking up must come back.
    walk, seen, node = [], set(), stuck[0]
    while node not in seen:
        seen.add(node)
        walk.append(node)
        node = min(parent for parent in graph[node] if left[parent] > 0)
    cycle = walk[walk.index(node) :][::-1]
    lowest = cycle.index(min(cycle))
    return tuple(cycle[lowest:] + cycle[:lowest])


def _refuse_required_cycle(required: Longs, n_nodes: int) -> None:
    loops = [int(parent) for parent, child in required if parent == child]
    cycle = (loops[0],) if loops else find_cycle(parents_of(np.unique(required, axis=0), n_nodes))
    if cycle is not None:
        shown = " -> ".join(map(str, (*cycle, cycle[0])))
        raise HasACycle(f"`required` edges must not form a cycle; got {shown}. Leave out one of them.", cycle)


def _inside_components(edges: NDArray[np.int32], n_nodes: int) -> Bools:
    """Which edges lie inside a strongly connected component: no other edge can be part of a cycle."""
    graph = csr_array((np.ones(len(edges), np.int8), (edges[:, 0], edges[:, 1])), shape=(n_nodes, n_nodes))
    _, component = connected_components(graph, directed=True, connection="strong")
    return component[edges[:, 0]] == component[edges[:, 1]]


def _keep_acyclic(edges: NDArray[np.int32], n_nodes: int) -> Bools:
    """Which edges stay when they are added one by one unless they close a cycle."""
    if native is not None:
        kept = np.zeros(len(edges), np.uint8)
        native.keep_acyclic(np.ascontiguousarray(edges), kept, n_nodes)
        return kept.astype(bool)
    order = _IncrementalOrder(n_nodes)
    return np.array([order.insert(parent, child) for parent, child in edges.tolist()], bool)


class _IncrementalOrder:
    """A topological order kept up to date under insertion of edges (Pearce and Kelly, 2007)."""

    def __init__(self, n_nodes: int) -> None:
        self.rank = list(range(n_nodes))
        self.children: list[list[int]] = [[] for _ in range(n_nodes)]
        self.parents: list[list[int]] = [[] for _ in range(n_nodes)]

    def insert(self, parent: int, child: int) -> bool:
        """Add the edge unless it closes a cycle."""
        upper, lower = self.rank[parent], self.rank[child]
        if lower <= upper:
            below = self._reach(child, self.children, lambda rank: rank <= upper)
            if parent in below:
                return False
            above = self._reach(parent, self.parents, lambda rank: rank >= lower)
            self._reorder(above, below)
        self.children[parent].append(child)
        self.parents[child].append(parent)
        return True

    def _reach(self, start: int, neighbours: list[list[int]], within: Callable[[int], bool]) -> set[int]:
        seen, stack = {start}, [start]
        while stack:
            for node in neighbours[stack.pop()]:
                if node not in seen and within(self.rank[node]):
                    seen.add(node)
                    stack.append(node)
        return seen

    def _reorder(self, above: set[int], below: set[int]) -> None:
        nodes = sorted(above, key=self.rank.__getitem__) + sorted(below, key=self.rank.__getitem__)
        for node, rank in zip(nodes, sorted(self.rank[node] for node in nodes), strict=True):
            self.rank[node] = rank
