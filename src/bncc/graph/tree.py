"""Maximum spanning trees."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from bncc._typing import Floats
from bncc.graph.cycles import WEIGHT_DECIMALS
from bncc.graph.parents import Parents

__all__ = ["maximum_spanning_tree"]


def maximum_spanning_tree(weights: Floats | Callable[[int], Floats], n_nodes: int, *, root: int = 0) -> Parents:
    """The spanning tree of largest total weight of a complete undirected graph, directed away from a root.

    Parameters
    ----------
    weights : symmetric array of shape (n_nodes, n_nodes), or a function node -> its row
        A function is called once per node, so no (M, M) array is needed. Compared after rounding to 10 decimals;
        ties are decided by the lowest new node, then its lowest parent.
    n_nodes : int
    root : int

    >>> maximum_spanning_tree(np.array([[0, 3, 1], [3, 0, 2], [1, 2, 0]]), 3)
    ((), (0,), (1,))
    """
    if not 0 <= root < n_nodes:
        raise ValueError(f"`root` must lie in 0..{n_nodes - 1}; got {root}.")
    row = weights if callable(weights) else weights.__getitem__
    best = np.full(n_nodes, -np.inf)
    nearest = np.full(n_nodes, n_nodes)
    outside = np.ones(n_nodes, bool)
    node = root
    outside[root] = False
    for _ in range(n_nodes - 1):
        weight = np.round(np.asarray(row(node), np.float64), WEIGHT_DECIMALS)
        if weight.shape != (n_nodes,) or np.isnan(weight).any():
            raise ValueError(f"`weights` of node {node} must be {n_nodes} numbers; got shape {weight.shape} or NaN.")
        closer = outside & ((weight > best) | ((weight == best) & (node < nearest)))
        best[closer], nearest[closer] = weight[closer], node
        node = int(np.argmax(np.where(outside, best, -np.inf)))
        outside[node] = False
    return tuple(() if child == root else (int(nearest[child]),) for child in range(n_nodes))
