"""Reasons of a label in a row, and the importance of columns over many rows, as bars."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from bncc.analysis.figures.style import BLUE, GREY, INK, ORANGE, drawing
from bncc.analysis.importance import ImportanceSummary
from bncc.multilabel import LabelReasons, Reason

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["importance_figure", "reasons_figure"]

_MOST_CHARACTERS = 34


def reasons_figure(found: LabelReasons, *, most: int = 10) -> Figure:
    """What spoke for a label (blue, to the right) and against it (orange), strongest first, from base to score.

    Names of labels are in bold; lines are two standard errors to either side, where reasons were sampled.
    """
    shown = found.top(most)
    reasons = [*shown.reasons]
    if shown.rest:
        reasons.append(Reason("all others", "feature", shown.rest))
    with drawing(5.2, 1.1 + 0.26 * max(len(reasons), 1)) as figure:
        axes = figure.add_subplot()
        _bars(axes, [reason.value for reason in reasons], [2.0 * reason.standard_error for reason in reasons])
        axes.set_yticks(range(len(reasons)), [_named(reason) for reason in reasons])
        for tick, reason in zip(axes.get_yticklabels(), reasons, strict=True):
            tick.set_fontweight("bold" if reason.kind == "label" else "normal")
        axes.set_xlabel(f"added to the score: from {found.base:+.2f} to {found.score:+.2f}")
        axes.set_title(f"{found.name or found.label}: {'predicted' if found.predicted else 'not predicted'}")
        return figure


def _named(reason: Reason) -> str:
    name = f"{reason.name} ({reason.shown})" if reason.shown else reason.name
    return _cut(name)


def _cut(name: str) -> str:
    return name if len(name) <= _MOST_CHARACTERS else f"{name[: _MOST_CHARACTERS - 1]}…"


def _bars(axes: Axes, values: Sequence[float], reach: Sequence[float]) -> None:
    """Horizontal bars from the top down, each with a line about its end."""
    for place, (value, length) in enumerate(zip(values, reach, strict=True)):
        axes.barh(place, value, height=0.66, color=BLUE if value >= 0 else ORANGE)
        if length:
            axes.hlines(place, value - length, value + length, color=INK, linewidth=1)
    axes.axvline(0.0, color=GREY, linewidth=0.8)
    axes.set_ylim(max(len(values), 1) - 0.4, -0.6)
    axes.grid(True, axis="x")


def importance_figure(summary: ImportanceSummary, label: int | str | None = None, *, most: int = 12) -> Figure:
    """The columns that matter most, for all labels or for one of them, with their intervals."""
    entries = summary.of(label)[:most]
    with drawing(5.2, 1.1 + 0.26 * max(len(entries), 1)) as figure:
        axes = figure.add_subplot()
        _bars(axes, [entry.value for entry in entries], [0.0] * len(entries))
        for place, entry in enumerate(entries):
            if entry.low is not None and entry.high is not None:
                axes.hlines(place, entry.low, entry.high, color=INK, linewidth=1)
        axes.set_yticks(range(len(entries)), [_cut(entry.name) for entry in entries])
        metric = summary.metric if label is None else summary.label_metric
        axes.set_xlabel(f"loss of {metric} when it is shuffled")
        name = summary.label_names[label] if isinstance(label, int) else label
        axes.set_title("Columns that matter" if name is None else f"Columns that matter to {name}")
        return figure
