"""Probabilities from scores by a sigmoid per label, those of rare labels drawn towards one that all labels share."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from bncc._typing import Bools, Floats
from bncc.multilabel.blending.shared_sigmoid import fit_shared_sigmoid

__all__ = ["RateSigmoids", "fit_sigmoids", "log_odds"]

_STEPS = 30
# A label's own sigmoid counts as much as the shared one where it has this many rows of its rarer value.
_PRIOR_ROWS = 20.0
_CLIP = 1e-4
# Scores may tell few rows apart without fault, and new ones not: beside these, one more row counts, which has the label
# as often as they have. From so many rows on it makes no difference.
_ENOUGH_ROWS = 200.0
# Beyond so many labels most have no row of their own among those held out: one sigmoid serves all.
_MANY_LABELS = 1000


def log_odds(rates: Floats) -> Floats:
    """Logits of probabilities, none beyond those of 1 in 10,000.

    >>> log_odds(np.array([0.5, 0.0])).round(2).tolist()
    [0.0, -9.21]
    """
    kept = np.clip(rates, _CLIP, 1.0 - _CLIP)
    return np.asarray(np.log(kept) - np.log1p(-kept), np.float64)


@dataclass(frozen=True, eq=False)
class RateSigmoids:
    """``p = expit(slope * score + offset)``, a slope and an offset per label."""

    slopes: Floats
    offsets: Floats

    def __call__(self, scores: Floats) -> Floats:
        """Probabilities of scores (n_rows, n_labels)."""
        return np.asarray(expit(scores * self.slopes + self.offsets), np.float64)


def fit_sigmoids(
    scores: Floats, truth: Bools, known: Bools | None = None, weight: Floats | None = None
) -> RateSigmoids:
    """Sigmoids by maximum likelihood on held-out scores (n_rows, n_labels); slopes are positive, so ranks are kept.

    First one for all labels, then that of each label, with a penalty for leaving the shared one that weighs less
    the more rows of its rarer value a label has. More than a thousand labels share one.

    >>> scores = np.array([[-2.0], [-1.0], [1.0], [2.0]] * 50)
    >>> sigmoids = fit_sigmoids(scores, scores > np.tile([[0.0], [-3.0], [0.0], [3.0]], (50, 1)))
    >>> bool(sigmoids.slopes[0] > 0)
    True
    """
    counted = np.ones(scores.shape) if known is None else known.astype(np.float64)
    if weight is not None:
        counted = counted * weight[:, None]
    if scores.shape[1] > _MANY_LABELS:
        slope, offset = fit_shared_sigmoid(scores, truth, counted)
        return RateSigmoids(np.full(scores.shape[1], slope), np.full(scores.shape[1], offset))
    shares = _shares(truth, counted)
    scale = max(float(np.sqrt((counted * scores**2).sum() / max(counted.sum(), 1e-12))), 1e-6)
    scaled, n_labels = scores / scale, scores.shape[1]
    flat = scaled.reshape(-1, 1), shares.reshape(-1, 1), counted.reshape(-1, 1)
    slopes, offsets = _newton(*flat, np.array([1.0]), np.array([0.0]), np.array([1e-3]))
    held = (counted * truth).sum(axis=0), (counted * ~truth).sum(axis=0)
    strength = _PRIOR_ROWS / (1.0 + np.minimum(*held)) * np.maximum(held[0] + held[1], 1.0) * 0.02
    start = np.full(n_labels, slopes[0]), np.full(n_labels, offsets[0])
    slopes, offsets = _newton(scaled, shares, counted, *start, strength)
    return RateSigmoids(slopes / scale, offsets)


def _shares(truth: Bools, counted: Floats) -> Floats:
    """What the probability of each cell is drawn to: 0 or 1, or, of few rows, a little less sure."""
    n_rows = counted.sum(axis=0)
    doubt = np.maximum(1.0 / (n_rows + 1.0) - 1.0 / (_ENOUGH_ROWS + 1.0), 0.0)
    return truth * (1.0 - doubt) + doubt * (counted * truth).sum(axis=0) / np.maximum(n_rows, 1e-12)


def _newton(
    scores: Floats, truth: Floats, counted: Floats, slope: Floats, offset: Floats, strength: Floats
) -> tuple[Floats, Floats]:
    """Slopes and offsets near those given: damped Newton steps, all labels at once."""
    first = np.log(np.maximum(slope, 1e-6)), offset.copy()
    log_slope, offset = first[0].copy(), offset.copy()
    for _ in range(_STEPS):
        a = np.exp(log_slope)
        rates = expit(scores * a + offset)
        error, spread = counted * (rates - truth), counted * rates * (1.0 - rates)
        moved = scores * a
        g0 = (error * moved).sum(axis=0) + strength * (log_slope - first[0])
        g1 = error.sum(axis=0) + strength * (offset - first[1])
        h00 = (spread * moved**2).sum(axis=0) + strength + 1e-6
        h11 = spread.sum(axis=0) + strength + 1e-6
        h01 = (spread * moved).sum(axis=0)
        determinant = np.maximum(h00 * h11 - h01**2, 1e-12)
        step0 = np.clip((h11 * g0 - h01 * g1) / determinant, -1.0, 1.0)
        step1 = np.clip((h00 * g1 - h01 * g0) / determinant, -2.0, 2.0)
        log_slope, offset = np.clip(log_slope - step0, -6.0, 6.0), np.clip(offset - step1, -30.0, 30.0)
        if max(np.abs(step0).max(), np.abs(step1).max()) < 1e-5:
            break
    return np.exp(log_slope), offset
