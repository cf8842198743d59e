"""F1, precision and recall over all labels, micro and macro, with intervals.

The standard error is that which a bootstrap of rows tends to (the infinitesimal jackknife): the change of the average
with the weight of each row, squared and summed. It needs no random numbers.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from bncc._typing import CSR, Floats
from bncc.analysis.quality.label_figures import count_cells
from bncc.analysis.quality.predictions import Predictions
from bncc.analysis.quality.shares import mean_ends

__all__ = ["Averages", "Interval", "overall_figures"]


@dataclass(frozen=True)
class Interval:
    """A figure with the ends of its interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Averages:
    """Over all cells (micro) and as means over labels (macro), where 0/0 counts 0."""

    micro_precision: Interval
    micro_recall: Interval
    micro_f1: Interval
    macro_precision: Interval
    macro_recall: Interval
    macro_f1: Interval


def overall_figures(found: Predictions, alpha: float = 0.05) -> Averages:
    """Averages of the figures of all labels.

    >>> from bncc.analysis.quality.predictions import read_predictions
    >>> found = read_predictions([[1, 0], [1, 1], [0, 1]], [[0.9, 0.2], [0.4, 0.8], [0.7, 0.9]])
    >>> overall_figures(found).macro_f1.value
    0.75
    """
    counts = count_cells(found)
    cells = tuple(sparse.csr_array(each.astype(np.float64)) for each in (found.truth & found.predicted, found.truth))
    tp, true = cells
    said = sparse.csr_array(found.predicted.astype(np.float64))
    n_rows = float(found.known.any(axis=1).sum())
    parts = {
        "precision": (1.0, counts.predicted, said),
        "recall": (1.0, counts.true, true),
        "f1": (2.0, counts.true + counts.predicted, sparse.csr_array(true + said)),
    }
    out = {}
    for name, (factor, whole, whole_cells) in parts.items():
        out[f"micro_{name}"] = _micro(factor, (counts.tp, tp), (whole, whole_cells), n_rows, alpha)
        out[f"macro_{name}"] = _macro(factor, (counts.tp, tp), (whole, whole_cells), n_rows, alpha)
    return Averages(**out)


def _micro(factor: float, part: tuple[Floats, CSR], whole: tuple[Floats, CSR], n_rows: float, alpha: float) -> Interval:
    top, bottom = factor * part[0].sum(), whole[0].sum()
    if bottom == 0:
        return Interval(0.0, 0.0, 1.0)
    value = top / bottom
    change = (factor * part[1].sum(axis=1) - value * whole[1].sum(axis=1)) / bottom
    return _interval(float(value), change, n_rows, alpha)


def _macro(factor: float, part: tuple[Floats, CSR], whole: tuple[Floats, CSR], n_rows: float, alpha: float) -> Interval:
    safe = np.maximum(whole[0], 1.0)
    ratios = factor * part[0] / safe
    change = (part[1] @ (factor / safe) - whole[1] @ (ratios / safe)) / ratios.size
    return _interval(float(ratios.mean()), change, n_rows, alpha)


def _interval(value: float, change: Floats, n_rows: float, alpha: float) -> Interval:
    """The mean of a share with this change per row; without any variance as sure as its rows make it."""
    variance = float((np.asarray(change) ** 2).sum())
    trials = 1.0 if variance > 0 else n_rows
    ends = mean_ends(np.array([value]), np.array([variance]), np.array([trials]), alpha)
    return Interval(value, float(ends.low[0]), float(ends.high[0]))
