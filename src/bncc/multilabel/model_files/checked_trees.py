"""Ensembles of trees as they are read from a file.

A tree that asks for a few features may say that there are millions, and one that is learned on from asks for features
of rows that it has never seen.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.ensemble import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    GradientBoostingClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.ensemble._hist_gradient_boosting.predictor import TreePredictor
from sklearn.tree._tree import Tree
from sklearn.utils.validation import check_is_fitted

from bncc._typing import Array, Floats, Integers
from bncc.multilabel.model_files.checked_preparation import under_its_name

__all__ = [
    "CHECKED_TREES",
    "MOST_FEATURES",
    "CheckedBoosting",
    "CheckedExtraRegression",
    "CheckedExtraTrees",
    "CheckedForest",
    "CheckedPredictor",
    "CheckedRegression",
]

#: Features of a tree: a number for each is made when it is asked what they tell.
MOST_FEATURES = 2**22
_USUAL_CELLS = 2**20  # numbers of a table of all trees and features that is quickly made


def _summed(kind: type, trees_of: Callable[[BaseEstimator], Sequence[BaseEstimator]], *, of_one: bool) -> property:
    """What features tell, as scikit-learn's `kind` says it; `of_one` where those of a tree sum up to one."""

    def told(model: BaseEstimator) -> Floats:
        check_is_fitted(model)
        trees = [each.tree_ for each in trees_of(model) if each.tree_.node_count > 1]
        if len(trees) * model.n_features_in_ <= _USUAL_CELLS:
            usual: Floats = kind.feature_importances_.fget(model)  # type: ignore[attr-defined]
            return usual
        total = np.zeros(model.n_features_in_)
        for tree in trees:
            features, gains = _gains(tree)
            whole = gains.sum() if of_one else 1.0
            total[features] += gains / whole if whole > 0 else gains
        return total / total.sum() if trees else total

    return property(told, doc="How much each feature tells, as scikit-learn's.")


def _gains(tree: Tree) -> tuple[Integers, Floats]:
    """The features that a tree asks for, and how much purer its nodes are for each of them."""
    left, right = tree.children_left, tree.children_right
    inner = np.flatnonzero(left != -1)
    impure = tree.weighted_n_node_samples * tree.impurity
    gains = (impure[inner] - impure[left[inner]] - impure[right[inner]]) / tree.weighted_n_node_samples[0]
    features, place = np.unique(tree.feature[inner], return_inverse=True)
    told = np.zeros(features.size)
    np.add.at(told, place, gains)
    return features, told


def _of_forest(kind: type) -> property:
    return _summed(kind, lambda model: model.estimators_, of_one=True)


@under_its_name
class CheckedForest(RandomForestClassifier):
    """`RandomForestClassifier`, of many features too."""

    feature_importances_ = _of_forest(RandomForestClassifier)


@under_its_name
class CheckedExtraTrees(ExtraTreesClassifier):
    """`ExtraTreesClassifier`, as well."""

    feature_importances_ = _of_forest(ExtraTreesClassifier)


@under_its_name
class CheckedRegression(RandomForestRegressor):
    """`RandomForestRegressor`, as well."""

    feature_importances_ = _of_forest(RandomForestRegressor)


@under_its_name
class CheckedExtraRegression(ExtraTreesRegressor):
    """`ExtraTreesRegressor`, as well."""

    feature_importances_ = _of_forest(ExtraTreesRegressor)


@under_its_name
class CheckedBoosting(GradientBoostingClassifier):
    """`GradientBoostingClassifier`, as well."""

    feature_importances_ = _summed(
        GradientBoostingClassifier, lambda model: model.estimators_.ravel().tolist(), of_one=False
    )


class CheckedPredictor(TreePredictor):
    """A tree of `HistGradientBoostingClassifier` that looks whether rows have the features that it asks for.

    With `warm_start`, `fit` asks it about rows of as many features as whoever calls it has.
    """

    @cached_property
    def n_asked(self) -> int:
        """Features that rows must have."""
        return int(self.nodes["feature_idx"][self.nodes["is_leaf"] == 0].max(initial=-1)) + 1

    def predict(self, X: Array, *more: object, **options: object) -> Floats:
        """Predict as scikit-learn's."""
        self._check_rows(X)
        answers: Floats = super().predict(X, *more, **options)
        return answers

    def predict_binned(self, X: Array, *more: object, **options: object) -> Floats:
        """Predict as scikit-learn's."""
        self._check_rows(X)
        answers: Floats = super().predict_binned(X, *more, **options)
        return answers

    def _check_rows(self, X: Array) -> None:
        if X.shape[1] < self.n_asked:
            raise ValueError(
                f"A tree of gradient boosting asks for {self.n_asked} features; rows have {X.shape[1]}. Fit it to as "
                "many, or with warm_start=False."
            )


#: What is built in the place of a class.
CHECKED_TREES: Mapping[type[BaseEstimator], type[BaseEstimator]] = {
    RandomForestClassifier: CheckedForest,
    ExtraTreesClassifier: CheckedExtraTrees,
    RandomForestRegressor: CheckedRegression,
    ExtraTreesRegressor: CheckedExtraRegression,
    GradientBoostingClassifier: CheckedBoosting,
}
