"""Estimators of scikit-learn as they are read from a file: what their parts answer is looked at before it is used."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, is_regressor
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import VotingClassifier
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import FeatureUnion
from sklearn.utils.validation import check_is_fitted

from bncc._typing import Bools, Rowwise

__all__ = ["CHECKED", "CheckedColumns", "CheckedOneVsRest", "CheckedUnion", "CheckedVotes"]

#: Numbers per row that parts side by side may give together: unions of unions would double them again and again.
MOST_NUMBERS_IN_A_ROW = 1 << 17


class CheckedOneVsRest(OneVsRestClassifier):
    """`OneVsRestClassifier`, but for parts that answer for more rows than they were asked about: an error, in words.

    scikit-learn writes the rows that a part says yes to into a sparse matrix without looking at them, and compiled code
    then follows them. A part of a file could say yes to rows that do not exist.
    """

    def predict(self, X: Any) -> Any:
        """Predict as scikit-learn's, from answers that are as many as the rows."""
        check_is_fitted(self)
        if self.label_binarizer_.y_type_ == "multiclass":  # no sparse matrix there
            return super().predict(X)
        n_rows = X.shape[0] if hasattr(X, "shape") else len(X)
        columns = [sparse.csc_array(_is_yes(part, X, n_rows)[:, None], dtype=int) for part in self.estimators_]
        return self.label_binarizer_.inverse_transform(sparse.csc_array(sparse.hstack(columns, format="csc")))


def _is_yes(part: Any, X: Any, n_rows: int) -> Bools:
    if is_regressor(part):
        scores, threshold = part.predict(X), 0.5
    elif hasattr(part, "decision_function"):
        scores, threshold = part.decision_function(X), 0.0
    else:
        scores, threshold = part.predict_proba(X)[:, 1], 0.5
    flat = np.ravel(scores)
    if len(flat) != n_rows:
        raise ValueError(
            f"A part of this OneVsRestClassifier gives {len(flat)} answers for {n_rows} rows; fit it again."
        )
    return np.asarray(flat > threshold)


class CheckedVotes(VotingClassifier):
    """`VotingClassifier`, but for votes for classes that do not exist, which would be counted up to the largest."""

    def _predict(self, X: Any) -> Any:
        votes = np.asarray(super()._predict(X))
        if votes.dtype.kind not in "biu" or (votes.size and not 0 <= votes.min() <= votes.max() < len(self.classes_)):
            raise ValueError("A part of this VotingClassifier votes for classes that it does not have; fit it again.")
        return votes


class CheckedUnion(FeatureUnion):
    """`FeatureUnion`, but for more columns than a row can have."""

    def _hstack(self, Xs: Any) -> Any:
        _check_width(Xs)
        return super()._hstack(Xs)


class CheckedColumns(ColumnTransformer):
    """`ColumnTransformer`, but for more columns than a row can have."""

    def _hstack(self, Xs: Any, **options: Any) -> Any:
        _check_width(Xs)
        return super()._hstack(Xs, **options)


def _check_width(parts: Sequence[Rowwise]) -> None:
    held = [part for part in parts if hasattr(part, "shape")]
    n_rows = max((part.shape[0] for part in held), default=0)
    n_numbers = sum(part.nnz if sparse.issparse(part) else int(np.prod(part.shape)) for part in held)
    if n_numbers > MOST_NUMBERS_IN_A_ROW * max(n_rows, 1):
        raise ValueError(
            f"Columns side by side must give at most {MOST_NUMBERS_IN_A_ROW} numbers a row, in models that were read "
            f"from a file; got {n_numbers // max(n_rows, 1)}."
        )


#: What is built in the place of a class.
CHECKED: Mapping[type[BaseEstimator], type[BaseEstimator]] = {
    OneVsRestClassifier: CheckedOneVsRest,
    VotingClassifier: CheckedVotes,
    FeatureUnion: CheckedUnion,
    ColumnTransformer: CheckedColumns,
}
