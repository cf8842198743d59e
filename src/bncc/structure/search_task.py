"""What a search for parents is asked, and why it may end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from bncc.graph import Parents
from bncc.structure.local_scores import CountScore, LocalScore

__all__ = ["STOPS", "ParentSearch", "RawSearch"]

STOPS = (
    "no candidate improves the score",
    "no candidate is left",
    "the parent limit is reached",
    "no candidate can pay for the larger table",
    "no edge added, removed or reversed improves the score",
)


@dataclass(frozen=True)
class ParentSearch:
    """What to search for: a frozen description, solved by `search_parents`.

    Attributes
    ----------
    order : tuple of int
        The order in which labels get their parents; for climbing, which of equal edges is taken.
    child_limits : tuple of int
        How many children each label may take besides those that require it.
    predecessors_only : bool
        Parents come before their child in the order (K2).
    start_empty : bool
        A first parent must beat having none.
    climbs : bool
        Edges are added, removed and reversed until nothing improves, without cycles (hill climbing).
    over_classes : bool
        Equivalence classes are searched first (GES), and climbing starts from what they give.
    """

    score: CountScore | LocalScore
    order: tuple[int, ...]
    child_limits: tuple[int, ...]
    max_parents: int
    required: Parents
    forbidden: Parents
    predecessors_only: bool = False
    start_empty: bool = False
    climbs: bool = False
    over_classes: bool = False

    @property
    def most_parents(self) -> int:
        """The most parents that any label can end up with: required ones are not limited."""
        return max(self.max_parents, max(map(len, self.required), default=0))


# By label: the parents, the scores on the way to them, and the place of the stop in `STOPS`.
RawSearch: TypeAlias = tuple[list[Sequence[int]], list[Sequence[float]], list[int]]
