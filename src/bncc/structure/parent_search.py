"""Parent search: Algorithm 3 of the paper, and K2's, for every label in turn.

One greedy loop serves both. They differ in who is a candidate (all other labels, or only the predecessors in the
initial order) and in what the first parent must beat (nothing, or the score without parents). Count scores run in the
compiled search; without the extension, and for a caller's score, the loop below does the same in Python.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from bncc._native import load_extension
from bncc._threads import n_threads
from bncc._typing import Bools, Floats, Longs
from bncc.graph import Parents
from bncc.graph.topology import positions
from bncc.labels import LabelCounts
from bncc.structure.local_scores import SCORE_DECIMALS, CountScore, LocalScore

if TYPE_CHECKING:
    import bncc.structure._search as native
else:
    native = load_extension("bncc.structure._search")

__all__ = ["STOPS", "ParentSearch", "Step", "search_parents"]

STOPS = (
    "no candidate improves the score",
    "no candidate is left",
    "the parent limit is reached",
    "no candidate can pay for the larger table",
)


@dataclass(frozen=True)
class Step:
    """One parent taken for a label, and the score with it."""

    parent: int
    score: float


@dataclass(frozen=True)
class ParentSearch:
    """What to search for: a frozen description, solved by `search_parents`."""

    score: CountScore | LocalScore
    order: tuple[int, ...]
    child_limits: tuple[int, ...]
    max_parents: int
    required: Parents
    forbidden: Parents
    predecessors_only: bool = False
    start_empty: bool = False

    @property
    def most_parents(self) -> int:
        """The most parents that any label can end up with: required ones are not limited."""
        return max(self.max_parents, max(map(len, self.required), default=0))


@dataclass(frozen=True)
class FoundParents:
    """Parents of each label in the order they were taken, their scores, and why each search ended."""

    parents: Parents
    start_scores: tuple[float, ...]
    steps: tuple[tuple[Step, ...], ...]
    stops: tuple[str, ...]


def search_parents(counts: LabelCounts, search: ParentSearch, *, n_jobs: int | None = None) -> FoundParents:
    """Search the parents of all labels in the initial order."""
    if isinstance(search.score, CountScore) and native is not None:
        parents, scores, stops = _native_search(counts, search, search.score, n_threads(n_jobs))
    else:
        parents, scores, stops = _python_search(counts, search)
    return FoundParents(
        parents=tuple(tuple(group) for group in parents),
        start_scores=tuple(values[0] for values in scores),
        steps=tuple(
            tuple(Step(parent, score) for parent, score in zip(group[-(len(values) - 1) :], values[1:], strict=True))
            if len(values) > 1
            else ()
            for group, values in zip(parents, scores, strict=True)
        ),
        stops=tuple(STOPS[stop] for stop in stops),
    )


# By label: the parents, the scores on the way to them, and the place of the stop in `STOPS`.
RawSearch: TypeAlias = tuple[list[Sequence[int]], list[Sequence[float]], list[int]]


def _native_search(counts: LabelCounts, search: ParentSearch, score: CountScore, threads: int) -> RawSearch:
    columns, rows = counts.matrix, sparse.csr_array(counts.matrix)
    cell, total, scale = fixed_point_tables(score, counts.n_rows, search.most_parents)
    required, forbidden = _flatten(search.required), _flatten(search.forbidden)
    return native.search(
        row_start=columns.indptr.astype(np.int64),
        row_items=columns.indices.astype(np.int32),
        label_start=rows.indptr.astype(np.int64),
        label_items=rows.indices.astype(np.int32),
        required_start=required[0],
        required_items=required[1],
        forbidden_start=forbidden[0],
        forbidden_items=forbidden[1],
        order=np.asarray(search.order, np.int32),
        child_limits=np.asarray(search.child_limits, np.int32),
        predecessors_only=search.predecessors_only,
        start_empty=search.start_empty,
        informative=score.informative,
        max_parents=search.max_parents,
        cell=cell,
        total=total,
        penalty=_penalties(score, counts, search.most_parents),
        offset=score.per_row * counts.n_rows,
        scale=scale,
        n_threads=threads,
    )


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


def _penalties(score: CountScore, counts: LabelCounts, max_parents: int) -> Floats:
    return np.array([score.penalty(counts.n_rows, counts.n_labels, k) for k in range(max_parents + 1)])


def _flatten(groups: Parents) -> tuple[Longs, NDArray[np.int32]]:
    sizes = [len(group) for group in groups]
    flat = np.fromiter((item for group in groups for item in group), np.int32, sum(sizes))
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64), flat


class _CandidateScorer(Protocol):
    """What the greedy loop asks of a score."""

    def one(self, child: int, accepted: list[int]) -> float:
        """Score of the child with the accepted parents."""

    def many(self, child: int, accepted: list[int], candidates: Longs) -> Floats:
        """Scores with each candidate added to them."""

    def bound(self, n_parents: int) -> float:
        """No score with so many parents is higher."""


def _python_search(counts: LabelCounts, search: ParentSearch) -> RawSearch:
    """The same search with all candidates of a step scored at once, label by label."""
    scorer: _CandidateScorer
    if isinstance(search.score, CountScore):
        scorer = _CountScorer(counts, search.score, search.most_parents)
    else:
        scorer = _CallersScorer(search.score)
    left = np.asarray(search.child_limits, np.int64)
    position_of_label = np.asarray(positions(search.order))
    parents: list[Sequence[int]] = [()] * counts.n_labels
    scores: list[Sequence[float]] = [()] * counts.n_labels
    stops = [0] * counts.n_labels
    for child in search.order:
        candidates = left > 0
        candidates[[child, *search.forbidden[child], *search.required[child]]] = False
        if search.predecessors_only:
            candidates &= position_of_label < position_of_label[child]
        parents[child], scores[child], stops[child] = _greedy(child, candidates, search, scorer)
        taken = list(parents[child][len(search.required[child]) :])
        left[taken] -= 1
    return parents, scores, stops


def _greedy(
    child: int, candidates: Bools, search: ParentSearch, scorer: _CandidateScorer
) -> tuple[list[int], list[float], int]:
    accepted = list(search.required[child])
    start = float(np.round(scorer.one(child, accepted), SCORE_DECIMALS))
    best = start if accepted or search.start_empty else -np.inf
    scores = [start]
    while True:
        if len(accepted) >= search.max_parents:
            return accepted, scores, 2
        if np.isfinite(best) and scorer.bound(len(accepted) + 1) <= best:
            return accepted, scores, 3
        open_labels = np.flatnonzero(candidates)
        if open_labels.size == 0:
            return accepted, scores, 1
        values = np.round(scorer.many(child, accepted, open_labels), SCORE_DECIMALS)
        at = int(np.argmax(values))  # the first of equals is the lowest label
        if not values[at] > best:
            return accepted, scores, 0
        best = float(values[at])
        accepted.append(int(open_labels[at]))
        scores.append(best)
        candidates[accepted[-1]] = False


class _CallersScorer:
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


class _CountScorer:
    """All candidates at once: rows grouped by (configuration, child), ``one-hot(group)' @ Y`` counts every label."""

    def __init__(self, counts: LabelCounts, score: CountScore, max_parents: int) -> None:
        self.counts, self.score = counts, score
        self.rows = sparse.csr_array(counts.matrix).astype(np.int64)
        self.cell, self.total, self.scale = fixed_point_tables(score, counts.n_rows, max_parents)
        self.penalty = _penalties(score, counts, max_parents)

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
