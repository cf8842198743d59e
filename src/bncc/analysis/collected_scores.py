"""From records to numbers: one matrix of scores or seconds per metric, data sets x methods."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from bncc.experiment import WHOLE, Record
from bncc.metrics import METRICS, PAPER_METRICS, get_metric

__all__ = ["Scores", "collect_scores", "collect_seconds", "metrics_in", "on_common_folds", "paired_scores"]

Spread = Literal["folds", "repeats"]
Part = Literal["select", "train", "test"]


@dataclass(frozen=True, eq=False)
class Scores:
    """Mean and standard deviation of one quantity, data sets (rows) x methods (columns); NaN where there is none.

    Attributes
    ----------
    name : str
        The metric's name, or what was measured.
    greater_is_better : bool
    datasets, methods : tuple of str
    mean, std : arrays of shape (n_datasets, n_methods)
        `std` is NaN where fewer than two values stand behind it.
    """

    name: str
    greater_is_better: bool
    datasets: tuple[str, ...]
    methods: tuple[str, ...]
    mean: NDArray[np.float64]
    std: NDArray[np.float64]

    def cell(self, dataset: str, method: str) -> tuple[float, float]:
        """Mean and standard deviation of one cell; NaN where the data set or the method is not here."""
        if dataset not in self.datasets or method not in self.methods:
            return float("nan"), float("nan")
        at = self.datasets.index(dataset), self.methods.index(method)
        return float(self.mean[at]), float(self.std[at])

    def select(self, datasets: Sequence[str] | None = None, methods: Sequence[str] | None = None) -> Scores:
        """The same with other rows and columns, in the order given; those that are not here become NaN."""
        rows = self.datasets if datasets is None else tuple(datasets)
        columns = self.methods if methods is None else tuple(methods)
        cells = np.array([[self.cell(row, column) for column in columns] for row in rows])
        cells = cells.reshape(len(rows), len(columns), 2)
        return replace(self, datasets=rows, methods=columns, mean=cells[..., 0], std=cells[..., 1])

    def complete(self) -> Scores:
        """The data sets on which every method has a score, as tests over all methods need them."""
        whole = [not np.isnan(row).any() for row in self.mean]
        return self.select([name for name, good in zip(self.datasets, whole, strict=True) if good])


def collect_scores(
    records: Iterable[Record],
    metric: str,
    *,
    spread: Spread = "folds",
    pooled: bool = False,
    datasets: Sequence[str] | None = None,
    methods: Sequence[str] | None = None,
) -> Scores:
    """Mean and standard deviation of a metric for every data set and method of the records.

    Parameters
    ----------
    records : records of a study, in any order, complete or not
    metric : str
        Name of a metric, or the paper's name for it. A metric that the package does not know counts as one of which
        more is better.
    spread : {"folds", "repeats"}
        The standard deviation is taken over all folds of all repeats, or over the means of the repeats. The mean is
        over all folds either way.
    pooled : bool
        Take the scores of all test rows of a repeat pooled (records of fold `WHOLE`) instead of those of each fold.
    datasets, methods : sequences of str, optional
        Rows and columns; by default all, in order of appearance.

    >>> tested = [(0, 0, 0.6), (0, 1, 0.7), (1, 0, 0.6), (1, 1, 0.7)]
    >>> records = [Record("yeast", "CC", repeat, fold, {"micro_f1": score}) for repeat, fold, score in tested]
    >>> scores = collect_scores(records, "MicF", spread="repeats")
    >>> scores.mean.round(3).tolist(), scores.std.round(3).tolist()
    ([[0.65]], [[0.0]])
    """
    records = [record for record in records if (record.fold == WHOLE) == pooled]
    name = PAPER_METRICS.get(metric, metric)
    is_unknown = name not in METRICS and any(name in record.scores for record in records)
    better = is_unknown or get_metric(name).greater_is_better
    return _collect(records, name, better, lambda record: record.scores.get(name), spread, datasets, methods)


def collect_seconds(
    records: Iterable[Record],
    part: Part = "train",
    *,
    spread: Spread = "folds",
    datasets: Sequence[str] | None = None,
    methods: Sequence[str] | None = None,
) -> Scores:
    """Seconds per fold for selection, training or testing; see `collect_scores` for the other arguments.

    >>> collect_seconds([Record("yeast", "CC", 0, 0, {}, train_seconds=1.5)], "train").mean.tolist()
    [[1.5]]
    """
    if part not in ("select", "train", "test"):
        raise ValueError(f"`part` must be 'select', 'train' or 'test'; got {part!r}.")
    name = {"select": "Selection", "train": "Training", "test": "Testing"}[part]
    read = operator.attrgetter(f"{part}_seconds")
    tested = [record for record in records if record.fold != WHOLE]
    return _collect(tested, f"{name} seconds", False, read, spread, datasets, methods)


def paired_scores(
    records: Iterable[Record], metric: str, dataset: str, first: str, second: str
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Scores of two methods on one data set, over the folds that both were tested on, by repeat and fold.

    >>> records = [Record("yeast", method, 0, 0, {"micro_f1": score}) for method, score in [("CC", 0.6), ("BNCC", 0.7)]]
    >>> [scores.tolist() for scores in paired_scores(records, "MicF", "yeast", "BNCC", "CC")]
    [[0.7], [0.6]]
    """
    name = PAPER_METRICS.get(metric, metric)
    score_of: dict[str, dict[tuple[int, int], float]] = {first: {}, second: {}}
    for record in records:
        wanted = record.dataset == dataset and record.method in score_of and record.fold != WHOLE
        if wanted and np.isfinite(record.scores.get(name, np.nan)):
            score_of[record.method][record.repeat, record.fold] = record.scores[name]
    both = sorted(score_of[first].keys() & score_of[second].keys())
    one, other = (np.array([score_of[method][key] for key in both], np.float64) for method in (first, second))
    return one, other


