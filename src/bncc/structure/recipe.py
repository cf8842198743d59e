"""How a network was learned: enough to learn it again from other rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bncc._typing import FirstParent, ScoreName, SearchName
from bncc.structure.local_scores import CountScore, LocalScore

__all__ = ["Recipe"]


@dataclass(frozen=True)
class Recipe:
    """The settings of `learn_network`, under the same names; edges are (parent, child) by index."""

    max_children: int | None
    max_parents: int | None
    score: ScoreName | CountScore | LocalScore
    search: SearchName | Sequence[Sequence[int]]
    first_parent: FirstParent | None
    initial_order: tuple[int, ...] | None
    required: tuple[tuple[int, int], ...]
    forbidden: tuple[tuple[int, int], ...]

    @property
    def repeatable(self) -> bool:
        """Whether other rows could give other edges: a given structure has no search, a caller's score has its rows."""
        return isinstance(self.search, str) and isinstance(self.score, str | CountScore)
