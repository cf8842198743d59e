"""scikit-learn's OneVsRestClassifier as it is read from a file: what its parts answer is counted before it is used."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import is_regressor
from sklearn.multiclass import OneVsRestClassifier
from sklearn.utils.validation import check_is_fitted

from bncc._typing import Bools

__all__ = ["CheckedOneVsRest"]


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
