"""What was decided about the columns of a table, as commands print it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bncc.cli.output import Voice

if TYPE_CHECKING:
    from bncc.tables import TableDecisions

__all__ = ["decision_rows", "show_decisions"]

_MOST_SHOWN = 30
_FEW = 12


def show_decisions(voice: Voice, decisions: TableDecisions | None) -> None:
    """Print what columns were taken for; of many columns those that are plain numbers are only counted.

    There is nothing to decide about a matrix of numbers.
    """
    if decisions is None:
        return
    from bncc.tables.decisions import HEADINGS

    numbers = [each for each in decisions if each.read_as == "number"] if len(decisions) > _FEW else []
    told = [each for each in decisions if each not in numbers]
    if not told:
        voice.show(f"{len(numbers)} columns of numbers.")
        return
    rest = [f"{len(numbers)} columns of numbers"] if numbers else []
    rest += [f"{len(told) - _MOST_SHOWN} more in --json"] if len(told) > _MOST_SHOWN else []
    more = f"and {', '.join(rest)}" if rest else "say otherwise with --text, --category, --number, --date, --drop"
    voice.rows("Columns", HEADINGS, [each.cells() for each in told[:_MOST_SHOWN]], more)


def decision_rows(decisions: TableDecisions | None) -> dict[str, Any]:
    """All of them, for JSON."""
    return {} if decisions is None else {"columns": decisions.as_rows()}
