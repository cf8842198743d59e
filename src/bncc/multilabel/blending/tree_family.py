"""Forests of multi-output trees: all labels in one tree, held-out answers from the rows that a tree has not seen."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.ensemble import ExtraTreesRegressor, RandomForestRegressor

from bncc._typing import Classifier, Floats, Matrix, Rows
from bncc.multilabel.backend import TrainingRows
from bncc.multilabel.blending.clock import Clock
from bncc.multilabel.blending.family import Family, FittedPart, Settings, Tried
from bncc.multilabel.blending.forests import (
    as_tree_features,
    fill_rates,
    fill_unknown,
    grow_forest,
    leaf_size,
    rows_that_fit,
)
from bncc.multilabel.blending.problem import BlendProblem
from bncc.multilabel.blending.rate_sigmoids import RateSigmoids, fit_sigmoids, log_odds
from bncc.multilabel.feature_rows import as_array

__all__ = ["ForestPart", "TreeFamily", "Width", "draw_rows", "forest_rows"]

_N_TREES = 200
# Cells of labels (rows x labels) and rows that a forest learns from.
_MOST_CELLS = 1 << 25
_MOST_ROWS = 100_000
_MOST_LABELS = 20_000
# Beyond so many labels forests have fewer trees, and never fewer than so many.
_MANY_LABELS = 2000
_FEW_TREES = 20
# Wide trees: features that a split looks at, at most, and rows of a leaf, at least.
_MOST_WIDE_FEATURES = 500
_WIDE_LEAF = 3
# Of the seconds left, what the first forest may take where there is a limit.
_SHARE_OF_TIME = 0.35


@dataclass(frozen=True, eq=False)
class ForestPart(FittedPart):
    """A forest whose answers are calibrated; features with missing values are taken as they are if they are dense."""

    forest: Classifier
    sigmoids: RateSigmoids
    to_numbers: Any = None

    def rates(self, X: Matrix) -> Floats:
        """Calibrated means over the trees."""
        features = as_tree_features(as_array(X) if self.to_numbers is None else self.to_numbers.transform(X))
        answers = np.asarray(self.forest.predict(features), np.float64).reshape(X.shape[0], -1)
        return self.sigmoids(log_odds(answers))


@dataclass(frozen=True)
class Width:
    """Of wide trees: the share of the features that a split looks at, and rows x features x labels, at most."""

    share: float
    most_work: float


@dataclass(frozen=True)
class _Size:
    """How many trees on how many rows at most, and until when: the seconds of the clock that are to be left."""

    n_trees: int
    n_rows: int
    clock: Clock
    until: float


def _most_trees(n_labels: int) -> int:
    return int(np.clip(_N_TREES * _MANY_LABELS / n_labels, _FEW_TREES, _N_TREES))


def _target(rows: TrainingRows) -> Floats:
    labels = fill_unknown(rows.targets)
    return labels[:, 0] if rows.targets.n_labels == 1 else labels


def draw_rows(rows: Rows, most: int, seed: int) -> Rows:
    """Some of the rows in ascending order, all where there are not more."""
    if rows.size <= most:
        return rows
    return np.sort(np.random.default_rng(seed).choice(rows, most, replace=False))


def forest_rows(problem: BlendProblem) -> TrainingRows:
    """Rows with features that trees take: missing values stay where features are dense, and are filled in else."""
    return problem.numbers if sparse.issparse(problem.rows.X) else problem.rows


class TreeFamily(Family):
    """Extra trees or random forests on all labels at once.

    Trees of means of 0/1 labels (regression) split as trees of classes do by Gini, and take half of the memory.
    """

    def __init__(
        self,
        name: str,
        kind: type[ExtraTreesRegressor] | type[RandomForestRegressor],
        share: float,
        wide: Width | None = None,
    ) -> None:
        self.name = name
        self._kind = kind
        self._share = share
        self._wide = wide

    def suits(self, problem: BlendProblem) -> bool:
        """Up to ten thousand labels and some: every leaf holds a number for each. Wide trees up to a bound of work."""
        n_rows, n_labels = problem.rows.targets.n_rows, problem.rows.targets.n_labels
        if self._wide is not None:
            return n_rows * self._n_features(problem.rows) * n_labels <= self._wide.most_work
        return n_labels <= _MOST_LABELS

    def _n_features(self, rows: TrainingRows) -> int:
        """Features that a split looks at: the square root of their number; a share of them, for wide trees."""
        n_features = rows.X.shape[1]
        root = max(1, int(np.sqrt(n_features)))
        if self._wide is None:
            return root
        return max(root, min(int(self._wide.share * n_features), _MOST_WIDE_FEATURES))

    def try_out(self, problem: BlendProblem, clock: Clock, reserve: float, settings: Settings | None = None) -> Tried:
        """Answers out of bag; of forests per fold for groups and weights, or where one part is held out."""
        if settings is not None:
            size = _Size(int(settings["trees"]), int(settings.get("rows", _MOST_ROWS)), Clock(None), 0.0)
        else:
            until = max(reserve, clock.left * (1.0 - self._share)) if clock.limited else 0.0
            size = _Size(_most_trees(problem.rows.targets.n_labels), _MOST_ROWS, clock, until)
        if problem.held_out_once:
            return self._on_fold(problem, size)
        if problem.needs_folds:
            return self._on_folds(problem, size)
        forest, answers, grown = self._grow(forest_rows(problem), problem, size)
        return self._tried(problem, forest, fill_rates(answers)[problem.tested], {"trees": grown})

    def _on_fold(self, problem: BlendProblem, size: _Size) -> Tried:
        train, test = problem.folds[0]
        rows, n_labels = forest_rows(problem), problem.rows.targets.n_labels
        learned = rows.take(draw_rows(train, min(_MOST_ROWS, max(200, _MOST_CELLS // n_labels)), problem.seed))
        n_fitting = self._rows_that_fit(learned, problem, size) if size.clock.limited else size.n_rows
        done: dict[str, int] = {}
        if n_fitting < learned.targets.n_rows:
            done["rows"] = n_fitting
            learned = learned.take(draw_rows(np.arange(learned.targets.n_rows), n_fitting, problem.seed))
        forest, _, grown = self._grow(learned, problem, size)
        answers = forest.predict(as_tree_features(rows.X[test])).reshape(test.size, -1)
        return self._tried(problem, forest, np.asarray(answers, np.float64), {"trees": grown, **done})

    def _rows_that_fit(self, rows: TrainingRows, problem: BlendProblem, size: _Size) -> int:
        seconds = max(0.1, size.clock.left - size.until)
        return rows_that_fit(self._forest(rows, problem), as_tree_features(rows.X), _target(rows), seconds)

    def _on_folds(self, problem: BlendProblem, size: _Size) -> Tried:
        """A forest per fold and one of all rows: the first takes its share of the time, the others as many trees."""
        rows, n_fits = forest_rows(problem), len(problem.folds) + 1
        answers = np.zeros((rows.targets.n_rows, rows.targets.n_labels))
        if size.clock.limited:
            size = replace(size, until=size.clock.left - (size.clock.left - size.until) / n_fits)
        for train, test in problem.folds:
            forest, _, grown = self._grow(rows.take(train), problem, size)
            answers[test] = forest.predict(as_tree_features(rows.X[test])).reshape(test.size, -1)
            size.clock.check()
            size = replace(size, n_trees=grown, until=-1e9)
        whole, _, grown = self._grow(rows, problem, size)
        return self._tried(problem, whole, answers[problem.tested], {"trees": grown})

    def _grow(self, rows: TrainingRows, problem: BlendProblem, size: _Size) -> tuple[Classifier, Floats, int]:
        forest = self._forest(rows, problem)
        features, target = as_tree_features(rows.X), _target(rows)
        grown = grow_forest(forest, features, target, rows.weight, size.n_trees, size.clock, size.until)
        return grown.forest, grown.out_of_bag, grown.n_trees

    def _forest(self, rows: TrainingRows, problem: BlendProblem) -> Classifier:
        n_labels = rows.targets.n_labels
        leaf = leaf_size(rows.targets.n_rows, n_labels, _most_trees(n_labels))
        return self._kind(
            bootstrap=True,
            max_features=self._n_features(rows),
            min_samples_leaf=max(1 if self._wide is None else _WIDE_LEAF, leaf),
            n_jobs=-1 if problem.n_jobs is None else problem.n_jobs,
            random_state=problem.seed,
        )

    def _tried(self, problem: BlendProblem, forest: Classifier, answers: Floats, settings: Settings) -> Tried:
        scores = log_odds(answers)
        sigmoids = fit_sigmoids(scores, problem.truth, problem.known, problem.weight)
        to_numbers = problem.to_numbers if sparse.issparse(problem.rows.X) else None
        part = ForestPart(forest, sigmoids, to_numbers)
        return Tried(self.name, settings, sigmoids(scores), part, sigmoids)

    def fit(self, problem: BlendProblem, tried: Tried, clock: Clock) -> FittedPart:
        """The forest that it was tried with."""
        assert tried.part is not None
        return tried.part


def tree_families() -> tuple[TreeFamily, ...]:
    """Extra trees first: they are the quicker ones. Wide ones look at more features, and their leaves are larger."""
    return (
        TreeFamily("extra trees", ExtraTreesRegressor, _SHARE_OF_TIME),
        TreeFamily("random forest", RandomForestRegressor, 0.4),
        TreeFamily("wide extra trees", ExtraTreesRegressor, 0.4, Width(0.3, 3e7)),
    )
