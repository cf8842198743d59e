"""LinearSVC: a linear support vector classifier on the batch engine, shaped like scikit-learn's."""

from __future__ import annotations

from typing import Any, Literal

from bncc._typing import EngineName
from bncc.linear.base import DropBelow, LinearClassifier
from bncc.linear.problems import Loss

__all__ = ["LinearSVC"]


class LinearSVC(LinearClassifier):
    """Linear support vector classifier, all classes in one batch on all cores.

    The same problem as scikit-learn's LinearSVC with its L2 penalty; several classes are taken one against the rest.

    Parameters
    ----------
    C : float, default=1.0
        Penalty of the error term.
    loss : "squared_hinge" or "hinge", default="squared_hinge"
    class_weight : dict, "balanced" or None, default=None
        Factors of C per class.
    fit_intercept : bool, default=True
    intercept_scaling : float, default=1.0
        Value of the constant feature whose weight is the intercept. That weight is part of the penalty, as in
        LIBLINEAR; a larger value makes it a smaller part.
    tol : float, default=1e-3
        The objective is within this share of the optimum (see `solve`): not the tolerance of LIBLINEAR, which has no
        such meaning.
    max_iter : int, default=1000
        Limit of passes over the rows.
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
        Passes over the rows of the problem that took most.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> round(LinearSVC().fit(X, y).score(X, y), 3)
    0.967
    """

    def __init__(
        self,
        C: float = 1.0,
        *,
        loss: Literal["squared_hinge", "hinge"] = "squared_hinge",
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
        self.loss = loss
        self.class_weight = class_weight
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.tol = tol
        self.max_iter = max_iter
        self.drop_below = drop_below
        self.n_jobs = n_jobs
        self.engine = engine

    def _loss(self) -> Loss:
        if self.loss not in ("squared_hinge", "hinge"):
            raise ValueError(f'`loss` must be "squared_hinge" or "hinge"; got {self.loss!r}.')
        return self.loss
