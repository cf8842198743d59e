"""Methods by the short names that comparisons and the command line use."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from bncc._names import closest_names

__all__ = ["METHODS", "MethodInfo", "check_methods"]


@dataclass(frozen=True)
class MethodInfo:
    """A method in a few words, and the class of this package behind it; None for a pipeline of several."""

    description: str
    estimator: str | None


METHODS: Mapping[str, MethodInfo] = {
    "recommended": MethodInfo("a blend of forests, kernel chains, linear models and more: when in doubt, this", None),
    "br": MethodInfo("binary relevance: one classifier per label", "BinaryRelevance"),
    "cc": MethodInfo("a classifier chain in random order", "ClassifierChain"),
    "bncc": MethodInfo("a chain ordered by the label network", "BNCC"),
    "ecc": MethodInfo("an ensemble of random chains", "EnsembleClassifierChain"),
    "ebncc": MethodInfo("an ensemble of label networks' chains", "EnsembleBNCC"),
    "clr": MethodInfo("calibrated label ranking: a vote of all pairs of labels", "CalibratedLabelRanking"),
    "gcc": MethodInfo("a chain per group of rows", "GroupSensitiveChain"),
    "lp": MethodInfo("label powerset: every set of labels is a class", "LabelPowerset"),
    "rakel": MethodInfo("random small label sets", "RandomKLabelsets"),
    "blocks": MethodInfo("a chain of label powersets, one per community of the label network", "BlockPowerset"),
    "kmcc": MethodInfo("a chain ordered by clusters of labels", "KMeansChain"),
    "bcc": MethodInfo("tree-structured Bayesian chains", "BayesianChain"),
    "m2cc": MethodInfo("a chain whose order is searched", "MonteCarloChain"),
    "2br": MethodInfo("binary relevance stacked on a label's neighbours in the network", "StackedBinaryRelevance"),
    "mlknn": MethodInfo("nearest neighbours", "MLkNN"),
    "nmlknn": MethodInfo("nearest neighbours whose labels inform each other along the network", "NetworkMLkNN"),
}


def check_methods(names: Iterable[str]) -> tuple[str, ...]:
    """The names in small letters, each once, if there is a method of each.

    >>> check_methods([" BR", "cc", "br"])
    ('br', 'cc')
    """
    methods = tuple(dict.fromkeys(name.strip().lower() for name in names if name.strip()))
    if not methods:
        raise ValueError(f"at least one method is needed; there are {', '.join(METHODS)}.")
    for name in methods:
        if name not in METHODS:
            close = closest_names(name, METHODS, 2)
            remedy = f"Did you mean {' or '.join(close)}?" if close else f"There are {', '.join(METHODS)}."
            raise ValueError(f"there is no method {name!r}. {remedy}")
    return methods
