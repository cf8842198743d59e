"""Thresholds on the scores of any multi-label estimator, chosen on rows it did not learn from."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import clone
from sklearn.model_selection import check_cv
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags, indexable
from sklearn.utils.metaestimators import available_if

from bncc._rows import read_weights, take_rows
from bncc._typing import Classifier, Features, Floats, Fold, Labels, Matrix, Weights
from bncc.metrics import Metric
from bncc.multilabel.backend import TrainingRows
from bncc.multilabel.base import MultilabelClassifier, required
from bncc.multilabel.binary_relevance import BinaryRelevance
from bncc.multilabel.crossval import (
    CALIBRATION_FOLDS,
    Calibration,
    FitTask,
    LinkTask,
    ScoredRows,
    deal_folds,
    fit_label_slopes,
    has_many_scores,
    histogram_slopes,
)
from bncc.multilabel.kept_thresholds import CollectedCells
from bncc.multilabel.label_rates import label_rates
from bncc.multilabel.linked_classifier import LinkedClassifier
from bncc.multilabel.targets import Targets, as_matrix, read_targets, too_many_classes
from bncc.multilabel.threshold_rules import RULES, HeldOut
from bncc.multilabel.thresholds import counts_threshold
from bncc.selection import BatchOptions, BatchSearchCV, Decided, FoldAnswer, SolvedFolds
from bncc.selection.tasks import Candidate

__all__ = ["TunedThresholds"]


def _is_linked(tuned: TunedThresholds) -> bool:
    return isinstance(tuned.estimator, LinkedClassifier)


class TunedThresholds(MultilabelClassifier):
    """Predict a label where its score exceeds a threshold that was chosen for a metric on held-out rows.

    A classifier puts its threshold where errors are fewest, which is not where F1 is best: on twelve real sets, one
    threshold for all labels adds 4.5 points of `example_f1`, 7 of `macro_f1` and 3 of `micro_f1` to an ensemble of
    chains of SVMs (`benchmarks/bench_thresholds.py`).

    Parameters
    ----------
    estimator : multi-label classifier with `decision_function` or `predict_proba`
        Those of this package or of scikit-learn. On the kernel engine all folds are solved in one call on shared
        distances; others are cloned and fitted once per fold.
    metric : str, Metric or callable, default="example_f1"
        What the thresholds are best for: a set-based metric of `bncc.metrics`, or ``metric(Y_true, Y_pred)`` where
        higher is better. For a single label, an average over examples means the metric of the label.
    how : "global", "per_label" or "counts", default="global"
        "global": one threshold for all labels. "per_label": one for each, drawn towards the global one by
        `shrinkage`. "counts": one threshold, with which as many labels are predicted as the training rows have
        (without `metric`).
    shrinkage : float, default=100.0
        With "per_label", a label with n positive rows goes ``n / (n + shrinkage)`` of the way from the global
        threshold to its own; 0 leaves it there. Rare labels overfit; the default is from
        `benchmarks/bench_thresholds.py`, where 10 to 300 do about equally well.
    cv : int, splitter or iterable, default=5
        Folds for the held-out scores. A number means stratified folds without shuffling.
    n_jobs : int or None, default=None
        Folds that are fitted at a time, where the estimator is not on the kernel engine.

    Attributes
    ----------
    estimator_ : fitted classifier
    thresholds_ : array of shape (n_labels,)
        On its `decision_function` (or on its probability less one half).

    Notes
    -----
    `decision_function` is the estimator's less the thresholds, so that above 0 means predicted. Probabilities are not
    moved by thresholds, and predictions are no longer those above one half, so ask `estimator_` for them. Unknown
    labels (NaN in y) count nowhere when thresholds are chosen; an estimator that is not of this package is then fitted
    once per label, to the rows where it is known (`BinaryRelevance`). In a `BatchSearchCV`, the thresholds of a fold
    are those of "counts".

    Beyond 67 million scores (rows times labels), where the estimator's folds are solved together, only scores that
    thresholds can depend on are kept, some rows at a time: thresholds are the same, and memory grows with the number
    of labels that hold. A callable `metric` looks at all scores.

    Sources: Yang 2001 (thresholding strategies); Read et al. 2011 (label counts); Fan and Lin 2007 (per-label
    thresholds by cross-validation). Cost: `cv` further fits (a fraction of that on the kernel engine), and about
    120 evaluations of the metric.

    Examples
    --------
    >>> from bncc.datasets import make_scenes
    >>> from bncc.metrics import example_f1
    >>> from bncc.multilabel import BinaryRelevance
    >>> data = make_scenes(600, noise=3.0)
    >>> models = BinaryRelevance(), TunedThresholds(BinaryRelevance())
    >>> predictions = [model.fit(data.X[:300], data.Y[:300]).predict(data.X[300:]) for model in models]
    >>> [round(example_f1(data.Y[300:], predicted), 2) for predicted in predictions]
    [0.49, 0.55]
    """

    def __init__(
        self,
        estimator: Classifier,
        metric: str | Metric | Callable[..., float] = "example_f1",
        *,
        how: Literal["global", "per_label", "counts"] = "global",
        shrinkage: float = 100.0,
        cv: Any = 5,
        n_jobs: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.metric = metric
        self.how = how
        self.shrinkage = shrinkage
        self.cv = cv
        self.n_jobs = n_jobs

    def fit(
        self, X: Features, y: Labels, sample_weight: Weights | None = None, groups: Weights | None = None
    ) -> TunedThresholds:
        """Fit the estimator on all rows, and choose thresholds on scores for rows held out.

        X, y and `sample_weight` are what the estimator takes; the weights count in the metric too. Rows of one value
        of `groups` are held out together.
        """
        self._check()
        if _shares_folds(self.estimator):
            estimator = clone(self.estimator)
            rows = estimator._read_rows(X, required(y, self), sample_weight)
            _refuse_classes(rows.targets)
            X, y = indexable(X, y)
            prepared = estimator._backend().prepare(rows.X, estimator._fit_options())
            return self._fit_on(estimator, rows, self._folds(X, y, rows.targets, groups), prepared)
        targets = read_targets(required(y, self))
        options = {} if sample_weight is None else {"sample_weight": sample_weight}
        estimator = for_unknown(self.estimator, targets)
        matrix = as_matrix(y, targets)
        self.estimator_ = clone(estimator).fit(X, y if is_ours(estimator) else matrix, **options)
        X, y = indexable(X, matrix)
        weight = None if sample_weight is None else read_weights(sample_weight, targets.n_rows)
        folds = self._folds(X, y, targets, groups)
        return self._tune(targets, weight, lambda: self._scores_by_fits(estimator, X, y, targets, weight, folds))

    def _fit_on(
        self, estimator: LinkedClassifier, rows: TrainingRows, folds: Sequence[Fold], prepared: Any
    ) -> TunedThresholds:
        """From checked rows; all of them and the folds are learned from what the backend has prepared once."""
        fitted, task = estimator._unfitted(), estimator._unfitted()._task_on(rows, folds, prepared)
        calibrates_too = task.exact and self._has_calibration_folds(rows) and estimator._backend().rates == "scores"
        self.estimator_, fitted._calibrates = fitted, not calibrates_too
        in_blocks = has_many_scores(rows.targets) and (self.how == "counts" or not callable(self.metric))
        if in_blocks or not task.exact or rows.targets.n_rows < 2:
            fitted._fit_on(rows, prepared)
            scores = None
        else:
            scores = task.fit_and_score(fitted)
        del fitted._calibrates
        if not task.exact:
            task = FitTask(estimator, rows, tuple(folds))
        if in_blocks:
            return self._tune_in_blocks(rows, task.score_blocks(), fitted if calibrates_too else None)

        def held_out() -> Floats:
            found = task.scores() if scores is None else scores
            if calibrates_too:
                fitted._calibration = Calibration.settled(fit_label_slopes(found, rows))
            return found

        return self._tune(rows.targets, rows.weight, held_out)

    def _has_calibration_folds(self, rows: TrainingRows) -> bool:
        """Whether the folds are those on which the estimator is calibrated: the scores held out then serve both."""
        return isinstance(self.cv, int | np.integer) and self.cv == CALIBRATION_FOLDS and rows.targets.n_rows >= 2

    def _tune(self, targets: Targets, weight: Floats | None, held_out: Callable[[], Floats]) -> TunedThresholds:
        self._remember(targets)
        if targets.n_rows < 2:  # nothing can be held out
            self.thresholds_ = np.zeros(targets.n_labels)
            return self
        scores = held_out()
        tested = np.flatnonzero(~np.isnan(scores).any(axis=1))
        self.thresholds_ = self._choose(
            scores[tested], targets.take(tested), None if weight is None else weight[tested]
        )
        return self

    def _tune_in_blocks(
        self, rows: TrainingRows, blocks: Iterator[ScoredRows], calibrated: LinkedClassifier | None
    ) -> TunedThresholds:
        """As `_tune`, from scores that come some rows at a time; only those that thresholds can depend on are kept."""
        self._remember(rows.targets)
        collected = CollectedCells(rows, per_label=self.how == "per_label")
        if calibrated is None:
            deque(collected.watch(blocks), maxlen=0)
        else:
            calibrated._calibration = Calibration.settled(histogram_slopes(collected.watch(blocks), rows))
        self.thresholds_ = RULES[self.how](collected.held_out(self.metric, float(self.shrinkage)))
        return self

    def _check(self) -> None:
        if self.how not in RULES:
            *most, last = map(repr, RULES)
            raise ValueError(f"`how` must be {', '.join(most)} or {last}; got {self.how!r}.")
        if not isinstance(self.shrinkage, int | float | np.number) or not self.shrinkage >= 0:
            raise ValueError(f"`shrinkage` must be a number of at least 0; got {self.shrinkage!r}.")
        if not hasattr(self.estimator, "decision_function") and not hasattr(self.estimator, "predict_proba"):
            raise TypeError(
                "TunedThresholds needs an estimator with `decision_function` or `predict_proba`; "
                f"{type(self.estimator).__name__} has none."
            )

    def _scores_by_fits(
        self,
        estimator: Classifier,
        X: Features,
        y: Labels,
        targets: Targets,
        weight: Floats | None,
        folds: Sequence[Fold],
    ) -> Floats:
        """Held-out scores of any estimator: one fit per fold."""
        parts = Parallel(n_jobs=self.n_jobs)(
            delayed(_fold_scores)(clone(estimator), X, y, weight, fold, targets.n_labels) for fold in folds
        )
        out = np.full((targets.n_rows, targets.n_labels), np.nan)
        for (_, test), part in zip(folds, parts, strict=True):
            out[test] = part
        return out

    def _folds(self, X: Features, y: Labels, targets: Targets, groups: Weights | None = None) -> list[Fold]:
        if targets.n_rows < 2:
            return []
        if isinstance(self.cv, int | np.integer):
            if self.cv < 2:
                raise ValueError(f"`cv` must be at least 2; got {self.cv}.")
            return deal_folds(targets, int(self.cv), groups)
        return list(check_cv(self.cv, y, classifier=True).split(X, y, groups))

    def _choose(self, scores: Floats, targets: Targets, weight: Floats | None) -> Floats:
        truth = targets.positives.toarray().astype(bool)
        known = None if targets.unknown is None else targets.unknown.toarray() == 0
        return RULES[self.how](HeldOut(scores, truth, weight, self.metric, float(self.shrinkage), known))

    def _read_features(self, X: Features, *, reset: bool) -> Any:
        return X  # the estimator reads them

    def _scores(self, X: Matrix) -> Floats:
        return label_scores(self.estimator_, X, self.n_labels_) - self.thresholds_

    @available_if(_is_linked)  # type: ignore[untyped-decorator]
    def set_base_params(self, **params: Any) -> TunedThresholds:
        """Set parameters of the estimator's base classifier; self."""
        self.estimator.set_base_params(**params)
        return self

    @available_if(_is_linked)  # type: ignore[untyped-decorator]
    def search_names(self) -> tuple[str, ...]:
        """Parameters of the estimator's base classifier that `BatchSearchCV` can search."""
        return self.estimator.search_names()

    @available_if(_is_linked)  # type: ignore[untyped-decorator]
    def search_task(
        self,
        X: Features,
        y: Labels,
        folds: Sequence[Fold],
        sample_weight: Weights | None = None,
        *,
        prepared: Any = None,
        groups: Weights | None = None,
    ) -> _ThresholdTask:
        """The folds of the estimator, for `BatchSearchCV`; each is cut by the label counts of its training rows."""
        self._check()
        estimator = self.estimator
        if self.n_jobs is not None and estimator.n_jobs is None:
            estimator = clone(estimator).set_params(n_jobs=self.n_jobs)
        inner = estimator.search_task(X, y, folds, sample_weight, prepared=prepared)
        _refuse_classes(inner.rows.targets)
        self._remember(inner.rows.targets)
        return _ThresholdTask(self, inner, tuple(folds), tuple(self._folds(X, y, inner.rows.targets, groups)))

    @property
    def n_features_in_(self) -> int:
        """Number of features of the estimator."""
        return int(self.estimator_.n_features_in_)

    @property
    def feature_names_in_(self) -> Any:
        """Names of the features, where the estimator knows them."""
        return self.estimator_.feature_names_in_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = get_tags(self.estimator)
        tags.input_tags = inner.input_tags
        return tags


