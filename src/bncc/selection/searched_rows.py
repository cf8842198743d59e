"""The rows that a search is about, with their folds, and what can be asked of them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from sklearn.utils.validation import _num_samples

from bncc._rows import take_rows
from bncc._typing import Bools, Classifier, Features, Fold, Integers, Labels, Rowwise, Weights
from bncc.selection.screening import FoldSample, sees_labels_alone
from bncc.selection.tasks import SearchTask

__all__ = ["SearchedRows", "read_folds"]


@dataclass(frozen=True, eq=False)
class SearchedRows:
    """What a search is about; `truth` is y as scorers take it, a matrix where y is tags or dicts."""

    X: Features
    y: Labels
    truth: Labels
    folds: tuple[Fold, ...]
    sample_weight: Weights | None
    groups: Weights | None

    def __len__(self) -> int:
        return int(_num_samples(self.X))

    def take(self, sample: FoldSample) -> SearchedRows:
        """Some of the rows, with folds among them."""
        weight, groups = (
            each if each is None or np.asarray(each).ndim == 0 else take_rows(each, sample.rows)
            for each in (self.sample_weight, self.groups)
        )
        # Of tags the matrix: some rows need not have all of them.
        truth = take_rows(self.truth, sample.rows)
        return SearchedRows(take_rows(self.X, sample.rows), truth, truth, sample.folds, weight, groups)

    def weights_of(self, rows: Integers) -> Weights | None:
        """Weights of some rows; None where there are none, or these rows weigh nothing."""
        weights = None if self.sample_weight is None else np.asarray(self.sample_weight, np.float64)
        if weights is None or not weights.ndim or not weights[rows].any():
            return None
        return weights[rows]

    def with_copies(self) -> SearchedRows:
        """The same, with a row for each time that a fold learns from it: a bootstrap may draw rows again and again."""
        counts = [np.unique(train, return_counts=True) for train, _ in self.folds]
        if all(count.max(initial=1) == 1 for _, count in counts):
            return self
        copies = np.ones(len(self), np.int64)
        for rows, count in counts:
            copies[rows] = np.maximum(copies[rows], count)
        first = np.cumsum(copies) - copies
        folds = [(_places(train, first), first[test]) for train, test in self.folds]
        return self.take(FoldSample(np.repeat(np.arange(len(self)), copies), tuple(folds)))

    def see_labels_alone(self, scorers: Iterable[Callable[..., float]]) -> bool:
        """Whether no scorer looks at decisions, by what it asks of the first fold."""
        test = self.folds[0][1]
        shown, truth = take_rows(self.X, test), take_rows(self.truth, test)
        return all(sees_labels_alone(scorer, shown, truth) for scorer in scorers)

    def task_of(self, estimator: Classifier) -> SearchTask:
        """The estimator on these rows. Thresholds have folds of their own, which must not divide groups either."""
        takes_groups = self.groups is not None and "groups" in inspect.signature(estimator.search_task).parameters
        options = {"groups": self.groups} if takes_groups else {}
        task: SearchTask = estimator.search_task(self.X, self.y, self.folds, self.sample_weight, **options)
        return task


def read_folds(folds: Iterable[Fold], n_rows: int) -> tuple[Fold, ...]:
    """Folds as row numbers from 0 on, from whatever a `cv` gives: lists, masks, numbers from the end.

    >>> read_folds([([0, -1], np.array([False, True, False]))], 3)
    ((array([0, 2]), array([1])),)
    """
    out = [tuple(_row_numbers(rows, n_rows, number) for rows in fold) for number, fold in enumerate(folds)]
    if not out:
        raise ValueError("`cv` must give at least one fold; got none.")
    for number, (train, test) in enumerate(out):
        if not train.size or not test.size:
            raise ValueError(
                f"Each fold of `cv` must have rows to learn from and rows to test; fold {number} has {train.size} and "
                f"{test.size}."
            )
    return tuple((train, test) for train, test in out)


def _row_numbers(rows: Rowwise, n_rows: int, fold: int) -> Integers:
    given = np.asarray(rows)
    if given.dtype == bool:
        given = np.flatnonzero(_of_length(given, n_rows, fold))
    if given.size and given.dtype.kind not in "iu":
        raise ValueError(f"Folds of `cv` must be row numbers or masks; fold {fold} has {given.dtype} values.")
    numbers = given.astype(np.int64).ravel()
    numbers = np.where(numbers < 0, numbers + n_rows, numbers)
    if numbers.size and not 0 <= numbers.min() <= numbers.max() < n_rows:
        wrong = int(given.ravel()[(numbers < 0) | (numbers >= n_rows)][0])
        raise ValueError(f"Folds of `cv` must be rows of the {n_rows} that there are; fold {fold} has row {wrong}.")
    return numbers


def _of_length(mask: Bools, n_rows: int, fold: int) -> Bools:
    if mask.shape != (n_rows,):
        raise ValueError(f"Masks of `cv` must have a value for each of the {n_rows} rows; fold {fold} has {mask.size}.")
    return mask


def _places(rows: Integers, first: Integers) -> Integers:
    """Where rows are among copies that begin at `first`: each further time that a row comes, the next copy of it.

    >>> _places(np.array([2, 0, 2, 2]), np.array([0, 1, 2])).tolist()
    [2, 0, 3, 4]
    """
    order = np.argsort(rows, kind="stable")
    ordered = rows[order]
    out = np.empty_like(ordered)
    out[order] = first[ordered] + np.arange(rows.size) - np.searchsorted(ordered, ordered)
    return out
