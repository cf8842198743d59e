"""The label set of each row with the largest expected F1, from probabilities of labels.

Labels are taken as independent given the row, but for how many hold: where no row is without labels, or nearly all
have one, probabilities of labels do not say so. A factor for each number of labels does.
"""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln

from bncc._typing import Bools, Floats, Longs

__all__ = ["best_expected_f1", "fit_size_factors"]

# Labels of a row that are looked at, from the most probable down, and how many may be predicted.
_MOST_LABELS = 40
_MOST_PREDICTED = 15
_BLOCK = 2000
# Beyond so many labels those that are not looked at matter together: their number is counted as a Poisson one.
_MANY_LABELS = 1000
_MOST_OTHERS = 30
# Logarithms of factors are drawn towards 0 as by a normal distribution of this precision.
_PRECISION = 10.0
_STEPS = 50
_LARGEST_STEP = 2.0


def best_expected_f1(rates: Floats, size_factors: Floats | None = None) -> Bools:
    """For each row the k most probable labels, with the k whose expected F1 is largest (Dembczynski et al. 2011).

    A row without labels that is predicted without labels counts 1. With labels independent given the row, true
    positives among the first k and labels missed behind them are independent sums, whose distributions are had
    by adding one label at a time. The 40 most probable labels are looked at, and of more than a thousand labels how
    many others may hold. With `size_factors`, a set of k labels is so much more probable than independent labels
    have it; the last factor holds for larger sets, too.

    >>> best_expected_f1(np.array([[0.9, 0.4, 0.05], [0.1, 0.2, 0.1]])).astype(int).tolist()
    [[1, 0, 0], [0, 0, 0]]
    >>> best_expected_f1(np.array([[0.1, 0.4, 0.1]]), np.array([0.0, 1.0, 0.0])).astype(int).tolist()
    [[0, 1, 0]]
    """
    out = np.zeros(rates.shape, bool)
    for start in range(0, len(rates), _BLOCK):
        part = rates[start : start + _BLOCK]
        order = _first_labels(part)
        rates_of_first = np.take_along_axis(part, order, axis=1)
        expected = _expectations(rates_of_first, _others(part, rates_of_first), size_factors)
        if size_factors is not None:
            expected /= np.maximum(expected.max(axis=1, keepdims=True), 1e-300)
        sizes = expected.round(12).argmax(axis=1)
        chosen = np.arange(order.shape[1]) < sizes[:, None]
        np.put_along_axis(out[start : start + _BLOCK], order, chosen, axis=1)
    return out


def _first_labels(rates: Floats) -> Longs:
    """The most probable labels of each row, highest first; of equally probable ones those of lower number."""
    if rates.shape[1] <= _MANY_LABELS:
        return np.argsort(-rates, axis=1, kind="stable")[:, :_MOST_LABELS]
    some = np.sort(np.argpartition(-rates, _MOST_LABELS, axis=1)[:, :_MOST_LABELS], axis=1)  # sorting all takes long
    order = np.argsort(-np.take_along_axis(rates, some, axis=1), axis=1, kind="stable")
    return np.take_along_axis(some, order, axis=1)


def _others(rates: Floats, first: Floats) -> Floats:
    """Distribution (n_rows, number + 1) of how many labels hold beside the first ones."""
    if rates.shape[1] <= _MANY_LABELS:
        return np.ones((len(rates), 1))
    expected = np.maximum(rates.sum(axis=1) - first.sum(axis=1), 1e-12)[:, None]
    number = np.arange(_MOST_OTHERS + 1)
    likely = np.exp(number * np.log(expected) - expected - gammaln(number + 1.0))
    likely[:, -1] += np.maximum(0.0, 1.0 - likely.sum(axis=1))
    return np.asarray(likely, np.float64)


