"""d-separation: which nodes of a Bayesian network are independent given others, by the graph alone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from bncc.graph.parents import check_parents, children_of

__all__ = ["d_separated"]


def d_separated(parents: Sequence[Sequence[int]], first: int, second: int, given: Iterable[int] = ()) -> bool:
    """Whether every path between two nodes is blocked by the given ones.

    A path is blocked by a given node that it passes through, and at a node where two arrows meet unless that node or
    one below it is given. O(nodes + edges) (Shachter's Bayes ball, 1998).

    >>> collider = ((), (), (0, 1))  # 0 -> 2 <- 1
    >>> d_separated(collider, 0, 1), d_separated(collider, 0, 1, given=[2])
    (True, False)
    """
    graph = check_parents(parents, len(parents))
    known = set(given)
    outside = [node for node in (first, second, *known) if not 0 <= node < len(graph)]
    if outside:
        raise ValueError(f"Nodes must lie in 0..{len(graph) - 1}; got {outside}.")
    if first == second or {first, second} & known:
        raise ValueError(f"`first`, `second` and `given` must be different; got {first}, {second} and {sorted(known)}.")
    children = children_of(graph)
    # A ball comes to a node from a child (True) or from a parent (False).
    seen: set[tuple[int, bool]] = set()
    balls = [(first, True)]
    while balls:
        node, from_child = balls.pop()
        if node == second:
            return False
        if (node, from_child) in seen:
            continue
        seen.add((node, from_child))
        if from_child and node not in known:
            balls += [(parent, True) for parent in graph[node]] + [(child, False) for child in children[node]]
        elif not from_child and node not in known:
            balls += [(child, False) for child in children[node]]
        elif not from_child:
            balls += [(parent, True) for parent in graph[node]]
    return True
