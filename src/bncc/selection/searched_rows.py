"""The rows that a search is about, with their folds, and what can be asked of them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from sklearn.utils.validation import _num_samples

from bncc._rows import take_rows
from bncc._typing import Classifier, Features, Fold, Labels, Weights
from bncc.selection.screening import FoldSample, sees_labels_alone
from bncc.selection.tasks import SearchTask

__all__ = ["SearchedRows"]


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
            each if each is None or np.ndim(each) == 0 else take_rows(each, sample.rows)
            for each in (self.sample_weight, self.groups)
        )
        # Of tags the matrix: some rows need not have all of them.
        truth = take_rows(self.truth, sample.rows)
        return SearchedRows(take_rows(self.X, sample.rows), truth, truth, sample.folds, weight, groups)

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
