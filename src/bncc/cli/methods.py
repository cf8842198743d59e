"""Methods by name; an estimator is loaded when one is built."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import bncc

__all__ = ["METHODS", "check_methods", "complete_methods"]

Method = Callable[[Any, int], Any]

METHODS: Mapping[str, tuple[str, Method | None]] = {
    "recommended": ("an ensemble of chains with tuned thresholds: when in doubt, this", None),
    "br": ("binary relevance: one classifier per label", lambda base, seed: bncc.BinaryRelevance(base)),
    "cc": ("a classifier chain in random order", lambda base, seed: bncc.ClassifierChain(base, random_state=seed)),
    "bncc": ("a chain ordered by the label network", lambda base, seed: bncc.BNCC(base)),
    "ecc": ("an ensemble of random chains", lambda base, seed: bncc.EnsembleClassifierChain(base, random_state=seed)),
    "ebncc": ("an ensemble of label networks' chains", lambda base, seed: bncc.EnsembleBNCC(base, random_state=seed)),
    "clr": (
        "calibrated label ranking: a vote of all pairs of labels",
        lambda base, seed: bncc.CalibratedLabelRanking(base),
    ),
    "gcc": ("a chain per group of rows", lambda base, seed: bncc.GroupSensitiveChain(base, random_state=seed)),
    "lp": ("label powerset: every set of labels is a class", lambda base, seed: bncc.LabelPowerset(base)),
    "rakel": ("random small label sets", lambda base, seed: bncc.RandomKLabelsets(base, random_state=seed)),
    "kmcc": ("a chain ordered by clusters of labels", lambda base, seed: bncc.KMeansChain(base, random_state=seed)),
    "bcc": ("tree-structured Bayesian chains", lambda base, seed: bncc.BayesianChain(base, random_state=seed)),
    "m2cc": ("a chain whose order is searched", lambda base, seed: bncc.MonteCarloChain(base, random_state=seed)),
    "mlknn": ("nearest neighbours", lambda base, seed: bncc.MLkNN()),
}


def complete_methods(incomplete: str) -> list[str]:
    """Method names for the shell, also after a comma."""
    before, comma, last = incomplete.rpartition(",")
    return [f"{before}{comma}{name}" for name in METHODS if name.startswith(last)]


def check_methods(names: Sequence[str]) -> list[str]:
    """The names, if there is a method of each."""
    chosen = [name.strip().lower() for name in names if name.strip()]
    if not chosen:
        raise ValueError(f"at least one method is needed; there are {', '.join(METHODS)}.")
    for name in chosen:
        if name not in METHODS:
            close = difflib.get_close_matches(name, METHODS, n=2)
            hint = f"Did you mean {' or '.join(close)}?" if close else f"There are {', '.join(METHODS)}."
            raise ValueError(f"there is no method {name!r}. {hint}")
    return list(dict.fromkeys(chosen))
