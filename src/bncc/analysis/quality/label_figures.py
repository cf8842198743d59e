"""Figures of each label: support, precision, recall, F1, AUC, average precision and Brier score, with intervals."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from bncc._typing import Floats
from bncc.analysis.quality.predictions import Predictions
from bncc.analysis.quality.shares import Ends, auc_ends, f1_ends, mean_ends, share_ends
from bncc.metrics import average_precision, roc_auc

__all__ = ["FIGURES", "Estimate", "LabelQuality", "count_cells", "label_figures", "make_estimate"]

#: What is measured per label; of the Brier score lower is better.
FIGURES = ("precision", "recall", "f1", "auc", "average_precision", "brier")


@dataclass(frozen=True)
class Estimate:
    """A figure and its intervals; all None where it is not defined (precision of a label that was never predicted).

    Attributes
    ----------
    low, high : float
        Ends of the interval of this figure alone.
    lowest, highest : float
        Ends of the interval that holds for all labels at once: with it labels can be compared, and the worst picked.
    """

    value: float | None
    low: float | None
    high: float | None
    lowest: float | None
    highest: float | None


@dataclass(frozen=True)
class LabelQuality:
    """How well a label is predicted.

    Attributes
    ----------
    name : str
    known, support, predicted : int
        Rows in which the label is known, in which it holds, and in which it is predicted.
    threshold : float
        A label is predicted where its score is above.
    precision, recall, f1, auc, average_precision, brier : Estimate
        The last three need scores, and the Brier score probabilities.
    best_threshold, best_f1 : float or None
        The threshold with the highest F1 on these very rows, and that F1: what moving it could bring at most.
    """

    name: str
    known: int
    support: int
    predicted: int
    threshold: float
    precision: Estimate
    recall: Estimate
    f1: Estimate
    auc: Estimate
    average_precision: Estimate
    brier: Estimate
    best_threshold: float | None = None
    best_f1: float | None = None


@dataclass(frozen=True, eq=False)
class Counts:
    """Per label: cells known, true, predicted, and both true and predicted."""

    known: Floats
    true: Floats
    predicted: Floats
    tp: Floats

    @property
    def union(self) -> Floats:
        """Cells that are true or predicted."""
        return self.true + self.predicted - self.tp


def count_cells(found: Predictions) -> Counts:
    """Count the cells of every label."""
    cells = (found.known, found.truth, found.predicted, found.truth & found.predicted)
    return Counts(*(each.sum(axis=0).astype(np.float64) for each in cells))


def label_figures(found: Predictions, names: Sequence[str], alpha: float = 0.05) -> tuple[LabelQuality, ...]:
    """All figures of all labels, with intervals at a level of `alpha`.

    Labels that hold in some row are compared with each other; intervals for all at once know their number.

    >>> from bncc.analysis.quality.predictions import read_predictions
    >>> found = read_predictions([[1, 0], [1, 1], [0, 1]], [[0.9, 0.2], [0.4, 0.8], [0.7, 0.9]])
    >>> [(label.name, label.f1.value) for label in label_figures(found, ["sun", "warm"])]
    [('sun', 0.5), ('warm', 1.0)]
    """
    counts = count_cells(found)
    figures = _all_estimates(found, counts, alpha)
    columns = zip(counts.known, counts.true, counts.predicted, found.thresholds, strict=True)
    return tuple(
        LabelQuality(
            name,
            int(known),
            int(true),
            int(predicted),
            float(cut),
            figures["precision"][label],
            figures["recall"][label],
            figures["f1"][label],
            figures["auc"][label],
            figures["average_precision"][label],
            figures["brier"][label],
        )
        for label, (name, (known, true, predicted, cut)) in enumerate(zip(names, columns, strict=True))
    )


def make_estimate(value: float, alone: tuple[float, float], together: tuple[float, float]) -> Estimate:
    """An estimate from plain numbers; NaN means that it is not defined."""
    if math.isnan(value):
        return Estimate(None, None, None, None, None)
    return Estimate(value, *alone, *together)


def _all_estimates(found: Predictions, counts: Counts, alpha: float) -> dict[str, list[Estimate]]:
    n_compared = max(1, int((counts.true > 0).sum()))
    out = {}
    for key in FIGURES:
        values, ends = _figure(key, found, counts)
        alone, together = ends(alpha), ends(alpha / n_compared)
        rows = zip(values, alone.low, alone.high, together.low, together.high, strict=True)
        out[key] = [
            make_estimate(float(value), (float(low), float(high)), (float(lowest), float(highest)))
            for value, low, high, lowest, highest in rows
        ]
    return out


def _figure(key: str, found: Predictions, counts: Counts) -> tuple[Floats, Callable[[float], Ends]]:
    """A figure of all labels, and its intervals at any level."""
    if key == "precision":
        return _ratio(counts.tp, counts.predicted), partial(share_ends, counts.tp, counts.predicted)
    if key == "recall":
        return _ratio(counts.tp, counts.true), partial(share_ends, counts.tp, counts.true)
    if key == "f1":
        return _ratio(2 * counts.tp, counts.true + counts.predicted), partial(f1_ends, counts.tp, counts.union)
    if key == "brier":
        return _brier(found, counts)
    values = _ranked_figure(key, found, counts)
    if key == "auc":
        return values, partial(auc_ends, values, counts.true, counts.known - counts.true)
    return values, partial(share_ends, np.nan_to_num(values) * counts.true, counts.true)


def _ranked_figure(key: str, found: Predictions, counts: Counts) -> Floats:
    """AUC or average precision; NaN without scores, positives or (for AUC) negatives."""
    out = np.full(found.n_labels, np.nan)
    if found.scores is None:
        return out
    some = np.flatnonzero((counts.true > 0) & ((key != "auc") | (counts.true < counts.known)))
    if some.size:
        Y = np.where(found.known[:, some], found.truth[:, some].astype(np.float64), np.nan)
        measure = roc_auc if key == "auc" else average_precision
        out[some] = measure(Y, found.scores[:, some], average=None)
    return out


def _brier(found: Predictions, counts: Counts) -> tuple[Floats, Callable[[float], Ends]]:
    if found.probabilities is None:
        nothing = np.full(found.n_labels, np.nan)
        return nothing, lambda alpha: Ends(nothing, nothing)
    errors = np.where(found.known, (found.probabilities - found.truth) ** 2, 0.0)
    mean = _ratio(errors.sum(axis=0), counts.known)
    apart = np.where(found.known, (errors - mean) ** 2, 0.0).sum(axis=0)
    variance = _ratio(apart, counts.known * np.maximum(counts.known - 1, 1))
    return mean, partial(mean_ends, np.nan_to_num(mean), np.nan_to_num(variance), np.maximum(counts.known, 1))


def _ratio(part: Floats, whole: Floats) -> Floats:
    return np.divide(part, whole, out=np.full(part.shape, np.nan), where=whole > 0)
