"""Scores of a label with each candidate added to its parents: what a search in Python asks for, step by step."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from scipy import sparse

from bncc._typing import Floats, Longs
from bncc.labels import LabelCounts
from bncc.structure.local_scores import SCORE_DECIMALS, CountScore, LocalScore

__all__ = ["CandidateScorer", "candidate_scorer", "fixed_point_tables", "score_penalties"]


def candidate_scorer(counts: LabelCounts, score: CountScore | LocalScore, max_parents: int) -> CandidateScorer:
    """A score of up to so many parents, bound to a label matrix."""
    return CountScorer(counts, score, max_parents) if isinstance(score, CountScore) else CallersScorer(score)


def fixed_point_tables(score: CountScore, n_rows: int, max_parents: int) -> tuple[Longs, Longs, float]:
    """The score's cell and total for every count, as integers times a scale: one row per number of parents."""
    count = np.arange(n_rows + 1, dtype=np.float64)
    sizes = [2.0**k for k in range(max_parents + 1)] if score.depends_on_size else [1.0]
    cell = np.array([score.cell(count, size) for size in sizes])
    total = np.array([score.total(count, size) for size in sizes])
    # Partial sums stay below four times the largest entry.
    largest = max(1.0, float(np.abs(cell).max()), float(np.abs(total).max()))
    scale = 2.0 ** (60 - int(np.ceil(np.log2(largest))) - 2)
    return np.rint(cell * scale).astype(np.int64), np.rint(total * scale).astype(np.int64), scale


def score_penalties(score: CountScore, counts: LabelCounts, max_parents: int) -> Floats:
    """The score's penalty by number of parents, up to so many."""
    return np.array([score.penalty(counts.n_rows, counts.n_labels, k) for k in range(max_parents + 1)])


class CandidateScorer(Protocol):
    """What a search asks of a score."""

    def one(self, child: int, accepted: list[int]) -> float:
        """Score of the child with the accepted parents."""

    def many(self, child: int, accepted: list[int], candidates: Longs) -> Floats:
        """Scores with each candidate added to them."""

    def bound(self, n_parents: int) -> float:
        """No score with so many parents is higher."""


class CallersScorer:
    """A caller's score, asked one candidate at a time."""

    def __init__(self, score: LocalScore) -> None:
        self.score = score

    def one(self, child: int, accepted: list[int]) -> float:
        value = float(self.score.local_score(child, tuple(accepted)))
        if np.isnan(value):
            raise ValueError(f"`score` must give numbers; got NaN for child {child} with parents {accepted}.")
        return value

    def many(self, child: int, accepted: list[int], candidates: Longs) -> Floats:
        return np.array([self.one(child, [*accepted, int(candidate)]) for candidate in candidates])

    def bound(self, n_parents: int) -> float:
        return np.inf


class CountScorer:
    """All candidates at once: rows grouped by (configuration, child), ``one-hot(group)' @ Y`` counts every label."""

    def __init__(self, counts: LabelCounts, score: CountScore, max_parents: int) -> None:
        self.counts, self.score = counts, score
        self.rows = sparse.csr_array(counts.matrix).astype(np.int64)
        self.cell, self.total, self.scale = fixed_point_tables(score, counts.n_rows, max_parents)
        self.penalty = score_penalties(score, counts, max_parents)

    def one(self, child: int, accepted: list[int]) -> float:
        sizes = self._group_sizes(*self._groups(child, accepted))
        return float(self._value(self._terms(sizes[:, 0], sizes[:, 1], len(accepted)).sum(), len(accepted)))

    def many(self, child: int, accepted: list[int], candidates: Longs) -> Floats:
        configuration, value = self._groups(child, accepted)
        sizes = self._group_sizes(configuration, value)
        n = self.counts.n_rows
        hot = sparse.csr_array((np.ones(n, np.int64), (2 * configuration + value, np.arange(n))), shape=(sizes.size, n))
        ones = np.asarray((hot @ self.rows[:, candidates]).todense()).reshape(len(sizes), 2, -1)
        rest = sizes[:, :, None] - ones
        k = len(accepted) + 1
        data = self._terms(ones[:, 0], ones[:, 1], k) + self._terms(rest[:, 0], rest[:, 1], k)
        return self._value(data.sum(axis=0), k)

    def bound(self, n_parents: int) -> float:
        return (
            float(np.round(self._value(np.int64(0), n_parents), SCORE_DECIMALS)) if self.score.informative else np.inf
        )

    def _groups(self, child: int, accepted: list[int]) -> tuple[Longs, Longs]:
        columns = self.counts.matrix[:, [*accepted, child]].toarray().astype(np.int64)
        code = columns[:, :-1] @ (1 << np.arange(len(accepted), dtype=np.int64))
        return np.unique(code, return_inverse=True)[1].ravel(), columns[:, -1]

    def _group_sizes(self, configuration: Longs, value: Longs) -> Longs:
        n_configurations = int(configuration.max()) + 1
        return np.bincount(2 * configuration + value, minlength=2 * n_configurations).reshape(-1, 2)

    def _terms(self, zeros: Longs, ones: Longs, k: int) -> Longs:
        level = min(k, len(self.cell) - 1)
        return self.cell[level][ones] + self.cell[level][zeros] - self.total[level][ones + zeros]

    def _value(self, data: Longs | np.int64, k: int) -> Floats:
        return np.asarray(self.score.per_row * self.counts.n_rows + data / self.scale - self.penalty[k])
