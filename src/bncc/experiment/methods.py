"""Estimators from a protocol's methods: only classes of this package and classifiers of scikit-learn, by name."""

from __future__ import annotations

import difflib
import inspect
from typing import Any

from sklearn.base import BaseEstimator
from sklearn.utils import all_estimators

import bncc.multilabel
from bncc.experiment.protocol import Method, ProtocolError
from bncc.svm import KernelSVC

__all__ = ["make_estimator"]


def make_estimator(method: Method, dataset: str, *, seed: int, engine: str = "auto") -> Any:
    """The unfitted estimator of a method for a data set.

    `seed` becomes the `random_state` of everything that takes one and whose parameters do not say otherwise; kernels
    get `engine`.

    >>> from bncc.experiment.protocol_file import load_protocol
    >>> make_estimator(load_protocol("paper").method("ECC"), "bibtex", seed=1).n_chains
    5
    """
    kind = _class(method)
    taken = inspect.signature(kind).parameters
    params = {**method.params, **method.on.get(dataset, {})}
    unknown = sorted(set(params) - set(taken) | {"estimator"} & set(params))
    if unknown:
        raise ProtocolError(
            f"methods.{method.name}: {method.estimator} has no parameter {unknown[0]!r}; "
            f"it has {', '.join(name for name in taken if name != 'estimator')}."
        )
    if "random_state" in taken:
        params.setdefault("random_state", seed)
    if "engine" in taken:
        params.setdefault("engine", engine)
    if "estimator" in taken:
        base = method.base or Method(f"{method.name}.base", "KernelSVC", {}, None, {})
        params["estimator"] = make_estimator(base, dataset, seed=seed, engine=engine)
    elif method.base is not None:
        raise ProtocolError(f"methods.{method.name}: {method.estimator} has no base classifier; leave `base` out.")
    try:
        return kind(**params)
    except TypeError as error:
        raise ProtocolError(f"methods.{method.name}: {method.estimator} cannot be made of that: {error}.") from error


def _class(method: Method) -> type[BaseEstimator]:
    own = {name: getattr(bncc.multilabel, name) for name in bncc.multilabel.__all__}
    known: dict[str, Any] = {name: kind for name, kind in own.items() if isinstance(kind, type)}
    known["KernelSVC"] = KernelSVC
    if method.estimator not in known:
        known |= dict(all_estimators(type_filter="classifier"))
    if method.estimator not in known:
        close = difflib.get_close_matches(method.estimator, known, n=2)
        hint = f"did you mean {' or '.join(map(repr, close))}?" if close else "see bncc.__all__."
        raise ProtocolError(f"methods.{method.name}: no estimator is called {method.estimator!r}; {hint}")
    return known[method.estimator]
