"""Exact intervals of shares, and what can be read as a share: precision, recall, F1, AUC, average precision, Brier.

Rows are taken as drawn at random and the fitted models as given. Given how many cells are true or predicted, the true
positives among them are binomial with the Jaccard index as their probability, and F1 = 2J / (1 + J) grows with it: so
Clopper and Pearson's interval of J is one of F1 that holds for a label with two rows as well as for one with thousands,
where resampling rows would show no error at all. The interval of AUC is Newcombe's (2006, method 5), which has width at
1.0 too. Average precision is taken as a share of the positives (Boyd, Eng and Page 2013), and a mean of numbers within
0 and 1 as a share of as many trials as give its variance.

An interval for `n_compared` labels at once is made at a level of alpha / n_compared (Bonferroni): with probability
1 - alpha all of them hold together, whatever label is then looked at.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import betaincinv, ndtri

from bncc._typing import Floats

__all__ = ["Ends", "auc_ends", "f1_ends", "mean_ends", "share_ends"]

_HALVINGS = 60
_MOST_TRIALS = 1e9


@dataclass(frozen=True, eq=False)
class Ends:
    """Lower and upper ends of intervals, one per label; NaN where there is nothing to measure."""

    low: Floats
    high: Floats


def share_ends(successes: Floats, trials: Floats, alpha: float) -> Ends:
    """Clopper and Pearson's interval; counts need not be whole.

    >>> ends = share_ends(np.array([0.0, 5.0]), np.array([10.0, 10.0]), 0.05)
    >>> ends.low.round(3), ends.high.round(3)
    (array([0.   , 0.187]), array([0.308, 0.813]))
    """
    k, n = np.broadcast_arrays(np.asarray(successes, np.float64), np.asarray(trials, np.float64))
    failures = n - k
    low = np.where(k > 0, betaincinv(np.maximum(k, 1e-12), failures + 1, alpha / 2), 0.0)
    high = np.where(failures > 0, betaincinv(k + 1, np.maximum(failures, 1e-12), 1 - alpha / 2), 1.0)
    measured = n > 0
    return Ends(np.where(measured, low, np.nan), np.where(measured, high, np.nan))


def f1_ends(tp: Floats, union: Floats, alpha: float) -> Ends:
    """Of F1, from true positives among the cells that are true or predicted.

    >>> f1_ends(np.array([0.0]), np.array([2.0]), 0.05).high.round(3)
    array([0.914])
    """
    jaccard = share_ends(tp, union, alpha)
    return Ends(2 * jaccard.low / (1 + jaccard.low), 2 * jaccard.high / (1 + jaccard.high))


def auc_ends(auc: Floats, positives: Floats, negatives: Floats, alpha: float) -> Ends:
    """Newcombe's interval: the areas that lie within z standard errors of the one found, at their own variance.

    >>> ends = auc_ends(np.array([1.0]), np.array([10.0]), np.array([20.0]), 0.05)
    >>> ends.low.round(2), ends.high
    (array([0.85]), array([1.]))
    """
    z = float(-ndtri(alpha / 2))
    low = _farthest(auc, np.zeros_like(auc), positives, negatives, z)
    high = _farthest(auc, np.ones_like(auc), positives, negatives, z)
    return Ends(low, high)


def mean_ends(mean: Floats, variance_of_mean: Floats, n: Floats, alpha: float) -> Ends:
    """Of a mean of numbers within 0 and 1: a share of as many trials as have this variance, at least `n`.

    >>> ends = mean_ends(np.array([0.0]), np.array([0.0]), np.array([100.0]), 0.05)
    >>> ends.high.round(3)
    array([0.036])
    >>> mean_ends(np.array([1e-20]), np.array([1e-60]), np.array([40.0]), 0.05).high < 1e-8
    array([ True])
    """
    spread = mean * (1 - mean)
    with np.errstate(divide="ignore", invalid="ignore"):
        trials = np.where(variance_of_mean > 0, spread / variance_of_mean, n)
    # A variance of rounding alone asks for more trials than the incomplete beta function can take.
    trials = np.minimum(np.maximum(trials, n), np.maximum(n, _MOST_TRIALS))
    return share_ends(mean * trials, trials, alpha)


def _farthest(auc: Floats, end: Floats, positives: Floats, negatives: Floats, z: float) -> Floats:
    """The area between `auc` and `end` at which the found one lies exactly z standard errors away."""
    near, far = auc.copy(), end.copy()
    for _ in range(_HALVINGS):
        middle = (near + far) / 2
        within = (auc - middle) ** 2 <= z**2 * _auc_variance(middle, positives, negatives)
        near, far = np.where(within, middle, near), np.where(within, far, middle)
    return np.where(np.isnan(auc), np.nan, (near + far) / 2)


def _auc_variance(area: Floats, positives: Floats, negatives: Floats) -> Floats:
    pairs = np.maximum(positives * negatives, 1.0)
    others = (positives + negatives) / 2 - 1
    growth = (1 - area) / (2 - area) + area / (1 + area)
    return area * (1 - area) * (1 + others * growth) / pairs
