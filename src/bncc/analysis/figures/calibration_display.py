"""Calibration of probabilities."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from bncc.analysis.figures.quality_display import QualityDisplay
from bncc.analysis.figures.style import COLOURS, GREY
from bncc.analysis.quality.calibration_bins import Calibration
from bncc.analysis.quality.summary import QualitySummary
from bncc.structure.draw import cut_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["LabelCalibrationDisplay"]


class LabelCalibrationDisplay(QualityDisplay):
    """Share of cells that are true against the probability given: of all labels together, and of some.

    Parameters
    ----------
    summary, method : as in `QualityDisplay`
    labels : sequence of names or positions, default=()
        Labels to be drawn beside all together.
    """

    def __init__(self, summary: QualitySummary, method: str | None = None, labels: Sequence[str | int] = ()) -> None:
        super().__init__(summary, method)
        self.labels = labels

    def _draw(self, ax: Axes) -> None:
        quality = self._quality
        if quality.calibration is None:
            raise ValueError("Calibration needs probabilities; these scores are decision values.")
        ax.plot([0, 1], [0, 1], color=GREY, linestyle=":", linewidth=1)
        _draw_curve(ax, quality.calibration, COLOURS[0], f"all labels, error {quality.calibration.error:.3f}")
        for i, label in enumerate(self._labels(self.labels, ()), 1):
            curve = quality.label_calibration[label]
            name = f"{cut_name(quality.labels[label].name)}, error {curve.error:.3f}"
            _draw_curve(ax, curve, COLOURS[i % len(COLOURS)], name)
        ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), xlabel="probability given", ylabel="share that is true")
        ax.set_title(f"{quality.method}: calibration")
        ax.grid()
        ax.legend(loc="best", fontsize="small")


def _draw_curve(ax: Axes, curve: Calibration, colour: str, name: str) -> None:
    share = np.array(curve.share)
    below, above = share - np.array(curve.low), np.array(curve.high) - share
    spread = np.clip([below, above], 0, None)
    ax.errorbar(curve.probability, share, yerr=spread, fmt="o-", color=colour, markersize=4, elinewidth=1, label=name)
