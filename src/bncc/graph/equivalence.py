"""Equivalence classes of acyclic graphs: graphs that say the same of independence, and that no data can tell apart.

Two acyclic graphs are equivalent if they join the same nodes and have the same colliders (``a -> c <- b`` with a and b
not joined; Verma and Pearl, 1990). A class is written as its completed graph: edges that point the same way in all its
members are directed, the others are not (Chickering, 1995).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from bncc.graph.cycles import HasACycle, find_cycle
from bncc.graph.parents import Parents, check_parents

__all__ = ["EquivalenceClass", "equivalence_class", "structural_hamming_distance"]


@dataclass(frozen=True)
class EquivalenceClass:
    """A class of equivalent acyclic graphs.

    Attributes
    ----------
    n_nodes : int
    directed : frozenset of (parent, child)
        Edges that point this way in every member.
    undirected : frozenset of (lower, higher)
        Edges that point one way in some members and the other way in others.
    """

    n_nodes: int
    directed: frozenset[tuple[int, int]]
    undirected: frozenset[tuple[int, int]]


def equivalence_class(parents: Sequence[Sequence[int]]) -> EquivalenceClass:
    """The class of an acyclic graph.

    >>> chain, collider = equivalence_class([(), (0,), (1,)]), equivalence_class([(), (), (0, 1)])
    >>> sorted(chain.undirected), sorted(collider.directed)
    ([(0, 1), (1, 2)], [(0, 2), (1, 2)])
    """
    graph = check_parents(parents, len(parents))
    cycle = find_cycle(graph)
    if cycle is not None:
        raise HasACycle(f"An equivalence class needs a graph without cycles; got the cycle {cycle}.", cycle)
    directed = _colliders(graph)
    edges = {(parent, child) for child, group in enumerate(graph) for parent in group}
    _close(directed, edges - directed, len(graph))
    undirected = {(min(edge), max(edge)) for edge in edges - directed}
    return EquivalenceClass(len(graph), frozenset(directed), frozenset(undirected))


def structural_hamming_distance(
    first: Sequence[Sequence[int]] | EquivalenceClass, second: Sequence[Sequence[int]] | EquivalenceClass
) -> int:
    """Pairs of nodes on which the classes of two acyclic graphs differ: joined or not, and which way.

    >>> structural_hamming_distance([(), (0,), (1,)], [(1,), (2,), ()])  # a chain, either way: the same class
    0
    >>> structural_hamming_distance([(), (0,), (1,)], [(), (), ()])
    2
    """
    one, other = (
        given if isinstance(given, EquivalenceClass) else equivalence_class(given) for given in (first, second)
    )
    if one.n_nodes != other.n_nodes:
        raise ValueError(f"Graphs must have as many nodes as each other; got {one.n_nodes} and {other.n_nodes}.")
    left, right = _marks(one), _marks(other)
    return sum(left.get(pair) != right.get(pair) for pair in left.keys() | right.keys())


def _marks(found: EquivalenceClass) -> dict[frozenset[int], tuple[int, ...]]:
    marks: dict[frozenset[int], tuple[int, ...]] = {frozenset(edge): edge for edge in found.directed}
    return marks | {frozenset(edge): () for edge in found.undirected}


def _colliders(graph: Parents) -> set[tuple[int, int]]:
    joined = {frozenset((parent, child)) for child, group in enumerate(graph) for parent in group}
    out = set()
    for child, group in enumerate(graph):
        for pair in combinations(group, 2):
            if frozenset(pair) not in joined:
                out |= {(parent, child) for parent in pair}
    return out


def _close(directed: set[tuple[int, int]], open_edges: set[tuple[int, int]], n_nodes: int) -> None:
    """Meek's rules (1995), until nothing follows: `directed` grows by the edges whose direction is forced.

    The graph is a member of the class, so a forced edge points as it does there.
    """
    parents: list[set[int]] = [set() for _ in range(n_nodes)]
    joined: list[set[int]] = [set() for _ in range(n_nodes)]
    for parent, child in directed | open_edges:
        joined[parent].add(child)
        joined[child].add(parent)
    for parent, child in directed:
        parents[child].add(parent)
    waiting = list(open_edges)
    changed = True
    while changed:
        forced = [edge for edge in waiting if _is_forced(*edge, parents, joined)]
        changed = bool(forced)
        for parent, child in forced:
            parents[child].add(parent)
            directed.add((parent, child))
        waiting = [edge for edge in waiting if edge not in directed]


def _is_forced(parent: int, child: int, parents: list[set[int]], joined: list[set[int]]) -> bool:
    # 1. Something points at the parent and is not joined to the child: the other way there would be a new collider.
    if parents[parent] - joined[child]:
        return True
    # 2. The other way would close a cycle of three.
    if any(parent in parents[between] for between in parents[child]):
        return True
    # 3. Two that are not joined point at the child, and the parent is joined to both without direction.
    sides = [
        other
        for other in parents[child] & joined[parent]
        if other not in parents[parent] and parent not in parents[other]
    ]
    return any(second not in joined[first] for first, second in combinations(sides, 2))
