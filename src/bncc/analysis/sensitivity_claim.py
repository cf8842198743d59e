"""Whether scores depend on sigma and hardly on C, as the paper says of its Fig. 6."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bncc.analysis.candidates import Sensitivity, sensitivity
from bncc.analysis.rendered_table import Cell, Section, Table
from bncc.analysis.study_claims import HeldClaim
from bncc.experiment import Candidate
from bncc.metrics import PAPER_METRICS

__all__ = ["Ranges", "score_ranges", "sensitivity_claim", "sensitivity_part"]


# C is called stable where it moves every score by less than this share of what sigma does.
_STABLE = 0.5


@dataclass(frozen=True)
class Ranges:
    """How far a metric goes from its least to its largest value over one of the two parameters.

    Attributes
    ----------
    over_sigma, over_C : float
        Over sigma at one C, and over C at one sigma: medians over the other one.
    at_best_sigma : float
        Over C at the sigma of the best score.
    """

    metric: str
    over_sigma: float
    over_C: float
    at_best_sigma: float


def score_ranges(grid: Sensitivity, metric: str) -> Ranges:
    """Ranges of one metric over a full grid.

    >>> values = np.array([[0.1, 0.2], [0.5, 0.9]])
    >>> ranges = score_ranges(Sensitivity("f", "d", "m", True, (1.0, 2.0), (1.0, 10.0), values), "F")
    >>> round(ranges.over_sigma, 2), round(ranges.over_C, 2), round(ranges.at_best_sigma, 2)
    (0.55, 0.25, 0.4)
    """
    over_sigma, over_C = np.ptp(grid.values, axis=0), np.ptp(grid.values, axis=1)
    return Ranges(metric, float(np.median(over_sigma)), float(np.median(over_C)), float(over_C[grid.best[0]]))


def _all_ranges(candidates: Sequence[Candidate]) -> list[Ranges]:
    dataset, method = candidates[0].dataset, candidates[0].method
    held = candidates[0].scores
    metrics = [printed for printed, name in PAPER_METRICS.items() if name in held]
    return [score_ranges(sensitivity(candidates, metric, dataset, method), metric) for metric in metrics]


def sensitivity_claim(candidates: Sequence[Candidate]) -> HeldClaim:
    """Held where, for every metric, C moves the score in the median by less than half of what sigma does."""
    ranges = _all_ranges(candidates)
    name = "The grid of C and sigma"
    stable = [each for each in ranges if each.over_C < _STABLE * each.over_sigma]
    middle = ranges[min(1, len(ranges) - 1)]
    remark = (
        f"in the median sigma moves {middle.metric} by {middle.over_sigma:.2f} and C by {middle.over_C:.2f} "
        f"({middle.at_best_sigma:.2f} at the best sigma)"
    )
    claim = "Scores of BNCC on Emotions are very sensitive to sigma and relatively stable in C"
    held = (name,) if len(stable) == len(ranges) else ()
    return HeldClaim(claim, held, (name,), short="sensitive to sigma, stable in C", remark=remark)


def sensitivity_part(candidates: Sequence[Candidate], figure: str = "") -> list[str]:
    """The part of a page, as lines of Markdown: how far scores go over sigma and over C, and the picture."""
    if not candidates:
        return []
    rows = [
        (Cell(each.metric), *map(Cell, (each.over_sigma, each.over_C, each.at_best_sigma)))
        for each in _all_ranges(candidates)
    ]
    columns = ("Metric", "Range over sigma", "Range over C", "Range over C at the best sigma")
    table = Table("Sensitivity", columns, (Section("", tuple(rows)),))
    where = f"{candidates[0].method} on {candidates[0].dataset}"
    return [
        "## Sensitivity to sigma and C",
        "",
        f"{where}, every sigma with every C of the grid: from the least to the largest score over sigma at one C (the "
        "median over C), over C at one sigma (the median over sigma), and over C at the sigma of the best score.",
        "",
        table.to_markdown(),
        "",
        *([f"![Scores of {where} over C and sigma]({figure})", ""] if figure else []),
    ]
