"""Figures for papers and pages: every function gives a matplotlib figure, `save_figure` writes PDF, SVG or PNG.

Displays of quality are used as those of scikit-learn: ``LabelQualityDisplay.from_predictions(Y, scores)``.
"""

from bncc.analysis.figures.calibration_display import LabelCalibrationDisplay
from bncc.analysis.figures.confusion_display import ConfusedLabelsDisplay
from bncc.analysis.figures.dependence import dependence_figure, signed_dependence
from bncc.analysis.figures.fold_scores import fold_figure
from bncc.analysis.figures.label_network import network_figure, save_network
from bncc.analysis.figures.label_quality_display import LabelQualityDisplay
from bncc.analysis.figures.network_front import front_figure
from bncc.analysis.figures.network_panels import network_panels
from bncc.analysis.figures.precision_recall_display import LabelPrecisionRecallDisplay
from bncc.analysis.figures.quality_display import QualityDisplay
from bncc.analysis.figures.ranks import rank_figure
from bncc.analysis.figures.reasons import importance_figure, reasons_figure
from bncc.analysis.figures.residual_heat_maps import residual_figure
from bncc.analysis.figures.seconds import seconds_figure
from bncc.analysis.figures.sensitivity import sensitivity_figure
from bncc.analysis.figures.style import save_figure
from bncc.analysis.figures.threshold_display import LabelThresholdDisplay

__all__ = [
    "ConfusedLabelsDisplay",
    "LabelCalibrationDisplay",
    "LabelPrecisionRecallDisplay",
    "LabelQualityDisplay",
    "LabelThresholdDisplay",
    "QualityDisplay",
    "dependence_figure",
    "fold_figure",
    "front_figure",
    "importance_figure",
    "network_figure",
    "network_panels",
    "rank_figure",
    "reasons_figure",
    "residual_figure",
    "save_figure",
    "save_network",
    "seconds_figure",
    "sensitivity_figure",
    "signed_dependence",
]
