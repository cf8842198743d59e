"""LogisticRegression: L2-penalised logistic regression on the batch engine, shaped like scikit-learn's."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from bncc._typing import EngineName
from bncc.linear.base import DropBelow, LinearClassifier
from bncc.linear.problems import Loss

__all__ = ["LogisticRegression"]


class LogisticRegression(LinearClassifier):
    """Logistic regression with an L2 penalty, all classes in one batch on all cores.

    The same problem as scikit-learn's LogisticRegression with the solver "liblinear": several classes are taken one
    against the rest (not by one multinomial model), and the weight of the intercept is part of the penalty.

    Parameters
    ----------
    C : float, default=1.0
        Inverse of the strength of the penalty.
    class_weight : dict, "balanced" or None, default=None
        Factors of C per class.
    fit_intercept : bool, default=True
    intercept_scaling : float, default=1.0
        Value of the constant feature whose weight is the intercept; a larger value makes it a smaller part of the
        penalty.
    tol : float, default=1e-3
        The objective is within this share of the optimum (see `solve`).
    max_iter : int, default=1000
        Limit of Newton steps.
    drop_below : float, "auto" or None, default=None
        Weights below this share of the largest one of their class are dropped, and `coef_` is sparse: 0.02 leaves a
        small part of the weights of text, and the predictions nearly as they are. "auto" is 0.005 from 1,000 classes
        or labels on. None keeps all weights.
    n_jobs : int or None, default=None
        Threads. None and -1 mean all cores. Results do not depend on it.
    engine : "auto", "cpu", "native", "numpy" or "cuda", default="auto"
        What solves the problems: the compiled extension, or NumPy.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
    coef_ : array of shape (1, n_features) or (n_classes, n_features)
        A sparse one with `drop_below`.
    intercept_ : array of shape (1,) or (n_classes,)
    n_iter_ : int
        Newton steps of the problem that took most.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> LogisticRegression(C=10.0, tol=1e-8).fit(X, y).predict_proba(X[:1]).round(2).tolist()
    [[0.91, 0.09, 0.0]]
    """

    def __init__(
        self,
        C: float = 1.0,
        *,
        class_weight: Any = None,
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
        tol: float = 1e-3,
        max_iter: int = 1000,
        drop_below: DropBelow = None,
        n_jobs: int | None = None,
        engine: EngineName = "auto",
    ) -> None:
        self.C = C
        self.class_weight = class_weight
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.tol = tol
        self.max_iter = max_iter
        self.drop_below = drop_below
        self.n_jobs = n_jobs
        self.engine = engine

    def _loss(self) -> Loss:
        return "logistic"

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Probability of each class; those of several classes are scaled to a sum of 1."""
        scores = self.decision_function(X)
        if scores.ndim == 1:
            return np.column_stack([expit(-scores), expit(scores)])
        p = np.asarray(expit(scores), np.float64)
        total = p.sum(axis=1, keepdims=True)
        return np.where(total > 0, p / np.where(total > 0, total, 1.0), 1.0 / p.shape[1])

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Logarithms of `predict_proba`."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))
