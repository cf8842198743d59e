"""The currency of structures: ``parents[child]`` is the tuple of the child's parents."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import index

import numpy as np

from bncc._checks import check_pairs
from bncc._typing import Array, Longs

__all__ = ["Parents", "check_edges", "check_parents", "children_of", "edges_of", "parents_of"]

Parents = tuple[tuple[int, ...], ...]


def check_parents(parents: Sequence[Sequence[int]], n_nodes: int) -> Parents:
    """One tuple of distinct parents per node, none its own parent."""
    try:
        out = tuple(tuple(index(parent) for parent in group) for group in parents)
    except TypeError as error:
        raise ValueError(f"`parents` must be a sequence of node numbers for each node: {error}.") from error
    if len(out) != n_nodes:
        raise ValueError(f"`parents` must have one entry per node ({n_nodes}); got {len(out)}.")
    for child, group in enumerate(out):
        outside = [parent for parent in group if not 0 <= parent < n_nodes]
        if outside:
            raise ValueError(f"Parents of node {child} must lie in 0..{n_nodes - 1}; got {outside}.")
        if child in group or len(set(group)) != len(group):
            raise ValueError(f"Parents of node {child} must be distinct and leave out the node; got {list(group)}.")
    return out


def check_edges(edges: Iterable[Sequence[int]] | Array, n_nodes: int, argument: str = "edges") -> Longs:
    """Edges as an (E, 2) array of (parent, child)."""
    return check_pairs(edges, n_nodes, argument=argument, what="join nodes")


def edges_of(parents: Sequence[Sequence[int]]) -> Longs:
    """The (E, 2) array of edges (parent, child), child by child.

    >>> edges_of(((), (0,), (0, 1))).tolist()
    [[0, 1], [0, 2], [1, 2]]
    """
    sizes = np.fromiter((len(group) for group in parents), np.int64, len(parents))
    flat = np.fromiter((parent for group in parents for parent in group), np.int64, int(sizes.sum()))
    return np.column_stack([flat, np.repeat(np.arange(len(parents)), sizes)])


def parents_of(edges: Iterable[Sequence[int]] | Array, n_nodes: int) -> Parents:
    """The parents of each node in the order in which the edges are given.

    >>> parents_of([(0, 2), (1, 2)], 3)
    ((), (), (0, 1))
    """
    groups: list[list[int]] = [[] for _ in range(n_nodes)]
    for parent, child in check_edges(edges, n_nodes).tolist():
        groups[child].append(parent)
    return check_parents(groups, n_nodes)


def children_of(parents: Parents) -> list[list[int]]:
    """The children of each node, in ascending order.

    >>> children_of(((), (0,), (0, 1)))
    [[1, 2], [2], []]
    """
    children: list[list[int]] = [[] for _ in parents]
    for child, group in enumerate(parents):
        for parent in group:
            children[parent].append(child)
    return children
