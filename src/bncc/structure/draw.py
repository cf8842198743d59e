"""A drawing of a label network as SVG text, without any plotting package."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import numpy as np

from bncc.structure.network import LabelNetwork

__all__ = ["network_svg"]

_ROW, _GAP, _CHAR, _PAD = 74, 22, 7.2, 22
_POSITIVE, _NEGATIVE, _PLAIN = "#0072b2", "#d55e00", "#767676"  # told apart by colour-blind readers
_LONGEST_NAME = 28
_LANE = 8.0  # room for an edge between labels

Item = int | tuple[int, int, int]  # a label, or a stop of an edge: parent, child, depth


def network_svg(net: LabelNetwork, *, max_labels: int = 100) -> str:
    """The network from parents (top) to children (below), numbered by place in the chain order.

    A blue edge makes the child more likely, an orange dashed one less likely; its width grows with the dependence
    degree. Names are escaped. Networks with more than `max_labels` labels are refused: draw a part of them.

    >>> from bncc import learn_network
    >>> network_svg(learn_network([[1, 1], [0, 0], [1, 0]], label_names=["<a>", "b"])).count("<text")
    4
    """
    if net.n_labels > max_labels:
        raise ValueError(
            f"A drawing is offered up to {max_labels} labels; got {net.n_labels}. Raise `max_labels`, or write DOT "
            "with `to_dot` for a larger one."
        )
    layers = _layers(net)
    widths = {item: _width(net.label_names[item]) if isinstance(item, int) else _LANE for row in layers for item in row}
    total = max(sum(widths[item] + _GAP for item in layer) for layer in layers) + _GAP
    x: dict[Item, float] = {}
    y: dict[Item, float] = {}
    for depth, layer in enumerate(layers):
        at = (total - sum(widths[item] + _GAP for item in layer) + _GAP) / 2
        for item in layer:
            x[item], y[item] = at + widths[item] / 2, 30 + depth * _ROW
            at += widths[item] + _GAP
    stops: dict[tuple[int, int], list[Item]] = {edge: [] for edge in net.edges}
    for item in (item for layer in layers for item in layer if not isinstance(item, int)):
        stops[item[:2]].append(item)
    parts = [
        _edge([(x[item], y[item]) for item in (edge[0], *stops[edge], edge[1])], sign, weight)
        for edge, sign, weight in _signed_edges(net)
    ]
    place = {label: position + 1 for position, label in enumerate(net.order)}
    parts += [
        _node(x[label], y[label], widths[label], name, place[label]) for label, name in enumerate(net.label_names)
    ]
    height = 60 + (len(layers) - 1) * _ROW
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {total:.0f} {height}" width="{total:.0f}" '
        f'role="img" aria-label="label network" font-family="sans-serif" font-size="12">' + "".join(parts) + "</svg>"
    )


def _layers(net: LabelNetwork) -> list[list[Item]]:
    """Labels by their depth below a root, and a stop in every layer that an edge leads past.

    Within a layer items are ordered by the mean place of what leads to them from above.
    """
    depth = [0] * net.n_labels
    for label in net.order:
        depth[label] = max((depth[parent] + 1 for parent in net.parents[label]), default=0)
    layers: list[list[Item]] = [[] for _ in range(max(depth) + 1)]
    above: dict[Item, list[Item]] = {}
    for label in net.order:
        layers[depth[label]].append(label)
        above[label] = []
        for parent in net.parents[label]:
            last: Item = parent
            for level in range(depth[parent] + 1, depth[label]):
                stop = (parent, label, level)
                layers[level].append(stop)
                above[stop], last = [last], stop
            above[label].append(last)
    where: dict[Item, float] = {}
    for layer in layers:
        centre = {item: float(np.mean([where[p] for p in above[item]] or [0.5])) for item in layer}
        layer.sort(key=centre.__getitem__)
        where.update({item: (place + 1) / (len(layer) + 1) for place, item in enumerate(layer)})
    return layers


def _signed_edges(net: LabelNetwork) -> list[tuple[tuple[int, int], int, float]]:
    """Edges with the sign of their relation and their dependence degree; 0 and 0.5 where no label matrix is known."""
    if net.counts is None or not net.edges:
        return [(edge, 0, 0.5) for edge in net.edges]
    parent, child = np.array(net.edges).T
    positives = net.counts.positives
    surplus = net.counts.pair_counts(child, parent) * net.counts.n_rows - positives[child] * positives[parent]
    weights = net.dependence_of(list(zip(child.tolist(), parent.tolist(), strict=True)))
    return list(zip(net.edges, np.sign(surplus).tolist(), weights.tolist(), strict=True))


def _edge(points: Sequence[tuple[float, float]], sign: int, weight: float) -> str:
    """A curve from a parent through the stops of its edge to a child; it goes straight down past each row of labels."""
    colour = _POSITIVE if sign > 0 else _NEGATIVE if sign < 0 else _PLAIN
    dash = ' stroke-dasharray="6 4"' if sign < 0 else ""
    (at, top), path = points[0], ""
    for x, y in points[1:]:
        start, end = top + 13, y - 15
        middle = (start + end) / 2
        path += f"{'L' if path else 'M'}{at:.0f} {start:.0f} "
        path += f"C{at:.0f} {middle:.0f} {x:.0f} {middle:.0f} {x:.0f} {end:.0f} "
        at, top = x, y
    tip = f"M{at - 4:.0f} {top - 21:.0f} l4 6 l4 -6"
    return f'<path d="{path}{tip}" fill="none" stroke="{colour}" stroke-width="{1 + 2 * weight:.1f}"{dash}/>'


def _node(x: float, y: float, width: float, name: str, place: int) -> str:
    shown = name if len(name) <= _LONGEST_NAME else name[: _LONGEST_NAME - 1] + "…"
    left = x - width / 2
    return (
        f"<g><title>{escape(name)}</title>"
        f'<rect x="{left:.0f}" y="{y - 13:.0f}" width="{width:.0f}" height="26" rx="13" fill="#f4f6f8" '
        f'stroke="#5a6570"/><text x="{left + 12:.0f}" y="{y + 4:.0f}" fill="#767676" font-size="10">{place}</text>'
        f'<text x="{x + 8:.0f}" y="{y + 4:.0f}" text-anchor="middle" fill="#1c2126">{escape(shown)}</text></g>'
    )


def _width(name: str) -> float:
    return min(len(name), _LONGEST_NAME) * _CHAR + 2 * _PAD
