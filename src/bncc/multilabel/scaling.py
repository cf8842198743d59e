"""Features brought to one range, dense or sparse."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.sparsefuncs import inplace_column_scale, min_max_axis
from sklearn.utils.validation import check_is_fitted, validate_data

from bncc._checks import check_sparse
from bncc._typing import Features, Labels, Matrix

__all__ = ["RangeScaler"]


class RangeScaler(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Divide every feature by its range, without moving it: zeros stay zeros, and sparse data stay sparse.

    A kernel of distances does not see a shift of the features, so for an RBF SVM this is min-max scaling, on sparse
    data too. Constant features are left alone. Cost: one pass over the data.

    Attributes
    ----------
    scale_ : array of shape (n_features,)
        What features are multiplied by.

    Examples
    --------
    >>> RangeScaler().fit_transform([[10.0, 0.0], [12.0, 0.5]]).tolist()
    [[5.0, 0.0], [6.0, 1.0]]
    """

    def fit(self, X: Features, y: Labels = None) -> RangeScaler:
        """Learn the ranges."""
        X = self._read(X, reset=True)
        low, high = min_max_axis(X, axis=0) if hasattr(X, "tocsr") else (X.min(axis=0), X.max(axis=0))
        with np.errstate(over="ignore"):
            span = np.asarray(high, np.float64) - np.asarray(low, np.float64)
        least = 1.0 / float(np.finfo(X.dtype).max)
        wrong = span[(span > 0) & ~((span >= least) & np.isfinite(span))]
        if wrong.size:
            raise ValueError(
                f"The range of a feature must be 0, or from {least:.0e} on and finite, so that {X.dtype} holds its "
                f"inverse; got {wrong[0]:g}. Scale it first."
            )
        self.scale_ = 1.0 / np.where(span > 0, span, 1.0)
        return self

    def transform(self, X: Features) -> Any:
        """Features divided by their ranges."""
        check_is_fitted(self)
        X = self._read(X, reset=False)
        if not hasattr(X, "tocsr"):
            return X * self.scale_.astype(X.dtype)
        X = X.copy()
        inplace_column_scale(X, self.scale_)
        return X

    def _read(self, X: Matrix, *, reset: bool) -> Any:
        check_sparse(X)
        return validate_data(self, X, reset=reset, accept_sparse="csr", dtype=(np.float64, np.float32))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
