"""Estimators of a protocol's methods."""

from __future__ import annotations

from bncc._typing import Classifier
from bncc.evaluation.estimators import build_estimator
from bncc.experiment.protocol import Method, ProtocolError

__all__ = ["make_estimator"]


def make_estimator(method: Method, dataset: str, *, seed: int, engine: str = "auto") -> Classifier:
    """The unfitted estimator of a method for a data set.

    `seed` becomes the `random_state` of everything that takes one and whose parameters do not say otherwise; kernels
    and linear classifiers get `engine`.

    >>> from bncc.experiment import load_protocol
    >>> make_estimator(load_protocol("paper").method("ECC"), "bibtex", seed=1).n_chains
    5
    """
    params = {**method.params, **method.on.get(dataset, {})}
    if isinstance(params.get("C"), list | tuple):
        raise ProtocolError(
            f"methods.{method.name}: C must be one number; got {params['C']!r}. Values to choose from belong to "
            "selection.C, for kernel links; for others name a method per value."
        )
    base = None if method.base is None else make_estimator(method.base, dataset, seed=seed, engine=engine)
    try:
        return build_estimator(method.estimator, params, base=base, seed=seed, engine=engine)
    except ValueError as error:
        raise ProtocolError(f"methods.{method.name}: {error}") from error
