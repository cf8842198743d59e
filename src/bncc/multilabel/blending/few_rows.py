"""When a family that is for many rows is tried on few."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["NO_BOUND", "OfFewRows"]


@dataclass(frozen=True)
class OfFewRows:
    """When a family that is for many rows is tried on few: it must then be ahead of what was tried before it.

    Attributes
    ----------
    rows : int
        Below so many, rows are few.
    most_labels : int
    most_work : float
        Rows x labels x features.
    """

    rows: int = 0
    most_labels: int = 0
    most_work: float = 0.0


#: Rows are never few.
NO_BOUND = OfFewRows()
