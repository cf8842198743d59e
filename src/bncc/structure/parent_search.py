"""Parent search: Algorithm 3 of the paper, and K2's, for every label in turn.

One greedy loop serves both. They differ in who is a candidate (all other labels, or only the predecessors in the
initial order) and in what the first parent must beat (nothing, or the score without parents). Count scores run in the
compiled search; without the extension, and for a caller's score, the loop below does the same in Python. Hill climbing,
which looks at all labels at once, is a file of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from bncc._native import load_extension
from bncc._threads import n_threads
from bncc._typing import Bools, Longs
from bncc.graph import Parents
from bncc.graph.topology import positions
from bncc.labels import LabelCounts
from bncc.structure.candidate_scores import CandidateScorer, candidate_scorer, fixed_point_tables, score_penalties
from bncc.structure.ges import search_classes
from bncc.structure.hill_climbing import climb
from bncc.structure.local_scores import SCORE_DECIMALS, CountScore
from bncc.structure.search_task import STOPS, ParentSearch, RawSearch

if TYPE_CHECKING:
    import bncc.structure._search as native
else:
    native = load_extension("bncc.structure._search")

__all__ = ["FoundParents", "Step", "search_parents"]


@dataclass(frozen=True)
class Step:
    """One parent taken for a label, and the score with it."""

    parent: int
    score: float


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
        penalty=score_penalties(score, counts, search.most_parents),
        offset=score.per_row * counts.n_rows,
        scale=scale,
        climbs=search.climbs,
        over_classes=search.over_classes,
        n_threads=threads,
    )


def _flatten(groups: Parents) -> tuple[Longs, NDArray[np.int32]]:
    sizes = [len(group) for group in groups]
    flat = np.fromiter((item for group in groups for item in group), np.int32, sum(sizes))
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64), flat


def _python_search(counts: LabelCounts, search: ParentSearch) -> RawSearch:
    """The same search with all candidates of a step scored at once, label by label."""
    scorer = candidate_scorer(counts, search.score, search.most_parents)
    if search.climbs or search.over_classes:
        return climb(scorer, search, search_classes(scorer, search) if search.over_classes else ())
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
    child: int, candidates: Bools, search: ParentSearch, scorer: CandidateScorer
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
