"""Estimators by the name of their class: only those of this package, and classifiers of scikit-learn.

Where both packages have a class of a name, the plain name is that of this package: "LinearSVC" learns all links in one
batch, "sklearn.LinearSVC" fits them one by one.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

from sklearn.base import BaseEstimator
from sklearn.utils import all_estimators

import bncc.multilabel
from bncc._names import did_you_mean
from bncc._typing import Classifier
from bncc.linear import LinearSVC, LogisticRegression
from bncc.svm import KernelSVC

__all__ = ["build_estimator", "takes_base"]

# Before the name of a class of scikit-learn; needed only where this package has one of the same name.
_SKLEARN = "sklearn."
_BASES = (KernelSVC, LinearSVC, LogisticRegression)


def build_estimator(
    name: str, params: Mapping[str, Any], *, base: Classifier = None, seed: int | None = None, engine: str = "auto"
) -> Classifier:
    """An unfitted estimator; ValueError says what is wrong with its name or parameters.

    Parameters
    ----------
    name : str
        A class of this package or a classifier of scikit-learn, which may be called "sklearn.NAME".
    params : mapping
    base : estimator, default=None
        The classifier under it; None is KernelSVC where there is such a parameter.
    seed : int or None, default=None
        `random_state`, where there is one and `params` do not say otherwise.
    engine : str, default="auto"
        The same for kernels and linear classifiers of this package.

    >>> build_estimator("EnsembleClassifierChain", {"n_chains": 5}, seed=1).random_state
    1
    >>> build_estimator("LinearSVC", {}).__module__, build_estimator("sklearn.LinearSVC", {}).__module__
    ('bncc.linear.linear_svc', 'sklearn.svm._classes')
    """
    kind = _class(name)
    taken = inspect.signature(kind).parameters
    unknown = sorted(set(params) - set(taken) | {"estimator"} & set(params))
    if unknown:
        names = ", ".join(each for each in taken if each != "estimator")
        raise ValueError(f"{name} has no parameter {unknown[0]!r}; it has {names}.{_other_class(name, unknown[0])}")
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
    known = {_SKLEARN + each: kind for each, kind in _scikit_learn().items()} if name.startswith(_SKLEARN) else _ours()
    if name not in known and not name.startswith(_SKLEARN):
        known = {**_scikit_learn(), **known}
    if name not in known:
        remedy = did_you_mean(name, known, n=2, otherwise="see bncc.__all__.")
        raise ValueError(f"no estimator is called {name!r}; {remedy}")
    return known[name]


def _ours() -> dict[str, type[BaseEstimator]]:
    members = {member: getattr(bncc.multilabel, member) for member in bncc.multilabel.__all__}
    methods = {each: kind for each, kind in members.items() if isinstance(kind, type)}
    return {each: kind for each, kind in methods.items() if issubclass(kind, BaseEstimator)} | {
        kind.__name__: kind for kind in _BASES
    }


def _scikit_learn() -> dict[str, type[BaseEstimator]]:
    return dict(all_estimators(type_filter="classifier"))


def _other_class(name: str, parameter: str) -> str:
    """Where scikit-learn's class of the same name has the parameter: how to name it."""
    other = _scikit_learn().get(name)
    if other is None or parameter == "estimator" or parameter not in inspect.signature(other).parameters:
        return ""
    return f" That of scikit-learn has it: name {_SKLEARN + name!r}."
