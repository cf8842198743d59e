"""Networks with what they explain and what they cost, and those of them that no other one beats in both."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from bncc.graph import Parents

__all__ = ["FrontPoint", "Simplicity", "cost_by_parents", "non_dominated", "total_cost"]

Simplicity = Literal["edges", "parameters"]
_DECIMALS = 6  # of bits, as in all scores


@dataclass(frozen=True)
class FrontPoint:
    """A network, the bits that it explains and its cost."""

    parents: Parents
    explained: float
    cost: int


def cost_by_parents(simplicity: Simplicity, max_parents: int) -> tuple[int, ...]:
    """What a label costs by its number of parents: an edge each, or a free parameter for each configuration.

    >>> cost_by_parents("edges", 3), cost_by_parents("parameters", 3)
    ((0, 1, 2, 3), (1, 2, 4, 8))
    """
    return tuple(n if simplicity == "edges" else 2**n for n in range(max_parents + 1))


def total_cost(parents: Parents, costs: tuple[int, ...]) -> int:
    """The cost of a network, from those by number of parents."""
    return sum(costs[len(group)] for group in parents)


def non_dominated(points: Iterable[FrontPoint]) -> tuple[FrontPoint, ...]:
    """The points than which no other one explains as much for less, or more for as much; cheapest first.

    Bits are compared after rounding to 6 decimals. Of equals the one that came first is kept.

    >>> points = [FrontPoint(((),), bits, cost) for bits, cost in [(1.0, 0), (3.0, 2), (2.0, 2), (3.0, 3)]]
    >>> [(point.cost, point.explained) for point in non_dominated(points)]
    [(0, 1.0), (2, 3.0)]
    """
    out: list[FrontPoint] = []
    for point in sorted(points, key=lambda point: (point.cost, -round(point.explained, _DECIMALS))):
        if not out or round(point.explained, _DECIMALS) > round(out[-1].explained, _DECIMALS):
            out.append(point)
    return tuple(out)
