"""The same network on other labels: what a network of that shape without its meaning would do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from bncc._typing import Longs
from bncc.graph import Parents, check_order
from bncc.labels import LabelCounts
from bncc.structure.network import LabelNetwork, Trace
from bncc.structure.tables import ConditionalTable

__all__ = ["permute_network"]


def permute_network(network: LabelNetwork, permutation: Sequence[int]) -> LabelNetwork:
    """A network of the same shape in which label ``permutation[j]`` stands where label j stood.

    Edges, order, scores, tables and dependence degrees move together; the names of the columns stay. So the network
    is sound in itself and says nothing of the labels that it is now about: a twin to compare a network with.

    >>> from bncc.structure import learn_network
    >>> net = learn_network([[1, 1, 0], [1, 1, 0], [1, 0, 0], [0, 0, 1]], search=[(), (0,), (1,)])
    >>> permute_network(net, [2, 0, 1]).parents
    ((2,), (0,), ())
    """
    moved_to = np.array(check_order(permutation, network.n_labels, "permutation"), np.int64)
    came_from = np.argsort(moved_to)
    out = replace(
        network,
        order=_labels(network.order, moved_to),
        initial_order=_labels(network.initial_order, moved_to),
        parents=_parents(network.parents, moved_to),
        cyclic_parents=_parents(network.cyclic_parents, moved_to),
        scores=tuple(network.scores[label] for label in came_from),
        traces=tuple(_trace(network.traces[label], moved_to) for label in came_from),
        counts=None if network.counts is None else _counts(network.counts, came_from),
        _tables=_tables(network._tables, moved_to, came_from),
        recipe=None,
        left_out=tuple((int(moved_to[parent]), int(moved_to[child])) for parent, child in network.left_out),
    )
    if "dependence" in vars(network):
        vars(out)["dependence"] = network.dependence[np.ix_(came_from, came_from)]
    return out


def _labels(labels: Sequence[int], moved_to: Longs) -> tuple[int, ...]:
    return tuple(moved_to[list(labels)].tolist())


def _parents(parents: Parents, moved_to: Longs) -> Parents:
    return tuple(_labels(parents[label], moved_to) for label in np.argsort(moved_to))


def _trace(trace: Trace, moved_to: Longs) -> Trace:
    return replace(trace, steps=tuple(replace(step, parent=int(moved_to[step.parent])) for step in trace.steps))


def _tables(
    tables: Sequence[ConditionalTable] | None, moved_to: Longs, came_from: Longs
) -> tuple[ConditionalTable, ...] | None:
    if tables is None:
        return None
    moved = (tables[label] for label in came_from)
    return tuple(replace(table, parents=_labels(table.parents, moved_to)) for table in moved)


def _counts(counts: LabelCounts, came_from: Longs) -> LabelCounts:
    return LabelCounts(counts.matrix[:, came_from], counts.positives[came_from], counts.label_names)
