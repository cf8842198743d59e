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


_RESPONSES: Mapping[str, str | tuple[str, ...]] = MappingProxyType(
    {"labels": "predict", "scores": ("decision_function", "predict_proba"), "probabilities": "predict_proba"}
)


def get_scorer(name: str | Metric, **options: ZeroDivision | Array) -> Scorer:
    """A scikit-learn scorer for a metric; `options` are passed to the metric, as ``zero_division=0.0``.

    Higher is always better, so the scorer of a loss returns its negative. Metrics on scores use `decision_function`, or
    `predict_proba` where an estimator has no such method; metrics on probabilities use `predict_proba` alone.

    >>> import numpy as np
    >>> from sklearn.dummy import DummyClassifier
    >>> always_first = DummyClassifier(strategy="constant", constant=[1, 0])
    >>> Y = np.array([[1, 0], [0, 1]])
    >>> float(get_scorer("hamming_loss")(always_first.fit(Y, Y), Y, Y))
    -0.5
    """
    metric = get_metric(name)
    response = _RESPONSES[metric.needs]
    return make_scorer(metric.function, response_method=response, greater_is_better=metric.greater_is_better, **options)


#: A scorer with default options for every metric in `METRICS` that any classifier can be measured by; any part of it
#: serves as a multi-metric ``scoring``. Not every classifier has probabilities: `get_scorer` knows those metrics, too.
SCORERS: Mapping[str, Scorer] = MappingProxyType(
    {name: get_scorer(name) for name, metric in METRICS.items() if metric.needs != "probabilities"}
)
