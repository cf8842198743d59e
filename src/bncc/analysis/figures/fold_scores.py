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
            axes.set_yticks(range(1, len(methods) + 1), methods if panel % columns == 0 else [""] * len(methods))
            axes.set_ylim(len(methods) + 0.6, 0.4)
            axes.set_title(name)
            axes.grid(True, axis="x")
        figure.suptitle(dataset)
        return figure


def _values(records: Iterable[Record], method: str, metric: str) -> list[float]:
    values = [record.scores.get(metric, math.nan) for record in records if record.method == method]
    return [value for value in values if np.isfinite(value)]


def _boxes(axes: Axes, values: Sequence[Sequence[float]]) -> None:
    """Horizontal boxes; `Axes.boxplot` names the direction differently from release to release."""
    from matplotlib.cbook import boxplot_stats

    for y, sample in enumerate(values, start=1):
        if not sample:
            continue
        [box] = boxplot_stats(sample, whis=WHISKER)
        axes.hlines(y, box["whislo"], box["whishi"], color=BLUE, linewidth=1, zorder=1)
        axes.vlines([box["whislo"], box["whishi"]], y - 0.15, y + 0.15, color=BLUE, linewidth=1)
        width = box["q3"] - box["q1"]
        axes.barh(y, width, left=box["q1"], height=0.62, color="#cfe3f1", edgecolor=BLUE, linewidth=1, zorder=2)
        axes.vlines(box["med"], y - 0.31, y + 0.31, color=INK, linewidth=1.6, zorder=3)
        axes.plot(box["fliers"], [y] * len(box["fliers"]), "o", markersize=2.5, color=BLUE, markeredgewidth=0)
