"""Averaging as a wrapper: any binary metric on counts becomes a multi-label metric."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

import numpy as np

from bncc._typing import Average, Floats, Labels, Weights, ZeroDivision
from bncc.metrics._inputs import read_average, read_zero_division
from bncc.metrics.confusion import Comparison, Confusion, compare

__all__ = ["AveragedMetric", "averaged", "mean_defined"]


#: ``(tp, fp, fn, tn, **options) -> array`` of one shape, NaN where undefined.
BinaryMetric: TypeAlias = Callable[..., Floats]


@dataclass(frozen=True)
class AveragedMetric:
    """A multi-label metric made by `averaged`; call it with `Y_true` and `Y_pred`, or with a `Comparison`."""

    binary_metric: BinaryMetric
    average: Average | None
    name: str

    @property
    def __name__(self) -> str:
        return self.name

    def __call__(
        self,
        Y_true: Labels | Comparison,
        Y_pred: Labels | None = None,
        *,
        zero_division: ZeroDivision = "empty",
        sample_weight: Weights | None = None,
    ) -> float | Floats:
        """The averaged value (float), or an array with one value per label for ``average=None``.

        `zero_division` ("empty", 0.0, 1.0 or nan) stands in wherever the binary metric is undefined. "empty" counts 1
        for a row with neither true nor predicted labels (averages over examples) and 0 for all else; nan leaves a label
        or example out of the average, and the result is nan if all are.
        """
        rule = read_zero_division(zero_division)
        comparison = compare(Y_true, Y_pred, sample_weight=sample_weight)
        values = self.of_cells(_cells(comparison, self.average), rule)
        if comparison.known is not None and self.average in ("macro", "weighted", None):
            values = np.where(comparison.known.per_label > 0, values, np.nan)  # nothing is known of the label
        if self.average is None:
            return values
        return mean_defined(values, _weights(comparison, self.average))

    def of_cells(self, cells: Confusion, zero_division: ZeroDivision = "empty") -> Floats:
        """The values before they are averaged, with what stands in for undefined ones."""
        with np.errstate(divide="ignore", invalid="ignore"):
            values = np.asarray(self.binary_metric(*cells), np.float64)
        return np.where(np.isnan(values), _fillers(cells, self.average, zero_division), values)


def averaged(
    binary_metric: BinaryMetric, average: str | None, *, name: str | None = None, **options: float
) -> AveragedMetric:
    """Turn a binary metric on counts into a multi-label metric.

    Parameters
    ----------
    binary_metric : callable ``(tp, fp, fn, tn) -> array``
        See `bncc.metrics.binary`; NaN (0/0) where undefined.
    average : {"macro", "micro", "weighted", "example"} or None
        "macro": mean over labels. "weighted": mean over labels, weighted by how often they occur in `Y_true`
        (a plain mean if none does). "micro": of the counts pooled over labels. "example": mean over rows
        (scikit-learn's "samples"). None: one value per label.
    name : str, optional
        Name shown by scorers.
    **options
        Passed on to the binary metric, as ``beta`` of `binary.f_beta`.

    >>> specificity = averaged(lambda tp, fp, fn, tn: tn / (tn + fp), "macro")
    >>> specificity([[1, 0], [0, 0], [0, 1]], [[1, 0], [1, 0], [0, 1]])
    0.75
    """
    which = read_average(average)
    function = partial(binary_metric, **options) if options else binary_metric
    if name is None:
        name = f"{which or 'per_label'}_{getattr(binary_metric, '__name__', 'metric')}"
    return AveragedMetric(function, which, name)


def mean_defined(values: Floats, weights: Floats | None = None) -> float:
    """Mean of the values that are not NaN; weights that are all zero count as equal. NaN if nothing is defined."""
    defined = ~np.isnan(values)
    if not defined.all():
        values = values[defined]
        weights = None if weights is None else weights[defined]
    if values.size == 0:
        return float("nan")
    if weights is None or not weights.any():
        return float(values.mean())
    return float(values @ weights / weights.sum())


def _fillers(cells: Confusion, average: Average | None, rule: ZeroDivision) -> Floats | float:
    """What stands in for each undefined value; a row without any label, as predicted, is right."""
    if rule != "empty":
        return float(rule)
    return (cells.tp + cells.fp + cells.fn == 0).astype(np.float64) if average == "example" else 0.0


def _cells(comparison: Comparison, average: Average | None) -> Confusion:
    if average == "micro":
        return comparison.pooled
    return comparison.per_example if average == "example" else comparison.per_label


def _weights(comparison: Comparison, average: Average | None) -> Floats | None:
    if average == "weighted":
        return comparison.actual.per_label
    return comparison.row_weight if average == "example" else None
