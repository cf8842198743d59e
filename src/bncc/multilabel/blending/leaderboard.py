"""What a blend has tried: families with their settings, scores, seconds and weights, and the plan to do it again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

__all__ = ["BlendPlan", "Leaderboard", "LeaderboardRow", "PlannedDecision", "PlannedFamily"]


@dataclass(frozen=True)
class PlannedFamily:
    """A family, the settings that it was tried with, and its weight in the blend.

    `below` says that stacked trees learned from what it answers.
    """

    family: str
    settings: tuple[tuple[str, Any], ...]
    weight: float
    below: bool = False


@dataclass(frozen=True)
class PlannedDecision:
    """The kind of a decision, and its numbers.

    None for "half"; of "thresholds" one per label; of "expected F1" the shift, and the factors of label sets by their
    size where it has such; of "joint mode" mix and prior.
    """

    kind: str
    values: tuple[float, ...] = ()


@dataclass(frozen=True)
class BlendPlan:
    """What a fit did: given to another `Blend`, the same is done again, without a search and without a clock.

    Attributes
    ----------
    families : tuple of PlannedFamily
    limited : bool
        Whether there was a limit of time.
    weighs_labels, calibrates : bool or None
        Whether each label has weights of its own, and the blend is calibrated; None (in plans of earlier releases)
        as without a limit.
    decision : PlannedDecision or None
        None is chosen anew.
    """

    families: tuple[PlannedFamily, ...]
    limited: bool
    weighs_labels: bool | None = None
    calibrates: bool | None = None
    decision: PlannedDecision | None = None


@dataclass(frozen=True)
class LeaderboardRow:
    """One family, or the blend of them.

    Attributes
    ----------
    family, settings : str
    score : float or None
        Held-out score for the metric (higher is better; losses are negative); None where there is none.
    seconds : float
        What trying and fitting it took.
    weight : float
    note : str
        Why it has no score, where it has none.
    """

    family: str
    settings: str
    score: float | None
    seconds: float
    weight: float
    note: str = ""


@dataclass(frozen=True)
class Leaderboard:
    """A table of what was tried, best first; print it, or loop over its rows.

    Scores are selection scores: of rows that a family did not learn from, but by which families, weights and
    decisions were chosen. They flatter the winner; measure on other rows what it is worth.
    """

    metric: str
    rows: tuple[LeaderboardRow, ...]

    def __iter__(self) -> Iterator[LeaderboardRow]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __str__(self) -> str:
        lines = [f"{'family':16s} {'score':>8s} {'weight':>7s} {'seconds':>8s}  settings"]
        for row in self.rows:
            score = "-" if row.score is None else f"{row.score:.4f}"
            told = row.note or row.settings
            lines.append(f"{row.family:16s} {score:>8s} {row.weight:7.2f} {row.seconds:8.1f}  {told}".rstrip())
        lines.append(f"Scores: {self.metric} on held-out rows by which the blend was chosen (selection scores).")
        return "\n".join(lines)
