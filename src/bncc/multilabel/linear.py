"""Links on the linear engine: one call solves them all, sixteen side by side, on rows that are held once."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from bncc._typing import CSR, Array, Bools, EngineName, Floats, Fold, Integers, Longs, Matrix, Pulse
from bncc.linear import Features, LogisticRegression, Solutions, Status, decide, prepare_features, solve, walk
from bncc.linear.engines import engine_and_reason
from bncc.multilabel.backend import (
    FitOptions,
    FoldedAnswers,
    FoldedLinks,
    LinkBackend,
    Rates,
    TrainingRows,
)
from bncc.multilabel.clones import unfitted
from bncc.multilabel.linear_links import LinearChoice, LinearLinks, LinkContexts
from bncc.multilabel.linear_problems import LinearBase, LinkBatch, Part, PenaltyPath, batch_of_links, checked_cost
from bncc.multilabel.links import Links
from bncc.multilabel.progress import Progress, both
from bncc.selection.tasks import Candidate

__all__ = ["LinearBackend"]

# Beyond this many bytes of dense weights, the engine hands them back sparse.
_DENSE_BYTES = 1 << 28
# Dense weights with fewer entries than this share are stored sparse.
_SPARSE_SHARE = 0.4
# Weights of folds and settings that are held at a time.
_FOLD_BYTES = 1 << 30
# Test rows of a fold that are copied at a time.
_TEST_ROWS = 1 << 14
# Contexts up to this many labels in all are kept, so that links can be handed out as classifiers.
_KEPT_CONTEXTS = 1 << 22
# One core visits about this many stored features of a problem in a second, and each some times.
_VISITS_PER_SECOND = 4e8
_VISITS = 30.0


class LinearBackend(LinkBackend):
    """All links of a `LinearSVC` or a `LogisticRegression` in one batch, on features that are held once."""

    shares_folds = True
    takes_weights = True
    takes_classes = True
    calibrates_large = False
    base: LinearBase

    def __init__(self, base: LinearBase) -> None:
        super().__init__(base)
        self.rates: Rates = "links" if isinstance(base, LogisticRegression) else "scores"

    def search_names(self) -> tuple[str, ...]:
        """What may change the links."""
        return tuple(sorted(set(self.base.get_params()) - {"engine", "n_jobs"}))

    def prepare(self, X: Matrix, options: FitOptions) -> Features:
        """The rows in the engine's form; not copied where they have it."""
        return prepare_features(X)

    def fit(
        self, links: Links, rows: TrainingRows, options: FitOptions, prepared: Features | None = None
    ) -> LinearLinks:
        """Solve all links in one call."""
        features = self.prepare(rows.X, options) if prepared is None else prepared
        path = PenaltyPath.of(self.base)
        described = batch_of_links([Part(links)], features, rows.targets.positives, rows.weight, self.base, path)
        choice = LinearChoice(*engine_and_reason(self._engine(options)))
        with Progress(f"links on {choice.name}", len(described.batch), options.verbose) as progress:
            solutions = self._solve(described, rows.targets.n_labels, options, both(progress, options.pulse))
        return LinearLinks(
            _compact(solutions),
            described.first,
            described.classes,
            np.array([link.writes for link in links.links], np.int32),
            rows.targets.n_labels,
            unfitted(self.base),
            _contexts_of(links),
            choice,
        )

    def _engine(self, options: FitOptions) -> EngineName:
        # The engine refuses what it does not know.
        return self.base.engine if options.engine is None else options.engine

    def _solve(self, described: LinkBatch, n_labels: int, options: FitOptions, progress: Pulse | None) -> Solutions:
        batch, base = described.batch, self.base
        large = 4.0 * len(batch) * batch.n_columns > _DENSE_BYTES
        drop = base._drop(n_labels)
        solutions = solve(
            batch,
            tol=base.tol,
            max_iter=base.max_iter,
            drop=0.0 if large and drop is None else drop,
            n_jobs=base.n_jobs if options.n_jobs is None else options.n_jobs,
            engine=self._engine(options),
            progress=progress,
        )
        stopped = int((solutions.status == Status.ITERATION_LIMIT).sum())
        if stopped:
            message = f"{stopped} of {len(batch)} links stopped at the limit of {base.max_iter} iterations."
            warnings.warn(f"{message} Scale the data or raise `max_iter`.", ConvergenceWarning, stacklevel=5)
        return solutions

    def decide_folds(
        self,
        folded: FoldedLinks,
        candidates: Sequence[Candidate],
        options: FitOptions,
        prepared: Features | None = None,
    ) -> Iterator[FoldedAnswers]:
        """All folds and candidates in one batch, or as few as memory asks for; values of C start from the one below."""
        features = self.prepare(folded.rows.X, options) if prepared is None else prepared
        paths = [_Path.of(self.base, candidates, numbers) for numbers in _alike(self.base, candidates)]
        for folds in self._together(folded, features, max(len(path.numbers) for path in paths)):
            for path in paths:
                yield from LinearBackend(path.base)._decide_path(folded, folds, path, options, features)

    def decide_folds_in_blocks(
        self, folded: FoldedLinks, options: FitOptions, prepared: object, n_rows: int
    ) -> Iterator[tuple[int, slice, Floats]]:
        """Solve as few folds at a time as memory asks for, and answer for some of their test rows at a time."""
        features = prepared if isinstance(prepared, Features) else self.prepare(folded.rows.X, options)
        path = _Path.of(self.base, [{}], [0])
        for folds in self._together(folded, features, 1):
            solutions, problems = self._solve_path(folded, folds, path, options, features)
            for fold, (own,) in zip(folds, problems, strict=True):
                test = np.asarray(folded.folds[fold][1])
                for start in range(0, test.size, n_rows):
                    places = slice(start, start + n_rows)
                    (walked,) = _walk_tests(solutions, [own], folded.links[fold], folded.rows.X, test[places])
                    yield fold, places, walked

    def _together(self, folded: FoldedLinks, features: Features, n_settings: int) -> list[range]:
        """All folds, or one after the other where the weights of all would take too much memory."""
        n_columns = features.n_features + folded.rows.targets.n_labels
        n_problems = n_settings * sum(len(links) for links in folded.links)
        whole = range(len(folded.folds))
        return [whole] if 4.0 * n_columns * n_problems <= _FOLD_BYTES else [range(k, k + 1) for k in whole]

    def _decide_path(
        self, folded: FoldedLinks, folds: range, path: _Path, options: FitOptions, features: Features
    ) -> Iterator[FoldedAnswers]:
        begin = time.perf_counter()
        solutions, problems = self._solve_path(folded, folds, path, options, features)
        choice = LinearChoice(*engine_and_reason(self._engine(options)))
        seconds = time.perf_counter() - begin
        for fold, of_settings in zip(folds, problems, strict=True):
            begin = time.perf_counter()
            links, test = folded.links[fold], np.asarray(folded.folds[fold][1])
            walked = _walk_tests(solutions, of_settings, links, folded.rows.X, test)
            answers = [(number, fold, each) for number, each in zip(path.numbers, walked, strict=True)]
            yield FoldedAnswers(answers, seconds, time.perf_counter() - begin, choice)
            seconds = 0.0

    def _solve_path(
        self, folded: FoldedLinks, folds: range, path: _Path, options: FitOptions, features: Features
    ) -> tuple[Solutions, list[list[Longs]]]:
        """The links of some folds along a path, and which problems are those of each fold and setting."""
        parts = [Part(folded.links[fold], np.asarray(folded.folds[fold][0])) for fold in folds]
        targets = folded.rows.targets
        described = batch_of_links(parts, features, targets.positives, folded.rows.weight, self.base, path.penalties)
        solutions = self._solve(described, targets.n_labels, options, options.pulse)
        n, sizes = int(described.first[-1]), [len(part.links) for part in parts]
        starts = np.cumsum([0, *sizes])[:-1]
        return solutions, [
            [place * n + start + np.arange(size) for place in range(len(path.numbers))]
            for start, size in zip(starts, sizes, strict=True)
        ]

    def decide_given_truth(
        self,
        links: Links,
        rows: TrainingRows,
        folds: Sequence[Fold],
        options: FitOptions,
        prepared: Features | None = None,
    ) -> Floats:
        """Decisions of links for rows held out by the folds, given the true labels as context: (n_rows, n_links).

        All folds are solved in one batch. NaN for rows that no fold tests.
        """
        features = self.prepare(rows.X, options) if prepared is None else prepared
        parts = [Part(links.within(train), np.asarray(train)) for train, _ in folds]
        path = PenaltyPath.of(self.base)
        described = batch_of_links(parts, features, rows.targets.positives, rows.weight, self.base, path)
        solutions = self._solve(described, rows.targets.n_labels, options, options.pulse)
        truth = sparse.csr_array(rows.targets.positives) if described.batch.n_labels else None
        out = np.full((rows.targets.n_rows, len(links)), np.nan)
        for fold, (_, test) in enumerate(folds):
            problems = fold * len(links) + np.arange(len(links))
            known = None if truth is None else truth[test]
            out[test] = decide(solutions, rows.X[test], known, problems=problems)
        return out

    def seconds(self, links: Links, rows: TrainingRows, options: FitOptions) -> float:
        """From the numbers of stored features: each is visited some times per link."""
        stored = rows.X.size if isinstance(rows.X, np.ndarray) else rows.X.nnz
        per_row = stored / max(1, rows.targets.n_rows)
        n_rows = sum(rows.targets.n_rows if link.rows is None else link.rows.size for link in links.links)
        return n_rows * (per_row + 1.0) * _VISITS / _VISITS_PER_SECOND


