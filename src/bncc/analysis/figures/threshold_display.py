"""What moving the threshold of a label would do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bncc.analysis.figures.quality_display import QualityDisplay
from bncc.analysis.figures.style import BLUE, COLOURS, GREY, ORANGE
from bncc.analysis.quality.summary import QualitySummary
from bncc.analysis.quality.worst_label import rank_labels
from bncc.structure.draw import cut_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["LabelThresholdDisplay"]


class LabelThresholdDisplay(QualityDisplay):
    """Precision, recall and F1 of one label against its threshold; a line at the one in use, a dot at the highest F1.

    Parameters
    ----------
    summary, method : as in `QualityDisplay`
    label : name or position, default=None
        By default the label with the lowest F1.
    """

    def __init__(self, summary: QualitySummary, method: str | None = None, label: str | int | None = None) -> None:
        super().__init__(summary, method)
        self.label = label

    def _draw(self, ax: Axes) -> None:
        quality = self._quality
        if not quality.curves:
            raise ValueError("Curves need scores; these predictions have none. Hand over `Y_score`.")
        worst = rank_labels(quality.labels)[:1] or [0]
        (label,) = self._labels(None if self.label is None else [self.label], worst)
        curve = quality.curves[label]
        figures = (("precision", curve.precision(), "--", ORANGE), ("recall", curve.recall(), ":", COLOURS[2]))
        for name, values, style, colour in (*figures, ("F1", curve.f1(), "-", BLUE)):
            ax.plot(curve.thresholds, values, style, color=colour, label=name)
        ax.axvline(curve.thresholds[curve.current], color=GREY, linewidth=1, label="in use")
        best = (curve.thresholds[curve.best], curve.f1()[curve.best])
        ax.plot(*best, "o", color=BLUE, label=f"highest F1, {best[1]:.2f}")
        ax.set(ylim=(-0.02, 1.04), xlabel="threshold")
        ax.set_title(f"{quality.method}: {cut_name(quality.labels[label].name)}")
        ax.grid()
        ax.legend(loc="best", fontsize="small")
