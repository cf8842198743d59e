"""The label network as a drawing: SVG from the structure room, anything else by matplotlib."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bncc.analysis.figures.style import BLUE, GREY, INK, ORANGE, drawing, save_figure
from bncc.structure import LabelNetwork, network_svg
from bncc.structure.draw import _layers, _signed_edges

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["network_figure", "save_network"]

_NAMED, _LONGEST = 60, 22


def network_figure(net: LabelNetwork) -> Figure:
    """Parents above children; a blue edge makes the child more likely, an orange dashed one less likely.

    Labels are numbered by their place in the chain order. Of more than 60 labels only those with most children are
    named; the others are points.
    """
    layers = [[item for item in layer if isinstance(item, int)] for layer in _layers(net)]  # no stops of edges
    large = net.n_labels > _NAMED
    width = _width(net, max(len(layer) for layer in layers), large)
    x, y = np.zeros(net.n_labels), np.zeros(net.n_labels)
    for depth, layer in enumerate(layers):
        for place, label in enumerate(layer):
            x[label], y[label] = (place + 0.5) / len(layer), -depth
    height = float(np.clip(0.75 * len(layers) + 0.4, 1.6, 12.0))
    rim = 0.0 if large else 0.13 * len(layers) / height  # edges leave below a name and end above one
    with drawing(width, height) as figure:
        axes = figure.add_subplot()
        axes.set_axis_off()
        axes.set_xlim(0, 1)
        axes.set_ylim(0.4 - len(layers), 0.4)
        for (parent, child), sign, weight in _signed_edges(net):
            _edge(axes, (x[parent], y[parent] - rim), (x[child], y[child] + rim), sign, weight, large)
        if large:
            axes.scatter(x, y, s=5, color=GREY, zorder=2)
        place_of = {label: place + 1 for place, label in enumerate(net.order)}
        for label in _hubs(net, x, y, width) if large else range(net.n_labels):
            _node(axes, x[label], y[label], f"{place_of[label]}  {_short(net.label_names[label])}", large)
        return figure


def save_network(net: LabelNetwork, path: str | os.PathLike[str]) -> Path:
    """Write the drawing as SVG (up to 100 labels by `bncc.structure.network_svg`), PDF or PNG, by the suffix."""
    target = Path(path)
    if target.suffix.lower() == ".svg" and net.n_labels <= 100:
        target.write_text(network_svg(net), encoding="utf-8")
        return target
    return save_figure(network_figure(net), target)


def _width(net: LabelNetwork, widest: int, large: bool) -> float:
    """Inches that the widest layer needs."""
    if large:
        return float(np.clip(0.07 * widest, 8.0, 16.0))
    letters = float(np.mean([min(len(name), _LONGEST) for name in net.label_names]))
    return float(np.clip(widest * (0.095 * letters + 0.35), 3.5, 16.0))


def _hubs(net: LabelNetwork, x: Any, y: Any, width: float) -> list[int]:
    """The labels with most children, as far as their names find room in their layer."""
    children = np.bincount([parent for parent, _ in net.edges], minlength=net.n_labels)
    named: list[int] = []
    for label in np.argsort(-children, kind="stable")[:24].tolist():
        reach = (0.085 * min(len(net.label_names[label]) + 4, _LONGEST) + 0.2) / width
        if all(y[label] != y[other] or abs(x[label] - x[other]) > reach for other in named):
            named.append(label)
    return named


def _edge(axes: Any, start: Any, end: Any, sign: int, weight: float, small: bool) -> None:
    from matplotlib.patches import FancyArrowPatch

    # An edge over several layers goes around what lies between.
    bend = 0.0 if small or abs(start[1] - end[1]) <= 1 else 0.16 if start[0] <= 0.5 else -0.16
    colour = BLUE if sign > 0 else ORANGE if sign < 0 else GREY
    arrow = FancyArrowPatch(
        start,
        end,
        arrowstyle="-" if small else "-|>",
        connectionstyle=f"arc3,rad={bend}",
        mutation_scale=8,
        shrinkA=0,
        shrinkB=0,
        color=colour,
        linewidth=0.4 + 0.3 * weight if small else 0.7 + 1.5 * weight,
        linestyle=(0, (4, 2.5)) if sign < 0 else "-",
        alpha=0.6 if small else 1.0,
        zorder=1,
    )
    axes.add_patch(arrow)


def _node(axes: Any, x: float, y: float, text: str, small: bool) -> None:
    box = {"boxstyle": "round,pad=0.35,rounding_size=0.8", "facecolor": "#f4f6f8", "edgecolor": GREY, "linewidth": 0.8}
    size = 6 if small else 8
    axes.text(x, y, text, ha="center", va="center", fontsize=size, color=INK, bbox=box, zorder=3)


def _short(name: str) -> str:
    return name if len(name) <= _LONGEST else name[: _LONGEST - 1] + "…"
