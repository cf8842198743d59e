"""Correlation of labels as they are, beside what is left of it once the features are accounted for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bncc._typing import Floats
from bncc.analysis.figures.style import diverging, drawing
from bncc.analysis.residuals import ResidualDependence
from bncc.structure.draw import cut_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.image import AxesImage

__all__ = ["residual_figure"]

_NAMED = 40


def residual_figure(found: ResidualDependence, *, alpha: float = 0.05) -> Figure:
    """Two heat maps on one scale: blue for labels that come together, orange for those that avoid each other.

    On the right, pairs whose corrected p-value exceeds `alpha` are pale: chance would explain them. Up to 40 labels are
    named.
    """
    n = len(found.label_names)
    side = float(np.clip(0.28 * n, 2.6, 5.5))
    off = np.abs(found.correlation[~np.eye(n, dtype=bool)])
    limit = max(float(off.max()) if off.size else 1.0, 1e-3)
    with drawing(2 * side + 2.4, side + 1.3) as figure:
        left, right = figure.subplots(1, 2, sharey=True)
        _heat_map(left, found.correlation, found, limit, "Labels as they are")
        sure = np.where(found.corrected_p_value <= alpha, 1.0, 0.25)
        image = _heat_map(right, found.residual_correlation, found, limit, "Beyond the features", sure)
        bar = figure.colorbar(image, ax=[left, right], shrink=0.8, pad=0.02)
        bar.set_label("correlation")
        bar.outline.set_visible(False)
        return figure


def _heat_map(
    axes: Axes, values: Floats, found: ResidualDependence, limit: float, title: str, opacity: Floats | None = None
) -> AxesImage:
    shown = np.where(np.eye(len(values), dtype=bool), np.nan, values)
    colours = diverging().with_extremes(bad="#e8e8e8")
    image = axes.imshow(shown, cmap=colours, vmin=-limit, vmax=limit, alpha=opacity, interpolation="nearest")
    axes.set_title(title, fontsize=9)
    axes.tick_params(length=0)
    n = len(found.label_names)
    if n <= _NAMED:
        short = [cut_name(name) for name in found.label_names]
        axes.set_xticks(range(n), short, rotation=90, fontsize=7)
        axes.set_yticks(range(n), short, fontsize=7)
    for spine in axes.spines.values():
        spine.set_visible(False)
    return image
