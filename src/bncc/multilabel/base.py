"""What all multi-label estimators share: reading data, solving the links they describe, shaping answers.

An estimator says which links it has (`_describe`) and how their decisions become label scores (`_assemble`). Everything
about inputs, solvers, names, classes and output types is here, once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_consistent_length, get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, validate_data

from bncc.multilabel.calibration import apply_slopes
from bncc.multilabel.crossval import Calibration, Fold, describe_folds
from bncc.multilabel.kernel import solve_links
from bncc.multilabel.links import Links
from bncc.multilabel.solve import check_weight_support, fit_links, narrow
from bncc.multilabel.targets import Targets, read_targets
from bncc.svm import EngineChoice, KernelSVC, KernelTask

__all__ = ["LinkedClassifier", "MultilabelClassifier"]

# Answers of links held at a time in prediction.
_ANSWERS = 1 << 24


class MultilabelClassifier(ClassifierMixin, BaseEstimator):
    """Inputs and outputs of a multi-label classifier; subclasses fit `_fit` and give `_scores`.

    Attributes of a fitted one
    --------------------------
    label_names_ : tuple of str
    classes_ : array
        The columns 0..M-1 of a label matrix, as in scikit-learn's OneVsRestClassifier; the two values of a single y.
    n_labels_ : int
    n_features_in_, feature_names_in_
    """

    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Any:
        """Learn from rows X and their labels y.

        Parameters
        ----------
        X : array, sparse matrix or DataFrame of shape (n_rows, n_features)
        y : array, sparse matrix or DataFrame of shape (n_rows, n_labels), 0/1 or bool; or 1-D with two values
            NaN means unknown: a link learns from the rows whose target is known, and unknown context counts as 0.
        sample_weight : array of shape (n_rows,), optional
        """
        X = self._read_features(X, reset=True)
        targets = read_targets(_required(y, self))
        check_consistent_length(X, targets.positives)
        weight = None if sample_weight is None else _read_weight(sample_weight, X.shape[0])
        self._remember(targets)
        self._fit(X, targets, weight)
        return self

    def _remember(self, targets: Targets) -> None:
        """What the answers need to know of y."""
        self.n_labels_ = targets.n_labels
        self.label_names_ = targets.label_names or tuple(f"label{label}" for label in range(targets.n_labels))
        self._values = np.array([0, 1]).astype(targets.dtype) if targets.classes is None else targets.classes
        self.classes_ = np.arange(targets.n_labels) if targets.n_labels > 1 else self._values
        self._flat, self._dtype = targets.flat, targets.dtype

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Score of each label, above 0 where the label is predicted; columns in the caller's order."""
        check_is_fitted(self)
        scores = self._scores(self._read_features(X, reset=False))
        return scores[:, 0] if self._flat else scores

    def predict(self, X: Any) -> Any:
        """Labels of each row, in the form of the y that was learned from; columns in the caller's order."""
        check_is_fitted(self)
        labels = self._labels(self._read_features(X, reset=False))
        return self._shape_labels(labels)

    def set_output(self, *, predict: str | None = None) -> Any:
        """Choose what `predict` returns for label matrices: "default" (array) or "pandas" (DataFrame with names)."""
        if predict not in (None, "default", "pandas"):
            raise ValueError(f'`predict` must be "default" or "pandas"; got {predict!r}.')
        if predict is not None:
            self._output = predict
        return self

    def _labels(self, X: Any) -> NDArray[np.bool_]:
        return self._scores(X) > 0

    def _fit(self, X: Any, targets: Targets, sample_weight: NDArray[np.float64] | None) -> None:
        raise NotImplementedError

    def _scores(self, X: Any) -> NDArray[np.float64]:
        raise NotImplementedError

    def _shape_labels(self, labels: NDArray[np.bool_]) -> Any:
        values = self._values[np.minimum(labels.astype(int), len(self._values) - 1)]
        if self._flat:
            return values[:, 0]
        if getattr(self, "_output", "default") == "pandas":
            import pandas as pd

            return pd.DataFrame(values, columns=list(self.label_names_))
        return values

    def _read_features(self, X: Any, *, reset: bool) -> Any:
        finite: Any = "allow-nan" if get_tags(self).input_tags.allow_nan else True
        return narrow(validate_data(self, X, reset=reset, accept_sparse="csr", ensure_all_finite=finite))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.multi_output = True
        tags.classifier_tags.multi_label = True
        tags.classifier_tags.multi_class = False
        return tags


def _gives_probabilities(classifier: Any) -> bool:
    return bool(classifier._uses_engine() or hasattr(classifier._base(), "predict_proba"))


