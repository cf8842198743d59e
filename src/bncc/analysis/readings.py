"""What the open readings of the paper change: how much of it each one reproduces, and which of its claims hold."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from bncc.analysis import paper
from bncc.analysis.beside_paper import agreement, compare_with_paper
from bncc.analysis.claims import check_claims
from bncc.analysis.collected_scores import Scores, collect_scores
from bncc.analysis.rendered_table import Cell, Section, Table
from bncc.analysis.significance import average_ranks, wilcoxon
from bncc.analysis.study_claims import HeldClaim, held_claims_table
from bncc.experiment import Record
from bncc.metrics import PAPER_METRICS

__all__ = [
    "VARIANTS",
    "Reading",
    "check_readings",
    "readings_part",
    "readings_table",
    "variants_of",
]

_ALPHA = 0.05

#: Readings that need no run of their own: a method of the same store takes the place of the paper's.
VARIANTS: tuple[tuple[str, str, str], ...] = (
    ("ECC averages", "ECC", "ECC mean"),
    ("CLR: pairs of one class abstain", "CLR", "CLR abstain"),
    ("Child limit 1", "BNCC", "BNCC n=1"),
    ("Child limit 3", "BNCC", "BNCC n=3"),
    ("Child limit 5", "BNCC", "BNCC n=5"),
    ("No child limit", "BNCC", "BNCC no limit"),
)
_OF_MEANS = "example_f1_of_means"


@dataclass(frozen=True, eq=False)
class Reading:
    """A name, the records of the paper's six methods under this reading, and the store that they come from."""

    name: str
    records: tuple[Record, ...]
    source: str = ""

    def scores(self, metric: str) -> Scores:
        """Means of the paper's methods on the data sets that its Table 4 has and the records have in full."""
        printed = paper.results(metric)
        return collect_scores(self.records, metric).select(printed.datasets, paper.METHODS).complete()


def variants_of(records: Iterable[Record], name: str, source: str = "") -> list[Reading]:
    """The reading of a store, and those that follow from it without another run.

    Another reading of Fscore takes the scores of `example_f1_of_means`; another one of a method (`VARIANTS`) those of
    the method that stands for it.

    >>> found = {"example_f1": 0.5, "example_f1_of_means": 0.6}
    >>> records = [Record("yeast", name, 0, 0, found) for name in ("ECC", "ECC mean")]
    >>> [reading.name for reading in variants_of(records, "Closest")]
    ['Closest', 'Fscore: F of mean precision and recall', 'ECC averages']
    """
    everything = tuple(records)
    present = {record.method for record in everything}
    basis = tuple(record for record in everything if record.method in paper.METHODS)
    out = [Reading(name, basis, source)]
    if any(_OF_MEANS in record.scores for record in basis):
        out.append(Reading("Fscore: F of mean precision and recall", tuple(map(_with_f_of_means, basis)), source))
    for title, method, variant in VARIANTS:
        if variant in present:
            others = [record for record in basis if record.method != method]
            own = [replace(record, method=method) for record in everything if record.method == variant]
            out.append(Reading(title, (*others, *own), source))
    return out


def _with_f_of_means(record: Record) -> Record:
    return replace(record, scores={**record.scores, "example_f1": record.scores[_OF_MEANS]})


def readings_table(readings: Sequence[Reading]) -> Table:
    """Per reading: cells near the printed ones, BNCC's place among the six methods, and its gain over CC."""
    rows = []
    for reading in readings:
        cells = compare_with_paper(reading.records)
        count = agreement(cells)
        row = [Cell(reading.name), Cell(f"{count.within_one} / {count.within_two} of {count.n_cells}")]
        own = agreement([cell for cell in cells if cell.method == "BNCC"])
        row.append(Cell(f"{own.within_one} / {own.within_two} of {own.n_cells}"))
        row += [Cell(_place_of_bncc(reading.scores(metric))) for metric in PAPER_METRICS]
        gains = [claim.gain for claim in check_claims(reading.records, metrics=("Fscore",))]
        row.append(Cell(float(np.mean(gains)) if gains else None, signed=True))
        rows.append(tuple(row))
    places = tuple(f"Rank, {metric}" for metric in PAPER_METRICS)
    columns = ("Reading", "Cells within 1 / 2 std", "BNCC's cells", *places, "Gain over CC, Fscore")
    note = (
        "Cells of Table 4 within one / two of the printed standard deviations, of all methods and of BNCC alone; "
        "the average rank of BNCC among the six methods over the data sets in common, its place in brackets; its mean "
        "gain over CC in Fscore (printed: "
        f"{_printed_gain():+.4f})."
    )
    return Table("Readings", columns, (Section("", tuple(rows)),), note)


