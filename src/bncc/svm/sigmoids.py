"""Probabilities from decision values: Platt's sigmoid, and coupling of pairwise probabilities."""

from __future__ import annotations

import numpy as np
from scipy.special import expit

from bncc._typing import Bools, Floats, Integers, Longs
from bncc.svm.pair_sums import pair_sums

__all__ = ["couple_pairs", "fit_sigmoid", "smoothed_targets", "spread_folds"]


def fit_sigmoid(decisions: Floats, positive: Bools, weights: Floats | None = None) -> tuple[float, float]:
    """Slope and offset of ``p = expit(slope * decision + offset)``, by Newton's method.

    Platt (1999) with his targets (N+ + 1)/(N+ + 2) and 1/(N- + 2) instead of 1 and 0, which keep few rows from giving
    certainty; the iteration follows Lin, Lin and Weng (2007).

    >>> slope, offset = fit_sigmoid(np.array([-2.0, -1.0, 1.0, 2.0]), np.array([False, False, True, True]))
    >>> round(slope, 3), abs(round(offset, 3))
    (0.674, 0.0)
    """
    w = np.ones(decisions.size) if weights is None else np.asarray(weights, np.float64)
    n_plus, n_minus = float(w[positive].sum()), float(w[~positive].sum())
    target = smoothed_targets(positive, w)
    beta = np.array([0.0, np.log((n_plus + 1.0) / (n_minus + 1.0))])
    scale = _scale(decisions)
    design = np.stack([decisions / scale, np.ones_like(decisions)], axis=1)
    loss = _loss(design, target, w, beta)
    for _ in range(100):
        p = expit(design @ beta)
        gradient = design.T @ (w * (p - target))
        if np.abs(gradient).max() < 1e-5:
            break
        hessian = (design.T * (w * p * (1.0 - p))) @ design + 1e-12 * np.eye(2)
        try:
            direction = -np.linalg.solve(hessian, gradient)
        except np.linalg.LinAlgError:  # every row is certain: no step would change anything
            break
        step = 1.0
        while step > 1e-10:
            trial = beta + step * direction
            lower = _loss(design, target, w, trial)
            if lower < loss + 1e-4 * step * float(gradient @ direction):
                break
            step *= 0.5
        else:
            break
        beta, loss = trial, lower
    return float(beta[0] / scale), float(beta[1])


def _scale(decisions: Floats) -> float:
    """A power of two that brings decisions of extreme size near 1; 1 for all others, so that nothing is rounded."""
    largest = float(np.abs(decisions).max(initial=0.0))
    exponent = int(np.frexp(largest)[1])
    return float(np.ldexp(1.0, exponent)) if largest > 0 and abs(exponent) > 20 else 1.0


def smoothed_targets(positive: Bools, weights: Floats) -> Floats:
    """Platt's targets (N+ + 1)/(N+ + 2) and 1/(N- + 2) instead of 1 and 0, N being sums of weights.

    >>> smoothed_targets(np.array([True, True, False]), np.ones(3)).round(3).tolist()
    [0.75, 0.75, 0.333]
    """
    n_plus, n_minus = float(weights[positive].sum()), float(weights[~positive].sum())
    return np.where(positive, (n_plus + 1.0) / (n_plus + 2.0), 1.0 / (n_minus + 2.0))


def _loss(design: Floats, target: Floats, weights: Floats, beta: Floats) -> float:
    z = design @ beta
    return float((weights * (np.logaddexp(0.0, z) - target * z)).sum())


def couple_pairs(pairwise: Floats, n_classes: int) -> Floats:
    """Class probabilities from those of each pair (Price et al. 1995): ``p_k = 1 / (sum_j 1/r_kj - (K - 2))``, normed.

    `pairwise` has shape (n_rows, n_pairs), pairs (a, b) with a < b in order, and holds the probability of b.

    >>> couple_pairs(np.array([[0.9, 0.5, 0.1]]), 3).round(2).tolist()
    [[0.09, 0.82, 0.09]]
    """
    r = np.clip(pairwise, 1e-7, 1.0 - 1e-7)
    inverse = pair_sums(1.0 / (1.0 - r), 1.0 / r, n_classes)
    p = 1.0 / (inverse - (n_classes - 2))
    return p / p.sum(axis=1, keepdims=True)


def spread_folds(codes: Integers, n_folds: int, random: np.random.RandomState | None) -> list[tuple[Longs, Longs]]:
    """Stratified folds: each class is dealt out in turn, in its order or shuffled.

    >>> [test.tolist() for _, test in spread_folds(np.array([0, 0, 1, 1, 0]), 2, None)]
    [[0, 2, 4], [1, 3]]
    """
    fold_of_row = np.zeros(codes.size, np.int64)
    for code in np.unique(codes):
        rows = np.flatnonzero(codes == code)
        if random is not None:
            rows = random.permutation(rows)
        fold_of_row[rows] = np.arange(rows.size) % n_folds
    return [(np.flatnonzero(fold_of_row != fold), np.flatnonzero(fold_of_row == fold)) for fold in range(n_folds)]
