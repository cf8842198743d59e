"""The label set of each row with the largest expected F1, from probabilities of labels taken as independent."""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln

from bncc._typing import Bools, Floats, Longs

__all__ = ["best_expected_f1"]

# Labels of a row that are looked at, from the most probable down, and how many may be predicted.
_MOST_LABELS = 40
_MOST_PREDICTED = 15
_BLOCK = 2000
# Beyond so many labels those that are not looked at matter together: their number is counted as a Poisson one.
_MANY_LABELS = 1000
_MOST_OTHERS = 30


def best_expected_f1(rates: Floats) -> Bools:
    """For each row the k most probable labels, with the k whose expected F1 is largest (Dembczynski et al. 2011).

    A row without labels that is predicted without labels counts 1. With labels independent given the row, true
    positives among the first k and labels missed behind them are independent sums, whose distributions are had
    by adding one label at a time. The 40 most probable labels are looked at, and of more than a thousand labels how
    many others may hold.

    >>> best_expected_f1(np.array([[0.9, 0.4, 0.05], [0.1, 0.2, 0.1]])).astype(int).tolist()
    [[1, 0, 0], [0, 0, 0]]
    """
    out = np.zeros(rates.shape, bool)
    for start in range(0, len(rates), _BLOCK):
        part = rates[start : start + _BLOCK]
        order = _first_labels(part)
        rates_of_first = np.take_along_axis(part, order, axis=1)
        sizes = _expectations(rates_of_first, _others(part, rates_of_first)).round(12).argmax(axis=1)
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


def _expectations(rates: Floats, others: Floats) -> Floats:
    """Expected F1 (n_rows, most + 1) of predicting the first 0, 1, 2, ... labels; rates are sorted, highest first."""
    n_rows, n_labels = rates.shape
    most = min(n_labels, _MOST_PREDICTED)
    behind = _sums_behind(rates, most, others)
    out = np.empty((n_rows, most + 1))
    out[:, 0] = behind[0][:, 0]
    ahead = np.ones((n_rows, 1))
    for k in range(1, most + 1):
        ahead = _add_label(ahead, rates[:, k - 1])
        missed = behind[k]
        hits, lost = np.arange(ahead.shape[1]), np.arange(missed.shape[1])
        value = 2.0 * hits[:, None] / (k + hits[:, None] + lost[None, :])
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
