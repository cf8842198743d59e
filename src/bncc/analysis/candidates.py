"""Scores over the kernel's two parameters, from the candidates that selection tried (the paper's Fig. 6)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bncc.experiment import Candidate
from bncc.metrics import METRICS, PAPER_METRICS

__all__ = ["Sensitivity", "candidates_by_cell", "sensitivity"]


@dataclass(frozen=True, eq=False)
class Sensitivity:
    """Mean score of one method on one data set for every sigma and C tried.

    Attributes
    ----------
    metric, dataset, method : str
    greater_is_better : bool
    sigmas, Cs : tuples of float, rising
    values : array of shape (n_sigmas, n_Cs)
        NaN where a pair was not tried.
    """

    metric: str
    dataset: str
    method: str
    greater_is_better: bool
    sigmas: tuple[float, ...]
    Cs: tuple[float, ...]
    values: NDArray[np.float64]

    @property
    def best(self) -> tuple[int, int]:
        """Row and column of the best value; ties by the lowest sigma, then the lowest C."""
        better = self.values if self.greater_is_better else -self.values
        row, column = np.unravel_index(int(np.nanargmax(better)), better.shape)
        return int(row), int(column)


def candidates_by_cell(candidates: Iterable[Candidate]) -> dict[tuple[str, str], list[Candidate]]:
    """The candidates of each data set and method, in order of appearance."""
    groups: dict[tuple[str, str], list[Candidate]] = {}
    for candidate in candidates:
        groups.setdefault((candidate.dataset, candidate.method), []).append(candidate)
    return groups


def sensitivity(candidates: Iterable[Candidate], metric: str, dataset: str, method: str) -> Sensitivity:
    """Collect the candidates of one method on one data set; those of many folds are averaged.

    >>> tried = [Candidate("emotions", "BNCC", 0, fold, 2.0, 100.0, {"micro_f1": 0.5 + 0.1 * fold}) for fold in (0, 1)]
    >>> grid = sensitivity(tried, "MicF", "emotions", "BNCC")
    >>> grid.sigmas, grid.Cs, grid.values.round(2).tolist()
    ((2.0,), (100.0,), [[0.55]])
    """
    name = PAPER_METRICS.get(metric, metric)
    tried: dict[tuple[float, float], list[float]] = {}
    for candidate in candidates:
        value = candidate.scores.get(name, np.nan)
        if (candidate.dataset, candidate.method) == (dataset, method) and np.isfinite(value):
            tried.setdefault((candidate.sigma, candidate.C), []).append(value)
    if not tried:
        raise ValueError(f"No candidate of {method!r} on {dataset!r} has a score {name!r}.")
    sigmas = tuple(sorted({sigma for sigma, _ in tried}))
    Cs = tuple(sorted({C for _, C in tried}))
    values = np.array([[np.mean(tried.get((sigma, C), [np.nan])) for C in Cs] for sigma in sigmas])
    better = name not in METRICS or METRICS[name].greater_is_better
    return Sensitivity(name, dataset, method, better, sigmas, Cs, values)
