"""What was decided about the columns of a table, as a table that can be looked at."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import Literal

__all__ = ["GOES_TO", "HEADINGS", "LEFT_OUT", "ColumnDecision", "ReadAs", "TableDecisions"]

ReadAs = Literal["number", "boolean", "category", "text", "date", "id", "constant", "empty", "dropped"]

LEFT_OUT = frozenset({"id", "constant", "empty", "dropped"})
"""What columns are read as that become no feature."""

GOES_TO: dict[str, str] = {
    "number": "a number",
    "boolean": "0/1",
    "category": "0/1 per level",
    "text": "word weights",
    "date": "distance and parts",
}
"""What columns become that are used, before it is known how many features that makes."""

HEADINGS = ("column", "read as", "why", "distinct", "missing", "goes to")
_WIDEST = 44


@dataclass(frozen=True)
class ColumnDecision:
    """What was decided about one column.

    Attributes
    ----------
    column : str
    read_as : "number", "boolean", "category", "text", "date"; or "id", "constant", "empty", "dropped": left out
    why : str
    distinct, missing : int
        Different values, and rows without one, in the rows that were looked at.
    goes_to : str
        What it becomes.
    """

    column: str
    read_as: ReadAs
    why: str
    distinct: int
    missing: int
    goes_to: str = "left out"

    @property
    def is_used(self) -> bool:
        """Whether it becomes a feature."""
        return self.read_as not in LEFT_OUT

    def cells(self) -> tuple[str, str, str, int, int, str]:
        """Under the headings of the table."""
        return self.column, self.read_as, self.why, self.distinct, self.missing, self.goes_to


@dataclass(frozen=True)
class TableDecisions(Sequence[ColumnDecision]):
    """The decisions about all columns, in the order of the table; prints as a table, also in a notebook.

    >>> TableDecisions((ColumnDecision("id", "id", "another value in every row", 50, 0),))
    column  read as  why                         distinct  missing  goes to
    id      id       another value in every row        50        0  left out
    """

    columns: tuple[ColumnDecision, ...]

    def __getitem__(self, place):  # type: ignore[no-untyped-def]
        """By place, or by the name of the column."""
        if isinstance(place, str):
            return {each.column: each for each in self.columns}[place]
        return self.columns[place]

    def __len__(self) -> int:
        return len(self.columns)

    def __iter__(self) -> Iterator[ColumnDecision]:
        return iter(self.columns)

    def kinds(self) -> dict[str, ReadAs]:
        """What each column that is used is read as."""
        return {each.column: each.read_as for each in self.columns if each.is_used}

    def as_rows(self) -> list[dict[str, str | int]]:
        """Plain values, for JSON and DataFrames."""
        return [dict(zip(HEADINGS, each.cells(), strict=True)) for each in self.columns]

    def __repr__(self) -> str:
        return _aligned([HEADINGS, *(tuple(map(_short, each.cells())) for each in self.columns)])

    def _repr_html_(self) -> str:
        rows = [HEADINGS, *(tuple(map(str, each.cells())) for each in self.columns)]
        lines = ["".join(f"<td>{escape(cell)}</td>" for cell in row) for row in rows]
        return f"<table><tr>{'</tr><tr>'.join(lines)}</tr></table>"


def _short(cell: object) -> str:
    text = " ".join(str(cell).split())
    return text if len(text) <= _WIDEST else text[: _WIDEST - 3] + "..."


def _aligned(rows: Sequence[Sequence[str]]) -> str:
    widths = [max(len(row[i]) for row in rows) for i in range(len(HEADINGS))]
    return "\n".join("  ".join(_cells(row, widths)).rstrip() for row in rows)


def _cells(row: Sequence[str], widths: Sequence[int]) -> Iterator[str]:
    for heading, cell, width in zip(HEADINGS, row, widths, strict=True):
        yield cell.rjust(width) if heading in ("distinct", "missing") else cell.ljust(width)
