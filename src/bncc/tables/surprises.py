"""What is odd about rows that a fitted table transformer meets: counted by column, told in one warning."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["Surprise", "TableWarning", "in_words"]

_MOST_TOLD = 12


class TableWarning(UserWarning):
    """Rows differ from those that were learned from: missing or empty columns, unseen levels, values far off.

    Attributes
    ----------
    surprises : tuple of Surprise
    """

    def __init__(self, message: str, surprises: Sequence[Surprise] = ()) -> None:
        super().__init__(message)
        self.surprises = tuple(surprises)


@dataclass(frozen=True)
class Surprise:
    """What is odd about a column: how many of the rows."""

    column: str
    what: str
    rows: int
    n_rows: int

    def __str__(self) -> str:
        return f"column {self.column[:60]!r} {self.what} ({self.rows:,} of {self.n_rows:,} rows)"


def in_words(surprises: Sequence[Surprise]) -> str:
    """All of them in one text.

    >>> in_words([Surprise("plan", "holds levels that were not there to learn from", 3, 10)])
    "column 'plan' holds levels that were not there to learn from (3 of 10 rows)."
    """
    told = [str(each) for each in surprises[:_MOST_TOLD]]
    more = len(surprises) - len(told)
    return "; ".join(told) + (f"; and {more} more." if more else ".")
