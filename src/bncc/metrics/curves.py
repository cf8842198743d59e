"""Area under the ROC curve and average precision, per label and averaged, from scores (n_rows, n_labels)."""

from __future__ import annotations

from collections.abc import Callable
from typing import overload

import numpy as np

from bncc._typing import CSC, CSR, Bools, Floats, Labels, ScoreMatrix, Weights, ZeroDivision
from bncc.metrics._inputs import dense_labels, read_average, read_filler
from bncc.metrics._pairs import read_scored
from bncc.metrics.averaging import mean_defined

__all__ = [
    "UndefinedMetricError",
    "average_precision",
    "macro_auc",
    "macro_average_precision",
    "micro_auc",
    "micro_average_precision",
    "roc_auc",
]


class UndefinedMetricError(ValueError):
    """A metric has no value on this data, whatever the prediction."""


@overload
def roc_auc(
    Y_true: Labels, Y_score: ScoreMatrix, *, average: str = "macro", sample_weight: Weights | None = None
) -> float: ...
@overload
def roc_auc(Y_true: Labels, Y_score: ScoreMatrix, *, average: None, sample_weight: Weights | None = None) -> Floats: ...
def roc_auc(
    Y_true: Labels, Y_score: ScoreMatrix, *, average: str | None = "macro", sample_weight: Weights | None = None
) -> float | Floats:
    """Area under the ROC curve: how often a positive scores above a negative, ties counting half.

    It is undefined for a label (a row, with ``average="example"``) that has only positives or only negatives. Such
    labels are left out of the average; if none remains, an `UndefinedMetricError` is raised. With ``average=None`` the
    result is an array of shape (n_labels,), NaN where undefined. Averages as in `averaged`.

    >>> roc_auc([[1, 0, 0], [0, 1, 0], [1, 1, 0]], [[0.9, 0.2, 0.1], [0.3, 0.2, 0.3], [0.2, 0.4, 0.6]], average=None)
    array([0.5 , 0.75,  nan])
    """
    values, weights = _values(_auc, Y_true, Y_score, average, sample_weight)
    if read_average(average) is None:
        return values
    if np.isnan(values).all():
        raise UndefinedMetricError(
            "AUC needs a label with both a positive and a negative row; here every label has only one of them. "
            "Use more rows, or a stratified split."
        )
    return mean_defined(values, weights)


@overload
def average_precision(
    Y_true: Labels,
    Y_score: ScoreMatrix,
    *,
    average: str = "macro",
    zero_division: ZeroDivision = 0.0,
    sample_weight: Weights | None = None,
) -> float: ...
@overload
def average_precision(
    Y_true: Labels,
    Y_score: ScoreMatrix,
    *,
    average: None,
    zero_division: ZeroDivision = 0.0,
    sample_weight: Weights | None = None,
) -> Floats: ...
def average_precision(
    Y_true: Labels,
    Y_score: ScoreMatrix,
    *,
    average: str | None = "macro",
    zero_division: ZeroDivision = 0.0,
    sample_weight: Weights | None = None,
) -> float | Floats:
    """Area under the precision-recall curve as a step function: sum over thresholds of (gain in recall) x precision.

    For a label without positives it is undefined and counts `zero_division` (0.0, as in scikit-learn; 1.0; nan leaves
    it out). With ``average=None`` the result is an array of shape (n_labels,). Averages as in `averaged`.

    >>> average_precision([[1, 0], [0, 1], [1, 1]], [[0.9, 0.2], [0.3, 0.2], [0.2, 0.4]], average=None).round(3)
    array([0.833, 0.833])
    """
    filler = read_filler(zero_division)
    values, weights = _values(_step_area, Y_true, Y_score, average, sample_weight)
    values = np.where(np.isnan(values), filler, values)
    return values if read_average(average) is None else mean_defined(values, weights)


def macro_auc(Y_true: Labels, Y_score: ScoreMatrix, *, sample_weight: Weights | None = None) -> float:
    """`roc_auc`, mean over labels."""
    return roc_auc(Y_true, Y_score, average="macro", sample_weight=sample_weight)


def micro_auc(Y_true: Labels, Y_score: ScoreMatrix, *, sample_weight: Weights | None = None) -> float:
    """`roc_auc` over all (row, label) cells."""
    return roc_auc(Y_true, Y_score, average="micro", sample_weight=sample_weight)


