"""Estimators by the name of their class: only those of this package, and classifiers of scikit-learn."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

from sklearn.base import BaseEstimator
from sklearn.utils import all_estimators

import bncc.multilabel
from bncc._names import did_you_mean
from bncc._typing import Classifier
from bncc.svm import KernelSVC

__all__ = ["build_estimator", "takes_base"]


def build_estimator(
    name: str, params: Mapping[str, Any], *, base: Classifier = None, seed: int | None = None, engine: str = "auto"
) -> Classifier:
    """An unfitted estimator; ValueError says what is wrong with its name or parameters.

    Parameters
    ----------
    name : str
    params : mapping
    base : estimator, default=None
        The classifier under it; None is KernelSVC where there is such a parameter.
    seed : int or None, default=None
        `random_state`, where there is one and `params` do not say otherwise.
    engine : str, default="auto"
        The same for kernels.

    >>> build_estimator("EnsembleClassifierChain", {"n_chains": 5}, seed=1).random_state
    1
    """
    kind = _class(name)
    taken = inspect.signature(kind).parameters
    unknown = sorted(set(params) - set(taken) | {"estimator"} & set(params))
    if unknown:
        names = ", ".join(each for each in taken if each != "estimator")
        raise ValueError(f"{name} has no parameter {unknown[0]!r}; it has {names}.")
    if base is not None and "estimator" not in taken:
        raise ValueError(f"{name} has no base classifier; leave `base` out.")
    usual: dict[str, Any] = {"random_state": seed, "engine": engine}
    if "estimator" in taken:
        usual["estimator"] = build_estimator("KernelSVC", {}, seed=seed, engine=engine) if base is None else base
    try:
        return kind(**{**{key: value for key, value in usual.items() if key in taken}, **params})
    except TypeError as error:
        raise ValueError(f"{name} cannot be made of that: {error}.") from error


def takes_base(name: str) -> bool:
    """Whether an estimator works on top of a classifier.

    >>> takes_base("BNCC"), takes_base("MLkNN")
    (True, False)
    """
    return "estimator" in inspect.signature(_class(name)).parameters


def _class(name: str) -> type[BaseEstimator]:
    members = {member: getattr(bncc.multilabel, member) for member in bncc.multilabel.__all__}
    known: dict[str, Any] = {
        member: kind for member, kind in members.items() if isinstance(kind, type) and issubclass(kind, BaseEstimator)
    }
    known["KernelSVC"] = KernelSVC
    if name not in known:
        known |= dict(all_estimators(type_filter="classifier"))
    if name not in known:
        remedy = did_you_mean(name, known, n=2, otherwise="see bncc.__all__.")
        raise ValueError(f"no estimator is called {name!r}; {remedy}")
    return known[name]
