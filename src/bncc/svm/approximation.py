"""Support vector machines on landmarks: what `KernelSVC` learns where `approximation` is set.

Rows become the features of a `LandmarkMap`, and each pair of classes a linear problem over them, with the squared hinge
loss: the problem of scikit-learn's ``make_pipeline(Nystroem(), LinearSVC())``, which grows with the rows and not with
their square.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypedDict

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from bncc._typing import EngineName, Floats, Floats32, Fold, Integers, Matrix, Rows, Signs
from bncc.linear import Solutions, Status, decide, make_batch, solve
from bncc.selection import BatchOptions, FoldAnswer, SolvedFolds
from bncc.selection.tasks import Candidate
from bncc.svm.landmarks import LandmarkMap, learn_landmarks
from bncc.svm.link_table import pair_links
from bncc.svm.solver_settings import SolverSettings

if TYPE_CHECKING:
    from bncc.svm.classifier import KernelSVC
    from bncc.svm.classifier_task import ClassRows

__all__ = [
    "ApproximateTask",
    "MappedPairs",
    "PairProblems",
    "fit_pairs",
    "linear_settings",
    "map_of",
    "solve_pairs",
]

_MAX_ITER = 1000
# Rows that are mapped at a time to be decided.
_BLOCK = 8192


@dataclass(frozen=True, eq=False)
class MappedPairs:
    """One linear problem per pair of classes, over the features of a map."""

    features: LandmarkMap
    solutions: Solutions

    def decide(self, X: Matrix) -> Floats:
        """Decisions of rows: one column per pair."""
        blocks = [X[start : start + _BLOCK] for start in range(0, X.shape[0], _BLOCK)]
        return np.concatenate([decide(self.solutions, self.features.transform(block)) for block in blocks])


@dataclass(frozen=True, eq=False)
class PairProblems:
    """One problem per set of rows; set r has the target ``r % n_pairs``."""

    targets: Signs
    rows: tuple[Rows, ...]
    weights: Floats | None

    @classmethod
    def of(cls, codes: Integers, n_classes: int, weights: Floats | None) -> PairProblems:
        """The pairs of some classes."""
        links, targets = pair_links(codes, n_classes)
        assert links.rows is not None
        return cls(targets, links.rows, weights)

    @property
    def n_pairs(self) -> int:
        """Number of pairs of classes."""
        return len(self.targets)

    def with_folds(self, folds: Sequence[Fold]) -> PairProblems:
        """These pairs, then the same on the training rows of each fold, fold by fold."""
        rows = tuple(each[np.isin(each, train)] for train, _ in folds for each in self.rows)
        return PairProblems(self.targets, (*self.rows, *rows), self.weights)


@dataclass(frozen=True, eq=False)
class FittedPairs:
    """What a fit gives: the pairs, and decisions on the training rows by problems that have not seen them."""

    pairs: MappedPairs
    decisions: Floats


def map_of(svc: KernelSVC, X: Matrix, gamma: float, weights: Floats | None) -> LandmarkMap:
    """The landmarks of a classifier on its training rows; rows of weight 0 are none."""
    rows = X if weights is None or (weights > 0).all() else X[np.flatnonzero(weights > 0)]
    return learn_landmarks(rows, gamma, svc.n_components, svc.random_state)


class LinearSettings(TypedDict):
    """Settings of `bncc.linear.solve` by name."""

    tol: float
    max_iter: int
    n_jobs: int | None
    engine: EngineName


def linear_settings(settings: SolverSettings) -> LinearSettings:
    """What `bncc.linear.solve` takes of the settings of a kernel classifier."""
    return {
        "tol": settings.tol,
        "max_iter": _MAX_ITER if settings.max_iter < 0 else settings.max_iter,
        "n_jobs": settings.n_jobs,
        "engine": settings.engine,
    }


def fit_pairs(svc: KernelSVC, X: Matrix, problems: PairProblems, folds: Sequence[Fold] | None) -> FittedPairs:
    """Solve a classifier's pairs on all rows and, in the same batch, on each fold for decisions on rows held out.

    Without folds the decisions are those of the pairs themselves.
    """
    landmarks = map_of(svc, X, svc.gamma_, problems.weights)
    features = landmarks.transform(X)
    _, cost = svc.gamma_and_cost({}, X)
    numbers = np.arange(problems.n_pairs)
    solved = solve_pairs(features, problems if folds is None else problems.with_folds(folds), [cost], svc.settings())
    decisions = decide(solved, features, problems=numbers)
    for fold, (_, test) in enumerate(folds or (), start=1):
        decisions[test] = decide(solved, features[test], problems=fold * problems.n_pairs + numbers)
    return FittedPairs(MappedPairs(landmarks, _first_of(solved, problems.n_pairs)), decisions)


def _first_of(solutions: Solutions, n_problems: int) -> Solutions:
    per_problem = ("weights", "bias", "objective", "dual_objective", "iterations", "status")
    return replace(solutions, **{name: getattr(solutions, name)[:n_problems] for name in per_problem})


def solve_pairs(
    features: Floats32, problems: PairProblems, costs: Sequence[float], settings: SolverSettings
) -> Solutions:
    """Solve each row set with each C, which start from the one before: problem ``c * len(rows) + r``."""
    n_sets = len(problems.rows)
    order = np.arange(n_sets * len(costs))
    batch = make_batch(
        features,
        (problems.targets > 0).T,
        C=np.repeat(np.asarray(costs, np.float64), n_sets),
        target=order % n_sets % problems.n_pairs,
        rows=list(problems.rows),
        row_set=order % n_sets,
        weights=problems.weights,
        start=np.maximum(order - n_sets, -1),
    )
    solutions = solve(batch, **linear_settings(settings))
    if (solutions.status == Status.ITERATION_LIMIT).any():
        message = "Stopped at the limit of iterations. Scale the data or raise `max_iter`."
        warnings.warn(message, ConvergenceWarning, stacklevel=5)
    return solutions


@dataclass(frozen=True, eq=False)
class ApproximateTask:
    """A KernelSVC with landmarks on some rows and folds, for a search.

    Landmarks are drawn from the training rows of each fold, so that answers are those of a fit on these rows alone.
    """

    svc: KernelSVC
    data: ClassRows
    folds: tuple[Fold, ...]
    exact: bool = True
    rough_tol: float | None = None

    def solve(self, candidates: Sequence[Candidate], options: BatchOptions) -> Iterator[SolvedFolds]:
        """One map per fold, gamma and number of components; all values of C on it in one batch."""
        groups: dict[tuple[float, int], list[int]] = {}
        costs: list[float] = []
        for number, candidate in enumerate(candidates):
            gamma, cost = self.svc.gamma_and_cost(candidate, self.data.X)
            groups.setdefault((gamma, candidate.get("n_components", self.svc.n_components)), []).append(number)
            costs.append(cost)
        for fold in range(len(self.folds)):
            for (gamma, n_components), members in groups.items():
                members = sorted(members, key=costs.__getitem__)
                yield self._solve_fold(fold, gamma, n_components, members, [costs[each] for each in members], options)

    def _solve_fold(
        self,
        fold: int,
        gamma: float,
        n_components: int,
        members: Sequence[int],
        costs: Sequence[float],
        options: BatchOptions,
    ) -> SolvedFolds:
        begin = time.perf_counter()
        svc, (train, test) = copy(self.svc).set_params(n_components=n_components), self.folds[fold]
        part = self.data.take(train)
        problems = PairProblems.of(part.codes, svc.classes_.size, svc._weights(part))
        features = map_of(svc, part.X, gamma, problems.weights)
        solutions = solve_pairs(features.transform(part.X), problems, costs, svc.settings(options))
        trained = time.perf_counter()
        decisions = MappedPairs(features, solutions).decide(self.data.X[test])
        pairs = decisions.reshape(len(test), len(members), problems.n_pairs)
        answers = [FoldAnswer(each, fold, svc._decided(pairs[:, i]), svc) for i, each in enumerate(members)]
        if options.pulse is not None:
            options.pulse(len(solutions))
        return SolvedFolds(answers, trained - begin, time.perf_counter() - trained, None)

    def refit(self, candidate: Candidate, options: BatchOptions) -> KernelSVC:
        """Fitted to all rows."""
        best = copy(self.svc).set_params(**self.svc.changes_for(candidate))
        asked = {"n_jobs": options.n_jobs, "engine": options.engine}
        best.set_params(**{name: value for name, value in asked.items() if value is not None})
        return best._fit_on(self.data, None)
