"""Where the labels of a network are drawn: parents above children, few crossings, any number of labels.

Every drawing of a network (SVG, figure, page) takes its places from here. Lengths are in units of an SVG at its
natural size. The steps are those of Sugiyama, Tagawa and Toda (1981): layers by depth; within a layer an order by the
mean place of neighbours, swept down and up; then places as near to the neighbours as widths allow. A long edge is led
around the labels between its ends. In a wrapped layout, that of more than `MOST_NAMED` labels, a layer goes on in
further rows of equal length, so that a thousand labels keep the shape of a page, and edges run straight.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import isotonic_regression

__all__ = [
    "HALF_HEIGHT",
    "LONGEST_NAME",
    "MOST_NAMED",
    "Curve",
    "Layout",
    "edge_curves",
    "label_widths",
    "layered_layout",
    "number_width",
]

MOST_NAMED = 60  # more labels than this are drawn as points, named where there is room
LONGEST_NAME = 24  # letters of a name that are drawn
HALF_HEIGHT = 13.0  # of a label
_LETTER, _DIGIT, _PAD = 7.4, 6.5, 28.0  # widths within a label
_SWEEPS = 8
_ROW, _GAP, _LANE = 84.0, 22.0, 14.0
_CELL, _CELL_ROW, _LAYER_GAP = 132.0, 44.0, 40.0
_SHAPE = 1.5  # width of a wrapped drawing over its height

Groups = list[list[int]]
Point = tuple[float, float]
Curve = tuple[Point, Point, Point, Point]  # of Bezier: start, two controls, end


@dataclass(frozen=True)
class Layout:
    """Centres of the labels, the points at which edges bend, and the size of the drawing.

    Attributes
    ----------
    x, y : tuples of float, one per label
    bends : tuple, one per edge, of tuples of points (x, y)
    width, height : float
    wrapped : bool
        Whether layers were wrapped into rows: labels are points then, for which widths were not heeded.
    """

    x: tuple[float, ...]
    y: tuple[float, ...]
    bends: tuple[tuple[Point, ...], ...]
    width: float
    height: float
    wrapped: bool


def layered_layout(
    n_labels: int, edges: Sequence[tuple[int, int]], widths: Sequence[float], *, wrap: bool | None = None
) -> Layout:
    """Lay out an acyclic network with the given (parent, child) edges and label widths.

    By default more than `MOST_NAMED` labels are wrapped.

    >>> layout = layered_layout(3, [(0, 1), (0, 2)], [60, 60, 60])
    >>> layout.y[0] < layout.y[1] == layout.y[2], layout.x[0] == (layout.x[1] + layout.x[2]) / 2
    (True, True)
    """
    depth = _depths(n_labels, edges)
    if n_labels > MOST_NAMED if wrap is None else wrap:
        return _wrapped(depth, edges)
    return _spaced(depth, edges, widths)


def label_widths(names: Sequence[str]) -> list[float]:
    """Widths of labels that show a number, the place in the chain order, and a name.

    >>> label_widths(["ab", "a" * 90])
    [49.3, 212.1]
    """
    return [_round(min(len(name), LONGEST_NAME) * _LETTER + number_width(len(names)) + _PAD) for name in names]


def number_width(n_labels: int) -> float:
    """Room for a place in the chain order."""
    return len(str(n_labels)) * _DIGIT


def edge_curves(points: Sequence[Point], gap: float = 0.0) -> list[Curve]:
    """An edge through the centres of its parent, its bends and its child, one curve from each to the next.

    A curve leaves below a label and ends `gap` above one, upright at both ends, so that between two curves the edge
    goes straight down past a row of labels.

    >>> edge_curves([(0, 0), (10, 84)])
    [((0, 13.0), (0, 42.0), (10, 42.0), (10, 71.0))]
    """
    curves: list[Curve] = []
    for (x, y), (next_x, next_y) in pairwise(points):
        start, end = y + HALF_HEIGHT, next_y - HALF_HEIGHT - gap
        middle = (start + end) / 2
        curves.append(((x, start), (x, middle), (next_x, middle), (next_x, end)))
    return curves


def _depths(n_labels: int, edges: Sequence[tuple[int, int]]) -> list[int]:
    """Length of the longest path from a label without parents."""
    children: Groups = [[] for _ in range(n_labels)]
    waiting = [0] * n_labels
    for parent, child in edges:
        children[parent].append(child)
        waiting[child] += 1
    depth, free = [0] * n_labels, [label for label in range(n_labels) if not waiting[label]]
    for label in free:  # grows while it is read
        for child in children[label]:
            depth[child] = max(depth[child], depth[label] + 1)
            waiting[child] -= 1
            if not waiting[child]:
                free.append(child)
    if len(free) < n_labels:
        raise ValueError("A layered drawing needs an acyclic network; got a cycle.")
    return depth


def _spaced(depth: list[int], edges: Sequence[tuple[int, int]], widths: Sequence[float]) -> Layout:
    """Labels of any width; a long edge gets a lane in every layer that it passes."""
    n_labels = len(depth)
    levels, sizes = list(depth), [float(width) for width in widths]
    lanes: list[list[int]] = []
    steps: list[tuple[int, int]] = []
    for parent, child in edges:
        lane = list(range(len(levels), len(levels) + depth[child] - depth[parent] - 1))
        levels += range(depth[parent] + 1, depth[child])
        sizes += [_LANE] * len(lane)
        chain = [parent, *lane, child]
        steps += pairwise(chain)
        lanes.append(lane)
    layers = _ordered(_layers(levels), *_neighbours(len(levels), steps))
    x = _places(layers, *_neighbours(len(levels), steps), np.array(sizes))
    y = np.array(levels) * _ROW + _ROW / 2
    left, right = (x - np.array(sizes) / 2).min() - _GAP, (x + np.array(sizes) / 2).max() + _GAP
    x -= left
    bends = tuple(tuple((_round(x[node]), _round(y[node])) for node in lane) for lane in lanes)
    return _layout(x[:n_labels], y[:n_labels], bends, right - left, len(layers) * _ROW, False)


def _wrapped(depth: list[int], edges: Sequence[tuple[int, int]]) -> Layout:
    """Equal cells; a layer longer than a row goes on in the next."""
    layers = _ordered(_layers(depth), *_neighbours(len(depth), edges))
    columns = _columns([len(layer) for layer in layers])
    x, y, top = np.zeros(len(depth)), np.zeros(len(depth)), _CELL_ROW
    for layer in layers:
        n_rows = -(-len(layer) // columns)
        per_row = -(-len(layer) // n_rows)
        for position, label in enumerate(layer):
            # Down first, then right: neighbours of the order stay near each other.
            column, row = divmod(position, n_rows)
            x[label] = (columns - per_row) / 2 * _CELL + (column + 0.5) * _CELL
            y[label] = top + row * _CELL_ROW
        top += n_rows * _CELL_ROW + _LAYER_GAP
    return _layout(x, y, ((),) * len(edges), columns * _CELL, top - _LAYER_GAP, True)


def _columns(sizes: list[int]) -> int:
    """The fewest columns for which the drawing is at least `_SHAPE` times as wide as high."""
    for columns in range(1, max(sizes) + 1):
        height = sum(-(-size // columns) * _CELL_ROW + _LAYER_GAP for size in sizes)
        if columns * _CELL >= _SHAPE * height:
            return columns
    return max(sizes)


def _layers(levels: Sequence[int]) -> Groups:
    layers: Groups = [[] for _ in range(max(levels) + 1)]
    for node, level in enumerate(levels):
        layers[level].append(node)
    return layers


def _neighbours(n_nodes: int, edges: Sequence[tuple[int, int]]) -> tuple[Groups, Groups]:
    above: Groups = [[] for _ in range(n_nodes)]
    below: Groups = [[] for _ in range(n_nodes)]
    for parent, child in edges:
        above[child].append(parent)
        below[parent].append(child)
    return above, below


def _ordered(layers: Groups, above: Groups, below: Groups) -> Groups:
    """Each layer by the mean place of neighbours above, then below, and so on; ties keep their order."""
    best, fewest = layers, _crossings(layers, below)
    layers = [list(layer) for layer in layers]
    for sweep in range(_SWEEPS):
        near = above if sweep % 2 == 0 else below
        where = np.zeros(len(above))
        for layer in layers:
            where[layer] = (np.arange(len(layer)) + 0.5) / len(layer)
        for layer in layers if sweep % 2 == 0 else reversed(layers):
            centre = {node: float(where[near[node]].mean()) if near[node] else float(where[node]) for node in layer}
            layer.sort(key=centre.__getitem__)
            where[layer] = (np.arange(len(layer)) + 0.5) / len(layer)
        crossings = _crossings(layers, below)
        if crossings < fewest:
            best, fewest = [list(layer) for layer in layers], crossings
    return best


def _crossings(layers: Groups, below: Groups) -> int:
    """Crossings between neighbouring layers: inversions among the lower ends of the edges, read from the left."""
    where = {node: position for layer in layers for position, node in enumerate(layer)}
    level = {node: depth for depth, layer in enumerate(layers) for node in layer}
    total = 0
    for layer in layers:
        ends = [
            end
            for node in layer
            for end in sorted(where[child] for child in below[node] if level[child] == level[node] + 1)
        ]
        lower = np.array(ends, np.int64)
        total += sum(int((lower[:i] > end).sum()) for i, end in enumerate(ends))
    return total


def _places(layers: Groups, above: Groups, below: Groups, sizes: NDArray[np.float64]) -> NDArray[np.float64]:
    """Centres as near to the mean of all neighbours as the order and the widths allow (least squares)."""
    x = np.zeros(len(above))
    for layer in layers:
        x[layer] = _spread(np.zeros(len(layer)), sizes[layer])
    for sweep in range(2 * _SWEEPS):
        for layer in layers if sweep % 2 == 0 else reversed(layers):
            near = [above[node] + below[node] for node in layer]
            wanted = [x[group].mean() if group else x[node] for node, group in zip(layer, near, strict=True)]
            x[layer] = _spread(np.array(wanted), sizes[layer])
    return x


def _spread(wanted: NDArray[np.float64], sizes: NDArray[np.float64]) -> NDArray[np.float64]:
    """The places nearest to the wanted ones at which no two overlap, in the order given."""
    least = np.concatenate([[0.0], np.cumsum((sizes[:-1] + sizes[1:]) / 2 + _GAP)])
    return np.asarray(isotonic_regression(wanted - least).x + least)


def _layout(
    x: NDArray[np.float64],
    y: NDArray[np.float64],
    bends: tuple[tuple[Point, ...], ...],
    width: float,
    height: float,
    wrapped: bool,
) -> Layout:
    return Layout(tuple(map(_round, x)), tuple(map(_round, y)), bends, _round(width), _round(height), wrapped)


def _round(value: float) -> float:
    return round(float(value), 1)
