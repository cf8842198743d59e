"""Scorers for `cross_val_score`, `GridSearchCV` and whatever else in scikit-learn takes ``scoring=``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TypeAlias

from sklearn.metrics import make_scorer
from sklearn.metrics._scorer import _Scorer

from bncc._typing import Array, Classifier, Features, Labels, Weights, ZeroDivision
from bncc.metrics._pairs import in_columns
from bncc.metrics.registry import METRICS, Metric, get_metric

__all__ = ["SCORERS", "LabelScorer", "get_scorer"]


#: ``(estimator, X, Y) -> float``, higher is better.
Scorer: TypeAlias = Callable[..., float]


_RESPONSES: Mapping[str, str | tuple[str, ...]] = MappingProxyType(
    {"labels": "predict", "scores": ("decision_function", "predict_proba"), "probabilities": "predict_proba"}
)


class LabelScorer(_Scorer):
    """A scorer that brings tags into the columns that an estimator predicts (its `label_names_`), as its `score` does.

    A tag that it has not learned is left out, and what is no tag is handed on as it is.
    """

    def _score(
        self, method_caller: Callable[..., Array], estimator: Classifier, X: Features, y_true: Labels, **kwargs: Weights
    ) -> float:
        names = _label_names(estimator)
        y_true = y_true if names is None else in_columns(y_true, names)
        return float(super()._score(method_caller, estimator, X, y_true, **kwargs))


def _label_names(estimator: Classifier) -> tuple[str, ...] | None:
    """The names of the labels of an estimator, or of the last step of a pipeline, or of what a search has found."""
    steps = getattr(estimator, "steps", None)
    inner = steps[-1][1] if steps else getattr(estimator, "best_estimator_", None)
    return getattr(estimator, "label_names_", None) or (None if inner is None else _label_names(inner))


def get_scorer(name: str | Metric, **options: ZeroDivision | Array) -> Scorer:
    """A scikit-learn scorer for a metric; `options` are passed to the metric, as ``zero_division=0.0``.

    Higher is always better, so the scorer of a loss returns its negative. Metrics on scores use `decision_function`, or
    `predict_proba` where an estimator has no such method; metrics on probabilities use `predict_proba` alone. Labels
    may be tags where the estimator has names for its labels; those that it has not learned are left out.

    >>> import numpy as np
    >>> from sklearn.dummy import DummyClassifier
    >>> always_first = DummyClassifier(strategy="constant", constant=[1, 0])
    >>> Y = np.array([[1, 0], [0, 1]])
    >>> float(get_scorer("hamming_loss")(always_first.fit(Y, Y), Y, Y))
    -0.5
    """
    metric = get_metric(name)
    response = _RESPONSES[metric.needs]
    sign = 1 if metric.greater_is_better else -1
    plain = make_scorer(metric.function, response_method=response, greater_is_better=sign > 0, **options)
    return LabelScorer(plain._score_func, sign, plain._kwargs, plain._response_method)


#: A scorer with default options for every metric in `METRICS` that any classifier can be measured by; any part of it
#: serves as a multi-metric ``scoring``. Not every classifier has probabilities: `get_scorer` knows those metrics, too.
SCORERS: Mapping[str, Scorer] = MappingProxyType(
    {name: get_scorer(name) for name, metric in METRICS.items() if metric.needs != "probabilities"}
)
