"""Training seconds on one core beside the paper's Table 5: as ratios, since machines and implementations differ."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np

from bncc.analysis import paper
from bncc.analysis.collected_scores import Scores
from bncc.analysis.rendered_table import Cell, Section, Table
from bncc.analysis.study_claims import HeldClaim

__all__ = ["read_training_times", "time_claim", "time_part", "time_table"]

_CLAIM = "BNCC trains in a time between those of CC and ECC"


def read_training_times(path: str | os.PathLike[str]) -> Scores:
    """Seconds per data set and method from the JSON file that ``benchmarks/bench_training_time.py`` writes."""
    source = Path(path)
    try:
        rows = json.loads(source.read_text(encoding="utf-8"))["rows"]
        names = tuple(str(row["data set"]) for row in rows)
        mean = np.array([[float(row[method]) for method in paper.METHODS] for row in rows])
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(
            f"{source} must hold training seconds as benchmarks/bench_training_time.py writes them; got {error!r}."
        ) from error
    return Scores("Training seconds", False, names, paper.METHODS, mean, np.full(mean.shape, np.nan))


def time_claim(times: Scores) -> HeldClaim:
    """Whether BNCC trains longer than CC and shorter than ECC, in the geometric mean over data sets.

    >>> seconds = Scores("s", False, ("yeast",), paper.METHODS, np.array([[1.0, 2, 2, 8, 9, 3]]), np.zeros((1, 6)))
    >>> time_claim(seconds).remark
    'between the two on 1 of 1 data sets (printed: 1 of 1)'
    """
    printed = paper.seconds("train").select(times.datasets, paper.METHODS)
    own, theirs = (_is_between(table) for table in (times, printed))
    logs = np.log(np.maximum(times.mean, 1e-9)).mean(axis=0)
    cc, ecc, bncc = (logs[times.methods.index(name)] for name in ("CC", "ECC", "BNCC"))
    name = "Training on one core"
    remark = f"between the two on {sum(own)} of {len(own)} data sets (printed: {sum(theirs)} of {len(theirs)})"
    return HeldClaim(
        _CLAIM, (name,) if cc < bncc < ecc else (), (name,), short="training time between CC and ECC", remark=remark
    )


def _is_between(table: Scores) -> list[bool]:
    """By data set that has all three; equal in the digits given counts as between."""
    cc, ecc, bncc = (table.mean[:, table.methods.index(name)] for name in ("CC", "ECC", "BNCC"))
    known = np.isfinite(cc + ecc + bncc)
    return [bool(low <= value <= high) for low, value, high in zip(cc[known], bncc[known], ecc[known], strict=True)]


def time_table(times: Scores) -> Table:
    """Seconds of CC, and of each method as a multiple of them, the printed multiple in brackets."""
    printed = paper.seconds("train").select(times.datasets, paper.METHODS)
    others = [method for method in paper.METHODS if method != "CC"]
    rows = []
    for name in times.datasets:
        base, printed_base = times.cell(name, "CC")[0], printed.cell(name, "CC")[0]
        cells = [Cell(name), Cell(base, decimals=3)]
        for method in others:
            ours, theirs = times.cell(name, method)[0] / base, printed.cell(name, method)[0]
            shown = f"{theirs / printed_base:.1f}" if printed_base > 0 else "–"
            cells.append(Cell(f"{ours:.1f} ({shown})"))
        rows.append(tuple(cells))
    columns = ("Data set", "CC, seconds", *(f"{method} / CC" for method in others))
    note = (
        "Seconds to train on nine tenths of the rows, on one core, one method at a time, at the sigma of the study; "
        "then multiples of CC's, the multiple of Table 5 in brackets (a dash where it prints 0.0 for CC)."
    )
    return Table("Training seconds on one core", columns, (Section("", tuple(rows)),), note)


def time_part(times: Scores | None) -> list[str]:
    """The part of a page, as lines of Markdown."""
    if times is None or not times.datasets:
        return []
    table = time_table(times)
    return ["## Training time on one core", "", table.to_markdown(), "", table.note, ""]
