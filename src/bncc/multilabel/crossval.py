"""An estimator on folds: links described for each, scores for rows held out, and probabilities from these."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone

from bncc._rows import row_blocks
from bncc._typing import Array, Bools, Floats, Fold, Integers, Matrix, Rows, Sparse, Weights
from bncc.datasets.stratification import deal_rows, n_groups
from bncc.multilabel.backend import FitOptions, FoldedAnswers, FoldedLinks, SolvedLinks, TrainingRows
from bncc.multilabel.calibration import fit_slopes
from bncc.multilabel.feature_rows import bytes_of
from bncc.multilabel.links import Links
from bncc.multilabel.score_histograms import ScoreHistograms
from bncc.multilabel.targets import Targets
from bncc.selection import BatchOptions, Decided, FoldAnswer, SolvedFolds
from bncc.selection.tasks import Candidate

if TYPE_CHECKING:
    from bncc.multilabel.linked_classifier import LinkedClassifier

__all__ = [
    "CALIBRATION_FOLDS",
    "Calibration",
    "FitTask",
    "LinkTask",
    "ScoredRows",
    "deal_folds",
    "describe_folds",
    "fit_label_slopes",
    "has_many_scores",
    "histogram_slopes",
    "is_large",
    "out_of_fold_scores",
    "slopes_of_scores",
]

# Features up to this many bytes are kept until probabilities are asked for; beyond, these are settled in `fit`.
_KEPT_BYTES = 1 << 26
CALIBRATION_FOLDS = 5
# Scores of rows held out that are kept at a time at most; beyond, they are looked at some rows at a time.
_MOST_SCORES = 1 << 26
# And so many of them at a time.
_SCORES_AT_A_TIME = 1 << 21
_NO_OPTIONS = BatchOptions()


@dataclass(frozen=True, eq=False)
class ScoredRows:
    """Numbers of rows that were held out, and their label scores (n_rows, n_labels)."""

    rows: Integers
    scores: Floats

    def known(self, targets: Targets) -> Bools | None:
        """Which of these labels are known; None: all are."""
        return None if targets.unknown is None else _rows_of(targets.unknown, self.rows) == 0


@dataclass(frozen=True, eq=False)
class LinkTask:
    """A multi-label estimator on some rows and folds, described and ready to be solved (make one: `describe_folds`).

    Attributes
    ----------
    estimator : LinkedClassifier
        Unfitted; it knows the features.
    folded : FoldedLinks
    shells : tuple of LinkedClassifier
        What was learned in each fold before any link was solved: orders, networks, groups.
    prepared : what the backend shares between folds and settings
    """

    estimator: LinkedClassifier
    folded: FoldedLinks
    shells: tuple[LinkedClassifier, ...]
    prepared: Any

    @property
    def rows(self) -> TrainingRows:
        """The rows that it was described on."""
        return self.folded.rows

    @property
    def exact(self) -> bool:
        """Whether answers are those of the estimator after `fit`: inference that is not greedy is left out."""
        return self.estimator._is_exact_on_folds()

    @property
    def rough_tol(self) -> float | None:
        """What the backend says, where labels are signs of decisions."""
        return self.estimator._backend().rough_tol() if self.estimator._decides_by_signs() else None

    def solve(self, candidates: Sequence[Candidate], options: BatchOptions) -> Iterator[SolvedFolds]:
        """Answers of every candidate for every fold."""
        backend = self.estimator._backend()
        for part in backend.decide_folds(self.folded, candidates, self._options(options), self.prepared):
            yield self._solved(part)

    def _solved(self, part: FoldedAnswers) -> SolvedFolds:
        return SolvedFolds(self._answers(part), part.train_seconds, part.test_seconds, part.engine)

    def _answers(self, part: FoldedAnswers) -> Iterator[FoldAnswer]:
        at_hand = -1  # the fold whose rows are: answers of one fold follow one another
        for candidate, fold, walked in part.answers:
            if fold != at_hand:
                at_hand, shown = fold, self.rows.X[self.folded.folds[fold][1]]
            yield FoldAnswer(candidate, fold, self._decided(fold, walked, shown), self.shells[fold])

    def _options(self, options: BatchOptions) -> FitOptions:
        return self.estimator._fit_options(options, verbose=0)

    def _decided(self, fold: int, walked: Floats, shown: Matrix) -> Decided:
        shell = self.shells[fold]
        scores = shell._assemble(walked, shown)
        return _decided(shell, scores, shell._decide_labels(scores))

    def scores(self, options: BatchOptions = _NO_OPTIONS) -> Floats:
        """Label scores (n_rows, n_labels) for rows held out by the folds; NaN for rows in no test fold."""
        return _held_out(self.solve([{}], options), self.rows.targets, self.folded.folds)

    def fit_and_score(self, model: LinkedClassifier) -> Floats:
        """Fit a model like the estimator to all rows; the same scores, which cost less by the way."""
        parts: Iterator[FoldedAnswers] = iter(())

        def solve(links: Links, fit_options: FitOptions) -> SolvedLinks:
            nonlocal parts
            solved, parts = model._backend().fit_with_folds(links, self.folded, fit_options, self.prepared)
            return solved

        model._fit_on(self.rows, self.prepared, solve)
        return _held_out(map(self._solved, parts), self.rows.targets, self.folded.folds)

    def score_blocks(self) -> Iterator[ScoredRows]:
        """The same scores, some rows at a time."""
        backend, options = self.estimator._backend(), self._options(_NO_OPTIONS)
        step = max(1, _SCORES_AT_A_TIME // max(1, self.rows.targets.n_labels))
        for fold, places, walked in backend.decide_folds_in_blocks(self.folded, options, self.prepared, step):
            rows = np.asarray(self.folded.folds[fold][1])[places]
            yield ScoredRows(rows, self.shells[fold]._assemble(walked, self.rows.X[rows]))

    def configured(self, candidate: Candidate, options: BatchOptions) -> LinkedClassifier:
        """The estimator with these settings, unfitted; it knows the features."""
        return _configured(self.estimator, candidate, options)

    def refit(self, candidate: Candidate, options: BatchOptions) -> LinkedClassifier:
        """Fitted to all rows with these settings, on what the folds have used."""
        return self.configured(candidate, options)._fit_on(self.rows, self.prepared)


def _configured(estimator: LinkedClassifier, candidate: Candidate, options: BatchOptions) -> LinkedClassifier:
    """A copy, which has what reading the data has left, with other settings and what the options name."""
    model = estimator._unfitted()
    if options.n_jobs is not None:
        model.n_jobs = options.n_jobs
    asked = dict(model._backend().changes_for(candidate))
    if options.engine is not None and "engine" in model._base().get_params():
        asked["engine"] = options.engine
    return model.set_base_params(**asked) if asked else model


@dataclass(frozen=True, eq=False)
class FitTask:
    """A multi-label estimator on some rows and folds, where folds share nothing: it is fitted for each of them."""

    estimator: LinkedClassifier
    rows: TrainingRows
    folds: tuple[Fold, ...]
    prepared: None = None
    exact: bool = True
    rough_tol: float | None = None

    def solve(self, candidates: Sequence[Candidate], options: BatchOptions) -> Iterator[SolvedFolds]:
        """Answers of every candidate for every fold, one after the other."""
        for number, candidate in enumerate(candidates):
            for fold, (train, test) in enumerate(self.folds):
                begin = time.perf_counter()
                model = self._fitted_to(train, candidate, options)
                middle = time.perf_counter()
                decided = _decided(model, model._scores(self.rows.X[test]), model._labels(self.rows.X[test]))
                seconds = middle - begin, time.perf_counter() - middle
                yield SolvedFolds([FoldAnswer(number, fold, decided, model)], *seconds, model.engine_)
                if options.pulse is not None:
                    options.pulse(number * len(self.folds) + fold + 1)

    def _fitted_to(self, train: Rows, candidate: Candidate, options: BatchOptions) -> LinkedClassifier:
        model = self.configured(candidate, options)._for_other_rows()
        model.verbose, model._calibrates = 0, False
        model._fit_alone(self.rows.take(train))
        return model

    def scores(self, options: BatchOptions = _NO_OPTIONS) -> Floats:
        """Label scores (n_rows, n_labels) for rows held out by the folds; NaN for rows in no test fold."""
        return _held_out(self.solve([{}], options), self.rows.targets, self.folds)

    def fit_and_score(self, model: LinkedClassifier) -> Floats:
        """Fit a model like the estimator to all rows; the same scores."""
        model._fit_alone(self.rows)
        return self.scores()

    def score_blocks(self) -> Iterator[ScoredRows]:
        """The same scores, some rows at a time."""
        step = max(1, _SCORES_AT_A_TIME // max(1, self.rows.targets.n_labels))
        for train, test in self.folds:
            model = self._fitted_to(train, {}, _NO_OPTIONS)
            for rows in row_blocks(np.asarray(test), step):
                yield ScoredRows(rows, model._scores(self.rows.X[rows]))

    def configured(self, candidate: Candidate, options: BatchOptions) -> LinkedClassifier:
        """The estimator with these settings, unfitted; it knows the features."""
        return _configured(self.estimator, candidate, options)

    def refit(self, candidate: Candidate, options: BatchOptions) -> LinkedClassifier:
        """Fitted to all rows with these settings."""
        return self.configured(candidate, options)._fit_alone(self.rows)


def _decided(model: LinkedClassifier, scores: Floats, labels: Bools) -> Decided:
    return Decided(model.classes_, scores[:, 0] if model._flat else scores, model._shape_labels(labels))


def _held_out(parts: Iterator[SolvedFolds], targets: Targets, folds: Sequence[Fold]) -> Floats:
    out = np.full((targets.n_rows, targets.n_labels), np.nan)
    for part in parts:
        for answer in part.answers:
            test = folds[answer.fold][1]
            out[test] = np.asarray(answer.decided.decisions).reshape(len(test), -1)
    return out


def describe_folds(
    estimator: LinkedClassifier, rows: TrainingRows, folds: Sequence[Fold], prepared: Any = None
) -> LinkTask | FitTask:
    """An estimator on folds; structure comes from the training rows of each alone."""
    backend = estimator._backend()
    folds = [(np.sort(train), test) for train, test in folds]  # splitters that shuffle leave them in any order
    if not estimator._shares_folds():
        return FitTask(estimator, rows, tuple(folds))
    shells, links = [], []
    for train, _ in folds:
        shell = clone(estimator)
        shell._remember(rows.targets)
        seen = rows.X[train] if shell._describes_by_features else rows.X
        links.append(shell._describe(seen, rows.targets.take(train)))
        shells.append(shell)
    if prepared is None:
        prepared = backend.prepare(rows.X, estimator._fit_options())
    return LinkTask(estimator, FoldedLinks(rows, tuple(folds), tuple(links)), tuple(shells), prepared)


def out_of_fold_scores(
    estimator: LinkedClassifier,
    X: Matrix,
    targets: Targets,
    folds: Sequence[Fold],
    sample_weight: Floats | None = None,
    prepared: Any = None,
) -> Floats:
    """Label scores (n_rows, n_labels) for rows held out by the folds; NaN for rows in no test fold."""
    return describe_folds(estimator, TrainingRows(X, targets, sample_weight), folds, prepared).scores()


def deal_folds(targets: Targets, n_folds: int = CALIBRATION_FOLDS, groups: Weights | None = None) -> list[Fold]:
    """Folds for calibration and thresholds: stratified, in the given order of rows; rows of a group stay together."""
    n_units = targets.n_rows if groups is None else n_groups(groups, targets.n_rows)
    fold = deal_rows(targets.positives.tocsr(), [1] * min(n_folds, n_units), groups, None)
    return [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in np.unique(fold)]


def is_large(rows: TrainingRows) -> bool:
    """Whether rows are too many to be calibrated on by the way."""
    return bytes_of(rows.X) > _KEPT_BYTES or has_many_scores(rows.targets)


def has_many_scores(targets: Targets) -> bool:
    """Whether scores of all rows and labels are too many to be held at once."""
    return targets.n_rows * targets.n_labels > _MOST_SCORES


class Calibration:
    """Slopes that turn scores into probabilities, fitted to held-out rows.

    Settled when first asked for: until then the training rows are kept, which takes no memory while the caller holds
    them too, and never more than 64 MB; with larger features, slopes are settled when the estimator is fitted. Settled
    too before a model is written or copied to another process, so that no training row travels with it.
    """

    def __init__(self, settle: Callable[[Any], Floats], rows: TrainingRows, prepared: Any) -> None:
        """`settle` gets what the backend has prepared, or None when that is gone."""
        self._slopes: Floats | None = None
        self._settle: Callable[[Any], Floats] | None = settle
        if bytes_of(rows.X) > _KEPT_BYTES:
            self._slopes, self._settle = settle(prepared), None

    @classmethod
    def settled(cls, slopes: Floats) -> Calibration:
        """One whose slopes are known: it keeps no rows."""
        calibration = cls.__new__(cls)
        calibration._slopes, calibration._settle = slopes, None
        return calibration

    @property
    def slopes(self) -> Floats:
        """Slopes below and above the boundary, shape (n_labels or n_links, 2)."""
        if self._slopes is None:
            settle = self._settle
            if settle is not None:  # else another thread has just settled them
                self._slopes = settle(None)
            self._settle = None
        assert self._slopes is not None
        return self._slopes

    def __getstate__(self) -> dict[str, Any]:
        return {"_slopes": self.slopes, "_settle": None}


def slopes_of_scores(estimator: LinkedClassifier, rows: TrainingRows, prepared: Any = None) -> Floats:
    """Slopes of each label's scores, by five folds."""
    if rows.targets.n_rows < 2:
        return np.ones((rows.targets.n_labels, 2))
    folds = deal_folds(rows.targets, groups=rows.groups)
    return fit_label_slopes(describe_folds(estimator, rows, folds, prepared).scores(), rows)


