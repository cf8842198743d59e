"""The value of every threshold of one label at once: rows by falling score, and what each changes when predicted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from bncc._typing import Bools, Floats, Longs
from bncc.metrics.averaging import AveragedMetric
from bncc.metrics.confusion import Comparison, Confusion

__all__ = ["LabelColumn", "values_of_cuts"]


@dataclass(frozen=True, eq=False)
class LabelColumn:
    """One label of some rows.

    Attributes
    ----------
    label : int
    scores, truth, predicted : arrays of shape (n_rows,)
        What is cut, what holds, and what the counts have as predicted.
    known : array of shape (n_rows,), bool, or a slice of all rows
        Where the label is known; elsewhere it is predicted nowhere.
    """

    label: int
    scores: Floats
    truth: Bools
    predicted: Bools
    known: Bools | slice

    def falling(self) -> Longs:
        """The known rows, highest score first; what is no number comes last."""
        rows = np.arange(self.scores.size)[self.known]
        return rows[np.argsort(-self._numbers()[rows], kind="stable")]

    def predicted_by(self, cuts: Floats) -> Longs:
        """How many of the known rows have a score above each threshold."""
        ascending = np.sort(self._numbers()[self.known])
        return ascending.size - np.searchsorted(ascending, cuts, side="right")

    def _numbers(self) -> Floats:
        return np.where(np.isnan(self.scores), -np.inf, self.scores)


def values_of_cuts(
    metric: Callable[..., object], counts: Comparison, column: LabelColumn, cuts: Floats
) -> Floats | None:
    """An average of `bncc.metrics` at each threshold of a label, other labels as counted; None for other metrics.

    >>> from bncc.metrics import compare, micro_f1
    >>> truth, predicted = np.array([[True], [True], [False]]), np.zeros((3, 1), bool)
    >>> column = LabelColumn(0, np.array([0.9, 0.4, 0.6]), truth[:, 0], predicted[:, 0], slice(None))
    >>> values_of_cuts(micro_f1, compare(truth, predicted), column, np.array([0.3, 0.5, 0.8])).round(2).tolist()
    [0.8, 0.5, 0.67]
    """
    if not isinstance(metric, AveragedMetric):
        return None
    weight = np.ones(counts.n_rows) if counts.row_weight is None else counts.row_weight
    if not weight.any():
        return None
    if metric.average == "example":
        return _means_over_rows(metric, counts, column, weight, cuts)
    cells = _cells_of_cuts(counts, column, weight, cuts)
    if metric.average == "micro":
        others = [np.delete(part, column.label).sum() for part in counts.per_label]
        return metric.of_cells(Confusion(*(part + other for part, other in zip(cells, others, strict=True))))
    return _means_over_labels(metric, counts, column.label, cells)


def _means_over_rows(
    metric: AveragedMetric, counts: Comparison, column: LabelColumn, weight: Floats, cuts: Floats
) -> Floats:
    """What rows are worth without the label, and what is gained by each that is predicted."""
    cells, ones = counts.per_example, np.ones(counts.n_rows)
    hit, made = (column.truth & column.predicted)[column.known], column.predicted[column.known]
    total = sum(cells)
    hits, predicted = cells.tp.copy(), (cells.tp + cells.fp).copy()
    hits[column.known] -= hit
    predicted[column.known] -= made
    without = metric.of_cells(_confusion(hits, cells.tp + cells.fn, predicted, total))
    having = metric.of_cells(_confusion(hits + column.truth, cells.tp + cells.fn, predicted + ones, total))
    gains = np.append(0.0, np.cumsum((weight * (having - without))[column.falling()]))
    return (weight @ without + gains[column.predicted_by(cuts)]) / weight.sum()


def _cells_of_cuts(counts: Comparison, column: LabelColumn, weight: Floats, cuts: Floats) -> Confusion:
    """Confusion of the label at each threshold."""
    falling, n_predicted = column.falling(), column.predicted_by(cuts)
    made = np.append(0.0, np.cumsum(weight[falling]))[n_predicted]
    hits = np.append(0.0, np.cumsum((weight * column.truth)[falling]))[n_predicted]
    now = Confusion(*(part[column.label] for part in counts.per_label))
    return _confusion(hits, now.tp + now.fn, made, sum(now))


def _means_over_labels(metric: AveragedMetric, counts: Comparison, label: int, cells: Confusion) -> Floats | None:
    """Other labels stay as they are; those of which nothing is known are left out."""
    share = counts.actual.per_label if metric.average == "weighted" else np.ones(counts.n_labels)
    if counts.known is not None:
        share = np.where(counts.known.per_label > 0, share, 0.0)
    if metric.average is None or not share.any():
        return None
    others = np.delete(share * metric.of_cells(counts.per_label), label).sum()
    return (others + share[label] * metric.of_cells(cells)) / share.sum()


def _confusion(hits: Floats, actual: Floats, predicted: Floats, total: Floats | float) -> Confusion:
    return Confusion(hits, predicted - hits, actual - hits, total - actual - predicted + hits)
