"""Several networks over the same labels side by side, as under several limits of children."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

from bncc.analysis.figures.label_network import draw_network
from bncc.analysis.figures.style import drawing
from bncc.structure import LabelNetwork

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["network_panels"]

_PANEL = (4.2, 3.4)  # inches
_COLUMNS = 2


def network_panels(networks: Mapping[str, LabelNetwork]) -> Figure:
    """One panel per network, under its name; each is drawn as by `network_figure`."""
    if not networks:
        raise ValueError("There is nothing to draw: `networks` is empty.")
    columns = min(_COLUMNS, len(networks))
    rows = math.ceil(len(networks) / columns)
    with drawing(_PANEL[0] * columns, _PANEL[1] * rows) as figure:
        for panel, (name, net) in enumerate(networks.items()):
            axes = figure.add_subplot(rows, columns, panel + 1)
            draw_network(axes, net, (_PANEL[0], _PANEL[1] - 0.4))
            axes.set_title(name)
        return figure
