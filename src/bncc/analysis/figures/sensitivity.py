"""Scores over sigma and C, as surfaces, maps, or curves where only one of them was varied."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from bncc.analysis.candidates import Sensitivity, sensitivity
from bncc.analysis.figures.style import COLOURS, INK, drawing, sequential
from bncc.experiment import Candidate
from bncc.metrics import PAPER_METRICS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import Colormap
    from matplotlib.figure import Figure

__all__ = ["sensitivity_figure"]


def sensitivity_figure(
    candidates: Iterable[Candidate],
    dataset: str,
    method: str = "BNCC",
    *,
    metrics: Sequence[str] = tuple(PAPER_METRICS),
    kind: Literal["surface", "map"] = "surface",
) -> Figure:
    """One panel per metric over log2 sigma and log2 C: the paper's Fig. 6, or the same as flat maps.

    Where candidates differ in sigma or in C alone, the panels are curves. The best candidate is marked.
    """
    if kind not in ("surface", "map"):
        raise ValueError(f"`kind` must be 'surface' or 'map'; got {kind!r}.")
    candidates = list(candidates)
    grids = {name: sensitivity(candidates, name, dataset, method) for name in metrics}
    first = next(iter(grids.values()))
    flat = len(first.sigmas) == 1 or len(first.Cs) == 1
    columns = min(2, len(grids))
    rows = math.ceil(len(grids) / columns)
    with drawing(3.6 * columns, (2.3 if flat else 3.0) * rows) as figure:
        for panel, (name, grid) in enumerate(grids.items()):
            projection = {"projection": "3d"} if kind == "surface" and not flat else {}
            axes: Any = figure.add_subplot(rows, columns, panel + 1, **projection)
            if flat:
                _curve(axes, grid, COLOURS[0])
            elif kind == "surface":
                _surface(axes, grid)
            else:
                _map(figure, axes, grid)
            axes.set_title(name)
        figure.suptitle(f"{method} on {dataset}")
        return figure


def _surface(axes: Any, grid: Sensitivity) -> None:
    x, y = np.meshgrid(np.log2(grid.sigmas), np.log2(grid.Cs), indexing="ij")
    axes.plot_surface(x, y, grid.values, cmap=_colours(grid), edgecolor=INK, linewidth=0.2, rstride=1, cstride=1)
    axes.set_xlabel("log₂ σ", labelpad=-2)
    axes.set_ylabel("log₂ C", labelpad=-2)
    axes.tick_params(pad=-1, labelsize=7)
    axes.view_init(elev=28, azim=-128)
    axes.set_box_aspect((1, 1, 0.75), zoom=0.88)
    for axis in (axes.xaxis, axes.yaxis, axes.zaxis):
        axis.set_pane_color((1, 1, 1, 0))


def _map(figure: Figure, axes: Axes, grid: Sensitivity) -> None:
    sigmas, Cs = np.log2(grid.sigmas), np.log2(grid.Cs)
    image = axes.pcolormesh(_edges(Cs), _edges(sigmas), grid.values, cmap=_colours(grid))
    figure.colorbar(image, ax=axes, shrink=0.9)
    row, column = grid.best
    axes.plot(Cs[column], sigmas[row], marker="*", markersize=11, color="#e69f00", markeredgecolor=INK)
    axes.set_xlabel("log₂ C")
    axes.set_ylabel("log₂ σ")
    axes.locator_params(integer=True)


def _curve(axes: Axes, grid: Sensitivity, colour: str) -> None:
    over_sigma = len(grid.sigmas) > 1 or len(grid.Cs) == 1
    x = np.log2(grid.sigmas if over_sigma else grid.Cs)
    y = grid.values.ravel()
    axes.plot(x, y, marker="o", markersize=3.5, color=colour)
    axes.plot(x[max(grid.best)], y[max(grid.best)], marker="*", markersize=11, color="#e69f00", markeredgecolor=INK)
    axes.set_xlabel("log₂ σ" if over_sigma else "log₂ C")
    axes.grid(True)


def _colours(grid: Sensitivity) -> Colormap:
    """Dark is good."""
    return sequential() if grid.greater_is_better else sequential().reversed()


def _edges(centres: NDArray[np.float64]) -> NDArray[np.float64]:
    """Borders of the cells around centres, halfway between neighbours."""
    middle = (centres[1:] + centres[:-1]) / 2
    return np.concatenate([[2 * centres[0] - middle[0]], middle, [2 * centres[-1] - middle[-1]]])