def label_scores(estimator: Classifier, X: Features, n_labels: int) -> Floats:
    """Scores (n_rows, n_labels) of any fitted multi-label classifier, above 0 where it would predict the label."""
    if hasattr(estimator, "decision_function"):
        return np.asarray(estimator.decision_function(X), np.float64).reshape(-1, n_labels)
    return label_rates(estimator, X, n_labels) - 0.5


def for_unknown(estimator: Classifier, targets: Targets) -> Classifier:
    """The estimator, or one of it per label where labels are unknown and it is not of this package."""
    return estimator if targets.unknown is None or is_ours(estimator) else BinaryRelevance(estimator)


def is_ours(estimator: Classifier) -> bool:
    """Whether it is of this package, or a pipeline or search that ends in one: labels may come in any form then."""
    while isinstance(estimator, Pipeline | BatchSearchCV):
        estimator = estimator.steps[-1][1] if isinstance(estimator, Pipeline) else estimator.estimator
    return isinstance(estimator, MultilabelClassifier)


def _fold_scores(
    estimator: Classifier, X: Features, y: Labels, weight: Floats | None, fold: Fold, n_labels: int
) -> Floats:
    train, test = fold
    if isinstance(estimator, LinkedClassifier):
        estimator._calibrates = False
    options = {} if weight is None else {"sample_weight": weight[train]}
    fitted = estimator.fit(take_rows(X, train), take_rows(y, train), **options)
    return label_scores(fitted, take_rows(X, test), n_labels)


