"""Predictions to judge: labels of falling frequency, scores that know them in part."""

from __future__ import annotations

import numpy as np

from bncc.analysis.quality import read_predictions


def made_scores(n_rows=300, n_labels=7, seed=0, signal=1.5, unknown=0.0):
    """Truth (NaN where unknown) and probabilities."""
    rng = np.random.default_rng(seed)
    rates = 0.6 / np.arange(1, n_labels + 1)
    Y = rng.random((n_rows, n_labels)) < rates
    strength = signal * np.linspace(0.2, 1.5, n_labels)
    logits = np.log(rates / (1 - rates)) + strength * (Y - rates) + rng.normal(0, 1, Y.shape)
    truth = np.where(rng.random(Y.shape) < unknown, np.nan, Y.astype(float))
    return truth, 1 / (1 + np.exp(-logits))


def made_predictions(**options):
    return read_predictions(*made_scores(**options))
