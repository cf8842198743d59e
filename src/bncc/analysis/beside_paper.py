"""Our results against the printed ones, cell by cell."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from bncc.analysis import paper
from bncc.analysis.collected_scores import collect_scores
from bncc.analysis.rendered_table import Cell, Section, Table
from bncc.experiment import WHOLE, Record
from bncc.metrics import PAPER_METRICS

__all__ = ["Agreement", "ComparedCell", "agreement", "compare_with_paper", "comparison_table"]

# Scores are printed with so many digits, and are compared as printed.
_DECIMALS = 4
_SLACK = 1e-9


@dataclass(frozen=True)
class ComparedCell:
    """One cell of the paper's Table 4 and ours: means, and standard deviations over folds and over repeats.

    `std_folds` is NaN where the folds were pooled before scoring.
    """

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
    records: Iterable[Record], metrics: Sequence[str] = tuple(PAPER_METRICS), *, pooled: bool = False
) -> tuple[ComparedCell, ...]:
    """Every cell that the records and the paper's Table 4 have in common, by metric, data set and method.

    `pooled` takes the scores of all test rows of a repeat pooled instead of those of each fold: the paper does not
    say which its MacF is.

    >>> records = [Record("yeast", "BNCC", 0, fold, {"micro_f1": 0.65 + 0.01 * fold}) for fold in range(2)]
    >>> [cell] = compare_with_paper(records)
    >>> cell.difference, cell.printed_std, cell.within(1)
    (-0.002, 0.0066, True)
    """
    records = [record for record in records if (record.fold == WHOLE) == pooled]
    held = {name for record in records for name in record.scores}
    out = []
    for metric in metrics:
        if PAPER_METRICS[metric] not in held:
            continue
        printed = paper.results(metric)
        rows, columns = printed.datasets, printed.methods
        folds = collect_scores(records, metric, pooled=pooled).select(rows, columns)
        repeats = collect_scores(records, metric, spread="repeats", pooled=pooled).select(rows, columns)
        for i, dataset in enumerate(printed.datasets):
            for j, method in enumerate(printed.methods):
                if not math.isnan(folds.mean[i, j]):
                    over_folds = math.nan if pooled else float(folds.std[i, j])
                    ours = float(folds.mean[i, j]), over_folds, float(repeats.std[i, j])
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
    cell_of = {(cell.metric, cell.dataset, cell.method): cell for cell in cells}
    present = [method for method in methods if any(key[2] == method for key in cell_of)]
    sections = []
    for metric in dict.fromkeys(key[0] for key in cell_of):
        rows = []
        for dataset in dict.fromkeys(key[1] for key in cell_of if key[0] == metric):
            cells_of_row = [_both(cell_of.get((metric, dataset, method))) for method in present]
            rows.append((Cell(dataset), *cells_of_row))
        sections.append(Section(metric, tuple(rows)))
    note = "The printed mean in brackets; ● within one and ○ within two of the printed standard deviations."
    return Table("Our means beside the paper's", ("Data set", *present), tuple(sections), note)


def _both(cell: ComparedCell | None) -> Cell:
    """Our mean and the printed one in one cell, so that six methods fit on a page."""
    if cell is None:
        return Cell(None)
    mark = "●" if cell.within(1) else "○" if cell.within(2) else ""
    return Cell(f"{cell.mean:.{_DECIMALS}f} ({cell.printed_mean:.{_DECIMALS}f})", mark=mark)
