"""Links as the engines take them: the binary problems of one method and how they are walked at prediction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bncc._typing import Integers, Rows, Signs, Words
from bncc.svm.contexts import context_mask, n_words

__all__ = ["LinkTable", "chain_links", "pair_links", "plain_links"]


@dataclass(frozen=True, eq=False)
class LinkTable:
    """Binary problems over shared rows, without kernel parameters.

    Attributes
    ----------
    target : (n_links,), int32
        Row of a matrix of targets.
    context : (n_links, n_words), uint32
        Labels appended to the features.
    chains : (n_chains, length), int32
        Which links are walked one after the other at prediction; every link belongs to one chain.
    writes : (n_links,), int32
        Label that the link predicts for the links after it; -1 for none.
    rows : tuple of index arrays, or None
        Rows that each link may learn from; None is all of them.
    weight : (n_links,), int32, or None
        Line of a matrix of weights for each link; None leaves the choice to the caller.
    """

    target: NDArray[np.int32]
    context: Words
    chains: NDArray[np.int32]
    writes: NDArray[np.int32]
    rows: tuple[Rows, ...] | None = None
    weight: NDArray[np.int32] | None = None

    def __len__(self) -> int:
        return int(self.target.size)


def chain_links(order: ArrayLike, n_labels: int, parents: Sequence[Sequence[int]] | None = None) -> LinkTable:
    """The links of a classifier chain: each label sees those before it, or only its parents.

    >>> links = chain_links([2, 0, 1], 3)
    >>> links.target.tolist(), links.context.ravel().tolist(), links.chains.tolist()
    ([2, 0, 1], [0, 4, 5], [[0, 1, 2]])
    """
    labels = np.asarray(order, np.int32)
    if sorted(labels.tolist()) != list(range(n_labels)):
        raise ValueError(f"`order` must be a permutation of 0..{n_labels - 1}; got {labels.tolist()}.")
    seen = [labels[:position] if parents is None else parents[label] for position, label in enumerate(labels)]
    context = np.stack([context_mask(each, n_labels) for each in seen])
    return LinkTable(labels, context, np.arange(n_labels, dtype=np.int32)[None, :], labels)


def plain_links(n_labels: int) -> LinkTable:
    """One link per label, without context."""
    labels = np.arange(n_labels, dtype=np.int32)
    context = np.zeros((n_labels, n_words(n_labels)), np.uint32)
    return LinkTable(labels, context, labels[None, :], np.full(n_labels, -1, np.int32))


def pair_links(codes: Integers, n_classes: int) -> tuple[LinkTable, Signs]:
    """One link per pair of classes, on the rows of the two, and their targets (+1 is the second class of the pair).

    >>> links, targets = pair_links(np.array([0, 1, 2, 1]), 3)
    >>> [rows.tolist() for rows in links.rows], targets.tolist()
    ([[0, 1, 3], [0, 2], [1, 2, 3]], [[-1, 1, -1, 1], [-1, -1, 1, -1], [-1, -1, 1, -1]])
    """
    pairs = list(combinations(range(n_classes), 2))
    targets = np.array([np.where(codes == b, 1, -1) for _, b in pairs], np.int8).reshape(len(pairs), codes.size)
    rows = tuple(np.flatnonzero((codes == a) | (codes == b)) for a, b in pairs)
    index = np.arange(len(pairs), dtype=np.int32)
    context, writes = np.zeros((len(pairs), 0), np.uint32), np.full(len(pairs), -1, np.int32)
    return LinkTable(index, context, index[None, :], writes, rows), targets
