"""A drawing of a label network as SVG text, without any plotting package."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import numpy as np

from bncc.structure.evidence import ALPHA
from bncc.structure.export import printable_in_xml
from bncc.structure.layout import HALF_HEIGHT, LONGEST_NAME, edge_curves, label_widths, layered_layout, number_width
from bncc.structure.network import LabelNetwork

__all__ = ["cut_name", "edge_colour", "edge_opacities", "network_svg", "signed_edges"]

_POSITIVE, _NEGATIVE, _PLAIN = "#0072b2", "#d55e00", "#767676"  # told apart by colour-blind readers
_PALEST = 0.3
_TIP_GAP = 2.0  # between the tip of an edge and its child


def network_svg(net: LabelNetwork, *, max_labels: int = 100) -> str:
    """The network from parents (top) to children (below), numbered by place in the chain order.

    A blue edge makes the child more likely, an orange dashed one less likely; its width grows with the dependence
    degree. Edges that chance would explain are pale. Names are escaped. Networks with more than `max_labels` labels are
    refused: draw a part of them.

    >>> from bncc import learn_network
    >>> network_svg(learn_network([[1, 1], [0, 0], [1, 0]], label_names=["<a>", "b"])).count("<text")
    4
    """
    if net.n_labels > max_labels:
        raise ValueError(
            f"A drawing is offered up to {max_labels} labels; got {net.n_labels}. Raise `max_labels`, or write DOT "
            "with `to_dot` for a larger one."
        )
    widths = label_widths(net.label_names)
    layout = layered_layout(net.n_labels, net.edges, widths, wrap=False)
    centres = list(zip(layout.x, layout.y, strict=True))
    parts = [
        _edge([centres[parent], *bends, centres[child]], sign, weight, opacity)
        for ((parent, child), sign, weight), bends, opacity in zip(
            signed_edges(net), layout.bends, edge_opacities(net), strict=True
        )
    ]
    position_of = {label: position for position, label in enumerate(net.order, 1)}
    shift = number_width(net.n_labels) / 2
    parts += [
        _node(*centres[label], widths[label], net.label_names[label], position_of[label], shift)
        for label in range(net.n_labels)
    ]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {layout.width:.0f} {layout.height:.0f}" '
        f'width="{layout.width:.0f}" role="img" aria-label="label network" font-family="sans-serif" font-size="12">'
        + "".join(parts)
        + "</svg>"
    )


def cut_name(name: str, longest: int = LONGEST_NAME) -> str:
    """A name of at most so many letters; cut in the middle, for names that begin alike often differ at their ends.

    >>> cut_name("photographs of the countryside/7", 16)
    'photograp…side/7'
    """
    tail = int((longest - 1) * 0.4)
    return name if len(name) <= longest else name[: longest - 1 - tail] + "…" + name[len(name) - tail :]


def edge_colour(sign: int) -> str:
    """Blue for an edge that makes its child more likely, orange for less, grey where that is not known.

    >>> edge_colour(1)
    '#0072b2'
    """
    return _POSITIVE if sign > 0 else _NEGATIVE if sign < 0 else _PLAIN


def signed_edges(net: LabelNetwork) -> list[tuple[tuple[int, int], int, float]]:
    """Edges with the sign of their relation and their dependence degree; 0 and 0.5 where no label matrix is known."""
    if net.counts is None or not net.edges:
        return [(edge, 0, 0.5) for edge in net.edges]
    parent, child = np.array(net.edges).T
    positives = net.counts.positives
    surplus = net.counts.pair_counts(child, parent) * net.counts.n_rows - positives[child] * positives[parent]
    weights = net.dependence_of(list(zip(child.tolist(), parent.tolist(), strict=True)))
    return list(zip(net.edges, np.sign(surplus).tolist(), weights.tolist(), strict=True))


def edge_opacities(net: LabelNetwork) -> list[float]:
    """How strongly each edge is drawn: 1 where it is more than chance, less the more chance would explain it.

    1 everywhere if the label matrix is not known.
    """
    if net.counts is None or not net.edges:
        return [1.0] * len(net.edges)
    found = {(edge.parent, edge.child): edge.corrected_p_value for edge in net.edge_table(n_resamples=0)}
    return [1.0 if found[edge] <= ALPHA else max(_PALEST, 0.7 * (1.0 - found[edge])) for edge in net.edges]


def _edge(points: Sequence[tuple[float, float]], sign: int, weight: float, opacity: float) -> str:
    """A curve from a parent through the bends of its edge to a child, straight down past each row of labels."""
    dash = ' stroke-dasharray="6 4"' if sign < 0 else ""
    path = ""
    for start, *curve in edge_curves(points, _TIP_GAP):
        path += f"{'L' if path else 'M'}{_pair(start)} C{' '.join(map(_pair, curve))} "
    x, y = points[-1][0], points[-1][1] - HALF_HEIGHT - _TIP_GAP
    tip = f"M{_pair((x - 4, y - 6))} l4 6 l4 -6"
    pale = "" if opacity >= 1 else f' stroke-opacity="{opacity:.2f}"'
    style = f'stroke="{edge_colour(sign)}" stroke-width="{1 + 2 * weight:.1f}"{dash}{pale}'
    return f'<path d="{path}{tip}" fill="none" {style}/>'


def _node(x: float, y: float, width: float, name: str, position: int, shift: float) -> str:
    left, name = x - width / 2, printable_in_xml(name)
    return (
        f"<g><title>{escape(name)}</title>"
        f'<rect x="{left:.0f}" y="{y - HALF_HEIGHT:.0f}" width="{width:.0f}" height="{2 * HALF_HEIGHT:.0f}" '
        f'rx="{HALF_HEIGHT:.0f}" fill="#f4f6f8" stroke="#5a6570"/>'
        f'<text x="{left + 10:.0f}" y="{y + 4:.0f}" fill="#767676" font-size="10">{position}</text>'
        f'<text x="{x + shift + 3:.0f}" y="{y + 4:.0f}" text-anchor="middle" fill="#1c2126">'
        f"{escape(cut_name(name))}</text></g>"
    )


def _pair(point: tuple[float, float]) -> str:
    return f"{point[0]:.0f} {point[1]:.0f}"
