"""Functions and types of numbers that a model may name: a fixed list, looked up and never called while reading."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from types import FunctionType

import numpy as np

__all__ = [
    "NUMBER_TYPES",
    "counted_functions",
    "function_named",
    "known_functions",
    "measures",
    "name_of_function",
    "ranked_functions",
]

#: Types that stand for numbers, as parameters such as ``dtype`` name them.
NUMBER_TYPES: Mapping[str, type] = {
    "bool": bool,
    "float": float,
    "int": int,
    "str": str,
    "object": object,
    **{name: getattr(np, name) for name in ("float16", "float32", "float64", "bool_")},
    **{f"{sign}int{bits}": getattr(np, f"{sign}int{bits}") for sign in ("", "u") for bits in (8, 16, 32, 64)},
}

_UFUNCS = (
    "abs",
    "cbrt",
    "cos",
    "exp",
    "exp2",
    "expm1",
    "fabs",
    "log",
    "log10",
    "log1p",
    "log2",
    "sin",
    "sqrt",
    "square",
    "tanh",
)
_SCORES = ("chi2", "f_classif", "f_regression", "mutual_info_classif", "mutual_info_regression", "r_regression")

#: Functions of scikit-learn that scorers may call: of true labels and answers, with a number as their value.
_MEASURES = (
    "accuracy_score",
    "adjusted_mutual_info_score",
    "adjusted_rand_score",
    "average_precision_score",
    "balanced_accuracy_score",
    "brier_score_loss",
    "cohen_kappa_score",
    "completeness_score",
    "coverage_error",
    "d2_absolute_error_score",
    "d2_brier_score",
    "d2_log_loss_score",
    "d2_pinball_score",
    "d2_tweedie_score",
    "dcg_score",
    "explained_variance_score",
    "f1_score",
    "fbeta_score",
    "fowlkes_mallows_score",
    "hamming_loss",
    "hinge_loss",
    "homogeneity_score",
    "jaccard_score",
    "label_ranking_average_precision_score",
    "label_ranking_loss",
    "log_loss",
    "matthews_corrcoef",
    "max_error",
    "mean_absolute_error",
    "mean_absolute_percentage_error",
    "mean_gamma_deviance",
    "mean_pinball_loss",
    "mean_poisson_deviance",
    "mean_squared_error",
    "mean_squared_log_error",
    "mean_tweedie_deviance",
    "median_absolute_error",
    "mutual_info_score",
    "ndcg_score",
    "normalized_mutual_info_score",
    "precision_score",
    "r2_score",
    "rand_score",
    "recall_score",
    "roc_auc_score",
    "root_mean_squared_error",
    "root_mean_squared_log_error",
    "top_k_accuracy_score",
    "v_measure_score",
    "zero_one_loss",
)
_COUNTED = ("f_beta", "jaccard", "precision", "recall")


@cache
def measures() -> frozenset[Callable[..., object]]:
    """Functions that measure answers by true labels, and whose value is a number: what a scorer may call."""
    import sklearn.metrics

    from bncc.metrics import METRICS

    ours = [metric.function for metric in METRICS.values() if isinstance(metric.function, FunctionType)]
    theirs = [getattr(sklearn.metrics, name, None) for name in _MEASURES]
    return frozenset(each for each in (*ours, *theirs) if each is not None) | ranked_functions()


@cache
def ranked_functions() -> frozenset[Callable[..., object]]:
    """Metrics on the first k labels of a ranking, which take k."""
    from bncc.metrics import at_k

    return frozenset(value for name, value in vars(at_k).items() if name.endswith("_at_k") and name != "metric_at_k")


@cache
def counted_functions() -> frozenset[Callable[..., object]]:
    """Binary metrics of the four counts."""
    from bncc.metrics import binary

    return frozenset(getattr(binary, name) for name in _COUNTED)


@cache
def known_functions() -> Mapping[str, Callable[..., object]]:
    """Functions by their full names: metrics, scores of features, NumPy's functions of one number, `check_array`."""
    import sklearn.feature_selection
    import sklearn.metrics
    from sklearn.utils import check_array

    from bncc.metrics import METRICS

    found: list[Callable[..., object]] = [each.function for each in METRICS.values()]
    found += [*ranked_functions(), *counted_functions()]
    found += [getattr(sklearn.metrics, name) for name in sklearn.metrics.__all__]
    found += [getattr(sklearn.feature_selection, name) for name in _SCORES]
    named = {_full_name(each): each for each in (*found, check_array) if isinstance(each, FunctionType)}
    return named | {f"numpy.{name}": getattr(np, name) for name in _UFUNCS}


def function_named(name: str) -> Callable[..., object] | None:
    """The function of this full name, if it is one of the list."""
    return known_functions().get(name)


def name_of_function(function: object) -> str | None:
    """Its full name, if it is one of the list.

    >>> from bncc.metrics import hamming_loss
    >>> name_of_function(hamming_loss), name_of_function(print)
    ('bncc.metrics.label_sets.hamming_loss', None)
    """
    if isinstance(function, np.ufunc):
        name = f"numpy.{function.__name__}".replace("absolute", "abs")
    elif isinstance(function, FunctionType):
        name = _full_name(function)
    else:
        return None
    return name if known_functions().get(name) is function else None


def _full_name(function: Callable[..., object]) -> str:
    return f"{function.__module__}.{function.__name__}"
