"""How good predictions are, label by label: one frozen summary that text, figures and pages are made from."""

from bncc.analysis.quality.averages import Averages, Interval
from bncc.analysis.quality.calibration_bins import Calibration
from bncc.analysis.quality.compared import KeptAnswers, best_method
from bncc.analysis.quality.cross_validated import cross_val_quality
from bncc.analysis.quality.cuts import ThresholdCurve
from bncc.analysis.quality.error_pairs import ErrorPair
from bncc.analysis.quality.error_rows import RowErrors
from bncc.analysis.quality.label_figures import Estimate, LabelQuality
from bncc.analysis.quality.methods_beside import LabelDuel, MethodStrength
from bncc.analysis.quality.predictions import Predictions, read_predictions
from bncc.analysis.quality.summary import MethodQuality, QualitySummary, summarise_methods, summarise_quality
from bncc.analysis.quality.worst_label import ExtremeLabel

__all__ = [
    "Averages",
    "Calibration",
    "ErrorPair",
    "Estimate",
    "ExtremeLabel",
    "Interval",
    "KeptAnswers",
    "LabelDuel",
    "LabelQuality",
    "MethodQuality",
    "MethodStrength",
    "Predictions",
    "QualitySummary",
    "RowErrors",
    "ThresholdCurve",
    "best_method",
    "cross_val_quality",
    "read_predictions",
    "summarise_methods",
    "summarise_quality",
]
