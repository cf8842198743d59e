"""Chains of blocks of labels: a powerset per block, which sees the labels that earlier blocks have settled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bncc._typing import Array, Floats, Longs, Matrix, Signs
from bncc.multilabel.backend import SolvedLinks
from bncc.multilabel.feature_rows import append_context
from bncc.multilabel.links import Predecessors
from bncc.multilabel.powersets import (
    LabelSets,
    marginals_of_classes,
    multiclass_scores,
    rates_of_winners,
    scores_from_sets,
    set_scores,
)
from bncc.svm.sigmoids import couple_pairs

__all__ = ["BlockChain", "ChainAnswers", "contexts_of_blocks"]


def contexts_of_blocks(blocks: Sequence[Sequence[int]]) -> list[Predecessors]:
    """The labels of earlier blocks, for each block.

    >>> [context.spread() for context in contexts_of_blocks([(2, 3), (0,), (1,)])]
    [(), (2, 3), (2, 3, 0)]
    """
    order = np.array([label for block in blocks for label in block], np.int64)
    starts = np.cumsum([0, *map(len, blocks)])[:-1].tolist()
    return [Predecessors(order, start) for start in starts]


@dataclass(frozen=True, eq=False)
class ChainAnswers:
    """What a chain of blocks says of rows: scores of the labels, above 0 where one is predicted, and probabilities.

    `rates` are None where they were not asked for. Both are conditional on the labels that earlier blocks were given.
    """

    scores: Floats
    rates: Floats | None


@dataclass(frozen=True, eq=False)
class BlockChain:
    """Solved links of a chain of blocks.

    Attributes
    ----------
    solved : SolvedLinks
    groups : tuple of LabelSets
        The blocks in the order of the chain.
    has_classes : bool
        Whether a block is one link of several classes; else one per pair of its sets.
    """

    solved: SolvedLinks
    groups: tuple[LabelSets, ...]
    has_classes: bool

    def answer(self, X: Matrix, *, with_rates: bool, plane: Array | None = None) -> ChainAnswers:
        """Blocks one after the other; with a plane (n_rows, n_labels) its labels are those that all blocks see."""
        shape = (X.shape[0], self.solved.n_labels)
        known: Signs = np.zeros(shape, np.int8)
        scores, rates = np.zeros(shape), np.zeros(shape)
        contexts = contexts_of_blocks([group.labels for group in self.groups])
        for number, (group, context) in enumerate(zip(self.groups, contexts, strict=True)):
            seen = known if plane is None else plane
            labels = list(group.labels)
            if self.has_classes:
                own, chances = self._ask_classes(number, append_context(X, seen[:, context.spread()]), with_rates)
            else:
                own, chances = self._ask_pairs(number, X, seen, with_rates)
            scores[:, labels], known[:, labels] = own, own > 0
            if chances is not None:
                rates[:, labels] = rates_of_winners(chances, own)
        return ChainAnswers(scores, rates if with_rates else None)

    def _ask_classes(self, number: int, X: Matrix, with_rates: bool) -> tuple[Floats, Floats | None]:
        sets, estimator = self.groups[number].sets, self.solved.estimators[number]
        scores = multiclass_scores(sets, estimator, X)
        return scores, marginals_of_classes(sets, estimator, X) if with_rates else None

    def _ask_pairs(self, number: int, X: Matrix, seen: Array, with_rates: bool) -> tuple[Floats, Floats | None]:
        sets, links = self.groups[number].sets, self._pairs_of(number).tolist()
        decisions = _columns(self.solved.answer_some(links, X, seen), X.shape[0])
        of_sets = set_scores(decisions, len(sets))
        scores = scores_from_sets(sets, of_sets, of_sets.argmax(axis=1))
        if not with_rates:
            return scores, None
        chances = _columns([self.solved.answer(link, X, seen, "probability") for link in links], X.shape[0])
        shares = couple_pairs(chances, len(sets)) if links else np.ones((X.shape[0], 1))
        return scores, np.clip(shares @ sets, 0.0, 1.0)

    def _pairs_of(self, number: int) -> Longs:
        """The links of a block, where they are pairs of sets."""
        sizes = [len(group.sets) for group in self.groups]
        ends = np.cumsum([0, *(size * (size - 1) // 2 for size in sizes)])
        return np.arange(ends[number], ends[number + 1])


def _columns(answers: list[Floats], n_rows: int) -> Floats:
    return np.column_stack(answers) if answers else np.zeros((n_rows, 0))
