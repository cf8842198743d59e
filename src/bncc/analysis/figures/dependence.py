"""How labels depend on each other, as a heat map with positive and negative relations told apart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from bncc.analysis.figures.style import GREY, INK, diverging, drawing
from bncc.labels import entropy
from bncc.structure import LabelNetwork
from bncc.structure.draw import cut_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import Normalize
    from matplotlib.figure import Figure

__all__ = ["dependence_figure", "signed_dependence"]

_NAMED, _PRINTED = 60, 16


def signed_dependence(net: LabelNetwork, measure: Literal["removed", "dependence"] = "removed") -> NDArray[np.float64]:
    """Dependence of each label (row) on each other (column), negative where the other makes it less likely.

    Parameters
    ----------
    net : LabelNetwork
        With the counts that it was learned from.
    measure : {"removed", "dependence"}
        "removed" is the share of the label's uncertainty that knowing the other removes, 1 - H(j|k) / H(j).
        "dependence" is the paper's dependence degree 1 - H(j|k) (Eq. 7), which is near 1 for every rare label,
        whatever the other.

    >>> from bncc import learn_network
    >>> signed_dependence(learn_network([[1, 0], [0, 1], [1, 0], [0, 1]])).tolist()
    [[1.0, -1.0], [-1.0, 1.0]]
    """
    if net.counts is None:
        raise ValueError("Dependence needs the label counts; this network was read from a file. Learn it from labels.")
    if measure not in ("removed", "dependence"):
        raise ValueError(f"`measure` must be 'removed' or 'dependence'; got {measure!r}.")
    degrees = net.dependence
    if measure == "removed":
        uncertainty = entropy(net.counts)[:, None]
        known = uncertainty > 0
        degrees = np.where(known, 1 - (1 - degrees) / np.where(known, uncertainty, 1), 0.0).clip(0, 1)
    child, parent = np.indices(degrees.shape).reshape(2, -1)
    positives = net.counts.positives.astype(np.int64)
    together = np.asarray(net.counts.pair_counts(child, parent)).reshape(degrees.shape)
    signs = np.sign(together * net.counts.n_rows - positives[:, None] * positives[None, :])
    return degrees * signs


def dependence_figure(net: LabelNetwork, *, measure: Literal["removed", "dependence"] = "removed") -> Figure:
    """Heat map of `signed_dependence`: blue makes a label more likely, orange less; labels in chain order.

    Up to 60 labels are named, up to 16 have their figures printed; for more, colour grows with the square root, since
    most relations among many labels are weak.
    """
    order = list(net.order)
    values = signed_dependence(net, measure)[np.ix_(order, order)]
    n = len(order)
    side = float(np.clip(0.42 * n if n <= _PRINTED else 0.16 * n, 3.2, 7.5))
    off = np.abs(values[~np.eye(n, dtype=bool)])
    limit = max(float(off.max()) if off.size else 1.0, 1e-3)
    np.fill_diagonal(values, np.nan)
    with drawing(side + 2.2, side + 1.0) as figure:
        axes = figure.add_subplot()
        colours = diverging().with_extremes(bad="#e8e8e8")
        image = axes.imshow(values, cmap=colours, norm=_scale(limit, n), interpolation="nearest")
        bar = figure.colorbar(image, ax=axes, shrink=0.85, pad=0.07)
        bar.set_label(_MEANING[measure])
        bar.ax.set_title("more likely", fontsize=8, fontweight="normal")
        bar.ax.set_xlabel("less likely", fontsize=8)
        bar.outline.set_visible(False)
        _label_axes(axes, [net.label_names[label] for label in order])
        if n <= _PRINTED:
            _print_values(axes, values, limit)
        for spine in axes.spines.values():
            spine.set_visible(False)
        return figure


_MEANING = {"removed": "share of uncertainty removed", "dependence": "dependence degree"}


def _scale(limit: float, n_labels: int) -> Normalize:
    from matplotlib.colors import FuncNorm, Normalize

    if n_labels <= _PRINTED:
        return Normalize(-limit, limit)
    return FuncNorm((_signed_root, _signed_square), vmin=-limit, vmax=limit)


def _signed_root(values: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(np.sign(values) * np.sqrt(np.abs(values)))


def _signed_square(values: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(np.sign(values) * np.square(values))


def _label_axes(axes: Axes, names: list[str]) -> None:
    n = len(names)
    if n <= _NAMED:
        short = [cut_name(name) for name in names]
        size = 8 if n <= 30 else 6
        axes.set_xticks(range(n), short, rotation=90, fontsize=size)
        axes.set_yticks(range(n), short, fontsize=size)
    axes.tick_params(length=0)
    many = f" ({n} labels in chain order)" if n > _NAMED else ""
    axes.set_xlabel(f"Given label{many}")
    axes.set_ylabel(f"Dependent label{many}")


def _print_values(axes: Axes, values: NDArray[np.float64], limit: float) -> None:
    for (row, column), value in np.ndenumerate(values):
        if np.isfinite(value) and abs(value) >= 0.005:
            colour = "white" if abs(value) > 0.45 * limit else INK
            axes.text(
                column, row, f"{value:+.2f}".replace("0.", "."), ha="center", va="center", fontsize=6.5, color=colour
            )
        elif np.isfinite(value):
            axes.text(column, row, "0", ha="center", va="center", fontsize=6.5, color=GREY)
