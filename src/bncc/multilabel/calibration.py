"""Probabilities from scores, such that a label is predicted exactly where its probability exceeds one half."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import expit

__all__ = ["apply_slopes", "fit_slopes"]

_STEEPEST = 1e3


def fit_slopes(
    scores: NDArray[np.float64], positive: NDArray[np.bool_], weight: NDArray[np.float64] | None = None
) -> tuple[float, float]:
    """Slopes (below, above) of ``p = expit(slope * score)``, one on each side of the boundary at 0.

    A margin classifier puts its boundary where both classes are equally likely, so p(0) = 1/2 is kept and each side
    has its own slope, by maximum likelihood with Platt's smoothed targets. Slopes are positive: ranks are kept.

    >>> below, above = fit_slopes(np.array([-2.0, -1, -1, 1, 1, 2]), np.array([0, 0, 1, 1, 0, 1], bool))
    >>> below == above
    True
    """
    w = np.ones(scores.size) if weight is None else weight
    n_plus, n_minus = float(w[positive].sum()), float(w[~positive].sum())
    target = np.where(positive, (n_plus + 1.0) / (n_plus + 2.0), 1.0 / (n_minus + 2.0))
    below, above = scores < 0, scores > 0
    both = _slope(scores, target, w)
    return (
        _slope(scores[below], target[below], w[below]) if below.any() else both,
        _slope(scores[above], target[above], w[above]) if above.any() else both,
    )


def apply_slopes(scores: NDArray[np.float64], slopes: NDArray[np.float64]) -> NDArray[np.float64]:
    """Probabilities of scores (n_rows, n_labels) under slopes (n_labels, 2)."""
    return expit(scores * np.where(scores < 0, slopes[:, 0], slopes[:, 1]))


def _slope(scores: NDArray[np.float64], target: NDArray[np.float64], weight: NDArray[np.float64]) -> float:
    """The slope at which the likelihood is flat; it is concave in the slope."""

    def ascent(slope: float) -> float:
        return float((weight * scores * (target - expit(slope * scores))).sum())

    least = 1e-3 / max(1.0, float(np.abs(scores).max(initial=0.0)))
    if ascent(least) <= 0:
        return least
    return _STEEPEST if ascent(_STEEPEST) >= 0 else float(brentq(ascent, least, _STEEPEST))
