"""What the script is told beside the summary: where labels are drawn, and what it shares with the Python side."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from bncc.analysis.page.results import WHISKER
from bncc.analysis.page.summary import NetworkPart, Summary
from bncc.labels.relations import FEWEST_ROWS, LEAST_CHI_SQUARE
from bncc.structure.layout import HALF_HEIGHT, LONGEST_NAME, Layout, label_widths, layered_layout, number_width

__all__ = ["Constants", "Drawing", "PlacedLabels", "draw_summary", "shown_name"]

#: Characters that turn the direction of a line or hide within it; a pattern that Python and JavaScript read alike.
_UNSEEN = (
    r"[\u0000-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    r"\ud800-\udfff]"
)


@dataclass(frozen=True)
class Constants:
    """What Python and the script must agree upon.

    Attributes
    ----------
    least_chi_square, fewest_rows : float and int
        A relation of labels with less may be chance.
    whisker : float
        Interquartile ranges from the box beyond which a fold is an outlier.
    longest_name : int
        Letters of a name that a label of the network shows.
    half_height : float
        Of a label.
    unseen, line_break, empty_name : str
        The pattern of characters that are replaced in names, and what is shown for a break of lines and for no name.
    """

    least_chi_square: float = LEAST_CHI_SQUARE
    fewest_rows: int = FEWEST_ROWS
    whisker: float = WHISKER
    longest_name: int = LONGEST_NAME
    half_height: float = HALF_HEIGHT
    unseen: str = _UNSEEN
    line_break: str = " ⏎ "
    empty_name: str = "(empty name)"


@dataclass(frozen=True)
class PlacedLabels(Layout):
    """A layout, the widths that it was made for, and the room for a place in the chain within them."""

    widths: tuple[float, ...]
    number_width: float


@dataclass(frozen=True)
class Drawing:
    """Constants, and the layout of the network where there is one."""

    constants: Constants
    layout: PlacedLabels | None


def draw_summary(summary: Summary) -> Drawing:
    """What a page needs beside its summary.

    >>> draw_summary(Summary("Empty")).constants.longest_name
    24
    """
    return Drawing(Constants(), None if summary.network is None else _place(summary.network))


def shown_name(name: str, constants: Constants | None = None) -> str:
    """A name as the page shows it.

    >>> shown_name("two\\nlines"), shown_name("")
    ('two ⏎ lines', '(empty name)')
    """
    agreed = constants or Constants()
    text = re.sub(agreed.unseen, "\ufffd", re.sub(r"[\n\r\t]+", agreed.line_break, name)).strip()
    return text or agreed.empty_name


def _place(network: NetworkPart) -> PlacedLabels:
    names = [shown_name(name) for name in network.label_names]
    widths = label_widths(names)
    layout = layered_layout(len(names), _kept_edges(network), widths)
    return PlacedLabels(**asdict(layout), widths=tuple(widths), number_width=number_width(len(names)))


def _kept_edges(network: NetworkPart) -> Sequence[tuple[int, int]]:
    return [(edge.parent, edge.child) for edge in network.edges if edge.kept]
