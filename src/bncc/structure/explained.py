"""How much of a label its parents explain, without any price for them: what a front of networks weighs against size.

Either the paper's score without its penalty, N (1 - H(l | Pa)), or the log-likelihood of rows that were held out when
the tables were counted. Both are in bits and sums over labels, so that a search may look at one label at a time.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy import sparse

from bncc._typing import Floats, Longs, Random
from bncc.labels import LabelCounts
from bncc.structure.candidate_scores import CandidateScorer, CountScorer
from bncc.structure.local_scores import SCORES

__all__ = ["HeldOutScorer", "dependence_scorer"]


def dependence_scorer(counts: LabelCounts, max_parents: int) -> CandidateScorer:
    """The paper's score without its penalty: N (1 - H(l | Pa)), which no further parent makes smaller.

    >>> from bncc.labels import count_labels
    >>> scorer = dependence_scorer(count_labels([[0, 0], [1, 1], [0, 0], [1, 1]]), 1)
    >>> scorer.one(0, []), scorer.one(0, [1])
    (0.0, 4.0)
    """
    return CountScorer(counts, replace(SCORES["dependence"], penalty=_no_penalty), max_parents)


def _no_penalty(n_rows: int, n_labels: int, n_parents: int) -> float:
    return 0.0


class HeldOutScorer:
    """log2 probability of the rows of every fold, under tables counted on the rows of the others.

    Probabilities are those of `ConditionalTable.probability` with a smoothing of 1, so the sum over labels is
    `LabelNetwork.log_likelihood` of networks with the same edges and the tables of the training rows.

    Parameters
    ----------
    n_folds : int
        Folds of equal size, drawn at random.
    """

    def __init__(self, counts: LabelCounts, *, n_folds: int, random_state: Random = 0) -> None:
        self.counts = counts
        self.rows = sparse.csr_array(counts.matrix).astype(np.int64)
        fold_of_row = np.arange(counts.n_rows) % n_folds
        self.fold_of_row = np.random.default_rng(random_state).permutation(fold_of_row)
        self.n_folds = n_folds

    def one(self, child: int, accepted: list[int]) -> float:
        """Log-likelihood of the child with the accepted parents."""
        sizes = self._sizes(*self._groups(child, accepted))
        return float(self._value(sizes[..., None, None])[0])

    def many(self, child: int, accepted: list[int], candidates: Longs) -> Floats:
        """Log-likelihoods with each candidate added to them."""
        configuration, value = self._groups(child, accepted)
        sizes = self._sizes(configuration, value)
        group = np.ravel_multi_index((self.fold_of_row, configuration, value), sizes.shape)
        n = self.counts.n_rows
        hot = sparse.csr_array((np.ones(n, np.int64), (group, np.arange(n))), shape=(sizes.size, n))
        with_candidate = (hot @ self.rows).toarray()[:, candidates].reshape(*sizes.shape, 1, -1)
        without = sizes[..., None, None] - with_candidate
        return self._value(np.concatenate([without, with_candidate], axis=3))

    def bound(self, n_parents: int) -> float:
        """No likelihood is higher than that of rows foreseen for sure."""
        return 0.0

    def _groups(self, child: int, accepted: list[int]) -> tuple[Longs, Longs]:
        columns = self.counts.matrix[:, [*accepted, child]].toarray().astype(np.int64)
        code = columns[:, :-1] @ (1 << np.arange(len(accepted), dtype=np.int64))
        return np.unique(code, return_inverse=True)[1].ravel(), columns[:, -1]

    def _sizes(self, configuration: Longs, value: Longs) -> Longs:
        """Rows by fold, configuration and value of the child."""
        shape = (self.n_folds, int(configuration.max()) + 1, 2)
        group = np.ravel_multi_index((self.fold_of_row, configuration, value), shape)
        return np.bincount(group, minlength=int(np.prod(shape))).reshape(shape)

    def _value(self, tested: Longs) -> Floats:
        """Bits by candidate, from rows by fold, configuration, values of child and candidate, and candidate."""
        trained = tested.sum(axis=0) - tested
        by_value = trained.sum(axis=(1, 3))[:, None, :, None]
        overall = (by_value[:, :, 1] + 0.5) / (by_value.sum(axis=2) + 1.0)
        rate = (trained[:, :, 1] + overall) / (trained.sum(axis=2) + 1.0)
        bits = tested[:, :, 1] * np.log2(rate) + tested[:, :, 0] * np.log2(1.0 - rate)
        return np.asarray(bits.sum(axis=(0, 1, 2)))
