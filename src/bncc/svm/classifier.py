"""KernelSVC: a support vector classifier on the kernel engine, shaped like scikit-learn's SVC."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from bncc.svm.calibration import couple_pairs, fit_sigmoid, spread_folds
from bncc.svm.crossval import cross_val_decisions
from bncc.svm.distances import Distances, squared_distances
from bncc.svm.engines import choose_engine, solve, work_of
from bncc.svm.links import Links, pair_links
from bncc.svm.models import keep_support
from bncc.svm.problems import Status, make_batch
from bncc.svm.row_sets import Fold
from bncc.svm.tasks import Decided, KernelTask
from bncc.svm.walks import walk

__all__ = ["KernelSVC", "resolve_gamma"]

_CALIBRATION_FOLDS = 5


class KernelSVC(ClassifierMixin, BaseEstimator):
    """Support vector classifier with an RBF or linear kernel, solved on all cores.

    The same problem as scikit-learn's SVC; several classes are taken one against one.

    Parameters
    ----------
    C : float, default=1.0
        Penalty of the error term.
    sigma : float or "auto", default="auto"
        Width of the RBF kernel ``exp(-|x - x'|^2 / (2 sigma^2))``. "auto" is sqrt(d var(X) / 2) with d features and
        the variance of all their values, which is scikit-learn's gamma="scale".
    gamma : float or None, default=None
        1 / (2 sigma^2); overrides `sigma`.
    kernel : "rbf" or "linear", default="rbf"
    tol : float, default=1e-3
        Tolerance of the optimality conditions, as in SVC.
    max_iter : int, default=-1
        Limit of iterations per pair of classes; -1 is none.
    cache_size : float, default=2000
        Megabytes for distances and kernel rows. When the distances do not fit into half of it they are computed on
        demand, with the same result.
    class_weight : dict, "balanced" or None, default=None
        Factors of C per class.
    n_jobs : int or None, default=None
        Threads. None and -1 mean all cores: threads are cheap here, and joblib's worker processes get their share.
    engine : "auto", "cpu" or "cuda", default="auto"
        What solves the problems: "cuda" needs a GPU and CuPy; "auto" takes it where there is one and enough work (see
        `choose_engine`).
    random_state : int, RandomState or None, default=None
        Shuffles the rows before they are dealt to the folds of the calibration; None keeps their order.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
    support_ : array of shape (n_support,)
        Support rows, ordered by class.
    n_support_ : array of shape (n_classes,)
    support_vectors_ : array or sparse matrix of shape (n_support, n_features)
    dual_coef_ : array of shape (n_classes - 1, n_support)
        Coefficients, laid out and signed as in SVC.
    intercept_ : array of shape (n_classes (n_classes - 1) / 2,)
    coef_ : array of shape (n_pairs, n_features)
        Only with the linear kernel.
    gamma_, sigma_ : float
        What was used.
    n_iter_ : array of shape (n_pairs,)
    engine_ : EngineChoice
        The engine that `engine` stood for, and why.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    `predict_proba` is a sigmoid on decision values, fitted to decisions for rows held out in five folds. The folds
    share the distances and start from the solution on all rows.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> KernelSVC(C=10, sigma=2.0).fit(X, y).score(X, y)
    0.98
    """

    def __init__(
        self,
        C: float = 1.0,
        *,
        sigma: float | str = "auto",
        gamma: float | None = None,
        kernel: str = "rbf",
        tol: float = 1e-3,
        max_iter: int = -1,
        cache_size: float = 2000.0,
        class_weight: Any = None,
        n_jobs: int | None = None,
        engine: str = "auto",
        random_state: Any = None,
    ) -> None:
        self.C = C
        self.sigma = sigma
        self.gamma = gamma
        self.kernel = kernel
        self.tol = tol
        self.max_iter = max_iter
        self.cache_size = cache_size
        self.class_weight = class_weight
        self.n_jobs = n_jobs
        self.engine = engine
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> KernelSVC:
        """Learn from rows X (array, sparse matrix or DataFrame) and their classes y.

        `sample_weight` multiplies C row by row.
        """
        X, y = self._check(X, y)
        codes = np.searchsorted(self.classes_, y)
        self.gamma_ = resolve_gamma(X, sigma=self.sigma, gamma=self.gamma)
        self.sigma_ = float(np.sqrt(0.5 / self.gamma_))
        weights = self._weights(y, codes, sample_weight)
        links, targets = pair_links(codes, self.classes_.size)
        distances = squared_distances(X, cache_size=self.cache_size, n_jobs=self.n_jobs)
        self._solve(X, codes, distances, links, targets, weights)
        self._calibrate(codes, distances, links, targets, weights)
        return self

    def _check(self, X: Any, y: Any) -> tuple[Any, Any]:
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=(np.float64, np.float32))
        check_classification_targets(y)
        self.classes_ = np.unique(y)
        if self.classes_.size < 2:
            raise ValueError(f"KernelSVC needs at least two classes; got 1 class, {self.classes_[0]!r}.")
        return X, y

    def kernel_base(self) -> KernelSVC:
        """Itself: the parameters that `KernelSearchCV` searches."""
        return self

    def kernel_task(self, X: Any, y: Any, folds: Sequence[Fold], sample_weight: ArrayLike | None) -> KernelTask:
        """Its links on these data, for `KernelSearchCV`: one per pair of classes."""
        X, y = self._check(X, y)
        codes = np.searchsorted(self.classes_, y)
        links, targets = pair_links(codes, self.classes_.size)
        weights = self._weights(y, codes, sample_weight)
        if self.class_weight == "balanced":
            parts = [self._fold_weights(y, codes, sample_weight, train) for train, _ in folds]
            weights = np.stack(parts)
        return KernelTask(X, targets, links, None, weights, lambda fold, decisions: self._decided(decisions))

    def _fold_weights(self, y: NDArray[Any], codes: Any, sample_weight: ArrayLike | None, train: Any) -> Any:
        """Weights as they would be after fitting on the training rows alone."""
        out = np.ones(codes.size)
        own = None if sample_weight is None else np.asarray(sample_weight)[train]
        out[train] = self._weights(y[train], codes[train], own)
        return out

    def _decided(self, pairs: NDArray[np.float64]) -> Decided:
        decision = pairs[:, 0] if self.classes_.size == 2 else _votes(pairs, self.classes_.size)
        return Decided(self.classes_, decision, self._classes_of(decision))

    def _weights(self, y: NDArray[Any], codes: NDArray[np.int64], sample_weight: ArrayLike | None) -> Any:
        if self.class_weight is None and sample_weight is None:
            return None
        weights = compute_class_weight(self.class_weight, classes=self.classes_, y=y)[codes]
        if sample_weight is None:
            return weights
        own = np.asarray(sample_weight, np.float64)
        own = np.full(codes.size, float(own)) if own.ndim == 0 else own
        if own.shape != codes.shape:
            raise ValueError(f"`sample_weight` must have one value per row ({codes.size}); got shape {own.shape}.")
        if not np.isfinite(own).all() or (own < 0).any():
            raise ValueError("`sample_weight` must be finite and not negative.")
        if not (own > 0).any():
            raise ValueError("`sample_weight` must have a positive value; all are zero.")
        return weights * own

    def _solve(
        self, X: Any, codes: NDArray[np.int64], distances: Distances, links: Links, targets: Any, weights: Any
    ) -> None:
        index = np.arange(len(links))
        batch = make_batch(
            distances,
            targets,
            gamma=self.gamma_,
            C=self.C,
            kernel=self.kernel,  # type: ignore[arg-type]
            rows=links.rows,
            row_set=index,
            weights=weights,
        )
        self.engine_ = choose_engine(self.engine, work=work_of(batch.sizes()))
        solutions = solve(batch, **self._options() | {"engine": self.engine_.name})
        self.n_iter_ = solutions.iterations
        if (solutions.status == Status.ITERATION_LIMIT).any():
            message = f"Stopped at the limit of {self.max_iter} iterations. Scale the data or raise `max_iter`."
            warnings.warn(message, ConvergenceWarning, stacklevel=3)
        self._model = keep_support(batch, solutions)
        self._expose(X, codes, batch, solutions)

    def _options(self) -> dict[str, Any]:
        return {
            "tol": self.tol,
            "max_iter": self.max_iter,
            "cache_size": self.cache_size,
            "n_jobs": self.n_jobs,
            "engine": self.engine,
        }

    def _expose(self, X: Any, codes: NDArray[np.int64], batch: Any, solutions: Any) -> None:
        """Lay the solutions out as SVC does: support rows by class, one line of coefficients per other class."""
        rows = self._model.rows
        order = np.lexsort((rows, codes[rows]))
        self.support_ = rows[order]
        self.n_support_ = np.bincount(codes[self.support_], minlength=self.classes_.size).astype(np.int32)
        self.support_vectors_ = X[self.support_]
        place = np.full(codes.size, -1)
        place[self.support_] = np.arange(rows.size)
        self.dual_coef_ = np.zeros((self.classes_.size - 1, rows.size))
        # SVC counts the first class of a pair as positive, except when there are only two classes.
        sign = 1.0 if self.classes_.size == 2 else -1.0
        for (a, b), solution in zip(self._pairs(), solutions, strict=True):
            of_a = codes[solution.support] == a
            line = np.where(of_a, b - 1, a)
            self.dual_coef_[line, place[solution.support]] = sign * solution.coef
        self.intercept_ = sign * solutions.bias
        if self.kernel == "linear":
            self._expose_linear(sign, X, solutions)

    def _expose_linear(self, sign: float, X: Any, solutions: Any) -> None:
        # The engine's kernel is -|x - x'|^2 / 2; as the coefficients sum to 0, <x, x'> differs by a constant only.
        coef, shift = [], []
        for solution in solutions:
            vectors = X[solution.support]
            norms = vectors.multiply(vectors).sum(axis=1) if sparse.issparse(X) else (vectors**2).sum(axis=1)
            coef.append(np.asarray(solution.coef @ vectors, np.float64).ravel())
            shift.append(0.5 * float(solution.coef @ np.asarray(norms, np.float64).ravel()))
        self.coef_ = sign * np.array(coef)
        self.intercept_ = sign * (solutions.bias - np.array(shift))

    def _pairs(self) -> list[tuple[int, int]]:
        n = self.classes_.size
        return [(a, b) for a in range(n) for b in range(a + 1, n)]

    def _calibrate(
        self, codes: NDArray[np.int64], distances: Distances, links: Links, targets: Any, weights: Any
    ) -> None:
        """One sigmoid per pair on out-of-fold decisions; on the decisions at hand where a class has one row only."""
        n_folds = min(_CALIBRATION_FOLDS, int(np.bincount(codes).min()))
        if n_folds < 2:
            decisions = self._model_decisions_of(distances)
        else:
            random = None if self.random_state is None else check_random_state(self.random_state)
            decisions = cross_val_decisions(
                distances,
                targets,
                links,
                spread_folds(codes, n_folds, random),
                gamma=self.gamma_,
                C=self.C,
                weights=weights,
                kernel=self.kernel,  # type: ignore[arg-type]
                **self._options(),
            )[0, 0]
        assert links.rows is not None
        self._sigmoids = np.array(
            [
                fit_sigmoid(decisions[rows, pair], targets[pair, rows] > 0, None if weights is None else weights[rows])
                for pair, rows in enumerate(links.rows)
            ]
        )

    def _model_decisions_of(self, distances: Distances) -> NDArray[np.float64]:
        model = self._model
        d2 = np.ascontiguousarray(distances.block(np.arange(distances.n_rows))[:, model.rows])
        problems = np.arange(len(model.solutions))
        return walk(model.batch, model.solutions, d2, problems, n_jobs=self.n_jobs, engine=self.engine)[0]

    def _pair_decisions(self, X: Any) -> NDArray[np.float64]:
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=(np.float64, np.float32), reset=False)
        problems = np.arange(len(self._model.solutions))
        options: dict[str, Any] = {"cache_size": self.cache_size, "n_jobs": self.n_jobs, "engine": self.engine}
        return self._model.decide(X, problems, **options)[0]

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Distance-like score: positive for the second of two classes, else one column per class.

        With several classes, the score of a class is its number of votes among the pairs plus a term below one half
        that grows with its margins (scikit-learn's "ovr" shape).
        """
        pairs = self._pair_decisions(X)
        return pairs[:, 0] if self.classes_.size == 2 else _votes(pairs, self.classes_.size)

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of each row; several classes by votes, ties by the margins."""
        return self._classes_of(self.decision_function(X))

    def _classes_of(self, decision: NDArray[np.float64]) -> NDArray[Any]:
        return self.classes_[(decision > 0).astype(int) if decision.ndim == 1 else decision.argmax(axis=1)]

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Probability of each class: a sigmoid per pair on the decision, coupled over the pairs."""
        pairs = self._pair_decisions(X)
        p = expit(pairs * self._sigmoids[:, 0] + self._sigmoids[:, 1])
        if self.classes_.size == 2:
            return np.column_stack([1.0 - p[:, 0], p[:, 0]])
        return couple_pairs(p, self.classes_.size)


def resolve_gamma(X: Any, *, sigma: float | str = "auto", gamma: float | None = None) -> float:
    """The gamma that `sigma` and `gamma` of a KernelSVC stand for on data X.

    >>> resolve_gamma(np.eye(2), sigma=2.0), resolve_gamma(np.eye(2)), resolve_gamma(np.eye(2), gamma=3)
    (0.125, 2.0, 3.0)
    """
    if gamma is not None:
        return _positive("gamma", gamma)
    if not isinstance(sigma, str):
        return 0.5 / _positive("sigma", sigma) ** 2
    if sigma != "auto":
        raise ValueError(f'`sigma` must be a positive number or "auto"; got {sigma!r}.')
    if sparse.issparse(X):
        mean = X.sum() / (X.shape[0] * X.shape[1])
        variance = float(X.multiply(X).sum() / (X.shape[0] * X.shape[1]) - mean**2)
    else:
        variance = float(np.var(X, dtype=np.float64))
    return 1.0 / (X.shape[1] * variance) if variance > 0 else 1.0


def _positive(name: str, value: Any) -> float:
    if not isinstance(value, Real) or not 0.0 < float(value) < np.inf:
        raise ValueError(f"`{name}` must be a positive number; got {value!r}.")
    return float(value)


def _votes(pairs: NDArray[np.float64], n_classes: int) -> NDArray[np.float64]:
    votes, margins = np.zeros((2, pairs.shape[0], n_classes))
    places = [(a, b) for a in range(n_classes) for b in range(a + 1, n_classes)]
    for place, (a, b) in enumerate(places):
        margins[:, a] -= pairs[:, place]
        margins[:, b] += pairs[:, place]
        votes[:, a] += pairs[:, place] <= 0
        votes[:, b] += pairs[:, place] > 0
    return votes + margins / (3.0 * (np.abs(margins) + 1.0))
