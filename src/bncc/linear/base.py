"""What the linear classifiers share: reading data, one problem per class, weights and classes of new rows."""

from __future__ import annotations

import warnings
from typing import Any, Literal, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from bncc._checks import check_class_weight, check_flag, check_number, check_sparse
from bncc._failed_fits import ForgetsFailedFits
from bncc._rows import read_weights
from bncc._typing import EngineName
from bncc.linear.engines import solve
from bncc.linear.problems import Batch, Loss, make_batch
from bncc.linear.solutions import Solutions, Status

__all__ = ["AUTO_SHARE", "AUTO_TARGETS", "DropBelow", "LinearClassifier"]

DropBelow: TypeAlias = float | Literal["auto"] | None

#: From this many classes or labels on, `drop_below="auto"` drops weights below this share of the largest one.
AUTO_TARGETS = 1000
AUTO_SHARE = 0.005


class LinearClassifier(ForgetsFailedFits, ClassifierMixin, BaseEstimator):
    """A linear classifier on the batch engine: two classes are one problem, several are one against the rest each."""

    C: float
    class_weight: Any
    fit_intercept: bool
    intercept_scaling: float
    tol: float
    max_iter: int
    drop_below: DropBelow
    n_jobs: int | None
    engine: EngineName

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _loss(self) -> Loss:
        """The loss of the batch; a wrong name gets an error."""
        raise NotImplementedError

    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Learn from rows X (array, sparse matrix or DataFrame) and their classes y.

        `sample_weight` multiplies C row by row.
        """
        check_sparse(X)
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=(np.float64, np.float32))
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if self.classes_.size < 2:
            raise ValueError(f"{type(self).__name__} needs at least two classes; got 1 class, {self.classes_[0]!r}.")
        batch = self._describe(X, y, codes, sample_weight)
        solutions = solve(
            batch,
            tol=self.tol,
            max_iter=self.max_iter,
            drop=self._drop(len(batch)),
            n_jobs=self.n_jobs,
            engine=self.engine,
        )
        self._keep(solutions)
        return self

    def _drop(self, n_targets: int) -> float | None:
        """The share of the largest weight below which weights are dropped, for so many classes or labels."""
        share = self.drop_below
        if isinstance(share, str) and share == "auto":
            return AUTO_SHARE if n_targets >= AUTO_TARGETS else None
        if share is not None and (isinstance(share, str) or not 0 <= share < 1):
            raise ValueError(f'`drop_below` must lie in [0, 1) or be None; got {share!r}. It may also be "auto".')
        return share

    def _describe(self, X: Any, y: NDArray[Any], codes: NDArray[np.intp], sample_weight: ArrayLike | None) -> Batch:
        check_number("intercept_scaling", self.intercept_scaling, 1e-150, 1e150)
        n_classes = self.classes_.size
        targets = codes[:, None] == (np.array([1]) if n_classes == 2 else np.arange(n_classes))
        rows = np.ones(codes.size) if sample_weight is None else read_weights(sample_weight, codes.size)
        self._check_kept(codes, rows, "Give fewer rows a `sample_weight` of 0.")
        weights = rows * self._class_factors(y, codes, rows)[codes]
        self._check_kept(codes, weights, f"Give fewer classes a `class_weight` of 0; it is {self.class_weight!r}.")
        return make_batch(
            X,
            targets,
            C=check_number("C", self.C, 1e-300, 1e300),
            loss=self._loss(),
            intercept_scaling=self.intercept_scaling if check_flag("fit_intercept", self.fit_intercept) else 0.0,
            weights=None if sample_weight is None and self.class_weight is None else weights,
        )

    def _class_factors(
        self, y: NDArray[Any], codes: NDArray[np.intp], rows: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Factors of C per class; "balanced" gives all classes the same sum of the rows' weights."""
        check_class_weight(self.class_weight)
        if isinstance(self.class_weight, str) and self.class_weight == "balanced":
            sums = np.bincount(codes, weights=rows)
            return np.asarray(rows.sum() / (sums.size * np.where(sums > 0, sums, 1.0)), np.float64)
        factors = np.asarray(compute_class_weight(self.class_weight, classes=self.classes_, y=y), np.float64)
        if not (np.isfinite(factors) & (factors >= 0)).all():
            raise ValueError(f"`class_weight` must be finite and not negative; got {self.class_weight!r}.")
        return factors

    def _check_kept(self, codes: NDArray[np.intp], weights: NDArray[np.float64], remedy: str) -> None:
        kept = np.unique(codes[weights > 0])
        if kept.size < 2:
            raise ValueError(
                f"{type(self).__name__} needs at least two classes with rows of positive weight; got {kept.size}. "
                f"{remedy}"
            )

    def _keep(self, solutions: Solutions) -> None:
        weights = solutions.weights.astype(np.float64)
        self.coef_ = weights.toarray() if sparse.issparse(weights) and self.drop_below is None else weights
        self.intercept_ = solutions.bias if self.fit_intercept else np.zeros(len(solutions))
        self.n_iter_ = int(solutions.iterations.max())
        if (solutions.status == Status.ITERATION_LIMIT).any():
            message = f"Stopped at the limit of {self.max_iter} iterations. Scale the data or raise `max_iter`."
            warnings.warn(message, ConvergenceWarning, stacklevel=4)

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Scores: positive for the second of two classes, else one column per class."""
        check_is_fitted(self)
        check_sparse(X)
        X = validate_data(self, X, accept_sparse="csr", dtype=(np.float64, np.float32), reset=False)
        product = X @ self.coef_.T
        scores = np.asarray(product.toarray() if sparse.issparse(product) else product, np.float64) + self.intercept_
        return scores[:, 0] if self.classes_.size == 2 else scores

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of each row: the highest score, the first of equal ones."""
        scores = self.decision_function(X)
        return self.classes_[(scores > 0).astype(int) if scores.ndim == 1 else scores.argmax(axis=1)]