@dataclass(frozen=True, eq=False)
class _Path:
    """Candidates that differ in C and class weights alone, by ascending C: a base with their other settings."""

    base: LinearBase
    numbers: tuple[int, ...]
    penalties: PenaltyPath

    @staticmethod
    def of(base: LinearBase, candidates: Sequence[Candidate], numbers: Sequence[int]) -> _Path:
        settings = [{"C": base.C, "class_weight": base.class_weight, **candidates[number]} for number in numbers]
        costs = [checked_cost(each["C"]) for each in settings]
        order = sorted(range(len(numbers)), key=lambda place: (costs[place], place))
        penalties = PenaltyPath(
            tuple(costs[place] for place in order), tuple(settings[place]["class_weight"] for place in order)
        )
        model = clone(base).set_params(**candidates[numbers[0]])
        return _Path(model, tuple(numbers[place] for place in order), penalties)


def _alike(base: LinearBase, candidates: Sequence[Candidate]) -> list[list[int]]:
    """Numbers of candidates, those together that differ in C and class weights alone."""
    groups: dict[str, list[int]] = {}
    for number, candidate in enumerate(candidates):
        others = {name: value for name, value in candidate.items() if name not in ("C", "class_weight")}
        key = repr(sorted({**base.get_params(), "C": None, "class_weight": None, **others}.items()))
        groups.setdefault(key, []).append(number)
    return list(groups.values())


