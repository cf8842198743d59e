"""The label set of each row with the largest expected F1, from probabilities of labels taken as independent."""

from __future__ import annotations

import numpy as np

from bncc._typing import Bools, Floats

__all__ = ["best_expected_f1"]

# Labels of a row that are looked at, from the most probable down, and how many may be predicted.
_MOST_LABELS = 40
_MOST_PREDICTED = 15
_BLOCK = 2000


def best_expected_f1(rates: Floats) -> Bools:
    """For each row the k most probable labels, with the k whose expected F1 is largest (Dembczynski et al. 2011).

    A row without labels that is predicted without labels counts 1. With labels independent given the row, true
    positives among the first k and labels missed behind them are independent sums, whose distributions are had
    by adding one label at a time. The 40 most probable labels are looked at.

    >>> best_expected_f1(np.array([[0.9, 0.4, 0.05], [0.1, 0.2, 0.1]])).astype(int).tolist()
    [[1, 0, 0], [0, 0, 0]]
    """
    out = np.zeros(rates.shape, bool)
    for start in range(0, len(rates), _BLOCK):
        part = rates[start : start + _BLOCK]
        order = np.argsort(-part, axis=1, kind="stable")[:, :_MOST_LABELS]
        sizes = _expectations(np.take_along_axis(part, order, axis=1)).round(12).argmax(axis=1)
        chosen = np.arange(order.shape[1]) < sizes[:, None]
        np.put_along_axis(out[start : start + _BLOCK], order, chosen, axis=1)
    return out


def _expectations(rates: Floats) -> Floats:
    """Expected F1 (n_rows, most + 1) of predicting the first 0, 1, 2, ... labels; rates are sorted, highest first."""
    n_rows, n_labels = rates.shape
    most = min(n_labels, _MOST_PREDICTED)
    behind = _sums_behind(rates, most)
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


def _sums_behind(rates: Floats, most: int) -> list[Floats]:
    """Distributions of how many labels hold behind the first 0, 1, ..., `most`."""
    n_rows, n_labels = rates.shape
    current, out = np.ones((n_rows, 1)), list[Floats]()
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
