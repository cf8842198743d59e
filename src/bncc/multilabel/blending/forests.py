"""Forests that grow until their time is over, with answers for the rows that each tree has not seen."""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass

import numpy as np
from scipy import sparse
from sklearn.base import clone, is_classifier

from bncc._typing import Array, Bools, Classifier, Floats, Matrix, Rows
from bncc.multilabel.blending.clock import Clock
from bncc.multilabel.targets import Targets

__all__ = [
    "GrownForest",
    "as_tree_features",
    "fill_rates",
    "fill_unknown",
    "grow_forest",
    "leaf_size",
    "rows_that_fit",
    "tree_answers",
]

# Bytes that the trees of a forest may take; nodes beyond are saved by larger leaves.
_FOREST_BYTES = 1 << 29
_FIRST_TREES = 4
# Trees that a forest should have at least, and the first number of rows on which they are timed.
_ENOUGH_TREES = 20
_TIMED_ROWS = 256
_NO_ROWS = 8
_TIMED_TREES = 2
# Of the seconds for a forest, what timing may take before its last step.
_TIMED_SHARE = 0.02
# How the time of a tree grows with its rows.
_POWER = 1.15


@dataclass(frozen=True, eq=False)
class GrownForest:
    """A forest, and the mean answer of the trees that did not see a row: (n_rows, width), NaN where all did."""

    forest: Classifier
    out_of_bag: Floats
    n_trees: int


def as_tree_features(X: Matrix) -> Matrix:
    """Features in the precision that trees use, so that they are not copied for each of them."""
    return X.astype(np.float32) if X.dtype != np.float32 else X


def leaf_size(n_rows: int, width: int, n_trees: int) -> int:
    """Rows of the smallest leaf with which a forest keeps to half a gigabyte.

    >>> leaf_size(1000, 10, 200), leaf_size(50_000, 500, 200) > 1
    (1, True)
    """
    nodes = _FOREST_BYTES / (n_trees * (8.0 * width + 64.0))
    return max(1, int(np.ceil(1.3 * n_rows / max(nodes, 8.0))))


def grow_forest(
    forest: Classifier, X: Matrix, target: Array, weight: Floats | None, n_trees: int, clock: Clock, until: float
) -> GrownForest:
    """Grow up to so many trees, fewer where the seconds left fall below `until`; at least a few.

    Trees do not depend on how many at a time are grown.
    """
    width = target.shape[1] if target.ndim == 2 else np.unique(target).size if is_classifier(forest) else 1
    total, count = np.zeros((X.shape[0], width)), np.zeros(X.shape[0])
    grown, goal, pace = 0, min(_FIRST_TREES, n_trees), 0.0
    limited = clock.limited
    if weight is not None and np.ptp(weight) == 0:  # drawn by weights, rows of equal ones would be others
        weight = None
    while grown < n_trees:
        begin = clock.spent
        forest.set_params(warm_start=True, n_estimators=goal)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            forest.fit(X, target, sample_weight=weight)
        _add_out_of_bag(forest, X, grown, total, count)
        pace = (clock.spent - begin) / (goal - grown)
        grown = goal
        room = n_trees if not limited else int(min((clock.left - until) / max(pace, 1e-9), n_trees))
        if room < 1:
            break
        goal = min(n_trees, grown + (n_trees if not limited else max(1, min(room, grown * 2, 32))))
    with np.errstate(invalid="ignore"):
        return GrownForest(forest, total / count[:, None], grown)


def rows_that_fit(forest: Classifier, X: Matrix, target: Array, seconds: float) -> int:
    """Rows from which twenty trees can be grown in so many seconds, by the time of two trees on few rows.

    They are timed on more and more rows, until that has taken a few hundredths of the time, and what a fit of next to
    no rows takes is no part of it. Leaves shrink with the rows: few rows in large leaves would hardly be split, and say
    nothing of many. Trees take a little more than in proportion to their rows. At least 256.
    """
    n_rows = X.shape[0]
    size, order = min(n_rows, _TIMED_ROWS), np.random.default_rng(0).permutation(n_rows)
    preparation = min(_fit_seconds(forest, X, target, order[:_NO_ROWS]) for _ in range(2))
    while True:
        taken = max(0.0, _fit_seconds(forest, X, target, order[:size]) - preparation)
        if size == n_rows or taken > _TIMED_SHARE * seconds:
            break
        size = min(n_rows, 4 * size)
    wanted = taken * _ENOUGH_TREES / _TIMED_TREES
    fitting = size * (seconds / max(wanted, 1e-9)) ** (1.0 / _POWER)
    return int(np.clip(fitting, min(n_rows, _TIMED_ROWS), n_rows))


def _fit_seconds(forest: Classifier, X: Matrix, target: Array, some: Rows) -> float:
    begin, rows = time.perf_counter(), np.sort(some)
    leaf = int(np.ceil(forest.get_params()["min_samples_leaf"] * rows.size / X.shape[0]))
    clone(forest).set_params(n_estimators=_TIMED_TREES, min_samples_leaf=leaf).fit(X[rows], target[rows])
    return time.perf_counter() - begin


def _add_out_of_bag(forest: Classifier, X: Matrix, first: int, total: Floats, count: Floats) -> None:
    """Add what the trees from `first` on answer for the rows that they did not see."""
    seen = forest.estimators_samples_
    for tree, rows in zip(forest.estimators_[first:], seen[first:], strict=True):
        unseen = np.ones(X.shape[0], bool)
        unseen[rows] = False
        left = np.flatnonzero(unseen)
        if left.size:
            total[left] += tree_answers(tree, X[left]).reshape(left.size, -1)
            count[left] += 1.0


def tree_answers(tree: Classifier, X: Matrix) -> Floats:
    """Means of the labels (regression), or shares of the classes, in the leaf of each row."""
    plain = not sparse.issparse(X)
    if hasattr(tree, "predict_proba"):
        return np.asarray(tree.predict_proba(X, check_input=not plain), np.float64)
    return np.asarray(tree.predict(X, check_input=not plain), np.float64)


def fill_unknown(targets: Targets) -> Floats:
    """Labels as numbers, the share of a label among the rows where it is known in the place of unknown ones."""
    dense = np.asarray(targets.positives.toarray(), np.float64)
    if targets.unknown is None:
        return dense
    hidden = targets.unknown.toarray() != 0
    share = dense.sum(axis=0) / np.maximum((~hidden).sum(axis=0), 1)
    return np.where(hidden, share, dense)


def fill_rates(rates: Floats) -> Floats:
    """Rates of rows that every tree has seen are the mean of the others."""
    lost: Bools = np.asarray(np.isnan(rates).any(axis=1))
    if not lost.any():
        return rates
    mean = rates[~lost].mean(axis=0) if not lost.all() else np.full(rates.shape[1], 1.0 / rates.shape[1])
    return np.where(lost[:, None], mean, rates)
