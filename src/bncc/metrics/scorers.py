"""Scorers for `cross_val_score`, `GridSearchCV` and whatever else in scikit-learn takes ``scoring=``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TypeAlias

from sklearn.metrics import make_scorer

from bncc._typing import Array, ZeroDivision
from bncc.metrics.registry import METRICS, Metric, get_metric

__all__ = ["SCORERS", "get_scorer"]


#: ``(estimator, X, Y) -> float``, higher is better.
Scorer: TypeAlias = Callable[..., float]


def get_scorer(name: str | Metric, **options: ZeroDivision | Array) -> Scorer:
    """A scikit-learn scorer for a metric; `options` are passed to the metric, as ``zero_division=0.0``.

    Higher is always better, so the scorer of a loss returns its negative. Metrics on scores use `decision_function`, or
    `predict_proba` where an estimator has no such method.

    >>> import numpy as np
    >>> from sklearn.dummy import DummyClassifier
    >>> always_first = DummyClassifier(strategy="constant", constant=[1, 0])
    >>> Y = np.array([[1, 0], [0, 1]])
    >>> float(get_scorer("hamming_loss")(always_first.fit(Y, Y), Y, Y))
    -0.5
    """
    metric = get_metric(name)
    response = "predict" if metric.needs == "labels" else ("decision_function", "predict_proba")
    return make_scorer(metric.function, response_method=response, greater_is_better=metric.greater_is_better, **options)


#: A scorer with default options for every metric in `METRICS`; any part of it serves as a multi-metric ``scoring``.
SCORERS: Mapping[str, Scorer] = MappingProxyType({name: get_scorer(name) for name in METRICS})
