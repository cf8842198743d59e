"""Families of labels: a label with its parents and children, cut and filled up to one size."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from bncc._checks import check_count
from bncc._typing import Floats, Longs
from bncc.graph import Parents
from bncc.labels import mutual_information
from bncc.labels.entropy import pair_entropies
from bncc.structure.network import LabelNetwork
from bncc.structure.tables import ConditionalTable

__all__ = ["edge_information", "label_families", "neighbours_of"]

# Strengths that differ by less than this are equal: ties go to the lower label.
_DIGITS = 10
# Up to so many labels, dependence degrees of all pairs are computed at once.
_MOST_AT_ONCE = 2000


def neighbours_of(parents: Parents) -> tuple[tuple[int, ...], ...]:
    """The parents and children of each label, ascending.

    >>> neighbours_of(((), (0,), (0, 1)))
    ((1, 2), (0, 2), (0, 1))
    """
    found: list[set[int]] = [set(group) for group in parents]
    for child, group in enumerate(parents):
        for parent in group:
            found[parent].add(child)
    return tuple(tuple(sorted(group)) for group in found)


def edge_information(network: LabelNetwork) -> Floats:
    """Mutual information of the two labels of each edge, in bits and in the order of `network.edges`.

    It comes from the network's tables, so networks that were read from files have it too.

    >>> from bncc.structure import learn_network
    >>> edge_information(learn_network([[1, 1], [1, 1], [0, 0], [0, 0]])).tolist()
    [1.0]
    """
    return np.array([_shared_bits(network.tables[child], parent) for parent, child in network.edges], np.float64)


def _shared_bits(table: ConditionalTable, parent: int) -> float:
    holds = (table.configurations >> table.parents.index(parent)) & 1 == 1
    n_rows, n_child = int(table.totals.sum()), table.positives.sum()
    n_parent, n_both = table.totals[holds].sum(), table.positives[holds].sum()
    with_parent, alone = pair_entropies(
        n_rows, np.array([n_child, n_child]), np.array([n_parent, 0.0]), np.array([n_both, 0.0])
    )
    return max(0.0, float(alone - with_parent))


def label_families(network: LabelNetwork, size: int, n_families: int | None = None) -> tuple[tuple[int, ...], ...]:
    """Distinct sets of labels, each a label with those next to it in the network; together they have all labels.

    The companions of a label are ranked: its parents and children in the network first, then all other labels, both
    by the mutual information with it (of equal ones the lower label first). The family of a label has its first
    ``size - 1`` companions: a larger one is cut to the strongest edges, a smaller one filled up by the strongest
    dependence. Where more sets are wanted than there are distinct families, the last companion gives way to the next
    in rank, for all labels, and again.

    Parameters
    ----------
    network : LabelNetwork
        It needs its label matrix or its dependence degrees, for the ranks.
    size : int
        Labels per set; all labels where there are fewer.
    n_families : int or None, default=None
        How many sets; None for the family of each label. Fewer are returned where there are no more to be had. Where
        fewer are wanted than there are families, those that together have all labels are taken first.

    Examples
    --------
    >>> from bncc.structure import learn_network
    >>> Y = [[1, 1, 0, 0], [1, 1, 0, 1], [0, 0, 1, 1], [0, 1, 1, 0]]
    >>> net = learn_network(Y, search=[(), (0,), (), (2,)])
    >>> label_families(net, 2), label_families(net, 3, 4)
    (((0, 1), (2, 3)), ((0, 1, 2), (0, 2, 3), (1, 2, 3), (0, 1, 3)))
    """
    size = min(check_count("size", size, 1, 1 << 24), network.n_labels)
    first = list(dict.fromkeys(_round(network, size, 0)))
    wanted = len(first) if n_families is None else check_count("n_families", n_families, 1, 1 << 24)
    if wanted < len(first):
        return _covering(first, network.n_labels, wanted)
    families = dict.fromkeys(first)
    last_round = network.n_labels - size if size > 1 else 0
    for step in range(1, last_round + 1):
        if len(families) >= wanted:
            break
        families |= dict.fromkeys(_round(network, size, step))
    return tuple(families)[:wanted]


def _round(network: LabelNetwork, size: int, step: int) -> Iterator[tuple[int, ...]]:
    """A set per label: its first companions, the last of which is so many steps further down in rank."""
    for label, near in enumerate(neighbours_of(network.parents)):
        companions = _ranked(network, label, near)[: size - 1 + step]
        kept = [*companions[: size - 2], companions[-1]] if size > 1 else []
        yield tuple(sorted((label, *(int(companion) for companion in kept))))


def _ranked(network: LabelNetwork, label: int, near: tuple[int, ...]) -> Longs:
    """The other labels, those near by first, then by strength, then by number."""
    strengths = _strengths(network, label).round(_DIGITS)
    far = np.ones(network.n_labels, bool)
    far[list(near)] = False
    order = np.lexsort((-strengths, far))
    return order[order != label]


def _strengths(network: LabelNetwork, label: int) -> Floats:
    """How much each label tells about one; degrees of dependence on it rank as mutual information does."""
    if network.counts is None or network.n_labels <= _MOST_AT_ONCE:
        return network.dependence[label]
    return mutual_information(network.counts, label)


def _covering(families: list[tuple[int, ...]], n_labels: int, wanted: int) -> tuple[tuple[int, ...], ...]:
    """Some of the families that have all labels: each time the first that adds most, then the first that are left."""
    open_labels, chosen = set(range(n_labels)), dict[tuple[int, ...], None]()
    while open_labels:
        best = max(families, key=lambda family: len(open_labels.intersection(family)))
        chosen[best] = None
        open_labels -= set(best)
    if len(chosen) > wanted:
        raise ValueError(
            f"Families of {len(families[0])} labels need at least {len(chosen)} sets to have all labels; got {wanted}. "
            "Take more, or larger ones."
        )
    chosen |= dict.fromkeys(families)
    return tuple(chosen)[:wanted]
