"""How good predictions are, as a page keeps it: columns instead of records, and figures rounded, to be small."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bncc.analysis.quality.averages import Averages
from bncc.analysis.quality.calibration_bins import Calibration
from bncc.analysis.quality.cuts import ThresholdCurve
from bncc.analysis.quality.error_pairs import ErrorPair
from bncc.analysis.quality.error_rows import RowErrors
from bncc.analysis.quality.methods_beside import MethodStrength
from bncc.analysis.quality.worst_label import ExtremeLabel

__all__ = ["FigureColumns", "MethodPart", "QualityPart"]


@dataclass(frozen=True)
class FigureColumns:
    """A figure of all labels: values, ends of their intervals alone, and of those for all at once."""

    value: tuple[float | None, ...]
    low: tuple[float | None, ...]
    high: tuple[float | None, ...]
    lowest: tuple[float | None, ...]
    highest: tuple[float | None, ...]


@dataclass(frozen=True)
class MethodPart:
    """One method: counts and figures by label, and everything else as in `MethodQuality`.

    `label_calibration` is left out of summaries with very many labels and methods.
    """

    method: str
    known: tuple[int, ...]
    support: tuple[int, ...]
    predicted: tuple[int, ...]
    figures: Mapping[str, FigureColumns]
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
class QualityPart:
    """Methods judged on the same rows; the first is shown first."""

    label_names: tuple[str, ...]
    n_rows: int
    confidence: float
    methods: tuple[MethodPart, ...]
    strengths: tuple[MethodStrength, ...] = ()
