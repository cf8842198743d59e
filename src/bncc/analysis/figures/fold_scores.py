"""Box plots of the folds of each method."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from bncc.analysis.figures.style import BLUE, INK, drawing
from bncc.analysis.page.results import WHISKER
from bncc.experiment import WHOLE, Record
from bncc.metrics import PAPER_METRICS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["fold_figure"]


def fold_figure(records: Iterable[Record], dataset: str, *, metrics: Sequence[str] = tuple(PAPER_METRICS)) -> Figure:
    """One panel per metric with a box per method: median, quartiles, whiskers to 1.5 times their distance, outliers."""
    tested = [record for record in records if record.dataset == dataset and record.fold != WHOLE]
    methods = tuple(dict.fromkeys(record.method for record in tested))
    shown = [name for name in metrics if any(PAPER_METRICS.get(name, name) in record.scores for record in tested)]
    if not shown:
        raise ValueError(f"No record of {dataset!r} has any of the metrics {list(metrics)}.")
    columns = min(2, len(shown))
    rows = math.ceil(len(shown) / columns)
    with drawing(3.6 * columns, (0.9 + 0.24 * len(methods)) * rows) as figure:
        for panel, name in enumerate(shown):
            axes = figure.add_subplot(rows, columns, panel + 1)
            _boxes(axes, [_values(tested, method, PAPER_METRICS.get(name, name)) for method in methods])
            axes.set_yticks(range(1, len(methods) + 1), methods)
            axes.tick_params(labelleft=panel % columns == 0)
            axes.set_ylim(len(methods) + 0.6, 0.4)
            axes.set_title(name)
            axes.grid(True, axis="x")
        figure.suptitle(dataset)
        return figure


def _values(records: Iterable[Record], method: str, metric: str) -> list[float]:
    values = [record.scores.get(metric, math.nan) for record in records if record.method == method]
    return [value for value in values if np.isfinite(value)]


def _boxes(axes: Axes, values: Sequence[Sequence[float]]) -> None:
    """Horizontal boxes, drawn together: `Axes.boxplot` names the direction differently from release to release."""
    from matplotlib.cbook import boxplot_stats

    places = [place for place, sample in enumerate(values, start=1) if sample]
    boxes = boxplot_stats([sample for sample in values if sample], whis=WHISKER)
    y = np.array(places, np.float64)
    low, first, middle, third, high = (
        np.array([box[name] for box in boxes]) for name in ("whislo", "q1", "med", "q3", "whishi")
    )
    axes.hlines(y, low, high, color=BLUE, linewidth=1, zorder=1)
    axes.vlines(np.append(low, high), np.tile(y - 0.15, 2), np.tile(y + 0.15, 2), color=BLUE, linewidth=1)
    axes.barh(y, third - first, left=first, height=0.62, color="#cfe3f1", edgecolor=BLUE, linewidth=1, zorder=2)
    axes.vlines(middle, y - 0.31, y + 0.31, color=INK, linewidth=1.6, zorder=3)
    outside = [(value, place) for box, place in zip(boxes, places, strict=True) for value in box["fliers"]]
    axes.plot([value for value, _ in outside], [place for _, place in outside], "o", ms=2.5, color=BLUE, mew=0)
