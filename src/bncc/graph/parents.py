"""The currency of structures: ``parents[child]`` is the tuple of the child's parents."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import index
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Parents", "check_edges", "check_parents", "edges_of", "parents_of"]

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


def check_edges(edges: Any, n_nodes: int, argument: str = "edges") -> NDArray[np.int64]:
    """Edges as an (E, 2) array of (parent, child)."""
    pairs = list(edges) if not isinstance(edges, np.ndarray) else edges
    array = np.asarray(pairs if len(pairs) else np.empty((0, 2), np.int64))
    if array.dtype.kind not in "iu":
        raise ValueError(f"`{argument}` must hold whole numbers; got dtype {array.dtype}.")
    array = array.astype(np.int64)
    if array.ndim != 2 or array.shape[1] != 2:
        raise ValueError(f"`{argument}` must be pairs (parent, child); got shape {array.shape}.")
    if array.size and (array.min() < 0 or array.max() >= n_nodes):
        raise ValueError(f"`{argument}` must join nodes 0..{n_nodes - 1}; got {int(array.min())}..{int(array.max())}.")
    return array


def edges_of(parents: Sequence[Sequence[int]]) -> NDArray[np.int64]:
    """The (E, 2) array of edges (parent, child), child by child.

    >>> edges_of(((), (0,), (0, 1))).tolist()
    [[0, 1], [0, 2], [1, 2]]
    """
    sizes = np.fromiter((len(group) for group in parents), np.int64, len(parents))
    flat = np.fromiter((parent for group in parents for parent in group), np.int64, int(sizes.sum()))
    return np.column_stack([flat, np.repeat(np.arange(len(parents)), sizes)])


def parents_of(edges: Iterable[tuple[int, int]], n_nodes: int) -> Parents:
    """The parents of each node in the order in which the edges are given.

    >>> parents_of([(0, 2), (1, 2)], 3)
    ((), (), (0, 1))
    """
    groups: list[list[int]] = [[] for _ in range(n_nodes)]
    for parent, child in check_edges(edges, n_nodes).tolist():
        groups[child].append(parent)
    return check_parents(groups, n_nodes)
