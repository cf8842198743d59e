"""Functions and types of numbers that a model may name: a fixed list, looked up and never called while reading."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from types import FunctionType

import numpy as np

__all__ = ["NUMBER_TYPES", "function_named", "known_functions", "name_of_function"]

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


@cache
def known_functions() -> Mapping[str, Callable[..., object]]:
    """Functions by their full names: metrics, scores of features, NumPy's functions of one number, `check_array`."""
    import sklearn.feature_selection
    import sklearn.metrics
    from sklearn.utils import check_array

    from bncc.metrics import METRICS, at_k, binary

    found: list[Callable[..., object]] = [each.function for each in METRICS.values()]
    found += [value for name, value in vars(at_k).items() if name.endswith("_at_k")]
    found += [getattr(binary, name) for name in ("f_beta", "jaccard", "precision", "recall")]
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
