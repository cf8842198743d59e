"""Bases of other packages that use categories, given a matrix of numbers in which some columns are codes of levels.

CatBoost wants whole numbers, where a matrix can hold only floats; LightGBM hears of the columns when it is fitted.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone

from bncc._typing import Array, Classifier, Floats, Rowwise

__all__ = ["CodedCategories"]

_GAP = -1  # a cell that is empty, or a level that training rows did not have


class CodedCategories(ClassifierMixin, BaseEstimator):
    """A classifier that is told which columns are codes.

    Parameters
    ----------
    estimator : classifier
    columns : sequence of int
        Columns of codes.
    whole : bool
        Hand codes over as whole numbers, and name the columns by the parameter `cat_features` (CatBoost); otherwise
        as they are, by `categorical_feature` of `fit` (LightGBM).
    """

    def __init__(self, estimator: Classifier, columns: Sequence[int] = (), whole: bool = True) -> None:
        self.estimator = estimator
        self.columns = columns
        self.whole = whole

    def fit(self, X: Floats, y: Array, **options: object) -> CodedCategories:
        """Learn from a matrix of numbers; options are those of the classifier."""
        base, columns = clone(self.estimator), list(self.columns)
        if self.whole:
            base = base.set_params(cat_features=columns)
        else:
            options["categorical_feature"] = columns
        self.estimator_ = base.fit(self._rows(X), y, **options)
        self.classes_ = np.asarray(self.estimator_.classes_)
        return self

    def predict(self, X: Floats) -> Array:
        """The class of each row."""
        return np.asarray(self.estimator_.predict(self._rows(X))).reshape(len(X))

    def predict_proba(self, X: Floats) -> Floats:
        """How likely each class is."""
        return np.asarray(self.estimator_.predict_proba(self._rows(X)))

    def _rows(self, X: Floats) -> Rowwise:
        return _with_whole_codes(X, self.columns) if self.whole else X


def _with_whole_codes(X: Floats, columns: Sequence[int]) -> Rowwise:
    import pandas as pd  # who has columns of its category type has pandas

    frame = pd.DataFrame(X)
    for column in columns:
        frame[column] = np.where(np.isnan(X[:, column]), _GAP, X[:, column]).astype(np.int64)
    return frame
