"""Forests of multi-output trees: all labels in one tree, held-out answers from the rows that a tree has not seen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.ensemble import ExtraTreesRegressor, RandomForestRegressor

from bncc._typing import Classifier, Floats, Matrix, Rows
from bncc.multilabel.backend import TrainingRows
from bncc.multilabel.blending.clock import Clock
from bncc.multilabel.blending.family import Family, FittedPart, Settings, Tried
from bncc.multilabel.blending.forests import as_tree_features, fill_rates, fill_unknown, grow_forest, leaf_size
from bncc.multilabel.blending.problem import BlendProblem
from bncc.multilabel.blending.rate_sigmoids import RateSigmoids, fit_sigmoids, log_odds

__all__ = ["ForestPart", "TreeFamily", "draw_rows", "forest_rows"]

_N_TREES = 200
# Cells of labels (rows x labels) and rows that a forest learns from.
_MOST_CELLS = 1 << 25
_MOST_ROWS = 100_000
_MOST_LABELS = 2000
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
        features = as_tree_features(X if self.to_numbers is None else self.to_numbers.transform(X))
        answers = np.asarray(self.forest.predict(features), np.float64).reshape(X.shape[0], -1)
        return self.sigmoids(log_odds(answers))


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

    def __init__(self, name: str, kind: type[ExtraTreesRegressor] | type[RandomForestRegressor], share: float) -> None:
        self.name = name
        self._kind = kind
        self._share = share

    def suits(self, problem: BlendProblem) -> bool:
        """Up to some thousand labels: every leaf holds a number for each."""
        return problem.rows.targets.n_labels <= _MOST_LABELS

    def try_out(self, problem: BlendProblem, clock: Clock, reserve: float, settings: Settings | None = None) -> Tried:
        """Answers out of bag; of forests per fold where rows come in groups or one part is held out."""
        n_trees = _N_TREES if settings is None else int(settings["trees"])
        until = max(reserve, clock.left * (1.0 - self._share)) if clock.limit < float("inf") else 0.0
        if settings is not None:
            clock = Clock(None)
        if problem.held_out_once:
            return self._on_fold(problem, n_trees, clock, until)
        if problem.grouped:
            return self._on_folds(problem, n_trees, clock)
        rows = forest_rows(problem)
        forest, answers, grown = self._grow(rows, problem, n_trees, clock, until)
        return self._tried(problem, forest, fill_rates(answers)[problem.tested], grown)

    def _on_fold(self, problem: BlendProblem, n_trees: int, clock: Clock, until: float) -> Tried:
        train, test = problem.folds[0]
        rows, most = forest_rows(problem), min(_MOST_ROWS, _MOST_CELLS // problem.rows.targets.n_labels)
        learned = rows.take(draw_rows(train, most, problem.seed))
        forest, _, grown = self._grow(learned, problem, n_trees, clock, until)
        answers = forest.predict(as_tree_features(rows.X[test])).reshape(test.size, -1)
        return self._tried(problem, forest, np.asarray(answers, np.float64), grown)

    def _on_folds(self, problem: BlendProblem, n_trees: int, clock: Clock) -> Tried:
        rows = forest_rows(problem)
        answers = np.zeros((rows.targets.n_rows, rows.targets.n_labels))
        for train, test in problem.folds:
            forest, _, _ = self._grow(rows.take(train), problem, n_trees, Clock(None), 0.0)
            answers[test] = forest.predict(as_tree_features(rows.X[test])).reshape(test.size, -1)
            clock.check()
        whole, _, grown = self._grow(rows, problem, n_trees, Clock(None), 0.0)
        return self._tried(problem, whole, answers[problem.tested], grown)

    def _grow(
        self, rows: TrainingRows, problem: BlendProblem, n_trees: int, clock: Clock, until: float
    ) -> tuple[Classifier, Floats, int]:
        n, n_labels = rows.targets.n_rows, rows.targets.n_labels
        forest = self._kind(
            bootstrap=True,
            max_features="sqrt",
            min_samples_leaf=leaf_size(n, n_labels, n_trees),
            n_jobs=-1 if problem.n_jobs is None else problem.n_jobs,
            random_state=problem.seed,
        )
        labels = fill_unknown(rows.targets)
        target = labels[:, 0] if n_labels == 1 else labels
        grown = grow_forest(forest, as_tree_features(rows.X), target, rows.weight, n_trees, clock, until)
        return grown.forest, grown.out_of_bag, grown.n_trees

    def _tried(self, problem: BlendProblem, forest: Classifier, answers: Floats, n_trees: int) -> Tried:
        scores = log_odds(answers)
        sigmoids = fit_sigmoids(scores, problem.truth, problem.known, problem.weight)
        to_numbers = problem.to_numbers if sparse.issparse(problem.rows.X) else None
        part = ForestPart(forest, sigmoids, to_numbers)
        return Tried(self.name, {"trees": n_trees}, sigmoids(scores), part, sigmoids)

    def fit(self, problem: BlendProblem, tried: Tried, clock: Clock) -> FittedPart:
        """The forest that it was tried with."""
        assert tried.part is not None
        return tried.part


def tree_families() -> tuple[TreeFamily, ...]:
    """Extra trees first: they are the quicker ones."""
    return (
        TreeFamily("extra trees", ExtraTreesRegressor, _SHARE_OF_TIME),
        TreeFamily("random forest", RandomForestRegressor, 0.4),
    )
