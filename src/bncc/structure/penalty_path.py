"""A sweep over the penalty: hill climbing that goes on from network to network while the price of size falls.

From no edges on, the price starts above what any edge is worth. Where no edge added, removed or reversed improves
bits - price * cost, the price falls to what the best addition pays, and that edge is taken. Every network on the way is
a candidate for the front. The sweep ends where nothing explains more at any price.

Climbing alone may give a label two parents where turning edges around would have done, so a second sweep begins with
the edges of the maximum spanning tree (Chow and Liu), heaviest first: the best networks of one parent per label.

Moves are compared after rounding to 4 decimals, coarser than the bits that they come from, so that none is undone for
rounding's sake. Of equal ones an addition comes first, then a removal, then a reversal, then the parent and the child
of lowest index.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator

import numpy as np

from bncc._typing import Bools, Floats
from bncc.graph import maximum_spanning_tree
from bncc.structure.candidate_scores import CandidateScorer
from bncc.structure.front_points import FrontPoint

__all__ = ["penalty_path"]

_ADD, _REMOVE, _REVERSE = range(3)
_DECIMALS = 4

# What a move is worth, what is done to the edge, its parent and its child.
Move = tuple[float, int, int, int]
_NO_MOVE: Move = (0.0, _REVERSE, -1, -1)


def penalty_path(scorer: CandidateScorer, n_labels: int, costs: tuple[int, ...]) -> list[FrontPoint]:
    """All networks that the sweep comes by, from no edges on.

    Parameters
    ----------
    scorer : scorer without a penalty
    costs : tuple of int
        What a label costs by its number of parents; its length limits how many there may be.
    """
    climbing = _Path(scorer, n_labels, np.asarray(costs, np.float64))
    planted = climbing.copy()
    points = [climbing.point(), *_sweep(climbing, np.inf)]
    price = np.inf
    for gain, parent, child in planted.tree() if len(costs) > 1 else ():
        planted.apply((0.0, _ADD, parent, child))
        points.append(planted.point())
        price = gain / (costs[1] - costs[0])
    return [*points, *_sweep(planted, price)]


def _sweep(path: _Path, price: float) -> Iterator[FrontPoint]:
    """The networks that come next, as the price falls from here on."""
    while True:
        move = path.best_move(price) if np.isfinite(price) else _NO_MOVE
        if move[0] <= 0:
            price, parent, child = path.best_addition()
            if price <= 0:
                return
            move = (0.0, _ADD, parent, child)
        path.apply(move)
        yield path.point()


class _Path:
    """The network so far, and for each child its bits with any other label and without any of its parents."""

    def __init__(self, scorer: CandidateScorer, n_labels: int, costs: Floats) -> None:
        self.scorer, self.costs = scorer, costs
        self.parents: list[tuple[int, ...]] = [()] * n_labels
        self.above: Bools = np.zeros((n_labels, n_labels), bool)  # row: a label, column: whether that one is above it
        self.bits = np.zeros(n_labels)
        self.gains = np.full((n_labels, n_labels), -np.inf)  # row: a child, column: the label added
        self.losses: list[list[float]] = [[] for _ in range(n_labels)]
        for child in range(n_labels):
            self._renew(child)

    def copy(self) -> _Path:
        """The same network, which goes on by itself."""
        out = copy.copy(self)
        out.parents, out.losses = list(self.parents), list(self.losses)
        out.above, out.bits, out.gains = self.above.copy(), self.bits.copy(), self.gains.copy()
        return out

    def tree(self) -> list[tuple[float, int, int]]:
        """From no edges on: those of the maximum spanning tree that explain more, heaviest first, as (gain, edge)."""
        gains = np.where(np.isfinite(self.gains), self.gains, 0.0)
        parents = maximum_spanning_tree((gains + gains.T) / 2, len(self.parents))
        edges = [(float(gains[child, group[0]]), group[0], child) for child, group in enumerate(parents) if group]
        return sorted((edge for edge in edges if round(edge[0], _DECIMALS) > 0), key=lambda edge: (-edge[0], *edge[1:]))

    def point(self) -> FrontPoint:
        cost = self.costs[[len(group) for group in self.parents]].sum()
        return FrontPoint(tuple(self.parents), float(self.bits.sum()), int(cost))

    def best_addition(self) -> tuple[float, int, int]:
        """The edge that explains most for its cost, with the price that it pays; 0 where none explains more."""
        ratio = np.where(self._closed(), -np.inf, self.gains / self._prices_of_one_more()[:, None])
        parent, child = divmod(int(np.argmax(np.round(ratio.T, _DECIMALS))), len(self.parents))
        best = float(ratio[child, parent])
        return (best, parent, child) if round(best, _DECIMALS) > 0 else (0.0, -1, -1)

    def best_move(self, price: float) -> Move:
        """The move that improves bits - price * cost most; worth 0 where none does."""
        worth = np.round(self.gains - price * self._prices_of_one_more()[:, None], _DECIMALS)
        worth[self._closed()] = -np.inf
        parent, child = divmod(int(np.argmax(worth.T)), len(self.parents))
        moves: list[Move] = [_NO_MOVE, (float(worth[child, parent]), _ADD, parent, child)]
        for child, group in enumerate(self.parents):
            saved = price * self._price(len(group) - 1) if group else 0.0
            for parent, loss in zip(group, self.losses[child], strict=True):
                left = saved - loss
                moves.append((round(left, _DECIMALS), _REMOVE, parent, child))
                gain = self.gains[parent, child]
                if np.isfinite(gain) and self._may_reverse(parent, child):
                    turned = left + float(gain) - price * self._price(len(self.parents[parent]))
                    moves.append((round(turned, _DECIMALS), _REVERSE, parent, child))
        return max(moves, key=lambda move: (move[0], -move[1], -move[2], -move[3]))

    def apply(self, move: Move) -> None:
        """Do it, and look at the labels again whose parents changed."""
        _, kind, parent, child = move
        if kind == _ADD:
            self.parents[child] = (*self.parents[child], parent)
            below = self.above[:, child].copy()
            below[child] = True
            self.above[below] |= self.above[parent]
            self.above[below, parent] = True
        else:
            self.parents[child] = tuple(other for other in self.parents[child] if other != parent)
        if kind == _REVERSE:
            self.parents[parent] = (*self.parents[parent], child)
            self._renew(parent)
        if kind != _ADD:
            self.above = _ancestors(self.parents)
        self._renew(child)

    def _closed(self) -> Bools:
        """Row: a child, column: whether that label may not become a parent, because the child is above it."""
        return self.above.T

    def _prices_of_one_more(self) -> Floats:
        """What one more parent costs each label; of no meaning where the limit is reached and nothing is gained."""
        steps = np.append(np.diff(self.costs), 1.0)
        return steps[[len(group) for group in self.parents]]

    def _price(self, n_parents: int) -> float:
        """What the step from so many parents to one more costs."""
        return float(self.costs[n_parents + 1] - self.costs[n_parents])

    def _may_reverse(self, parent: int, child: int) -> bool:
        return not any(self.above[other, parent] for other in self.parents[child] if other != parent)

    def _renew(self, child: int) -> None:
        group = list(self.parents[child])
        self.bits[child] = self.scorer.one(child, group)
        self.losses[child] = [
            float(self.bits[child]) - self.scorer.one(child, [other for other in group if other != parent])
            for parent in group
        ]
        self.gains[child] = -np.inf
        if len(group) + 1 < len(self.costs):
            candidates = np.setdiff1d(np.arange(len(self.parents)), [child, *group])
            if candidates.size:
                self.gains[child, candidates] = self.scorer.many(child, group, candidates) - self.bits[child]


def _ancestors(parents: list[tuple[int, ...]]) -> Bools:
    """Row: a label, column: whether that label is above it."""
    n_labels = len(parents)
    above = np.zeros((n_labels, n_labels), bool)
    children: list[list[int]] = [[] for _ in range(n_labels)]
    for child, group in enumerate(parents):
        for parent in group:
            children[parent].append(child)
    waiting = [len(group) for group in parents]
    ready = [label for label, count in enumerate(waiting) if count == 0]
    while ready:
        parent = ready.pop()
        for child in children[parent]:
            above[child] |= above[parent]
            above[child, parent] = True
            waiting[child] -= 1
            if waiting[child] == 0:
                ready.append(child)
    return above
