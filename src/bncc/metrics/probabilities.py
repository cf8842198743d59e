"""How good probabilities are, cell by cell: log loss and Brier score. Unknown labels (NaN) count nowhere."""

from __future__ import annotations

import numpy as np

from bncc._typing import Floats, Labels, ScoreMatrix, Weights
from bncc.metrics._inputs import dense_labels
from bncc.metrics._pairs import read_scored

__all__ = ["brier_score", "log_loss"]


def log_loss(
    Y_true: Labels, Y_proba: ScoreMatrix, *, sample_weight: Weights | None = None, eps: float = 1e-15
) -> float:
    """Mean of -log(probability given to what is true) over all known cells (rows x labels); natural logarithm.

    Probabilities are kept `eps` away from 0 and 1, so that one sure mistake does not make it infinite.

    >>> round(log_loss([[1, 0], [0, 1]], [[0.5, 0.5], [0.5, 0.5]]), 4)
    0.6931
    """
    if not 0 < eps < 0.5:
        raise ValueError(f"`eps` must lie between 0 and 0.5; got {eps}.")
    truth, rates, cells = _read(Y_true, Y_proba, sample_weight)
    rates = np.clip(rates, eps, 1.0 - eps)
    return float(np.average(-np.log(np.where(truth > 0, rates, 1.0 - rates)), weights=cells))


def brier_score(Y_true: Labels, Y_proba: ScoreMatrix, *, sample_weight: Weights | None = None) -> float:
    """Mean squared distance between probability and truth over all known cells (rows x labels).

    >>> round(brier_score([[1, 0], [0, 1]], [[0.5, 0.5], [0.0, 1.0]]), 4)
    0.125
    """
    truth, rates, cells = _read(Y_true, Y_proba, sample_weight)
    return float(np.average((rates - truth) ** 2, weights=cells))


def _read(Y_true: Labels, Y_proba: ScoreMatrix, sample_weight: Weights | None) -> tuple[Floats, Floats, Floats]:
    """Truth, probabilities, and the weight of each cell."""
    true, unknown, rates, weight = read_scored(Y_true, Y_proba, sample_weight, absent=0.0)
    if rates.size and (rates.min() < 0 or rates.max() > 1):
        raise ValueError(
            f"`Y_proba` must hold probabilities between 0 and 1; got {rates.min():g}..{rates.max():g}. Decision values "
            "are no probabilities: use `predict_proba`."
        )
    cells: Floats = np.ones(rates.shape)
    if unknown is not None:
        cells[dense_labels(unknown)] = 0.0
    return dense_labels(true).astype(np.float64), rates, cells if weight is None else cells * weight[:, None]
