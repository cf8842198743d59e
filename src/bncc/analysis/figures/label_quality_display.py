"""Labels by how well they are predicted, with intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bncc.analysis.figures.quality_display import QualityDisplay
from bncc.analysis.figures.style import BLUE, GREY
from bncc.analysis.quality.worst_label import rank_labels
from bncc.structure.draw import cut_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["LabelQualityDisplay"]

_MOST = 40


class LabelQualityDisplay(QualityDisplay):
    """F1 of each label, worst first: the value, its interval alone (thick) and that for all labels at once (thin).

    Of more than 40 labels the 20 worst and the 20 best are drawn.

    >>> from bncc.analysis.figures import LabelQualityDisplay
    >>> Y, scores = [[1, 0], [1, 1], [0, 1]], [[0.9, 0.2], [0.4, 0.8], [0.7, 0.9]]
    >>> display = LabelQualityDisplay.from_predictions(Y, scores, label_names=["sun", "warm"])
    >>> [text.get_text() for text in display.ax_.get_yticklabels()]
    ['sun (2)', 'warm (2)']
    """

    def _draw(self, ax: Axes) -> None:
        labels = self._quality.labels
        shown = self._shown()
        for row, label in enumerate(shown):
            f1 = labels[label].f1
            ax.plot([f1.lowest or 0.0, f1.highest or 0.0], [row, row], color=BLUE, alpha=0.4, linewidth=1.5)
            ax.plot([f1.low or 0.0, f1.high or 0.0], [row, row], color=BLUE, linewidth=4, solid_capstyle="butt")
            ax.plot([f1.value or 0.0], [row], "o", color="white", markeredgecolor=BLUE, markersize=5)
        ranked = rank_labels(labels)
        if len(ranked) > len(shown):
            ax.axhline(_MOST / 2 - 0.5, color=GREY, linestyle=":", linewidth=1)
        names = [f"{cut_name(labels[label].name)} ({labels[label].support})" for label in shown]
        ax.set(xlim=(-0.02, 1.02), ylim=(len(shown) - 0.5, -0.5), xlabel="F1", yticks=range(len(shown)))
        ax.set_yticklabels(names)
        ax.grid(axis="x")
        which = "worst first" if len(shown) == len(ranked) else f"the {_MOST // 2} worst and best of {len(ranked)}"
        ax.set_title(f"{self._quality.method}: labels (rows), {which}")

    def _shown(self) -> list[int]:
        ranked = rank_labels(self._quality.labels)
        half = _MOST // 2
        return ranked if len(ranked) <= _MOST else [*ranked[:half], *ranked[-half:]]

    def _inches(self) -> tuple[float, float]:
        return 6.0, 1.1 + 0.22 * max(3, len(self._shown()))
