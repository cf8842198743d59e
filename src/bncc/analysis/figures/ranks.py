"""The critical-difference diagram."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bncc.analysis.diagram import RankDiagram
from bncc.analysis.figures.style import BLUE, GREY, INK, drawing

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["rank_figure"]


def rank_figure(diagram: RankDiagram, *, title: str = "") -> Figure:
    """Methods on an axis of average ranks; a bar joins those that Nemenyi's test does not tell apart (Demsar 2006).

    The better half of the methods is named on the left, the worse half on the right.
    """
    k = len(diagram.methods)
    n_left = (k + 1) // 2
    lanes = len(diagram.groups)
    base = 0.55 + 0.22 * lanes  # below the axis come the bars of groups, then the names
    height = base + 0.3 * n_left
    with drawing(7.0, 0.95 + 0.8 * height) as figure:
        axes = figure.add_subplot()
        axes.set_axis_off()
        margin = 0.32 * (k - 1)
        axes.set_xlim(diagram.lowest - margin, diagram.highest + margin)
        axes.set_ylim(-height, 1.0)
        _axis(axes, diagram)
        for lane, (first, last) in enumerate(diagram.groups):
            y = -0.3 - 0.22 * lane
            pad = 0.012 * (k - 1)
            ends = [diagram.ranks[first] - pad, diagram.ranks[last] + pad]
            axes.plot(ends, [y, y], color=BLUE, linewidth=3.5, solid_capstyle="round")
        for method in range(k):
            left = method < n_left
            y = -base - 0.3 * (method if left else k - 1 - method)
            _name(axes, diagram, method, y, left, margin)
        if title:
            axes.set_title(title)
        return figure


def _axis(axes: Axes, diagram: RankDiagram) -> None:
    axes.plot([diagram.lowest, diagram.highest], [0, 0], color=INK, linewidth=1)
    step = 1 if diagram.highest <= 12 else 2
    for rank in range(diagram.lowest, diagram.highest + 1):
        axes.plot([rank, rank], [0, 0.12], color=INK, linewidth=1)
        if (diagram.highest - rank) % step == 0:
            axes.text(rank, 0.2, str(rank), ha="center", va="bottom")
    cd = diagram.critical_difference
    if cd <= diagram.highest - diagram.lowest:
        y = 0.8
        axes.plot([diagram.lowest, diagram.lowest + cd], [y, y], color=GREY, linewidth=1.5)
        for x in (diagram.lowest, diagram.lowest + cd):
            axes.plot([x, x], [y - 0.08, y + 0.08], color=GREY, linewidth=1.5)
        axes.text(diagram.lowest + cd, y, f"  critical difference {cd:.2f}", ha="left", va="center", color=GREY)
    else:
        text = f"critical difference {cd:.2f}: wider than the axis"
        axes.text(diagram.lowest, 0.8, text, ha="left", va="center", color=GREY)


def _name(axes: Axes, diagram: RankDiagram, method: int, y: float, left: bool, margin: float) -> None:
    rank = diagram.ranks[method]
    edge = diagram.lowest - 0.1 * margin if left else diagram.highest + 0.1 * margin
    axes.plot([rank, rank, edge], [0, y, y], color=INK, linewidth=0.8, solid_joinstyle="miter")
    axes.plot([rank], [0], marker="o", markersize=3.5, color=INK)
    label = f"{diagram.methods[method]}  {rank:.2f} " if left else f" {rank:.2f}  {diagram.methods[method]}"
    axes.text(edge, y, label, ha="right" if left else "left", va="center")