def histogram_slopes(blocks: Iterable[ScoredRows], rows: TrainingRows) -> Floats:
    """What `fit_label_slopes` gives, nearly, of scores that come some rows at a time."""
    targets, histograms = rows.targets, ScoreHistograms(rows.targets.n_labels)
    by_row = targets.positives.tocsr()
    for block in blocks:
        weight = None if rows.weight is None else rows.weight[block.rows]
        histograms.add(block.scores, _rows_of(by_row, block.rows) == 1, block.known(targets), weight)
    return histograms.slopes() if targets.exclusive is None else histograms.shared_slopes()


def _rows_of(labels: Sparse, rows: Integers) -> Array:
    """Some rows of a label matrix, dense."""
    taken: Array = labels[rows].toarray()
    return taken


def fit_label_slopes(scores: Floats, rows: TrainingRows) -> Floats:
    """Slopes of each label's scores (n_rows, n_labels), which are of rows held out; (n_labels, 2).

    Where each row has one label they are the same for all: probabilities then keep the order of the scores within a
    row, so that the most probable label is the predicted one.
    """
    targets = rows.targets
    if targets.exclusive is not None:
        weights = None if rows.weight is None else np.repeat(rows.weight, targets.n_labels)
        shared = fit_slopes(scores.ravel(), targets.positives.toarray().ravel() == 1, weights)
        return np.tile(shared, (targets.n_labels, 1))
    out = np.empty((targets.n_labels, 2))
    for label in range(targets.n_labels):
        column = targets.column(label)
        known = np.flatnonzero(column >= 0)
        weight = None if rows.weight is None else rows.weight[known]
        out[label] = fit_slopes(scores[known, label], column[known] == 1, weight)
    return out
