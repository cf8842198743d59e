"""Precision-recall curves of labels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from bncc.analysis.figures.quality_display import QualityDisplay
from bncc.analysis.figures.style import COLOURS
from bncc.analysis.quality.summary import QualitySummary
from bncc.analysis.quality.worst_label import rank_labels
from bncc.structure.draw import cut_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["LabelPrecisionRecallDisplay"]

_FEW = 6
_STYLES = ("-", "--", ":", "-.")


class LabelPrecisionRecallDisplay(QualityDisplay):
    """Precision against recall of some labels, with a mark at the threshold in use.

    Parameters
    ----------
    summary, method : as in `QualityDisplay`
    labels : sequence of names or positions, default=None
        By default the six labels with the lowest F1.
    """

    def __init__(
        self, summary: QualitySummary, method: str | None = None, labels: Sequence[str | int] | None = None
    ) -> None:
        super().__init__(summary, method)
        self.labels = labels

    def _draw(self, ax: Axes) -> None:
        quality = self._quality
        if not quality.curves:
            raise ValueError("Curves need scores; these predictions have none. Hand over `Y_score`.")
        for i, label in enumerate(self._labels(self.labels, rank_labels(quality.labels)[:_FEW])):
            curve, figures = quality.curves[label], quality.labels[label]
            colour, style = COLOURS[i % len(COLOURS)], _STYLES[i // len(COLOURS) % len(_STYLES)]
            recall, precision = curve.recall(), curve.precision()
            average = figures.average_precision.value
            name = cut_name(figures.name) + ("" if average is None else f", AP {average:.2f}")
            ax.plot(recall, precision, style, color=colour, label=name)
            ax.plot(recall[curve.current], precision[curve.current], "o", color=colour, markersize=6)
        ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.04), xlabel="recall", ylabel="precision")
        ax.set_title(f"{quality.method}: precision and recall (dots: thresholds in use)")
        ax.grid()
        ax.legend(loc="best", fontsize="small")

    def _inches(self) -> tuple[float, float]:
        return 5.6, 4.6