def macro_average_precision(
    Y_true: Labels, Y_score: ScoreMatrix, *, zero_division: ZeroDivision = 0.0, sample_weight: Weights | None = None
) -> float:
    """`average_precision`, mean over labels."""
    return average_precision(Y_true, Y_score, average="macro", zero_division=zero_division, sample_weight=sample_weight)


def micro_average_precision(
    Y_true: Labels, Y_score: ScoreMatrix, *, zero_division: ZeroDivision = 0.0, sample_weight: Weights | None = None
) -> float:
    """`average_precision` over all (row, label) cells."""
    return average_precision(Y_true, Y_score, average="micro", zero_division=zero_division, sample_weight=sample_weight)


def _values(
    area: Callable[[Floats, Floats], float],
    Y_true: Labels,
    Y_score: ScoreMatrix,
    average: str | None,
    sample_weight: Weights | None,
) -> tuple[Floats, Floats | None]:
    """The area for each label (row, or the pooled cells), NaN where undefined, and the weights of their mean."""
    which = read_average(average)
    true, unknown, scores, weight = read_scored(Y_true, Y_score, sample_weight)
    if which == "micro":
        weight = None if weight is None else np.repeat(weight, true.shape[1])
        hidden = None if unknown is None else dense_labels(unknown).ravel()
        return np.array([area(*_known_curve(dense_labels(true).ravel(), scores.ravel(), weight, hidden))]), None
    if which == "example":
        return _per_column(area, true.T, scores.T, None, None if unknown is None else unknown.T), weight
    positives = (np.ones(true.shape[0]) if weight is None else weight) @ true if which == "weighted" else None
    return _per_column(area, true, scores, weight, unknown), positives


def _per_column(
    area: Callable[[Floats, Floats], float],
    true: Bools | CSR | CSC,
    scores: Floats,
    weight: Floats | None,
    unknown: Bools | CSR | CSC | None,
) -> Floats:
    columns = true if isinstance(true, np.ndarray) else true.tocsc()
    hidden = unknown if unknown is None or isinstance(unknown, np.ndarray) else unknown.tocsc()
    out = np.full(scores.shape[1], np.nan)
    for j in range(scores.shape[1]):
        lost = None if hidden is None else _column(hidden, j)
        if lost is None or not lost.all():
            out[j] = area(*_known_curve(_column(columns, j), scores[:, j], weight, lost))
    return out


def _known_curve(true: Bools, scores: Floats, weight: Floats | None, unknown: Bools | None) -> tuple[Floats, Floats]:
    """`_curve` of the cells whose label is known."""
    if unknown is None or not unknown.any():
        return _curve(true, scores, weight)
    known = ~unknown
    return _curve(true[known], scores[known], None if weight is None else weight[known])


def _column(true: Bools | CSC, label: int) -> Bools:
    """One column as a dense vector; at most one column of a sparse matrix is dense at a time."""
    if isinstance(true, np.ndarray):
        return true[:, label]
    out = np.zeros(true.shape[0], np.bool_)
    out[true.indices[true.indptr[label] : true.indptr[label + 1]]] = True
    return out


def _curve(true: Bools, scores: Floats, weight: Floats | None) -> tuple[Floats, Floats]:
    """(Weighted) true and false positives at each distinct threshold, from the highest score down."""
    order = np.argsort(-scores, kind="stable")
    scores, true = scores[order], true[order]
    cell = np.ones(scores.size) if weight is None else weight[order]
    last_of_tie = np.append(scores[1:] != scores[:-1], True)
    return np.cumsum(cell * true)[last_of_tie], np.cumsum(cell * ~true)[last_of_tie]


def _auc(tp: Floats, fp: Floats) -> float:
    if tp[-1] == 0 or fp[-1] == 0:
        return float("nan")
    heights = (tp + np.concatenate(([0.0], tp[:-1]))) / 2
    return float(heights @ np.diff(fp, prepend=0.0) / (tp[-1] * fp[-1]))


def _step_area(tp: Floats, fp: Floats) -> float:
    if tp[-1] == 0:
        return float("nan")
    seen = tp + fp
    precision = np.divide(tp, seen, out=np.zeros_like(tp), where=seen > 0)
    return float(np.diff(tp, prepend=0.0) @ precision / tp[-1])
