"""The engine in plain NumPy: the oracle of the tests, and the fallback where the extension is not built.

Double precision throughout. Smooth losses go one problem after the other by Newton's method on the primal; the hinge
loss goes by dual coordinate descent over all rows, all problems side by side. `start` only saves time, and is not used.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.linalg import LinAlgError, cho_factor, cho_solve
from scipy.special import expit

from bncc.linear.problems import Batch, Loss
from bncc.linear.solutions import BlockCosts, Solutions, Status

__all__ = ["solve_batch"]

Vector = NDArray[np.float64]
Progress = Callable[[int], object]
_MAX_HALVINGS = 40
_NEXT_TO_NOTHING = 1e-4
_SHARE_OF_TOL = 0.1  # what the residual of a step may add to the gap
_MOST_DIRECT = 3000  # weights up to which a step is found by factorisation


@dataclass(frozen=True, eq=False)
class _Solved:
    """The state of one problem: weights of features, labels and constant, and how it ended."""

    weights: Vector
    objective: float
    dual_objective: float
    iterations: int
    status: Status


def solve_batch(
    batch: Batch, *, tol: float, max_iter: int, drop: float | None = None, progress: Progress | None = None
) -> Solutions:
    """Solve every problem of a batch."""
    batch = replace(batch, features=batch.features.astype(np.float64))
    report = progress or (lambda done: None)
    solved: list[_Solved] = []
    if batch.loss == "hinge":
        solved = _descend(batch, tol, max_iter, report)
    else:
        for problem in range(len(batch)):
            solved.append(_solve_smooth(batch, problem, tol, max_iter))
            report(problem + 1)
    return _collect(batch, solved, drop)


def _collect(batch: Batch, solved: list[_Solved], drop: float | None) -> Solutions:
    table = np.array([one.weights for one in solved]).reshape(-1, batch.n_columns + 1)
    weights: Any = table[:, :-1]
    if drop is not None:
        largest = np.abs(weights).max(axis=1, initial=0.0, keepdims=True)
        weights = sparse.csr_array(np.where(np.abs(weights) > drop * largest, weights, 0.0))
    status = np.array([one.status for one in solved], np.int8)
    one_class = status == Status.ONE_CLASS
    nothing = np.zeros(0)
    return Solutions(
        n_features=batch.features.n_features,
        weights=weights,
        bias=table[:, -1] * np.where(one_class, 1.0, batch.bias_feature),
        objective=np.array([one.objective for one in solved], np.float64),
        dual_objective=np.array([one.dual_objective for one in solved], np.float64),
        iterations=np.array([one.iterations for one in solved], np.int64),
        status=status,
        costs=BlockCosts(nothing, nothing, nothing, nothing),
    )


def _one_class(batch: Batch, signs: Vector, costs: Vector) -> _Solved | None:
    """The answer for a problem whose rows are all of one class; None for any other."""
    used = signs[costs > 0]
    if used.size and used.min() < used.max():
        return None
    weights = np.zeros(batch.n_columns + 1)
    weights[-1] = 1.0 if used.size and used[0] > 0 else -1.0
    return _Solved(weights, 0.0, 0.0, 0, Status.ONE_CLASS)


def _design(batch: Batch, problem: int, rows: NDArray[np.int64]) -> Any:
    """Features, labels seen and the constant of some rows, as one matrix."""
    features = batch.features.matrix()[rows]
    labels = sparse.csr_array(batch.labels()[rows] * batch.sees(problem)[None, :])
    constant = np.full((rows.size, 1), batch.bias_feature)
    if sparse.issparse(features):
        return sparse.csr_array(sparse.hstack([features, labels, sparse.csr_array(constant)]))
    return np.hstack([features, labels.toarray(), constant])


def _losses(loss: Loss, margin: Vector) -> tuple[Vector, Vector, Vector]:
    """Values, slopes and curvatures of a smooth loss at margins y f."""
    if loss == "logistic":
        p = expit(-margin)
        return np.logaddexp(0.0, -margin), -p, p * (1.0 - p)
    lack = np.maximum(1.0 - margin, 0.0)
    return lack**2, -2.0 * lack, np.where(lack > 0, 2.0, 0.0)


def _solve_smooth(batch: Batch, problem: int, tol: float, max_iter: int) -> _Solved:
    signs, costs = batch.signs(problem), batch.costs(problem)
    if (trivial := _one_class(batch, signs, costs)) is not None:
        return trivial
    rows = np.flatnonzero(costs > 0)
    A, y, c = _design(batch, problem, rows), signs[rows], costs[rows]
    w = np.zeros(A.shape[1])
    first, nearly, careful = 0.0, False, False
    for iteration in range(1, max_iter + 1):
        f = A @ w
        value, slope, curvature = _losses(batch.loss, y * f)
        objective = float(0.5 * w @ w + c @ value)
        gradient = w + A.T @ (c * y * slope)
        gap = float(0.5 * gradient @ gradient)
        if gap <= tol * objective or nearly:
            return _Solved(w, objective, objective - gap, iteration, Status.CONVERGED)
        first = first or float(np.sqrt(gap))
        enough = 2.0 * _SHARE_OF_TOL * tol * objective
        share = 0.0 if careful else min(0.01, np.sqrt(gap) / first)
        step, precise = _direction(A, c * curvature, gradient, share, enough)
        promise = float(gradient @ step)
        length = _line_search(batch.loss, (w, step), (y * f, y * (A @ step)), c, (objective, promise))
        w = w + length * step
        # A gap that is left is rounding, if it is known that nothing can be gained: see newton.cpp.
        still = length == 0.0 or -promise <= _NEXT_TO_NOTHING * tol * objective
        if still and careful and not precise:
            break
        nearly, careful = still and precise, careful or still
    value, slope, _ = _losses(batch.loss, y * (A @ w))
    objective = float(0.5 * w @ w + c @ value)
    gradient = w + A.T @ (c * y * slope)
    dual = objective - float(0.5 * gradient @ gradient)
    return _Solved(w, objective, dual, iteration, Status.ITERATION_LIMIT)


def _direction(A: Any, curvature: Vector, gradient: Vector, share: float, enough: float) -> tuple[Vector, bool]:
    """The Newton step by conjugate gradients with the diagonal as preconditioner, or by a factorisation.

    They end when the residual has fallen to a share of what it was, or its square is small enough. The second says that
    it is.
    """
    squared = A.multiply(A) if sparse.issparse(A) else A * A
    diagonal = 1.0 + squared.T @ curvature
    step, residual = np.zeros_like(gradient), -gradient
    search = residual / diagonal
    rho = residual @ search
    goal = rho * share
    for _ in range(2 * gradient.size + 10):
        image = search + A.T @ (curvature * (A @ search))
        bend = search @ image
        if rho <= goal or residual @ residual <= enough or bend <= 0:
            return step, bool(residual @ residual <= enough)
        step = step + rho / bend * search
        residual = residual - rho / bend * image
        scaled = residual / diagonal
        before, rho = rho, residual @ scaled
        search = scaled + rho / before * search
    if gradient.size > _MOST_DIRECT:
        return step, False
    bent = (A.T @ sparse.diags_array(curvature) @ A).toarray() if sparse.issparse(A) else (A.T * curvature) @ A
    try:
        return cho_solve(cho_factor(np.eye(gradient.size) + bent), -gradient), True
    except LinAlgError:  # not positive by rounding
        return step, False


def _line_search(
    loss: Loss,
    line: tuple[Vector, Vector],
    margins: tuple[Vector, Vector],
    costs: Vector,
    now: tuple[float, float],
) -> float:
    """The largest of 1, 1/2, 1/4 ... that lowers the objective enough; 0 where none does."""
    objective, slope = now
    for halvings in range(_MAX_HALVINGS):
        t = 0.5**halvings
        w = line[0] + t * line[1]
        value = 0.5 * w @ w + costs @ _losses(loss, margins[0] + t * margins[1])[0]
        if value <= objective + 0.01 * t * slope + 1e-15 * abs(objective):
            return t
    return 0.0


class _Descent:
    """Dual coordinate descent for the hinge loss; column p of every table belongs to problem p."""

    def __init__(self, batch: Batch) -> None:
        self.X, self.labels = sparse.csr_array(batch.features.matrix()), batch.labels()
        n_problems = len(batch)
        self.signs = np.array([batch.signs(p) for p in range(n_problems)]).reshape(n_problems, -1).T
        self.costs = np.array([batch.costs(p) for p in range(n_problems)]).reshape(n_problems, -1).T
        self.seen = np.array([batch.sees(p) for p in range(n_problems)], np.float64).reshape(n_problems, -1).T
        self.bias_feature = batch.bias_feature
        self.weights = np.zeros((batch.n_columns + 1, n_problems))
        self.multipliers = np.zeros_like(self.costs)

    def _row(self, row: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Columns of a row and its values in each problem."""
        part = slice(self.X.indptr[row], self.X.indptr[row + 1])
        labels = self.labels.indices[self.labels.indptr[row] : self.labels.indptr[row + 1]]
        columns = np.concatenate([self.X.indices[part], self.X.shape[1] + labels, [len(self.weights) - 1]])
        values = np.vstack(
            [
                np.repeat(self.X.data[part][:, None], self.weights.shape[1], axis=1),
                self.seen[labels],
                np.full((1, self.weights.shape[1]), self.bias_feature),
            ]
        )
        return columns, values

    def epoch(self, order: NDArray[np.int64], live: NDArray[np.bool_]) -> None:
        """One step for each row, in the problems that are live."""
        for row in order:
            columns, values = self._row(int(row))
            y, bound, before = self.signs[row], self.costs[row], self.multipliers[row].copy()
            gradient = y * (values * self.weights[columns]).sum(axis=0) - 1.0
            square = np.maximum((values**2).sum(axis=0), 1e-300)
            after = np.where(live, np.clip(before - gradient / square, 0.0, bound), before)
            self.multipliers[row] = after
            self.weights[columns] += values * ((after - before) * y)

    def objectives(self) -> tuple[Vector, Vector]:
        """Primal and dual values."""
        n_features = self.X.shape[1]
        f = self.X @ self.weights[:n_features] + self.labels @ self.weights[n_features:-1]
        f = f + self.bias_feature * self.weights[-1]
        norms = 0.5 * (self.weights**2).sum(axis=0)
        lack = np.maximum(1.0 - self.signs * f, 0.0)
        return norms + (self.costs * lack).sum(axis=0), self.multipliers.sum(axis=0) - norms


def _descend(batch: Batch, tol: float, max_iter: int, progress: Progress) -> list[_Solved]:
    descent = _Descent(batch)
    trivial = [_one_class(batch, batch.signs(p), batch.costs(p)) for p in range(len(batch))]
    live = np.array([one is None for one in trivial], bool)
    iterations = np.zeros(len(batch), np.int64)
    rows = np.flatnonzero((descent.costs > 0).any(axis=1))
    random = np.random.default_rng(0)
    primal, dual = descent.objectives()
    for _ in range(max_iter):
        if not live.any():
            break
        descent.epoch(random.permutation(rows), live)
        iterations += live
        primal, dual = descent.objectives()
        live &= primal - dual > tol * primal
        progress(int((~live).sum()))
    return [
        one
        or _Solved(
            descent.weights[:, p],
            float(primal[p]),
            float(dual[p]),
            int(iterations[p]),
            Status.ITERATION_LIMIT if live[p] else Status.CONVERGED,
        )
        for p, one in enumerate(trivial)
    ]
