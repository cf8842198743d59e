"""Generated genes: how strongly each is read in four experiments, and what its protein does in the cell."""

from __future__ import annotations

import numpy as np

from bncc._typing import Floats, Random
from bncc.datasets.dataset import Dataset, make_dataset
from bncc.datasets.generate import TrueNetwork

__all__ = ["FUNCTIONS", "make_genes"]

#: How functions depend on each other: what makes energy is part of metabolism, transport goes with its regulation.
FUNCTIONS = TrueNetwork(
    label_names=(
        "metabolism",
        "energy",
        "transcription",
        "protein synthesis",
        "protein fate",
        "transport",
        "regulation",
        "cell cycle",
        "stress response",
        "signalling",
        "cell wall",
        "mating",
    ),
    parents=((), (0,), (0,), (2,), (3,), (0,), (5,), (2,), (4,), (6,), (7,), (9, 10)),
    probabilities=(
        (0.40,),
        (0.03, 0.32),
        (0.38, 0.08),
        (0.22, 0.04),
        (0.30, 0.08),
        (0.20, 0.38),
        (0.10, 0.48),
        (0.18, 0.45),
        (0.08, 0.26),
        (0.04, 0.20),
        (0.05, 0.16),
        (0.01, 0.12, 0.10, 0.45),
    ),
)

_MINUTES = {
    "cell cycle": (0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110),
    "heat shock": (5, 10, 15, 20, 30, 40, 60, 80),
    "starvation": (30, 60, 120, 240, 480, 720),
    "cold": (10, 20, 40, 80, 120, 160),
}


def make_genes(n_rows: int = 1200, random_state: Random = 0) -> Dataset:
    """Genes with their expression at 32 moments of four experiments, and twelve functions, several per gene.

    Nothing here was measured: functions are drawn from a known network (`FUNCTIONS`), each has a curve of its own in
    every experiment, and a gene follows those of its functions, some more than others.

    >>> make_genes()
    Dataset('genes', 1200 rows, 32 dense features, 12 labels, cardinality 2.234)
    """
    random = np.random.default_rng(random_state)
    Y = FUNCTIONS.sample(n_rows, random)
    followed = Y * random.lognormal(0.0, 0.5, Y.shape)
    parts = [followed @ _curves(np.asarray(minutes), random) for minutes in _MINUTES.values()]
    expression = np.hstack(parts)
    X = np.round(expression + 1.2 * random.standard_normal(expression.shape), 3)
    names = [f"{name}, {minute} min" for name, minutes in _MINUTES.items() for minute in minutes]
    return make_dataset(X, Y, feature_names=names, label_names=FUNCTIONS.label_names, name="genes", source="generated")


def _curves(minutes: Floats, random: np.random.Generator) -> Floats:
    """For each function, how genes that have it are read over time: a wave, and a slow rise or fall."""
    n_functions = len(FUNCTIONS.label_names)
    phase, height, drift = (
        random.uniform(low, high, (n_functions, 1)) for low, high in ((0, 6.3), (0.2, 1.0), (-1, 1))
    )
    period = random.uniform(0.5, 1.5, (n_functions, 1)) * minutes[-1]
    return height * np.sin(6.283 * minutes / period + phase) + drift * minutes / minutes[-1]