class LinkedClassifier(MultilabelClassifier):
    """A multi-label classifier made of links over a base classifier.

    Subclasses describe links and assemble their decisions. The base is any scikit-learn classifier; with `KernelSVC`
    (and None, which means `KernelSVC()`) all links are solved by the kernel engine in one call; `engine_` then says
    which one, and why.
    """

    estimator: Any
    n_jobs: int | None
    random_state: Any
    verbose: int

    def _describe(self, X: Any, targets: Targets) -> Links:
        raise NotImplementedError

    def _assemble(self, answers: NDArray[np.float64], X: Any) -> NDArray[np.float64]:
        """Label scores (n_rows, n_labels) from answers along the walks (n_walks, n_rows, length)."""
        raise NotImplementedError

    def _base(self) -> Any:
        if self.estimator is None:
            return KernelSVC()
        if isinstance(self.estimator, type) or not hasattr(self.estimator, "fit"):
            raise TypeError(f"`estimator` must be a scikit-learn classifier or None; got {self.estimator!r}.")
        return self.estimator

    def _uses_engine(self) -> bool:
        return type(self._base()) is KernelSVC

    def _fit(self, X: Any, targets: Targets, sample_weight: NDArray[np.float64] | None) -> None:
        links = self._describe(X, targets)
        self._walks = links.walks
        base = self._base()
        check_weight_support(base, sample_weight)
        options: dict[str, Any] = {"sample_weight": sample_weight, "n_jobs": self.n_jobs, "verbose": self.verbose}
        if self._uses_engine():
            self._solved: Any = solve_links(links, X, targets, base, **options)
            self._calibration = Calibration(self, X, targets, sample_weight)
            self.engine_: EngineChoice | None = self._solved.choice
        else:
            self.engine_ = None
            self._solved = fit_links(links, X, targets, base, random_state=self.random_state, **options)

    def _scores(self, X: Any) -> NDArray[np.float64]:
        return self._by_blocks(X, self._assemble)

    def _by_blocks(self, X: Any, assemble: Any, *response: Any) -> NDArray[np.float64]:
        """Assembled answers, in blocks of rows: methods with many links (pairs) keep to some memory."""
        step = max(1, _ANSWERS // max(1, sum(map(len, self._walks))))
        blocks = [X[start : start + step] for start in range(0, X.shape[0], step)]
        return np.concatenate([assemble(self._solved.walk(b, self._walks, *response), b) for b in blocks])

    @available_if(_gives_probabilities)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Probability of each label; for a one-dimensional y, of its two classes."""
        check_is_fitted(self)
        rates = self._rates(self._read_features(X, reset=False))
        return np.column_stack([1.0 - rates[:, 0], rates[:, 0]]) if self._flat else rates

    def _rates(self, X: Any) -> NDArray[np.float64]:
        if self._uses_engine():
            return apply_slopes(self._scores(X), self._calibration.slopes)
        return self._by_blocks(X, self._assemble, "probability")

    def kernel_base(self) -> KernelSVC:
        """The KernelSVC of the links, for `KernelSearchCV`; setting its parameters sets those of this estimator."""
        if not self._uses_engine():
            raise TypeError(f"The kernel engine needs KernelSVC as `estimator`; got {type(self.estimator).__name__}.")
        if self.estimator is None:
            self.estimator = KernelSVC()
        return self.estimator

    def kernel_task(self, X: Any, y: Any, folds: Sequence[Fold], sample_weight: ArrayLike | None) -> KernelTask:
        """The links of all folds, for `KernelSearchCV`; each fold's structure is learned from its training rows."""
        X = self._read_features(X, reset=True)
        targets = read_targets(_required(y, self))
        check_consistent_length(X, targets.positives)
        weight = None if sample_weight is None else _read_weight(sample_weight, X.shape[0])
        return describe_folds(self, X, targets, folds, weight)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        base = get_tags(self._base())
        tags.input_tags.allow_nan = base.input_tags.allow_nan
        tags.input_tags.sparse = base.input_tags.sparse
        return tags


def _required(y: Any, estimator: Any) -> Any:
    if y is None:
        raise ValueError(
            f"{type(estimator).__name__} requires y to be passed, but the target y is None: give the labels."
        )
    return y


def _read_weight(sample_weight: ArrayLike, n_rows: int) -> NDArray[np.float64]:
    weight = np.asarray(sample_weight, np.float64)
    weight = np.full(n_rows, float(weight)) if weight.ndim == 0 else weight
    if weight.shape != (n_rows,):
        raise ValueError(f"`sample_weight` must have one value per row ({n_rows}); got shape {weight.shape}.")
    if not np.isfinite(weight).all() or (weight < 0).any():
        raise ValueError("`sample_weight` must be finite and not negative.")
    if not (weight > 0).any():
        raise ValueError("`sample_weight` must have a positive value; all are zero.")
    return weight
