"""Training and testing seconds as bars."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from bncc.analysis.collected_scores import Part, Scores, collect_seconds
from bncc.analysis.figures.style import BLUE, COLOURS, INK, drawing, sequential
from bncc.experiment import Record

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.patches import Rectangle

__all__ = ["seconds_figure"]


def seconds_figure(records: Iterable[Record], *, parts: tuple[Part, ...] = ("train", "test")) -> Figure:
    """Mean seconds per fold on a logarithmic scale, one panel per part: bars by method, in groups by data set.

    A single data set gets one horizontal bar per method, with its figure. More methods than there are colours get a
    map of data sets x methods with the figures in it.
    """
    records = list(records)
    if not records:
        raise ValueError("There is nothing to draw: `records` is empty.")
    wrong = [part for part in parts if part not in get_args(Part)]
    if wrong or not parts:
        raise ValueError(f"`parts` must be chosen from {', '.join(get_args(Part))}; got {list(parts)}.")
    panels = [collect_seconds(records, part) for part in parts]
    if len(panels[0].datasets) == 1:
        return _single(panels)
    return _groups(panels) if len(panels[0].methods) <= len(COLOURS) else _maps(panels)


def _single(panels: list[Scores]) -> Figure:
    methods = panels[0].methods
    with drawing(3.6 * len(panels), 0.9 + 0.24 * len(methods)) as figure:
        for position, panel in enumerate(panels):
            axes = figure.add_subplot(1, len(panels), position + 1)
            values = _shown(panel.mean[0])
            axes.barh(range(len(methods)), values, color=BLUE, height=0.7)
            for y, value in enumerate(values):
                axes.text(value, y, f" {_short(value)}", va="center", fontsize=8)
            axes.set_yticks(range(len(methods)), methods if position == 0 else [""] * len(methods))
            axes.invert_yaxis()
            _logarithmic(axes, "x", values, room=2.0)
            axes.set_title(f"{panel.name} per fold")
        figure.suptitle(panels[0].datasets[0])
        return figure


def _groups(panels: list[Scores]) -> Figure:
    n_sets, n_methods = panels[0].mean.shape
    width = max(5.0, min(14.0, 1.2 + n_sets * (0.3 + 0.09 * n_methods)))
    with drawing(width, 2.6 * len(panels) + 0.5) as figure:
        bars: list[Rectangle] = []
        for position, panel in enumerate(panels):
            axes = figure.add_subplot(len(panels), 1, position + 1)
            values = _shown(panel.mean)
            step = 0.84 / n_methods
            starts = np.arange(n_sets) - 0.42 + step / 2
            bars = [
                axes.bar(starts + step * j, values[:, j], step, color=COLOURS[j]).patches[0] for j in range(n_methods)
            ]
            names = panel.datasets if position == len(panels) - 1 else [""] * n_sets
            axes.set_xticks(range(n_sets), names, rotation=40, ha="right")
            axes.set_xlim(-0.6, n_sets - 0.4)
            _logarithmic(axes, "y", values)
            axes.set_title(f"{panel.name} per fold")
        figure.legend(bars, panels[0].methods, loc="outside upper center", ncols=n_methods)
        return figure


def _maps(panels: list[Scores]) -> Figure:
    n_sets, n_methods = panels[0].mean.shape
    with drawing(1.8 + 0.48 * n_methods, (1.1 + 0.24 * n_sets) * len(panels) + 0.8) as figure:
        for position, panel in enumerate(panels):
            axes = figure.add_subplot(len(panels), 1, position + 1)
            logs = np.log10(_shown(panel.mean))
            axes.imshow(logs, cmap=sequential(), aspect="auto")
            middle = (np.nanmin(logs) + np.nanmax(logs)) / 2 if np.isfinite(logs).any() else 0.0
            for (row, column), value in np.ndenumerate(panel.mean):
                colour = "white" if logs[row, column] > middle else INK
                axes.text(column, row, _short(value), ha="center", va="center", fontsize=6.5, color=colour)
            names = panel.methods if position == len(panels) - 1 else [""] * n_methods
            axes.set_xticks(range(n_methods), names, rotation=40, ha="right")
            axes.set_yticks(range(n_sets), panel.datasets)
            axes.tick_params(length=0)
            axes.set_title(f"{panel.name} per fold")
        return figure


def _short(value: float) -> str:
    return "" if not np.isfinite(value) else f"{value:.0f}" if value >= 100 else f"{value:.2g}"


def _shown(seconds: NDArray[np.float64]) -> NDArray[np.float64]:
    """What a logarithmic axis can show: nothing below a microsecond."""
    return np.where(seconds > 0, np.maximum(seconds, 1e-6), np.nan)


def _logarithmic(axes: Axes, axis: Literal["x", "y"], values: NDArray[np.float64], room: float = 1.0) -> None:
    """A logarithmic axis between powers of ten, without figures between them; nothing known leaves it as it is."""
    from matplotlib.ticker import NullFormatter

    known = values[np.isfinite(values)]
    if not known.size:
        return
    low, high = np.floor(np.log10(known.min() / 1.5)), np.ceil(np.log10(known.max() * room))
    getattr(axes, f"set_{axis}scale")("log")
    getattr(axes, f"set_{axis}lim")(10.0**low, 10.0**high)
    getattr(axes, f"{axis}axis").set_minor_formatter(NullFormatter())
    axes.grid(True, axis=axis)