def _walk_tests(
    solutions: Solutions, settings: Sequence[Longs], links: Links, X: Matrix, test: Integers
) -> list[Floats]:
    """Decisions of links for test rows, (n_walks, n_rows, length) for each setting, whose problems are given.

    The rows are copied some at a time.
    """
    sees_labels = solutions.weights.shape[1] > solutions.n_features
    written = np.array([link.writes if sees_labels else -1 for link in links.links])
    walks = np.array(links.walks)
    out = [np.empty((len(walks), test.size, walks.shape[1])) for _ in settings]
    for start in range(0, test.size, _TEST_ROWS):
        rows = slice(start, start + _TEST_ROWS)
        block = prepare_features(X[test[rows]])
        for problems, answers in zip(settings, out, strict=True):
            for number, each in enumerate(walks):
                answers[number, rows] = walk(solutions, block, problems[each], written[each])
    return out


def _compact(solutions: Solutions) -> Solutions:
    """Weights stored sparse where that is smaller."""
    weights = solutions.weights
    if sparse.issparse(weights):
        return solutions
    kept = weights != 0
    if np.count_nonzero(kept) >= _SPARSE_SHARE * weights.size:
        return solutions
    return replace(solutions, weights=_stored(weights, kept))


def _stored(weights: Array, kept: Bools) -> CSR:
    """The weights that are kept, in a third of the time that scipy takes."""
    entries = np.flatnonzero(kept)
    width = np.int32 if max(entries.size, weights.shape[1]) <= np.iinfo(np.int32).max else np.int64
    pointer = np.zeros(len(weights) + 1, width)
    np.cumsum(np.count_nonzero(kept, axis=1), out=pointer[1:])
    columns = np.remainder(entries, weights.shape[1]).astype(width)
    return sparse.csr_array((weights.ravel()[entries], columns, pointer), shape=weights.shape)


def _contexts_of(links: Links) -> LinkContexts | None:
    contexts = [link.context_labels() for link in links.links]
    sizes = [context.size for context in contexts]
    if sum(sizes) > _KEPT_CONTEXTS:
        return None
    labels = np.concatenate([np.zeros(0, np.int32), *contexts])
    return LinkContexts(np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64), labels.astype(np.int32))
