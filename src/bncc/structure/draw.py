"""A drawing of a label network as SVG text, without any plotting package."""

from __future__ import annotations

from html import escape

import numpy as np
from numpy.typing import NDArray

from bncc.structure.network import LabelNetwork

__all__ = ["network_svg"]

_ROW, _GAP, _CHAR, _PAD = 74, 22, 7.2, 22
_POSITIVE, _NEGATIVE, _PLAIN = "#0072b2", "#d55e00", "#767676"  # told apart by colour-blind readers
_LONGEST_NAME = 28


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
    widths = [_width(name) for name in net.label_names]
    total = max(sum(widths[label] + _GAP for label in layer) for layer in layers) + _GAP
    x, y = np.zeros(net.n_labels), np.zeros(net.n_labels)
    for depth, layer in enumerate(layers):
        at = (total - sum(widths[label] + _GAP for label in layer) + _GAP) / 2
        for label in layer:
            x[label], y[label] = at + widths[label] / 2, 30 + depth * _ROW
            at += widths[label] + _GAP
    parts = [_edge(x, y, edge, sign, weight) for edge, sign, weight in _signed_edges(net)]
    place = {label: position + 1 for position, label in enumerate(net.order)}
    parts += [
        _node(x[label], y[label], widths[label], name, place[label]) for label, name in enumerate(net.label_names)
    ]
    height = 60 + (len(layers) - 1) * _ROW
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {total:.0f} {height}" width="{total:.0f}" '
        f'role="img" aria-label="label network" font-family="sans-serif" font-size="12">' + "".join(parts) + "</svg>"
    )


def _layers(net: LabelNetwork) -> list[list[int]]:
    """Labels by their depth below a root, ordered within a layer by the mean place of their parents above."""
    depth = [0] * net.n_labels
    for label in net.order:
        depth[label] = max((depth[parent] + 1 for parent in net.parents[label]), default=0)
    layers: list[list[int]] = [[] for _ in range(max(depth) + 1)]
    for label in net.order:
        layers[depth[label]].append(label)
    where: dict[int, float] = {}
    for layer in layers:
        centre = {label: float(np.mean([where[p] for p in net.parents[label]] or [0.5])) for label in layer}
        layer.sort(key=centre.__getitem__)
        where.update({label: (place + 1) / (len(layer) + 1) for place, label in enumerate(layer)})
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


def _edge(x: NDArray[np.float64], y: NDArray[np.float64], edge: tuple[int, int], sign: int, weight: float) -> str:
    parent, child = edge
    colour = _POSITIVE if sign > 0 else _NEGATIVE if sign < 0 else _PLAIN
    dash = ' stroke-dasharray="6 4"' if sign < 0 else ""
    top, bottom = y[parent] + 13, y[child] - 15
    bend = (bottom - top) / 2
    path = f"M{x[parent]:.0f} {top:.0f} C{x[parent]:.0f} {top + bend:.0f} {x[child]:.0f} {bottom - bend:.0f}"
    tip = f"M{x[child] - 4:.0f} {bottom - 6:.0f} l4 6 l4 -6"
    return (
        f'<path d="{path} {x[child]:.0f} {bottom:.0f} {tip}" fill="none" stroke="{colour}" '
        f'stroke-width="{1 + 2 * weight:.1f}"{dash}/>'
    )


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