def _expectations(rates: Floats, others: Floats, size_factors: Floats | None) -> Floats:
    """Expected F1 (n_rows, most + 1) of predicting the first 0, 1, 2, ... labels; rates are sorted, highest first.

    With factors, a multiple of it, one for each row.
    """
    n_rows, n_labels = rates.shape
    most = min(n_labels, _MOST_PREDICTED)
    behind = _sums_behind(rates, most, others)
    factors = np.ones(1) if size_factors is None else size_factors
    out = np.empty((n_rows, most + 1))
    out[:, 0] = behind[0][:, 0] * factors[0]
    ahead = np.ones((n_rows, 1))
    for k in range(1, most + 1):
        ahead = _add_label(ahead, rates[:, k - 1])
        missed = behind[k]
        hits, lost = np.arange(ahead.shape[1]), np.arange(missed.shape[1])
        sizes = hits[:, None] + lost[None, :]
        value = 2.0 * hits[:, None] / (k + sizes) * factors[np.minimum(sizes, factors.size - 1)]
        out[:, k] = ((ahead @ value) * missed).sum(axis=1)
    return out


def _sums_behind(rates: Floats, most: int, others: Floats) -> list[Floats]:
    """Distributions of how many labels hold behind the first 0, 1, ..., `most`."""
    n_labels = rates.shape[1]
    current, out = others, list[Floats]()
    for label in range(n_labels, -1, -1):
        if label < n_labels:
            current = _add_label(current, rates[:, label])
        if label <= most:
            out.append(current)
    return out[::-1]


def _add_label(sums: Floats, rate: Floats) -> Floats:
    """The distribution of a number of labels, once one more is counted."""
    out = np.zeros((sums.shape[0], sums.shape[1] + 1))
    out[:, :-1] = sums * (1.0 - rate)[:, None]
    out[:, 1:] += sums * rate[:, None]
    return out


def fit_size_factors(rates: Floats, truth: Bools, known: Bools | None = None, weight: Floats | None = None) -> Floats:
    """A factor for each number of labels, by the likelihood of how many hold in rows that were held out.

    The probability of k labels is the factor of k times what independent labels have, divided by the sum of these
    over all k. Factors are drawn towards 1, so that numbers of labels that hardly occur keep theirs. Rows count whose
    labels are all known.

    >>> fit_size_factors(np.full((200, 2), 0.5), np.tile([[True, False], [False, True]], (100, 1))).round(1).tolist()
    [0.4, 5.1, 0.4]
    """
    if known is not None:
        whole = np.flatnonzero(known.all(axis=1))
        rates, truth, weight = rates[whole], truth[whole], None if weight is None else weight[whole]
    order = _first_labels(rates)
    rates_of_first = np.take_along_axis(rates, order, axis=1)
    others = _others(rates, rates_of_first)
    likely = _sums_behind(rates_of_first, 0, others)[0]
    size = np.take_along_axis(truth, order, axis=1).sum(axis=1) if others.shape[1] == 1 else truth.sum(axis=1)
    size = np.minimum(size, likely.shape[1] - 1)
    counted = np.ones(len(rates)) if weight is None else weight
    count = np.bincount(size, counted, likely.shape[1]).astype(np.float64)
    return _most_likely_factors(likely, count, counted)


def _most_likely_factors(likely: Floats, count: Floats, counted: Floats) -> Floats:
    """Newton's method for logarithms of factors; what they minimise is convex, and steps that are long are cut."""
    log_factors = np.zeros(count.size)
    for _ in range(_STEPS):
        share = likely * np.exp(log_factors)
        share /= np.maximum(share.sum(axis=1, keepdims=True), 1e-300)
        expected = counted @ share
        slope = expected - count + _PRECISION * log_factors
        bend = np.diag(expected + _PRECISION) - (share * counted[:, None]).T @ share
        step = np.clip(np.linalg.solve(bend, slope), -_LARGEST_STEP, _LARGEST_STEP)
        log_factors = log_factors - step
        if np.abs(step).max() < 1e-6:
            break
    return np.asarray(np.exp(log_factors), np.float64)
