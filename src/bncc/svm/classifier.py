"""KernelSVC: a support vector classifier on the kernel engine, shaped like scikit-learn's SVC."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any, Literal

import numpy as np
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from bncc._checks import check_class_weight, check_number, check_sparse
from bncc._failed_fits import ForgetsFailedFits
from bncc._rows import read_weights
from bncc._typing import (
    Array,
    EngineName,
    Features,
    Floats,
    Fold,
    KernelName,
    Labels,
    Longs,
    Matrix,
    Random,
    Signs,
    Weights,
)
from bncc.selection import BatchOptions, Decided
from bncc.svm.approximation import ApproximateTask, MappedPairs, PairProblems, fit_pairs
from bncc.svm.classifier_task import ClassifierTask, ClassRows
from bncc.svm.distances import Distances, squared_distances, squared_norms
from bncc.svm.engines import at_hand, choose_engine, work_of
from bncc.svm.fold_decisions import decide_folds, kernel_grid
from bncc.svm.fold_problems import fold_problems
from bncc.svm.kernel_width import resolve_gamma
from bncc.svm.link_table import LinkTable, pair_links
from bncc.svm.models import keep_support
from bncc.svm.pair_sums import pair_sums
from bncc.svm.problems import Batch, Solutions, make_batch
from bncc.svm.sigmoids import couple_pairs, fit_sigmoid, spread_folds
from bncc.svm.solver_settings import SolverSettings

__all__ = ["KernelSVC"]

_CALIBRATION_FOLDS = 5
# Labels of folds score next to those at 1e-3, mostly within a point of F1; on yeast with C = 100 after a fifth of the
# iterations. Scores that rank decisions may be far off.
_ROUGH_TOL = 0.1
_NO_OPTIONS = BatchOptions()


class KernelSVC(ForgetsFailedFits, ClassifierMixin, BaseEstimator):
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
        `choose_engine`). What was learned on a GPU predicts without one too.
    random_state : int, RandomState or None, default=None
        Shuffles the rows before they are dealt to the folds of the calibration; None keeps their order. Draws the
        landmarks, where there are any; None draws the same ones every time.
    approximation : "nystroem" or None, default=None
        "nystroem" replaces the RBF kernel by inner products of `n_components` features (Nystroem's method) and solves
        linear problems over them, with the squared hinge loss: time and memory grow with the rows and not with their
        square, and results come near those of the kernel, never beyond what the landmarks can tell apart. For tens of
        thousands of rows and more. `cache_size` does not matter then.
    n_components : int, default=1000
        Landmarks of the approximation, drawn from the rows; all rows where there are fewer.

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
    landmarks_ : array or sparse matrix of shape (n_landmarks, n_features)
        Only with an approximation, which has no support vectors, coefficients and intercepts of rows, and no `engine_`.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    `predict_proba` is a sigmoid on decision values, fitted to decisions for rows held out in five folds. The folds
    share the distances and start from the solution on all rows.

    Work is done in single precision, which decisions show by 0.02 at most, in the mean. Where features, `sigma` or `C`
    ask for more (rows far apart and a narrow kernel, features beyond 1e-12 to 1e15, multipliers beyond 1e5), problems
    are solved and rows decided in double precision, on the CPU and several times slower. Features may be of size
    1e-140 to 1e140, `sigma` 1e-150 to 1e150, `C` times weight 1e-300 to 1e300; what ends short of `tol` is warned of.

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
        kernel: KernelName = "rbf",
        tol: float = 1e-3,
        max_iter: int = -1,
        cache_size: float = 2000.0,
        class_weight: Mapping[Any, float] | str | None = None,
        n_jobs: int | None = None,
        engine: EngineName = "auto",
        random_state: Random = None,
        approximation: Literal["nystroem"] | None = None,
        n_components: int = 1000,
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
        self.approximation = approximation
        self.n_components = n_components

    def __setstate__(self, state: Mapping[str, object]) -> None:
        super().__setstate__({"approximation": None, "n_components": 1000, **state})  # what older releases saved

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def fit(self, X: Features, y: Labels, sample_weight: Weights | None = None) -> KernelSVC:
        """Learn from rows X (array, sparse matrix or DataFrame) and their classes y.

        `sample_weight` multiplies C row by row.
        """
        data = self._read(X, y, sample_weight)
        return self._fit_on(data, self._distances(data.X))

    def _distances(self, X: Matrix) -> Distances:
        return squared_distances(X, cache_size=self.cache_size, n_jobs=self.n_jobs)

    def _fit_on(self, data: ClassRows, distances: Distances | None) -> KernelSVC:
        """Learn from checked rows; an approximation needs no distances."""
        self.gamma_ = resolve_gamma(data.X, sigma=self.sigma, gamma=self.gamma)
        self.sigma_ = float(np.sqrt(0.5 / self.gamma_))
        weights = self._weights(data)
        links, targets = pair_links(data.codes, self.classes_.size)
        if self.is_approximate():
            self._solve_on_landmarks(data, links, targets, weights)
            return self
        assert distances is not None
        self._solve(data, distances, links, targets, weights)
        self._calibrate(data, distances, links, targets, weights)
        return self

    def is_approximate(self) -> bool:
        """Whether landmarks stand in for the kernel."""
        if self.approximation is None:
            return False
        if self.approximation != "nystroem" or self.kernel != "rbf":
            raise ValueError(
                '`approximation` must be None or "nystroem", the latter with `kernel="rbf"`; '
                f"got {self.approximation!r} with {self.kernel!r}."
            )
        return True

    def _solve_on_landmarks(self, data: ClassRows, links: LinkTable, targets: Signs, weights: Floats | None) -> None:
        assert links.rows is not None
        problems = PairProblems(targets, links.rows, weights)
        fitted = fit_pairs(self, data.X, problems, self._calibration_folds(data))
        self._mapped: MappedPairs | None = fitted.pairs
        self.landmarks_, self.n_iter_ = fitted.pairs.features.landmarks, fitted.pairs.solutions.iterations
        self._fit_sigmoids(fitted.decisions, links, targets, weights)

    def _read(self, X: Features, y: Labels, sample_weight: Weights | None) -> ClassRows:
        check_sparse(X)
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=(np.float64, np.float32))
        check_classification_targets(y)
        self.classes_ = np.unique(y)
        if self.classes_.size < 2:
            raise ValueError(f"KernelSVC needs at least two classes; got 1 class, {self.classes_[0]!r}.")
        weight = None if sample_weight is None else read_weights(sample_weight, len(y))
        return ClassRows(X, y, np.searchsorted(self.classes_, y), weight)

    def search_names(self) -> tuple[str, ...]:
        """What `BatchSearchCV` can search."""
        return ("sigma", "gamma", "C", "n_components") if self.is_approximate() else ("sigma", "gamma", "C")

    def search_task(
        self, X: Features, y: Labels, folds: Sequence[Fold], sample_weight: Weights | None = None
    ) -> ClassifierTask | ApproximateTask:
        """Its folds on these data, for `BatchSearchCV`: a link per pair of classes."""
        data = self._read(X, y, sample_weight)
        if self.is_approximate():
            return ApproximateTask(self, data, tuple(folds))
        return ClassifierTask(self, data, tuple(folds), self._distances(data.X))

    def changes_for(self, candidate: Mapping[str, Any]) -> Mapping[str, Any]:
        """Parameters to set for a candidate of a search: a sigma takes the place of a gamma."""
        return {"gamma": None, **candidate} if "sigma" in candidate else candidate

    def gamma_and_cost(self, candidate: Mapping[str, Any], X: Matrix) -> tuple[float, float]:
        """Gamma and C that a candidate of a search stands for; what it does not name is as it is here."""
        gamma = candidate.get("gamma", None if "sigma" in candidate else self.gamma)
        cost = check_number("C", candidate.get("C", self.C), 1e-300, 1e300)
        return resolve_gamma(X, sigma=candidate.get("sigma", self.sigma), gamma=gamma), cost

    def rough_tol(self) -> float | None:
        """A tolerance at which labels are nearly its own and iterations a fraction; None where its own is as rough."""
        return _ROUGH_TOL if self.settings().tol <= _ROUGH_TOL / 10 else None

    def settings(self, options: BatchOptions = _NO_OPTIONS) -> SolverSettings:
        """Its solver settings; what the options name is theirs."""
        return SolverSettings(
            tol=self.tol if options.tol is None else max(self.tol, options.tol),
            max_iter=self.max_iter,
            cache_size=self.cache_size,
            n_jobs=self.n_jobs if options.n_jobs is None else options.n_jobs,
            engine=self.engine if options.engine is None else options.engine,
        )

    def _decided(self, pairs: Floats) -> Decided:
        decision = pairs[:, 0] if self.classes_.size == 2 else _votes(pairs, self.classes_.size)
        return Decided(self.classes_, decision, self._classes_of(decision))

    def _weights(self, data: ClassRows) -> Floats | None:
        if self.class_weight is None:
            return data.weight
        check_class_weight(self.class_weight)
        weights = compute_class_weight(self.class_weight, classes=self.classes_, y=data.y)[data.codes]
        return weights if data.weight is None else weights * data.weight

    def _solve(
        self, data: ClassRows, distances: Distances, links: LinkTable, targets: Signs, weights: Floats | None
    ) -> None:
        batch = make_batch(
            distances,
            targets,
            gamma=self.gamma_,
            C=check_number("C", self.C, 1e-300, 1e300),
            kernel=self.kernel,
            rows=links.rows,
            row_set=np.arange(len(links)),
            weights=weights,
        )
        self.engine_ = choose_engine(self.engine, work=work_of(batch.sizes()))
        solutions = self.engine_.engine().solve(batch, self.settings())
        self.n_iter_ = solutions.iterations
        solutions.warn_of_limits(stacklevel=4)
        self._model = keep_support(batch, solutions)
        self._mapped = None
        self._expose(data, batch, solutions)

    def _expose(self, data: ClassRows, batch: Batch, solutions: Solutions) -> None:
        """Lay the solutions out as SVC does: support rows by class, one line of coefficients per other class."""
        rows, codes = self._model.rows, data.codes
        order = np.lexsort((rows, codes[rows]))
        self.support_ = rows[order]
        self.n_support_ = np.bincount(codes[self.support_], minlength=self.classes_.size).astype(np.int32)
        self.support_vectors_ = data.X[self.support_]
        column_of_row = np.full(codes.size, -1)
        column_of_row[self.support_] = np.arange(rows.size)
        self.dual_coef_ = np.zeros((self.classes_.size - 1, rows.size))
        # SVC counts the first class of a pair as positive, except when there are only two classes.
        sign = 1.0 if self.classes_.size == 2 else -1.0
        for (a, b), solution in zip(combinations(range(self.classes_.size), 2), solutions, strict=True):
            of_a = codes[solution.support] == a
            line = np.where(of_a, b - 1, a)
            self.dual_coef_[line, column_of_row[solution.support]] = sign * solution.coef
        self.intercept_ = sign * solutions.bias
        if self.kernel == "linear":
            self._expose_linear(sign, data.X, solutions)

    def _expose_linear(self, sign: float, X: Matrix, solutions: Solutions) -> None:
        # The engine's kernel is -|x - x'|^2 / 2; as the coefficients sum to 0, <x, x'> differs by a constant only.
        coef, shift = [], []
        for solution in solutions:
            vectors = X[solution.support]
            coef.append(np.asarray(solution.coef @ vectors, np.float64).ravel())
            shift.append(0.5 * float(solution.coef @ squared_norms(vectors)))
        self.coef_ = sign * np.array(coef)
        self.intercept_ = sign * (solutions.bias - np.array(shift))

    def _calibrate(
        self, data: ClassRows, distances: Distances, links: LinkTable, targets: Signs, weights: Floats | None
    ) -> None:
        """One sigmoid per pair on out-of-fold decisions; on the decisions at hand where a class has one row only."""
        folds = self._calibration_folds(data)
        if folds is None:
            decisions = self._pair_decisions_of(data.X)
        else:
            problems = fold_problems(distances, targets, links, folds, weights=weights, kernel=self.kernel)
            decisions = decide_folds(problems, kernel_grid(self.gamma_, self.C), self.settings()).decisions[0, 0]
        self._fit_sigmoids(decisions, links, targets, weights)

    def _calibration_folds(self, data: ClassRows) -> list[tuple[Longs, Longs]] | None:
        n_folds = min(_CALIBRATION_FOLDS, int(np.bincount(data.codes).min()))
        if n_folds < 2:
            return None
        random = None if self.random_state is None else check_random_state(self.random_state)
        return spread_folds(data.codes, n_folds, random)

    def _fit_sigmoids(self, decisions: Floats, links: LinkTable, targets: Signs, weights: Floats | None) -> None:
        assert links.rows is not None
        self._sigmoids = np.array(
            [
                fit_sigmoid(decisions[rows, pair], targets[pair, rows] > 0, None if weights is None else weights[rows])
                for pair, rows in enumerate(links.rows)
            ]
        )

    def _pair_decisions(self, X: Features) -> Floats:
        check_is_fitted(self)
        check_sparse(X)
        return self._pair_decisions_of(
            validate_data(self, X, accept_sparse="csr", dtype=(np.float64, np.float32), reset=False)
        )

    def _pair_decisions_of(self, X: Matrix) -> Floats:
        mapped = getattr(self, "_mapped", None)  # older files have none
        if mapped is not None:
            return mapped.decide(X)
        settings = self.settings().changed(engine=at_hand(self.engine))
        return self._model.decide(X, np.arange(len(self._model.solutions)), settings=settings)[0]

    def decision_function(self, X: Features) -> Floats:
        """Distance-like score: positive for the second of two classes, else one column per class.

        With several classes, the score of a class is its number of votes among the pairs plus a term below one half
        that grows with its margins (scikit-learn's "ovr" shape).
        """
        pairs = self._pair_decisions(X)
        return pairs[:, 0] if self.classes_.size == 2 else _votes(pairs, self.classes_.size)

    def predict(self, X: Features) -> Array:
        """The class of each row; several classes by votes, ties by the margins."""
        return self._classes_of(self.decision_function(X))

    def _classes_of(self, decision: Floats) -> Array:
        return self.classes_[(decision > 0).astype(int) if decision.ndim == 1 else decision.argmax(axis=1)]

    def predict_proba(self, X: Features) -> Floats:
        """Probability of each class: a sigmoid per pair on the decision, coupled over the pairs."""
        pairs = self._pair_decisions(X)
        p = expit(pairs * self._sigmoids[:, 0] + self._sigmoids[:, 1])
        if self.classes_.size == 2:
            return np.column_stack([1.0 - p[:, 0], p[:, 0]])
        return couple_pairs(p, self.classes_.size)


def _votes(pairs: Floats, n_classes: int) -> Floats:
    margins, votes = pair_sums(-pairs, pairs, n_classes), pair_sums(pairs <= 0, pairs > 0, n_classes)
    return votes + margins / (3.0 * (np.abs(margins) + 1.0))
