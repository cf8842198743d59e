"""Shapley values of a game: what each player adds to a value, averaged over the orders in which they may join.

A player that joins takes its value from the row that is explained; until then it has that of a row compared with. So
every order ends at the score of the row and begins at that of the other, and contributions add up to the difference
exactly, in every order that is drawn. Orders are drawn in pairs, one the reverse of the other, which takes away the
error of all effects between two players (Castro et al. 2009; Mitchell et al. 2022). Where all coalitions are few
enough they are all asked for, and the values are exact.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import factorial
from typing import TypeAlias

import numpy as np

from bncc._typing import Bools, Floats, Longs

__all__ = ["Game", "ShapleyValues", "Values", "least_asked", "play_exactly", "sample_orders", "shapley_values"]

#: Values (n, n_outputs) of n coalitions: who has joined (n, n_players), and the number of the row compared with (n,).
Values: TypeAlias = Callable[[Bools, Longs], Floats]

_LEAST_PAIRS = 2
_MOST_EXACT_PLAYERS = 12
_MOST_HELD = 1 << 22  # numbers: what each player adds to each output, for all pairs of orders


@dataclass(frozen=True, eq=False)
class Game:
    """A row to explain, against rows to compare it with.

    Attributes
    ----------
    values : function of coalitions
    moves : (n_compared, n_players), bool
        Players that change anything when they join, by the row compared with; the others add nothing.
    start : (n_compared, n_outputs)
        Values before anybody has joined.
    end : (n_outputs,)
        Value when all have joined.
    block : int
        Coalitions that are asked for at a time.
    """

    values: Values
    moves: Bools
    start: Floats
    end: Floats
    block: int = 4096


@dataclass(frozen=True, eq=False)
class ShapleyValues:
    """What each player adds.

    ``base + contributions.sum(axis=0)`` is the value with all players, exactly.

    Attributes
    ----------
    base : (n_outputs,)
        Mean value of the rows compared with, over those that were used.
    contributions, standard_errors : (n_players, n_outputs)
    exact : bool
    n_compared, n_asked : int
        Rows compared with, and coalitions asked for.
    """

    base: Floats
    contributions: Floats
    standard_errors: Floats
    exact: bool
    n_compared: int
    n_asked: int


def shapley_values(game: Game, budget: int, random: np.random.Generator) -> ShapleyValues:
    """Exactly where all coalitions are within the budget, else from as many pairs of orders as it allows (at least 2).

    >>> weights = np.array([[1.0], [2.0]])
    >>> game = Game(lambda joined, _: joined @ weights, np.ones((1, 2), bool), np.zeros((1, 1)), np.array([3.0]))
    >>> shapley_values(game, 10, np.random.default_rng(0)).contributions.ravel().tolist()
    [1.0, 2.0]
    """
    players = game.moves.sum(axis=1)
    if players.max(initial=0) <= _MOST_EXACT_PLAYERS and (2.0**players).sum() <= budget:
        return play_exactly(game)
    return sample_orders(game, budget, random)


def least_asked(game: Game) -> int:
    """Coalitions that are asked for whatever the budget is: those of two pairs of orders, at most."""
    return 2 * _LEAST_PAIRS * max(int(game.moves.sum(axis=1).max(initial=0)) - 1, 0)


def play_exactly(game: Game) -> ShapleyValues:
    """The values themselves, from all coalitions of the players that move."""
    n_compared, n_players = game.moves.shape
    total, n_asked = np.zeros((n_players, game.end.size)), 0
    for several in _blocks_of_rows(2 ** game.moves.sum(axis=1), game.block):
        movers = [np.flatnonzero(game.moves[compared]) for compared in several]
        coalitions = [_all_coalitions(each.size) for each in movers]
        between = _between(game, several, movers, coalitions)
        n_asked += sum(map(len, between))
        for compared, moving, joining, asked in zip(several, movers, coalitions, between, strict=True):
            values = np.empty((len(joining), game.end.size))
            values[0], values[-1] = game.start[compared], game.end
            values[1:-1] = asked
            total[moving] += _weights_of_coalitions(joining).T @ values if moving.size else 0.0
    contributions = total / n_compared
    return ShapleyValues(
        game.start.mean(axis=0), contributions, np.zeros_like(contributions), True, n_compared, n_asked
    )


def _blocks_of_rows(n_coalitions: Longs, block: int) -> Iterator[list[int]]:
    """Rows compared with whose coalitions are asked for together: a call may cost more than its rows do."""
    rows: list[int] = []
    for row, size in enumerate(n_coalitions.tolist()):
        if rows and int(n_coalitions[rows].sum()) + size > block:
            yield rows
            rows = []
        rows.append(row)
    yield rows


def _between(game: Game, rows: Sequence[int], movers: Sequence[Longs], coalitions: Sequence[Bools]) -> list[Floats]:
    """Values of the coalitions of each row but the first and the last, which are known."""
    sizes = [max(len(each) - 2, 0) for each in coalitions]
    joined, ends = np.zeros((sum(sizes), game.moves.shape[1]), bool), np.cumsum(sizes)
    for moving, joining, size, end in zip(movers, coalitions, sizes, ends.tolist(), strict=True):
        joined[end - size : end, moving] = joining[1 : size + 1]
    return np.split(_ask(game, joined, np.repeat(np.asarray(rows, np.int64), sizes)), ends[:-1])


def _all_coalitions(n_movers: int) -> Bools:
    """All subsets, nobody first and all last."""
    return (np.arange(2**n_movers)[:, None] >> np.arange(n_movers)) % 2 == 1


def _weights_of_coalitions(coalitions: Bools) -> Floats:
    """What the value of each coalition counts in the contribution of each player, (n_coalitions, n_players)."""
    n = coalitions.shape[1]
    by_size = [factorial(size) * factorial(n - size - 1) / factorial(n) for size in range(n)]
    size = coalitions.sum(axis=1)
    weight_without = np.array([*by_size, 0.0])[size]  # of a coalition that the player has yet to join
    weight_with = np.array([0.0, *by_size])[size]
    return np.where(coalitions, weight_with[:, None], -weight_without[:, None])


def sample_orders(game: Game, budget: int, random: np.random.Generator) -> ShapleyValues:
    """From pairs of random orders, each pair against one row compared with, in turn.

    The standard errors take the pairs as draws, so that they also tell how much the rows compared with differ: those
    of contributions against all rows that these were drawn from.
    """
    n_compared, n_players = game.moves.shape
    turns = _turns(game.moves.sum(axis=1), budget, random)
    if turns.size > (most := _most_pairs(n_players * game.end.size)):
        turns = random.permutation(turns)[:most]
    per_pair = np.zeros((turns.size, n_players, game.end.size))
    orders = [random.permutation(np.flatnonzero(game.moves[compared])) for compared in turns]
    n_asked = 0
    for pairs in _blocks_of_pairs(orders, game.block):
        n_asked += _play_pairs(game, pairs, orders, turns, per_pair)
    used = np.bincount(turns, minlength=n_compared)
    base = (used @ game.start) / turns.size
    errors = per_pair.std(axis=0, ddof=1) / np.sqrt(turns.size)
    return ShapleyValues(base, per_pair.mean(axis=0), errors, False, int((used > 0).sum()), n_asked)


def _most_pairs(numbers: int) -> int:
    """Pairs of orders of which so many numbers each can be held."""
    return max(_LEAST_PAIRS, _MOST_HELD // max(numbers, 1))


def _turns(n_movers: Longs, budget: int, random: np.random.Generator) -> Longs:
    """The row compared with of each pair of orders: all equally often, or as many of them as can be afforded once."""
    cost_per_pair = 2.0 * np.maximum(n_movers - 1, 0)
    rounds = int(budget // max(cost_per_pair.sum(), 1.0))
    if rounds * n_movers.size >= _LEAST_PAIRS:
        return np.tile(np.arange(n_movers.size), rounds)
    if n_movers.size == 1:
        return np.zeros(_LEAST_PAIRS, np.int64)
    drawn = random.permutation(n_movers.size)
    affordable = int((np.cumsum(cost_per_pair[drawn]) <= budget).sum())
    return drawn[: max(affordable, _LEAST_PAIRS)]


def _blocks_of_pairs(orders: Sequence[Longs], block: int) -> Iterator[list[int]]:
    """Pairs whose coalitions are asked for in one call."""
    pairs: list[int] = []
    size = 0
    for number, order in enumerate(orders):
        cost = 2 * max(order.size - 1, 0)
        if pairs and size + cost > block:
            yield pairs
            pairs, size = [], 0
        pairs.append(number)
        size += cost
    yield pairs


def _play_pairs(game: Game, pairs: Sequence[int], orders: Sequence[Longs], turns: Longs, per_pair: Floats) -> int:
    """Fill in what players add in some pairs of orders; how many coalitions that took."""
    ways = [(pair, way) for pair in pairs if orders[pair].size for way in (orders[pair], orders[pair][::-1])]
    if not ways:
        return 0
    ends = np.cumsum([way.size - 1 for _, way in ways]).tolist()
    n_asked = ends[-1]
    values = np.zeros((n_asked, game.end.size))
    for at in range(0, n_asked, game.block):
        part = slice(at, min(at + game.block, n_asked))
        values[part] = game.values(*_joining(ways, ends, part, turns, game.moves.shape[1]))
    for (pair, way), end in zip(ways, ends, strict=True):
        between = values[end - way.size + 1 : end]
        path = np.vstack([game.start[turns[pair]], between, game.end])
        per_pair[pair, way] += 0.5 * np.diff(path, axis=0)
    return n_asked


def _joining(
    ways: Sequence[tuple[int, Longs]], ends: Sequence[int], part: slice, turns: Longs, n_players: int
) -> tuple[Bools, Longs]:
    """Who has joined after each step of orders but the last of each, for a part of all these steps, and against whom.

    No more than a part is held at a time: steps times players may be many.
    """
    joined = np.zeros((part.stop - part.start, n_players), bool)
    compared = np.zeros(len(joined), np.int64)
    for (pair, order), end in zip(ways, ends, strict=True):
        start = end - order.size + 1
        first, last = max(start, part.start), min(end, part.stop)
        if first < last:
            rows = slice(first - part.start, last - part.start)
            joined[rows, order[:-1]] = np.arange(first - start, last - start)[:, None] >= np.arange(order.size - 1)
            compared[rows] = turns[pair]
    return joined, compared


def _ask(game: Game, joined: Bools, compared: Longs) -> Floats:
    """Values of coalitions, a block at a time."""
    if not len(joined):
        return np.zeros((0, game.end.size))
    starts = range(0, len(joined), game.block)
    parts = [game.values(joined[at : at + game.block], compared[at : at + game.block]) for at in starts]
    return np.concatenate(parts)
