"""Probabilities from scores, such that a label is predicted exactly where its probability exceeds one half."""

from __future__ import annotations

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit

from bncc._typing import Bools, Floats
from bncc.svm.sigmoids import smoothed_targets

__all__ = ["apply_slopes", "fit_slopes"]

_STEEPEST = 1e3


def fit_slopes(scores: Floats, positive: Bools, weight: Floats | None = None) -> tuple[float, float]:
    """Slopes (below, above) of ``p = expit(slope * score)``, one on each side of the boundary at 0.

    A margin classifier puts its boundary where both classes are equally likely, so p(0) = 1/2 is kept and each side
    has its own slope, by maximum likelihood with Platt's smoothed targets. Slopes are positive: ranks are kept.

    >>> below, above = fit_slopes(np.array([-2.0, -1, -1, 1, 1, 2]), np.array([0, 0, 1, 1, 0, 1], bool))
    >>> below == above
    True
    """
    w = np.ones(scores.size) if weight is None else weight
    target = smoothed_targets(positive, w)
    below, above = scores < 0, scores > 0
    both = _slope(scores, target, w)
    return (
        _slope(scores[below], target[below], w[below]) if below.any() else both,
        _slope(scores[above], target[above], w[above]) if above.any() else both,
    )


def apply_slopes(scores: Floats, slopes: Floats) -> Floats:
    """Probabilities of scores (n_rows, n_labels) under slopes (n_labels, 2)."""
    return expit(scores * np.where(scores < 0, slopes[:, 0], slopes[:, 1]))


def _slope(scores: Floats, target: Floats, weight: Floats) -> float:
    """The slope at which the likelihood is flat; it is concave in the slope."""

    def ascent(slope: float) -> float:
        return float((weight * scores * (target - expit(slope * scores))).sum())

    least = 1e-3 / max(1.0, float(np.abs(scores).max(initial=0.0)))
    if ascent(least) <= 0:
        return least
    return _STEEPEST if ascent(_STEEPEST) >= 0 else float(brentq(ascent, least, _STEEPEST))
