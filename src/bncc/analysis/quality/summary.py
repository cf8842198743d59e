"""One frozen summary of how good predictions are: label by label, pair by pair, row by row, method by method."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from numpy.typing import ArrayLike

from bncc._checks import check_names
from bncc._typing import Labels, ScoreMatrix
from bncc.analysis.quality.averages import Averages, overall_figures
from bncc.analysis.quality.calibration_bins import Calibration, calibration_curves
from bncc.analysis.quality.cuts import ThresholdCurve, threshold_curves
from bncc.analysis.quality.error_pairs import ErrorPair, confused_labels, missed_together
from bncc.analysis.quality.error_rows import RowErrors, worst_rows
from bncc.analysis.quality.label_figures import LabelQuality, label_figures
from bncc.analysis.quality.methods_beside import MethodStrength, method_strengths
from bncc.analysis.quality.predictions import Predictions, read_predictions
from bncc.analysis.quality.worst_label import ExtremeLabel, best_label, worst_label

__all__ = ["MethodQuality", "QualitySummary", "summarise_methods", "summarise_quality"]

#: Points of all curves of a summary together: what keeps it, and a page made from it, of bounded size.
MOST_POINTS = 80_000


@dataclass(frozen=True)
class MethodQuality:
    """How good one method's predictions are.

    Attributes
    ----------
    method : str
    labels : tuple of LabelQuality
    averages : Averages
        Over all labels.
    worst, best : ExtremeLabel or None
        By F1; None where no label holds in any row.
    curves : tuple of ThresholdCurve
        One per label; empty without scores.
    calibration : Calibration or None
        Of all labels together; None without probabilities.
    label_calibration : tuple of Calibration
        One per label.
    confused, missed_together : tuples of ErrorPair
    rows : tuple of RowErrors
        Those with the worst errors.
    """

    method: str
    labels: tuple[LabelQuality, ...]
    averages: Averages
    worst: ExtremeLabel | None
    best: ExtremeLabel | None
    curves: tuple[ThresholdCurve, ...]
    calibration: Calibration | None
    label_calibration: tuple[Calibration, ...]
    confused: tuple[ErrorPair, ...]
    missed_together: tuple[ErrorPair, ...]
    rows: tuple[RowErrors, ...]


@dataclass(frozen=True)
class QualitySummary:
    """How good predictions are, by one method or by several on the same rows.

    Attributes
    ----------
    label_names : tuple of str
    n_rows : int
    confidence : float
        Of all intervals: rows are taken as drawn at random, fitted models as given.
    methods : tuple of MethodQuality
        As they were given; the first is the one that displays show.
    strengths : tuple of MethodStrength
        What each method gets right that others do not; empty for one method.
    """

    label_names: tuple[str, ...]
    n_rows: int
    confidence: float
    methods: tuple[MethodQuality, ...]
    strengths: tuple[MethodStrength, ...] = ()


def summarise_quality(
    Y_true: Labels,
    Y_score: ScoreMatrix | None = None,
    *,
    Y_pred: Labels | None = None,
    probabilities: ScoreMatrix | None = None,
    thresholds: ArrayLike | None = None,
    unknown: ArrayLike | None = None,
    rows: ArrayLike | None = None,
    label_names: Sequence[str] | None = None,
    method: str = "model",
    confidence: float = 0.95,
) -> QualitySummary:
    """Judge the predictions of any multi-label classifier.

    Parameters
    ----------
    Y_true, Y_score, Y_pred, probabilities, thresholds, unknown, rows : as in `read_predictions`
    label_names : sequence of str, default=None
        By default the columns of `Y_true`, else "0", "1" and so on.
    method : str, default="model"
        What the predictions are called.
    confidence : float, default=0.95
        Of all intervals.

    >>> summary = summarise_quality([[1, 0], [1, 1], [0, 1]], [[0.9, 0.2], [0.4, 0.8], [0.7, 0.9]])
    >>> worst = summary.methods[0].worst
    >>> summary.label_names[worst.label], worst.f1.value, worst.n_compared
    ('0', 0.5, 2)
    """
    found = read_predictions(
        Y_true,
        Y_score,
        Y_pred=Y_pred,
        probabilities=probabilities,
        thresholds=thresholds,
        unknown=unknown,
        rows=rows,
    )
    names = label_names if label_names is not None else _names_of(Y_true, found.n_labels)
    return summarise_methods({method: found}, names, confidence=confidence)


def summarise_methods(
    predictions: Mapping[str, Predictions], label_names: Sequence[str], *, confidence: float = 0.95
) -> QualitySummary:
    """Judge the predictions of several methods on the same rows; the first is the one that displays show."""
    if not predictions:
        raise ValueError("`predictions` must hold those of at least one method; got none.")
    if not 0.5 <= confidence < 1:
        raise ValueError(f"`confidence` must lie within 0.5 and 1; got {confidence}.")
    first = next(iter(predictions.values()))
    for name, found in predictions.items():
        if found.truth.shape != first.truth.shape or (found.truth != first.truth).any():
            raise ValueError(f"`predictions` must be for the same rows and labels; those of {name!r} are not.")
    names = check_names(label_names, first.n_labels)
    points = max(12, min(64, MOST_POINTS // (len(predictions) * first.n_labels)))
    alpha = 1 - confidence
    methods = tuple(_judge(name, found, names, alpha, points) for name, found in predictions.items())
    return QualitySummary(names, first.n_rows, confidence, methods, method_strengths(predictions, alpha))


def _judge(name: str, found: Predictions, names: tuple[str, ...], alpha: float, points: int) -> MethodQuality:
    curves = threshold_curves(found, points)
    labels = _with_best(label_figures(found, names, alpha), curves)
    calibration = calibration_curves(found, alpha)
    return MethodQuality(
        method=name,
        labels=labels,
        averages=overall_figures(found, alpha),
        worst=worst_label(labels),
        best=best_label(labels),
        curves=curves,
        calibration=None if calibration is None else calibration[0],
        label_calibration=() if calibration is None else calibration[1],
        confused=confused_labels(found),
        missed_together=missed_together(found),
        rows=worst_rows(found),
    )


def _with_best(labels: tuple[LabelQuality, ...], curves: tuple[ThresholdCurve, ...]) -> tuple[LabelQuality, ...]:
    if not curves:
        return labels
    out = []
    for label, curve in zip(labels, curves, strict=True):
        if not curve.support:
            out.append(label)
            continue
        tp, fp = curve.tp[curve.best], curve.fp[curve.best]
        f1 = 2 * tp / (tp + fp + curve.support)
        out.append(replace(label, best_threshold=curve.thresholds[curve.best], best_f1=f1))
    return tuple(out)


def _names_of(Y_true: Labels, n_labels: int) -> Sequence[str]:
    columns = getattr(Y_true, "columns", None)
    return [str(name) for name in (range(n_labels) if columns is None else columns)]
