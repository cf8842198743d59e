"""Which backend learns the links over which base classifier."""

from __future__ import annotations

from typing import get_args

from bncc._typing import Classifier
from bncc.linear import LinearSVC, LogisticRegression
from bncc.multilabel.backend import LinkBackend, Rates
from bncc.multilabel.clones import CloneBackend
from bncc.multilabel.kernel import KernelBackend
from bncc.multilabel.linear import LinearBackend
from bncc.multilabel.nystroem import NystroemBackend
from bncc.svm import KernelSVC

__all__ = ["backend_of", "register_backend"]

_BACKENDS: dict[type, type[LinkBackend]] = {
    KernelSVC: KernelBackend,
    LinearSVC: LinearBackend,
    LogisticRegression: LinearBackend,
}


def register_backend(base: type, backend: type[LinkBackend]) -> None:
    """Let a backend learn the links of every estimator whose base classifier is of this class (not a subclass).

    Other bases are cloned and fitted link by link. Worker processes know what the modules that they import register:
    call it in a module that can be imported, where the class of the base is defined.
    """
    if not isinstance(base, type):
        raise TypeError(f"`base` must be a class of classifiers; got {base!r}, an instance.")
    if not isinstance(backend, type) or not issubclass(backend, LinkBackend):
        raise TypeError(f"`backend` must be a subclass of LinkBackend; got {backend!r}.")
    if "rates" in vars(backend) and backend.rates not in get_args(Rates):
        raise ValueError(f"`rates` of a backend must be one of {get_args(Rates)}; got {backend.rates!r}.")
    _BACKENDS[base] = backend


def backend_of(
    base: Classifier, *, feature_subsets: bool = False, real_contexts: bool = False, classes: bool = False
) -> LinkBackend:
    """The backend of a base classifier, or clones where its own cannot do what is asked for.

    `feature_subsets`: links may see some features only. `real_contexts`: contexts are numbers. `classes`: targets have
    more than two classes.

    >>> from sklearn.naive_bayes import GaussianNB
    >>> type(backend_of(KernelSVC())).__name__, type(backend_of(GaussianNB())).__name__
    ('KernelBackend', 'CloneBackend')
    >>> type(backend_of(KernelSVC(), real_contexts=True)).__name__
    'CloneBackend'
    """
    kind = _kind_of(base)
    able = (
        (kind.takes_feature_subsets or not feature_subsets)
        and (kind.takes_real_contexts or not real_contexts)
        and (kind.takes_classes or not classes)
    )
    backend = kind(base) if able else CloneBackend(base)
    # Scores are calibrated label by label: those of several classes have no probabilities.
    return CloneBackend(base) if classes and backend.rates == "scores" else backend


def _kind_of(base: Classifier) -> type[LinkBackend]:
    if type(base) is KernelSVC and base.is_approximate():
        return NystroemBackend
    return _BACKENDS.get(type(base), CloneBackend)
