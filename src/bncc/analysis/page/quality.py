"""From the quality of predictions to the part of a page that shows it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields, is_dataclass, replace
from typing import TypeVar

from bncc._versions import versions_now
from bncc.analysis.page.quality_part import FigureColumns, MethodPart, QualityPart
from bncc.analysis.page.reasons_part import ExplainedRow, MeasuredImportance, keep_importance, keep_reasons
from bncc.analysis.page.summary import Summary
from bncc.analysis.quality.label_figures import FIGURES
from bncc.analysis.quality.summary import MethodQuality, QualitySummary

__all__ = ["summarise_quality_part"]

_DIGITS = 5  # significant digits of what is shown
_MOST_CALIBRATED = 800  # labels x methods with a calibration curve of their own

T = TypeVar("T")


def summarise_quality_part(
    quality: QualitySummary,
    *,
    title: str = "Quality by label",
    reasons: Iterable[ExplainedRow] = (),
    importance: Iterable[MeasuredImportance] = (),
) -> Summary:
    """The quality of predictions for a page, with reasons of rows and importance of features where there are any.

    Parameters
    ----------
    quality : QualitySummary
    title : str
    reasons : rows of `bncc.multilabel.explain`, or anything with their fields
        Their numbers must be those of the rows that were judged.
    importance : entries of `bncc.analysis.column_importance`, or anything with their fields

    >>> from bncc.analysis.quality import summarise_quality
    >>> part = summarise_quality_part(summarise_quality([[1, 0], [1, 1]], [[0.9, 0.2], [0.4, 0.8]])).quality
    >>> part.methods[0].figures["f1"].value
    (0.66667, 1.0)
    """
    calibrated = len(quality.methods) * len(quality.label_names) <= _MOST_CALIBRATED
    methods = tuple(_method(method, calibrated=calibrated) for method in quality.methods)
    part = QualityPart(quality.label_names, quality.n_rows, quality.confidence, methods, rounded(quality.strengths))
    return Summary(
        title, quality=part, reasons=rounded(keep_reasons(reasons)), importance=rounded(keep_importance(importance)),
        versions=versions_now(),
    )  # fmt: skip


def rounded(value: T) -> T:
    """The same records and tuples with floats of a few significant digits.

    >>> rounded((0.123456789, (1, "a", None)))
    (0.12346, (1, 'a', None))
    """
    return _rounded(value)  # type: ignore[return-value]


def _rounded(value: object) -> object:
    if isinstance(value, float):
        return float(f"{value:.{_DIGITS}g}")
    if isinstance(value, tuple):
        return tuple(_rounded(entry) for entry in value)
    if is_dataclass(value) and not isinstance(value, type):
        return replace(value, **{field.name: _rounded(getattr(value, field.name)) for field in fields(value)})
    return value


def _method(quality: MethodQuality, *, calibrated: bool) -> MethodPart:
    labels = quality.labels
    figures = {}
    for name in FIGURES:
        estimates = [getattr(label, name) for label in labels]
        columns = {end.name: tuple(getattr(each, end.name) for each in estimates) for end in fields(FigureColumns)}
        figures[name] = rounded(FigureColumns(**columns))
    return MethodPart(
        method=quality.method,
        known=tuple(label.known for label in labels),
        support=tuple(label.support for label in labels),
        predicted=tuple(label.predicted for label in labels),
        figures=figures,
        averages=rounded(quality.averages),
        worst=rounded(quality.worst),
        best=rounded(quality.best),
        curves=rounded(quality.curves),
        calibration=rounded(quality.calibration),
        label_calibration=rounded(quality.label_calibration) if calibrated else (),
        confused=rounded(quality.confused),
        missed_together=rounded(quality.missed_together),
        rows=rounded(quality.rows),
    )
