"""Our results against the printed ones: cell by cell, and the claim that BNCC is better than CC."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from bncc.analysis import paper
from bncc.analysis.scores import collect_scores, paired_scores
from bncc.analysis.significance import resampled_t, wilcoxon
from bncc.analysis.table import Cell, Section, Table
from bncc.experiment import Record
from bncc.metrics import PAPER_METRICS, get_metric

__all__ = ["Agreement", "Claim", "ComparedCell", "agreement", "check_claims", "compare_with_paper", "comparison_table"]

# Scores are printed with so many digits, and are compared as printed.
_DECIMALS = 4
_SLACK = 1e-9


@dataclass(frozen=True)
class ComparedCell:
    """One cell of the paper's Table 4 and ours: means, and standard deviations over folds and over repeats."""

    metric: str
    dataset: str
    method: str
    mean: float
    std_folds: float
    std_repeats: float
    printed_mean: float
    printed_std: float

    @property
    def difference(self) -> float:
        """Ours minus the printed mean, in the digits printed."""
        return round(round(self.mean, _DECIMALS) - self.printed_mean, _DECIMALS)

    def within(self, times: float, std: float | None = None) -> bool:
        """Whether the means differ by at most `times` the printed standard deviation (or another one)."""
        scale = self.printed_std if std is None else std
        return not math.isnan(scale) and abs(self.difference) <= times * scale + _SLACK


def compare_with_paper(
    records: Iterable[Record], metrics: Sequence[str] = tuple(PAPER_METRICS)
) -> tuple[ComparedCell, ...]:
    """Every cell that the records and the paper's Table 4 have in common, by metric, data set and method.

    >>> records = [Record("yeast", "BNCC", 0, fold, {"micro_f1": 0.65 + 0.01 * fold}) for fold in range(2)]
    >>> [cell] = compare_with_paper(records)
    >>> cell.difference, cell.printed_std, cell.within(1)
    (-0.002, 0.0066, True)
    """
    records = list(records)
    held = {name for record in records for name in record.scores}
    out = []
    for metric in metrics:
        if PAPER_METRICS[metric] not in held:
            continue
        printed = paper.results(metric)
        folds = collect_scores(records, metric).select(printed.datasets, printed.methods)
        repeats = collect_scores(records, metric, spread="repeats").select(printed.datasets, printed.methods)
        for i, dataset in enumerate(printed.datasets):
            for j, method in enumerate(printed.methods):
                if not math.isnan(folds.mean[i, j]):
                    ours = float(folds.mean[i, j]), float(folds.std[i, j]), float(repeats.std[i, j])
                    theirs = float(printed.mean[i, j]), float(printed.std[i, j])
                    out.append(ComparedCell(metric, dataset, method, *ours, *theirs))
    return tuple(out)


@dataclass(frozen=True)
class Agreement:
    """Of how many cells our mean lies within one and within two standard deviations of the printed mean."""

    n_cells: int
    within_one: int
    within_two: int


def agreement(cells: Iterable[ComparedCell], std: Literal["printed", "folds", "repeats"] = "printed") -> Agreement:
    """Count agreeing cells by the printed standard deviation, or by ours over folds or over repeats.

    The paper does not say what its standard deviation is over, hence the choice. Cells without one are not counted.
    """
    if std not in ("printed", "folds", "repeats"):
        raise ValueError(f"`std` must be 'printed', 'folds' or 'repeats'; got {std!r}.")
    scales = [(cell, float(getattr(cell, f"{std}_std" if std == "printed" else f"std_{std}"))) for cell in cells]
    scales = [(cell, scale) for cell, scale in scales if not math.isnan(scale)]
    one, two = (sum(cell.within(times, scale) for cell, scale in scales) for times in (1, 2))
    return Agreement(len(scales), one, two)


def comparison_table(cells: Iterable[ComparedCell], methods: Sequence[str] = paper.METHODS) -> Table:
    """Our means beside the printed ones, a section per metric.

    A full dot marks ours within one printed standard deviation, an empty one within two.
    """
    found = {(cell.metric, cell.dataset, cell.method): cell for cell in cells}
    present = [method for method in methods if any(key[2] == method for key in found)]
    sections = []
    for metric in dict.fromkeys(key[0] for key in found):
        rows = []
        for dataset in dict.fromkeys(key[1] for key in found if key[0] == metric):
            row = [Cell(dataset)]
            for method in present:
                row += _pair(found.get((metric, dataset, method)))
            rows.append(tuple(row))
        sections.append(Section(metric, tuple(rows)))
    columns = ("Data set", *(name for method in present for name in (method, f"{method} (paper)")))
    note = "● within one and ○ within two of the printed standard deviations."
    return Table("Our means beside the paper's", columns, tuple(sections), note)


def _pair(cell: ComparedCell | None) -> list[Cell]:
    if cell is None:
        return [Cell(None), Cell(None)]
    mark = "●" if cell.within(1) else "○" if cell.within(2) else ""
    return [Cell(cell.mean, decimals=_DECIMALS, mark=mark), Cell(cell.printed_mean, decimals=_DECIMALS)]


@dataclass(frozen=True)
class Claim:
    """BNCC against CC on one data set and metric: what the paper prints and what we find.

    Attributes
    ----------
    claimed : {-1, 0, 1}
        Sign of the printed gain; 1: better than the rival.
    gain : float
        Our mean gain over all folds, positive where the method is better.
    p_value : float
        Of the corrected resampled t-test over folds; NaN with fewer than two.
    p_folds : float
        Of Wilcoxon's test over folds, which overstates: folds share training rows.
    n_pairs : int
    """

    metric: str
    dataset: str
    claimed: int
    printed_gain: float
    gain: float
    p_value: float
    p_folds: float
    n_pairs: int

    @property
    def found(self) -> int:
        """Sign of our gain, in the digits printed."""
        rounded = round(self.gain, _DECIMALS)
        return (rounded > 0) - (rounded < 0)


def check_claims(
    records: Iterable[Record],
    method: str = "BNCC",
    rival: str = "CC",
    metrics: Sequence[str] = tuple(PAPER_METRICS),
) -> tuple[Claim, ...]:
    """Where the paper says that `method` is better than `rival`, and what the folds of both in the records say.

    >>> tested = [("CC", 0, 0.60), ("CC", 1, 0.61), ("BNCC", 0, 0.62), ("BNCC", 1, 0.64)]
    >>> records = [Record("yeast", name, 0, fold, {"micro_f1": score}) for name, fold, score in tested]
    >>> [claim] = check_claims(records)
    >>> claim.claimed, claim.found, round(claim.gain, 4)
    (1, 1, 0.025)
    """
    records = list(records)
    out = []
    for metric in metrics:
        printed = paper.results(metric)
        sign = 1 if get_metric(metric).greater_is_better else -1
        for dataset in printed.datasets:
            one, other = paired_scores(records, metric, dataset, method, rival)
            if not len(one):
                continue
            gains = sign * (one - other)
            claimed = sign * (printed.cell(dataset, method)[0] - printed.cell(dataset, rival)[0])
            claimed = round(claimed, _DECIMALS)
            n_folds = len({record.fold for record in records if record.dataset == dataset})
            tested = len(gains) > 1 and n_folds > 1
            corrected = resampled_t(gains, n_folds).p_value if tested else math.nan
            plain = wilcoxon(one, other).p_value if tested else math.nan
            way = (claimed > 0) - (claimed < 0)
            out.append(Claim(metric, dataset, way, claimed, float(gains.mean()), corrected, plain, len(gains)))
    return tuple(out)
