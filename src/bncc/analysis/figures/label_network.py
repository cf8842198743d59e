"""The label network as a drawing: SVG from the structure room, anything else by matplotlib."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from bncc.analysis.figures.style import GREY, INK, drawing, save_figure
from bncc.structure import LabelNetwork, network_svg
from bncc.structure.draw import cut_name, edge_colour, edge_opacities, signed_edges
from bncc.structure.layout import Layout, edge_curves, label_widths, layered_layout

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.path import Path as Outline

__all__ = ["draw_network", "network_figure", "save_network"]

_INCH = 100.0  # units of a layout
_WIDEST, _HIGHEST, _LEAST = 16.0, 12.0, 1.6  # inches
_LETTERS = 8.0  # points


def network_figure(net: LabelNetwork) -> Figure:
    """Parents above children; a blue edge makes the child more likely, an orange dashed one less likely.

    Edges that chance would explain are pale. Labels are numbered by their place in the chain order. Of more than 60
    labels only those with most children are named; the others are points.
    """
    layout = layered_layout(net.n_labels, net.edges, label_widths(net.label_names))
    inches = (_within(layout.width, _WIDEST), _within(layout.height, _HIGHEST))
    with drawing(*inches) as figure:
        draw_network(figure.add_subplot(), net, inches)
        return figure


def draw_network(axes: Axes, net: LabelNetwork, inches: tuple[float, float]) -> None:
    """Draw a network as `network_figure` does, into axes of about this size; it is shrunk where it must be."""
    layout = layered_layout(net.n_labels, net.edges, label_widths(net.label_names))
    axes.set_axis_off()
    _set_limits(axes, layout, inches)
    centres = list(zip(layout.x, layout.y, strict=True))
    for ((parent, child), sign, weight), bends, opacity in zip(
        signed_edges(net), layout.bends, edge_opacities(net), strict=True
    ):
        outline = _outline([centres[parent], *bends, centres[child]], straight=layout.wrapped)
        _edge(axes, outline, sign, weight, opacity, thin=layout.wrapped)
    if layout.wrapped:
        axes.scatter(layout.x, [-y for y in layout.y], s=5, color=GREY, zorder=2)
    room = min(inches[0] * _INCH / layout.width, inches[1] * _INCH / layout.height)
    shrunk = 0.75 if layout.wrapped else min(1.0, room)
    position_of = {label: position for position, label in enumerate(net.order, 1)}
    for label in _hubs(net, layout, inches[0]) if layout.wrapped else range(net.n_labels):
        text = f"{position_of[label]}  {cut_name(net.label_names[label])}"
        _node(axes, layout.x[label], -layout.y[label], text, _LETTERS * shrunk)


def save_network(net: LabelNetwork, path: str | os.PathLike[str]) -> Path:
    """Write the drawing as SVG (up to 100 labels by `bncc.structure.network_svg`), PDF or PNG, by the suffix."""
    target = Path(path)
    if target.suffix.lower() == ".svg" and net.n_labels <= 100:
        target.write_text(network_svg(net), encoding="utf-8")
        return target
    return save_figure(network_figure(net), target)


def _within(units: float, most: float) -> float:
    """Inches of a figure; a drawing that would be larger is shrunk."""
    return float(np.clip(units / _INCH, _LEAST, most))


def _set_limits(axes: Axes, layout: Layout, inches: tuple[float, float]) -> None:
    """The drawing in the middle, shrunk where it must be and never stretched."""
    width, height = (
        max(units, side * _INCH) for units, side in zip((layout.width, layout.height), inches, strict=True)
    )
    axes.set_xlim((layout.width - width) / 2, (layout.width + width) / 2)
    axes.set_ylim((-layout.height - height) / 2, (height - layout.height) / 2)


def _hubs(net: LabelNetwork, layout: Layout, inches: float) -> list[int]:
    """The labels with most children (ties to the lower index), as far as their names cover none of the others."""
    children = np.bincount([parent for parent, _ in net.edges], minlength=net.n_labels)
    unit = max(layout.width / (inches * _INCH), 1.0)
    widths = [unit * width for width in label_widths(net.label_names)]
    named: list[int] = []
    for label in np.argsort(-children, kind="stable")[:24].tolist():
        reach = [(widths[label] + widths[other]) / 2 for other in named]
        apart = [
            abs(layout.x[label] - layout.x[other]) > room or abs(layout.y[label] - layout.y[other]) > 24 * unit
            for other, room in zip(named, reach, strict=True)
        ]
        if all(apart):
            named.append(label)
    return named


def _edge(axes: Axes, outline: Outline, sign: int, weight: float, opacity: float, *, thin: bool) -> None:
    """A thin line between points, or an arrow between labels."""
    from matplotlib.patches import FancyArrowPatch

    colour = edge_colour(sign)
    arrow = FancyArrowPatch(
        path=outline,
        arrowstyle="-" if thin else "-|>",
        mutation_scale=8,
        shrinkA=0,
        shrinkB=0,
        facecolor="none" if thin else colour,
        edgecolor=colour,
        linewidth=0.4 + 0.3 * weight if thin else 0.7 + 1.5 * weight,
        linestyle=(0, (4, 2.5)) if sign < 0 else "-",
        alpha=opacity * (0.6 if thin else 1.0),
        zorder=1,
    )
    axes.add_patch(arrow)


def _outline(points: Sequence[tuple[float, float]], *, straight: bool) -> Outline:
    """From a parent to its child: straight between points, around the labels between named ends."""
    from matplotlib.path import Path as Outline

    if straight:
        return Outline([(x, -y) for x, y in points])
    corners: list[tuple[float, float]] = []
    codes: list[np.uint8] = []
    for start, *curve in edge_curves(points):
        codes += [Outline.LINETO if codes else Outline.MOVETO] + [Outline.CURVE4] * len(curve)
        corners += [(x, -y) for x, y in (start, *curve)]
    return Outline(corners, codes)


def _node(axes: Axes, x: float, y: float, text: str, size: float) -> None:
    box = {"boxstyle": "round,pad=0.35,rounding_size=0.8", "facecolor": "#f4f6f8", "edgecolor": GREY, "linewidth": 0.8}
    axes.text(x, y, text, ha="center", va="center", fontsize=size, color=INK, bbox=box, zorder=3)