def on_common_folds(records: Iterable[Record]) -> list[Record]:
    """The records of folds that every method was tested on, data set by data set.

    What compares methods must compare them on the same rows: where one has ten repeats and another one, the first
    repeat counts for both. A method that was not tested on a data set at all does not limit it.

    >>> records = [Record("d", "BR", r, 0, {}) for r in (0, 1)] + [Record("d", "CC", 0, 0, {})]
    >>> [(record.method, record.repeat) for record in on_common_folds(records)]
    [('BR', 0), ('CC', 0)]
    """
    records = list(records)
    folds: dict[str, dict[str, set[tuple[int, int]]]] = {}
    for record in records:
        folds.setdefault(record.dataset, {}).setdefault(record.method, set()).add((record.repeat, record.fold))
    common = {dataset: set.intersection(*methods.values()) for dataset, methods in folds.items()}
    return [record for record in records if (record.repeat, record.fold) in common[record.dataset]]


def metrics_in(records: Iterable[Record]) -> tuple[str, ...]:
    """Names of all metrics that the records hold, in order of appearance."""
    return tuple(dict.fromkeys(name for record in records for name in record.scores))


def _collect(
    records: Sequence[Record],
    name: str,
    greater_is_better: bool,
    read: Callable[[Record], float | None],
    spread: Spread,
    datasets: Sequence[str] | None,
    methods: Sequence[str] | None,
) -> Scores:
    if spread not in ("folds", "repeats"):
        raise ValueError(f"`spread` must be 'folds' or 'repeats'; got {spread!r}.")
    rows = tuple(dict.fromkeys(record.dataset for record in records)) if datasets is None else tuple(datasets)
    columns = tuple(dict.fromkeys(record.method for record in records)) if methods is None else tuple(methods)
    values: dict[tuple[str, str], dict[int, list[float]]] = {}
    seen = set()
    for record in records:
        key = (record.dataset, record.method, record.repeat, record.fold)
        if key in seen:
            raise ValueError(f"Records must be of one study; got data set, method, repeat and fold {key} twice.")
        seen.add(key)
        value = read(record)
        if value is not None and np.isfinite(value):
            values.setdefault(key[:2], {}).setdefault(record.repeat, []).append(value)
    mean, std = np.full((2, len(rows), len(columns)), np.nan)
    for i, row in enumerate(rows):
        for j, column in enumerate(columns):
            mean[i, j], std[i, j] = _moments(values.get((row, column), {}), spread)
    return Scores(name, greater_is_better, rows, columns, mean, std)


def _moments(repeats: dict[int, list[float]], spread: Spread) -> tuple[float, float]:
    """Mean over all folds, and the sample standard deviation over folds or over means of repeats.

    Sums are exact, so that equal folds in another order give equal means: noise must not break a tie of ranks.
    """
    folds = [value for values in repeats.values() for value in values]
    if not folds:
        return math.nan, math.nan
    over = folds if spread == "folds" else [_mean(values) for values in repeats.values()]
    if len(over) < 2:
        return _mean(folds), math.nan
    centre = _mean(over)
    return _mean(folds), math.sqrt(math.fsum((value - centre) ** 2 for value in over) / (len(over) - 1))


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)
