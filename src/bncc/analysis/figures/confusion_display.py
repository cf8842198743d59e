"""The map of labels that are said instead of others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bncc.analysis.figures.quality_display import QualityDisplay
from bncc.analysis.figures.style import INK, sequential
from bncc.structure.draw import cut_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["ConfusedLabelsDisplay"]

_MOST = 24
_FIGURED = 16


class ConfusedLabelsDisplay(QualityDisplay):
    """Rows in which one label was missed (down) and another said instead (across).

    Of many labels those of the pairs with most rows beyond chance are drawn.
    """

    def _draw(self, ax: Axes) -> None:
        quality, shown = self._quality, self._shown()
        place = {label: i for i, label in enumerate(shown)}
        counts = np.zeros((len(shown), len(shown)))
        for pair in quality.confused:
            if pair.first in place and pair.second in place:
                counts[place[pair.first], place[pair.second]] = pair.rows
        if shown:
            ax.imshow(np.where(counts > 0, counts, np.nan), cmap=sequential(), vmin=0)
        if len(shown) <= _FIGURED:
            for (row, column), count in np.ndenumerate(counts):
                if count:
                    colour = "white" if count > counts.max() / 2 else INK
                    ax.text(column, row, f"{count:.0f}", ha="center", va="center", color=colour, fontsize=7)
        names = [cut_name(quality.labels[label].name) for label in shown]
        ax.set_xticks(range(len(shown)), names, rotation=90)
        ax.set_yticks(range(len(shown)), names)
        ax.set(xlabel="said instead", ylabel="missed")
        ax.set_title(f"{quality.method}: rows with confused labels")

    def _shown(self) -> list[int]:
        seen: dict[int, None] = {}
        for pair in self._quality.confused:
            fresh = {pair.first, pair.second} - set(seen)
            if len(seen) + len(fresh) > _MOST:
                break
            seen |= dict.fromkeys(fresh)
        return sorted(seen)

    def _inches(self) -> tuple[float, float]:
        side = 2.4 + 0.24 * max(4, len(self._shown()))
        return side, side
