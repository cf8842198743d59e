"""What was decided about the columns of a table, as commands print it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bncc.cli.output import Voice

if TYPE_CHECKING:
    from bncc.tables import TableDecisions

__all__ = ["decision_rows", "show_decisions"]

_MOST_SHOWN = 30


def show_decisions(voice: Voice, decisions: TableDecisions | None) -> None:
    """Print the first columns of a table; there is nothing to decide about a matrix of numbers."""
    if decisions is None:
        return
    from bncc.tables.decisions import HEADINGS

    # A table of many columns is mostly of one kind: those that are not numbers are told first.
    ranked = sorted(decisions, key=lambda each: each.read_as == "number") if len(decisions) > _MOST_SHOWN else decisions
    rows = [each.cells() for each in ranked[:_MOST_SHOWN]]
    left = len(decisions) - len(rows)
    more = f"and {left} more; --json tells all" if left else "say otherwise with --text, --category, --number, --date"
    voice.rows("Columns", HEADINGS, rows, more)


def decision_rows(decisions: TableDecisions | None) -> dict[str, Any]:
    """All of them, for JSON."""
    return {} if decisions is None else {"columns": decisions.as_rows()}