def _place_of_bncc(scores: Scores) -> str | None:
    if not scores.datasets:
        return None
    ranks = average_ranks(scores.mean, greater_is_better=scores.greater_is_better)
    own = ranks[scores.methods.index("BNCC")]
    return f"{own:.2f} ({1 + int((ranks < own - 1e-9).sum())})"


def _printed_gain() -> float:
    printed = paper.results("Fscore")
    return float(np.mean([printed.cell(name, "BNCC")[0] - printed.cell(name, "CC")[0] for name in printed.datasets]))


def check_readings(readings: Sequence[Reading]) -> tuple[HeldClaim, ...]:
    """Which of the paper's claims hold under which reading.

    The claims: BNCC has the best average rank by Fscore, MacF and MicF; and its differences from the other methods in
    these are significant where Table 6 says so (Wilcoxon over data sets, 0.05, BNCC better), pair by pair.
    """
    out = []
    for metric in ("Fscore", "MacF", "MicF"):
        by_reading = {reading.name: reading.scores(metric) for reading in readings}
        seen = {name: scores for name, scores in by_reading.items() if len(scores.datasets) > 1}
        best = tuple(name for name, scores in seen.items() if _is_best(scores))
        claim, short = f"BNCC has the best average rank by {metric}", f"best average rank by {metric}"
        out.append(HeldClaim(claim, best, tuple(seen), short, runs=_runs(readings, best)))
        for rival, p_value in _marks(metric).items():
            held = tuple(name for name, scores in seen.items() if _is_above(scores, rival))
            claim = f"BNCC is above {rival} by {metric}, significantly (printed p = {p_value:.4f})"
            short = f"above {rival} by {metric}"
            out.append(HeldClaim(claim, held, tuple(seen), short, runs=_runs(readings, held)))
    return tuple(out)


def _runs(readings: Sequence[Reading], held: tuple[str, ...]) -> tuple[str, ...]:
    """The store to look at: of the closest reading, or of the others where the claim holds under them alone."""
    if not held or readings[0].name in held:
        return (readings[0].source,) if readings[0].source else ()
    return tuple(dict.fromkeys(each.source for each in readings if each.name in held and each.source))


def _marks(metric: str) -> Mapping[str, float]:
    """The methods from which BNCC differs significantly in Table 6."""
    pairs = {set_of: p for set_of, p in paper.p_values(metric).items() if "BNCC" in set_of and p < _ALPHA}
    return {next(name for name in pair if name != "BNCC"): p for pair, p in pairs.items()}


def _is_best(scores: Scores) -> bool:
    ranks = average_ranks(scores.mean, greater_is_better=scores.greater_is_better)
    return bool(ranks[scores.methods.index("BNCC")] <= ranks.min() + 1e-9)


def _is_above(scores: Scores, rival: str) -> bool:
    own, other = (np.round(scores.mean[:, scores.methods.index(name)], 4) for name in ("BNCC", rival))
    test = wilcoxon(own, other, decimals=4, method="asymptotic")
    return test.p_value < _ALPHA and float(np.median(own - other)) > 0 and not math.isnan(test.p_value)


def readings_part(readings: Sequence[Reading], more_claims: Sequence[HeldClaim] = ()) -> list[str]:
    """The part of a page, as lines of Markdown: what holds, and what each reading changes."""
    claims = [*(claim for claim in check_readings(readings) if claim.seen), *more_claims]
    if not claims:
        return []
    held, readings_seen = held_claims_table(claims), readings_table(readings)
    lines = ["## What the paper claims, and what holds here", "", held.to_markdown(), ""]
    lines += [held.note, ""] if held.note else []
    lines += _how_to_follow(readings[0].source) if readings[0].source else []
    if len(readings) > 1:
        lines += ["What each reading changes, one at a time:", "", readings_seen.to_markdown(), ""]
        lines += [readings_seen.note, "", *_stores(readings)]
    return lines


def _how_to_follow(source: str) -> list[str]:
    """Commands that lead from a claim to the folds behind it."""
    folds = f"sqlite3 {source} \"SELECT repeat, fold, method, example_f1 FROM results WHERE dataset = 'yeast'\""
    return [
        "To follow a claim to its folds: unpack the store that the line names (`xz -dk`, from `benchmarks/results`); "
        "the first command writes all of it as `results.csv`, a line per fold, beside tables and figures, and the "
        "second one asks for the folds of one data set (Fscore is `example_f1`, MacF `macro_f1`, MicF `micro_f1`).",
        "",
        "```text",
        f"bncc experiment report {source} -o report",
        folds,
        "```",
        "",
    ]


def _stores(readings: Sequence[Reading]) -> list[str]:
    """Where each reading comes from."""
    named: dict[str, list[str]] = {}
    for reading in readings:
        if reading.source:
            named.setdefault(reading.source, []).append(reading.name)
    words = "; ".join(f"`{source}`: {', '.join(names)}" for source, names in named.items())
    return [f"Stores: {words}.", ""] if named else []