def _refuse_classes(targets: Targets) -> None:
    """Thresholds are about labels that hold or not."""
    if targets.exclusive is not None:
        raise too_many_classes(targets.exclusive, len(targets.exclusive))


def _shares_folds(estimator: Classifier) -> bool:
    """Whether held-out scores of all folds cost less together than one by one, and are exact."""
    return isinstance(estimator, LinkedClassifier) and estimator._shares_folds() and estimator._is_exact_on_folds()


@dataclass(frozen=True, eq=False)
class _ThresholdTask:
    """Thresholds over an estimator on some rows and folds, for a search; folds are cut by label counts."""

    tuned: TunedThresholds
    inner: LinkTask | FitTask
    folds: tuple[Fold, ...]
    folds_of_thresholds: tuple[Fold, ...]
    exact: bool = False
    rough_tol: float | None = None  # labels are cut by scores, which are not known as soon as their signs

    def solve(self, candidates: Sequence[Candidate], options: BatchOptions) -> Iterator[SolvedFolds]:
        """Answers of the estimator, less a threshold with which as many labels are predicted as training rows have."""
        for part in self.inner.solve(candidates, options):
            yield replace(part, answers=(self._cut(answer) for answer in part.answers))

    def _cut(self, answer: FoldAnswer) -> FoldAnswer:
        train, test = self.folds[answer.fold]
        targets = self.inner.rows.targets
        scores = np.asarray(answer.decided.decisions).reshape(len(test), -1)
        expected = targets.positives[train].sum() / len(train) * len(scores)
        if targets.unknown is not None:  # of the labels that are known, as many hold
            expected /= max(1.0 - targets.unknown[train].sum() / (len(train) * targets.n_labels), 1e-12)
        moved = scores - counts_threshold(scores, expected)
        shown = moved[:, 0] if targets.flat else moved
        decided = Decided(self.tuned.classes_, shown, self.tuned._shape_labels(moved > 0))
        return replace(answer, decided=decided)

    def refit(self, candidate: Candidate, options: BatchOptions) -> TunedThresholds:
        """Estimator and thresholds on all rows, on what the search has used."""
        best = clone(self.tuned).set_base_params(**candidate)
        estimator = self.inner.configured(candidate, options)
        return best._fit_on(estimator, self.inner.rows, self.folds_of_thresholds, self.inner.prepared)
