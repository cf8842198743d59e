"""Thresholds on the scores of any multi-label estimator, chosen on rows it did not learn from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.model_selection import check_cv
from sklearn.utils import get_tags, indexable
from sklearn.utils.metaestimators import available_if

from bncc.metrics import Metric
from bncc.multilabel.base import LinkedClassifier, MultilabelClassifier, _read_weight, _required
from bncc.multilabel.crossval import Fold, deal_folds, out_of_fold_scores
from bncc.multilabel.targets import Targets, read_targets
from bncc.multilabel.thresholds import Objective, best_threshold, best_thresholds, counts_threshold, shrink
from bncc.svm import Decided, KernelTask

__all__ = ["TunedThresholds"]


def _has(name: str) -> Callable[[Any], bool]:
    return lambda tuned: hasattr(getattr(tuned, "estimator_", tuned.estimator), name)


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
    labels (NaN in y) count as absent from both truth and prediction when thresholds are chosen. In a `KernelSearchCV`,
    the thresholds of a fold are those of "counts".

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
    [0.46, 0.55]
    """

    def __init__(
        self,
        estimator: Any,
        metric: str | Metric | Callable[..., float] = "example_f1",
        *,
        how: str = "global",
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

    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> TunedThresholds:
        """Fit the estimator on all rows, and choose thresholds on scores for rows held out.

        X, y and `sample_weight` are what the estimator takes; the weights count in the metric too.
        """
        self._check()
        targets = read_targets(_required(y, self))
        options = {} if sample_weight is None else {"sample_weight": sample_weight}
        self.estimator_ = clone(self.estimator).fit(X, y, **options)
        X, y = indexable(X, y)
        self._remember(targets)
        weight = None if sample_weight is None else _read_weight(sample_weight, targets.n_rows)
        if targets.n_rows < 2:  # nothing can be held out
            self.thresholds_ = np.zeros(targets.n_labels)
            return self
        scores = self._held_out_scores(X, y, targets, weight)
        tested = np.flatnonzero(~np.isnan(scores).any(axis=1))
        own = None if weight is None else weight[tested]
        self.thresholds_ = self._choose(scores[tested], targets.take(tested), own)
        return self

    def _check(self) -> None:
        if self.how not in ("global", "per_label", "counts"):
            raise ValueError(f"`how` must be 'global', 'per_label' or 'counts'; got {self.how!r}.")
        if not isinstance(self.shrinkage, int | float | np.number) or not self.shrinkage >= 0:
            raise ValueError(f"`shrinkage` must be a number of at least 0; got {self.shrinkage!r}.")
        if not hasattr(self.estimator, "decision_function") and not hasattr(self.estimator, "predict_proba"):
            raise TypeError(
                "TunedThresholds needs an estimator with `decision_function` or `predict_proba`; "
                f"{type(self.estimator).__name__} has none."
            )

    def _held_out_scores(
        self, X: Any, y: Any, targets: Targets, weight: NDArray[np.float64] | None
    ) -> NDArray[np.float64]:
        folds = self._folds(X, y, targets)
        if _on_engine(self.estimator):
            estimator = clone(self.estimator)
            return out_of_fold_scores(estimator, estimator._read_features(X, reset=True), targets, folds, weight)
        parts = Parallel(n_jobs=self.n_jobs)(
            delayed(_fold_scores)(clone(self.estimator), X, y, weight, fold, targets.n_labels) for fold in folds
        )
        out = np.full((targets.n_rows, targets.n_labels), np.nan)
        for (_, test), part in zip(folds, parts, strict=True):
            out[test] = part
        return out

    def _folds(self, X: Any, y: Any, targets: Targets) -> list[Fold]:
        if isinstance(self.cv, int | np.integer):
            if self.cv < 2:
                raise ValueError(f"`cv` must be at least 2; got {self.cv}.")
            return deal_folds(targets, int(self.cv))
        return list(check_cv(self.cv, y, classifier=True).split(X, y))

    def _choose(
        self, scores: NDArray[np.float64], targets: Targets, weight: NDArray[np.float64] | None
    ) -> NDArray[np.float64]:
        truth = targets.positives.toarray().astype(bool)
        if targets.unknown is not None:
            scores = np.where(targets.unknown.toarray() != 0, -np.inf, scores)
        if self.how == "counts":
            return np.full(targets.n_labels, counts_threshold(scores, truth.sum()))
        objective = Objective(self.metric, truth, weight)
        shared = best_threshold(scores, objective)
        if self.how == "global":
            return np.full(targets.n_labels, shared)
        own = best_thresholds(scores, objective, shared)
        return shrink(own, shared, truth.sum(axis=0), float(self.shrinkage))

    def _read_features(self, X: Any, *, reset: bool) -> Any:
        return X  # the estimator reads them

    def _scores(self, X: Any) -> NDArray[np.float64]:
        return label_scores(self.estimator_, X, self.n_labels_) - self.thresholds_

    @available_if(_has("kernel_base"))  # type: ignore[untyped-decorator]
    def kernel_base(self) -> Any:
        """The KernelSVC of the estimator, for `KernelSearchCV`."""
        return self.estimator.kernel_base()

    @available_if(_has("kernel_task"))  # type: ignore[untyped-decorator]
    def kernel_task(self, X: Any, y: Any, folds: Sequence[Fold], sample_weight: ArrayLike | None) -> KernelTask:
        """The links of all folds, for `KernelSearchCV`; each fold is cut by the label counts of its training rows."""
        task = self.estimator.kernel_task(X, y, folds, sample_weight)
        targets = read_targets(_required(y, self))
        self._remember(targets)

        def decide(fold: int, decisions: NDArray[np.float64]) -> Decided:
            train = folds[fold][0]
            scores = np.asarray(task.decide(fold, decisions).decisions).reshape(len(decisions), -1)
            expected = targets.positives[train].sum() / len(train) * len(scores)
            moved = scores - counts_threshold(scores, expected)
            return Decided(self.classes_, moved[:, 0] if targets.flat else moved, self._shape_labels(moved > 0))

        return replace(task, decide=decide, exact=False)

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


def label_scores(estimator: Any, X: Any, n_labels: int) -> NDArray[np.float64]:
    """Scores (n_rows, n_labels) of any fitted multi-label classifier, above 0 where it would predict the label."""
    if hasattr(estimator, "decision_function"):
        return np.asarray(estimator.decision_function(X), np.float64).reshape(-1, n_labels)
    rates = estimator.predict_proba(X)
    if isinstance(rates, list):
        rates = np.column_stack(
            [_second_class(part, classes) for part, classes in zip(rates, estimator.classes_, strict=True)]
        )
    elif n_labels == 1 and rates.shape[1] == 2:
        rates = rates[:, 1:]
    return np.asarray(rates, np.float64) - 0.5


def _second_class(rates: NDArray[np.float64], classes: NDArray[Any]) -> NDArray[np.float64]:
    """Probability that a label holds; where it was constant in training there is one column only."""
    return rates[:, 1] if rates.shape[1] == 2 else np.full(len(rates), float(classes[0]))


def _fold_scores(estimator: Any, X: Any, y: Any, weight: Any, fold: Fold, n_labels: int) -> NDArray[np.float64]:
    train, test = fold
    options = {} if weight is None else {"sample_weight": weight[train]}
    return label_scores(estimator.fit(_take(X, train), _take(y, train), **options), _take(X, test), n_labels)


def _take(data: Any, rows: NDArray[Any]) -> Any:
    if hasattr(data, "iloc"):
        return data.iloc[rows]
    return data[rows] if hasattr(data, "shape") else [data[row] for row in rows]


def _on_engine(estimator: Any) -> bool:
    """Whether held-out scores of all folds can be had in one call."""
    return (
        isinstance(estimator, LinkedClassifier)
        and estimator._uses_engine()
        and getattr(estimator, "inference", "greedy") == "greedy"
        and estimator._base().class_weight is None
    )
