"""A front of networks: what each explains for its size, and the networks at its ends and its knee."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bncc.analysis.figures.label_network import draw_network
from bncc.analysis.figures.style import BLUE, INK, ORANGE, drawing
from bncc.structure import NetworkFront

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["front_figure"]

_WIDTH, _CURVE, _NETWORKS = 11.0, 2.8, 3.2  # inches
_EXPLAINED = {"dependence": "dependence explained (bits)", "held_out": "log-likelihood of held-out rows (bits)"}
_SIZE = {"edges": "edges", "parameters": "free parameters"}


def front_figure(front: NetworkFront) -> Figure:
    """The front above, with its ends and its knee marked; below, these networks as `network_figure` draws them."""
    places = dict(sorted({0: "simplest", len(front) - 1: "explains most", front.knee_place: "knee"}.items()))
    with drawing(_WIDTH, _CURVE + _NETWORKS) as figure:
        grid = figure.add_gridspec(2, len(places), height_ratios=(_CURVE, _NETWORKS))
        curve = figure.add_subplot(grid[0, :])
        _curve(curve, front, places)
        for column, (place, name) in enumerate(places.items()):
            axes = figure.add_subplot(grid[1, column])
            draw_network(axes, front[place], (_WIDTH / len(places), _NETWORKS - 0.4))
            axes.set_title(f"{name}: {front.cost[place]} {_SIZE[front.simplicity]}")
        return figure


def _curve(axes: Axes, front: NetworkFront, places: dict[int, str]) -> None:
    axes.plot(front.cost, front.explained, marker="o", markersize=3, color=BLUE, linewidth=1, drawstyle="steps-post")
    for place, name in places.items():
        is_knee = place == front.knee_place
        axes.plot(
            front.cost[place],
            front.explained[place],
            marker="*" if is_knee else "s",
            markersize=12 if is_knee else 6,
            color="#e69f00" if is_knee else ORANGE,
            markeredgecolor=INK,
        )
        last = place == len(front) - 1 and len(front) > 1
        axes.annotate(
            name,
            (front.cost[place], front.explained[place]),
            xytext=(-8 if last else 8, -12 if place else 6),
            textcoords="offset points",
            ha="right" if last else "left",
        )
    axes.set_xlabel(_SIZE[front.simplicity])
    axes.set_ylabel(_EXPLAINED[front.explains])
    axes.grid(True)
