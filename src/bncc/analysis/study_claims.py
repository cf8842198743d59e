"""Claims of the paper, each with the readings under which it holds, and the few lines that sum them up."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bncc.analysis.rendered_table import Cell, Section, Table

__all__ = ["HeldClaim", "claims_in_short", "held_claims_table"]


@dataclass(frozen=True)
class HeldClaim:
    """A claim of the paper, and under which of the readings it holds (all that could be looked at in `seen`).

    Attributes
    ----------
    claim : str
    held, seen : tuples of str
        Names of readings; the closest one comes first in `seen`.
    short : str
        The claim in a few words.
    remark : str
        What was found, beside the verdict.
    runs : tuple of str
        The stores that show it.
    """

    claim: str
    held: tuple[str, ...]
    seen: tuple[str, ...]
    short: str = ""
    remark: str = ""
    runs: tuple[str, ...] = ()

    @property
    def is_held(self) -> bool:
        """Whether it holds under the closest reading."""
        return bool(self.seen) and self.seen[0] in self.held

    @property
    def verdict(self) -> str:
        """Held, held under some readings, or not; with the remark.

        >>> HeldClaim("first", ("other",), ("closest", "other")).verdict
        'held only under: other'
        """
        return self._word() + (f": {self.remark}" if self.remark else "")

    def _word(self) -> str:
        if len(self.seen) == 1:
            return "held" if self.held else "not held"
        if not self.held:
            return "not held under any reading"
        if self.is_held:
            return f"held ({len(self.held)} of {len(self.seen)} readings)"
        return f"held only under: {'; '.join(self.held)}"


def held_claims_table(claims: Sequence[HeldClaim]) -> Table:
    """Each claim with its verdict, and the run that shows it where that is known."""
    with_runs = any(claim.runs for claim in claims)
    rows = tuple(
        (Cell(claim.claim), Cell(claim.verdict), *([Cell(", ".join(claim.runs))] if with_runs else []))
        for claim in claims
    )
    n_readings = max((len(claim.seen) for claim in claims), default=0)
    n_read = sum(len(claim.seen) > 1 for claim in claims)
    note = (
        f"{n_read} claims under {n_readings} readings, of which the closest comes first; a claim is held where it "
        "holds under that one. What holds under another one alone is a lead and no confirmation: with so many looked "
        "at, some would by chance."
        if n_read
        else ""
    )
    columns = ("The paper says", "Here", *(["Run"] if with_runs else []))
    return Table("Claims", columns, (Section("", rows),), note)


def claims_in_short(claims: Sequence[HeldClaim]) -> list[str]:
    """What is claimed, what holds, what holds under another reading, and what does not: a line each."""
    if not claims:
        return []
    held = [claim.short for claim in claims if claim.is_held]
    elsewhere = [f"{claim.short} ({'; '.join(claim.held)})" for claim in claims if claim.held and not claim.is_held]
    failed = [claim.short for claim in claims if not claim.held]
    closest = "under the closest reading" if any(len(claim.seen) > 1 for claim in claims) else "here"
    return [
        f"- **The paper claims of BNCC:** {_listed(claim.short for claim in claims)} (above: significantly so).",
        f"- **Held {closest}** ({len(held)} of {len(claims)}): {_listed(held)}.",
        *([f"- **Held under another reading only** ({len(elsewhere)}): {_listed(elsewhere)}."] if elsewhere else []),
        f"- **Not held** ({len(failed)}): {_listed(failed)}.",
        "",
    ]


def _listed(words: Iterable[str]) -> str:
    """Words in a line, those that differ in what follows "by" together.

    >>> _listed(["above CC by MacF", "faster", "above CC by MicF"])
    'above CC by MacF, MicF; faster'
    """
    groups: dict[str, list[str]] = {}
    for word in words:
        start, _, end = word.partition(" by ")
        groups.setdefault(start, []).extend([end] if end else [])
    return "; ".join(f"{start} by {', '.join(ends)}" if ends else start for start, ends in groups.items()) or "none"
