"""Scorers by name: scikit-learn's, and beside them the metrics of this package."""

from __future__ import annotations

from sklearn.metrics import get_scorer_names

from bncc._names import did_you_mean
from bncc.metrics import METRICS, Metric, get_metric, get_scorer

__all__ = ["named_scorer"]


def named_scorer(scoring: object) -> object:
    """The scorer of a metric that scikit-learn does not know; what it knows, callables and None are handed back.

    >>> named_scorer("f1_macro"), named_scorer("macro_f1")
    ('f1_macro', make_scorer(macro_f1, response_method='predict'))
    """
    if isinstance(scoring, Metric):
        return get_scorer(scoring)
    if not isinstance(scoring, str) or scoring in get_scorer_names():
        return scoring
    try:
        metric = get_metric(scoring)
    except ValueError as error:
        known = [*METRICS, *get_scorer_names()]
        otherwise = "known: `bncc.metrics.METRICS` and `sklearn.metrics.get_scorer_names()`."
        remedy = did_you_mean(scoring, known, n=3, otherwise=otherwise)
        raise ValueError(f"`scoring` names no metric; got {scoring!r}: {remedy}") from error
    return get_scorer(metric)
