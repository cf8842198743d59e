"""The engine in plain NumPy: the oracle of the tests, and the fallback where the extension is not built.

Double precision throughout. Smooth losses go one problem after the other by Newton's method on the primal; the hinge
loss goes by dual coordinate descent over all rows, all problems side by side. `start` only saves time, and is not used.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from bncc.linear.lower_bounds import Place, SmoothProblem, gap_of_step, losses, overshoot, rounding_of_gap
from bncc.linear.orthogonal import orthogonal_direction, pays
from bncc.linear.problems import Batch
from bncc.linear.solutions import BlockCosts, Solutions, Status

__all__ = ["solve_batch"]

Vector = NDArray[np.float64]
Progress = Callable[[int], object]
_MAX_HALVINGS = 40
_NEXT_TO_NOTHING = 1e-4
_SHARE_OF_TOL = 0.1  # what the residual of a step may add to the gap
_MOST_DIRECT = 3000  # weights up to which a step is found by factorisation
_SHARE_OF_ROUNDING, _SHARE_OF_GROWTH = 0.01, 0.1  # of the tolerance: what may be rounded, how much weights may grow
_PATIENCE, _MOST_TRIES = 100, 4  # steps before orthogonal directions, and steps that lead nowhere
_MOST_ORTHOGONAL = 150  # directions of a problem
_HALVINGS_ALONG, _MOST_LENGTH = 60, 16.0  # of a search for the least objective along a step


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


def _solve_smooth(batch: Batch, number: int, tol: float, max_iter: int) -> _Solved:
    signs, costs = batch.signs(number), batch.costs(number)
    if (trivial := _one_class(batch, signs, costs)) is not None:
        return trivial
    rows = np.flatnonzero(costs > 0)
    A, y = _design(batch, number, rows), signs[rows][:, None]
    signed = sparse.csr_array(A.multiply(y)) if sparse.issparse(A) else A * y
    return _Newton(SmoothProblem(signed, costs[rows], batch.loss), tol).run(max_iter)


class _Newton:
    """Newton's method on one problem, which is solved where its gradient or a lower bound says so: see newton.cpp."""

    def __init__(self, problem: SmoothProblem, tol: float) -> None:
        self.problem, self.tol = problem, tol
        self.weights = np.zeros(problem.rows.shape[1])
        self.care: Literal[0, 1, 2] = 0  # directions without residual, and orthogonal ones
        self.first, self.below, self.tries, self.orthogonal = 0.0, -np.inf, 0, 0
        self.proven = self.unsure = self.grown = False

    def run(self, max_iter: int) -> _Solved:
        """From zero weights, until the problem is solved or given up."""
        for iteration in range(1, max_iter + 1):
            place = self.problem.at(self.weights)
            gap = float(0.5 * place.gradient @ place.gradient)
            self.below = max(self.below, place.objective - gap)
            if self.proven or self._is_solved(place, place.objective - self.below if self.grown else gap):
                return self._solved(place, iteration, Status.CONVERGED)
            if self.unsure and self._grow(place):
                continue
            if iteration > _PATIENCE:
                self.care = 2
            self._advance(place, gap)
            if self.tries > _MOST_TRIES:
                break
        return self._solved(self.problem.at(self.weights), iteration, Status.ITERATION_LIMIT)

    def _solved(self, place: Place, iteration: int, status: Status) -> _Solved:
        return _Solved(place.weights, place.objective, min(self.below, place.objective), iteration, status)

    def _is_solved(self, place: Place, gap: float) -> bool:
        """Whether a gap at some place is within the tolerance; `unsure` says that only rounding is in the way."""
        within = gap <= self.tol * place.objective
        sure = within and rounding_of_gap(self.problem, place) <= _SHARE_OF_ROUNDING * self.tol * place.objective
        self.unsure = self.unsure or (within and not sure)
        return sure

    def _grow(self, place: Place) -> bool:
        """Let rows on their margins come to lie beyond them, where that is what rounding does not tell."""
        self.tries += 1
        self.unsure = False
        share = overshoot(self.problem, place, _SHARE_OF_GROWTH * self.tol)
        self.weights = self.weights * (1.0 + share)
        self.grown = self.grown or share > 0.0
        return share > 0.0

    def _advance(self, place: Place, gap: float) -> None:
        """One step; one that leads nowhere asks for a lower bound, or for more care."""
        nothing = _NEXT_TO_NOTHING * self.tol * place.objective
        n_stiff = int(np.count_nonzero(place.stiffness))
        may_be_orthogonal = n_stiff > 0 and pays(self.weights.size, n_stiff)
        if self.care == 2 and may_be_orthogonal:
            step = self._orthogonal_step(place)
            length, precise = _best_length(self.problem, place, step), False
        else:
            self.first = self.first or float(np.sqrt(gap))
            enough = 2.0 * _SHARE_OF_TOL * self.tol * place.objective
            share = 0.0 if self.care else min(0.01, np.sqrt(gap) / self.first)
            step, precise = _direction(self.problem, place, share, enough)
            length = _line_search(self.problem, place, step)
        self.weights = self.weights + length * step
        spent = self.orthogonal > _MOST_ORTHOGONAL
        if length > 0.0 and -float(place.gradient @ step) > nothing and not spent:
            return
        if precise:
            self._prove(place, gap_of_step(self.problem, place, step))
        if self.proven or self.unsure:
            return
        if self.care == 0:
            self.care = 1
        elif self.care == 1 and may_be_orthogonal:
            self.care = 2
        else:
            self.tries = _MOST_TRIES + 1 if spent else self.tries + 1

    def _prove(self, place: Place, gap: float) -> None:
        self.below = max(self.below, place.objective - gap)
        self.proven = self.proven or self._is_solved(place, gap)

    def _orthogonal_step(self, place: Place) -> Vector:
        self.orthogonal += 1
        stiff = place.stiffness > 0
        root, rows = np.sqrt(place.stiffness[stiff]), self.problem.rows[stiff]
        B = (rows.toarray() if sparse.issparse(rows) else rows) * root[:, None]
        rest = place.weights - self.problem.rows[~stiff].T @ place.pull[~stiff]
        direction = orthogonal_direction(B, place.pull[stiff] / root, rest)
        self._prove(place, gap_of_step(self.problem, place, direction.step, direction.measure))
        return direction.step


def _direction(problem: SmoothProblem, place: Place, share: float, enough: float) -> tuple[Vector, bool]:
    """The Newton step by conjugate gradients with the diagonal as preconditioner, or by a factorisation.

    They end when the residual has fallen to a share of what it was, or its square is small enough. The second says that
    it is.
    """
    Z, stiffness, gradient = problem.rows, place.stiffness, place.gradient
    squared = Z.multiply(Z) if sparse.issparse(Z) else Z * Z
    diagonal = 1.0 + squared.T @ stiffness
    step, residual = np.zeros_like(gradient), -gradient
    search = residual / diagonal
    rho = residual @ search
    goal = rho * share
    for _ in range(2 * gradient.size + 10):
        image = search + Z.T @ (stiffness * (Z @ search))
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
    bent = (Z.T @ sparse.diags_array(stiffness) @ Z).toarray() if sparse.issparse(Z) else (Z.T * stiffness) @ Z
    try:
        return cho_solve(cho_factor(np.eye(gradient.size) + bent), -gradient), True
    except LinAlgError:  # not positive by rounding
        return step, False


def _line_search(problem: SmoothProblem, place: Place, step: Vector) -> float:
    """The largest of 1, 1/2, 1/4 ... that lowers the objective enough; 0 where none does."""
    along, slope = problem.rows @ step, float(place.gradient @ step)
    for halvings in range(_MAX_HALVINGS):
        t = 0.5**halvings
        w = place.weights + t * step
        value = 0.5 * w @ w + problem.costs @ losses(problem.loss, place.margins + t * along)[0]
        if value <= place.objective + 0.01 * t * slope + 1e-15 * abs(place.objective):
            return t
    return 0.0


def _best_length(problem: SmoothProblem, place: Place, step: Vector) -> float:
    """Where the objective is least along a step, from its slope there: sums of what the rows pull."""
    along = problem.rows @ step

    def slope(t: float) -> float:
        pull = problem.costs * losses(problem.loss, place.margins + t * along)[1]
        return float((place.weights + t * step) @ step + pull @ along)

    least, most = 0.0, 1.0
    while slope(most) < 0.0 and most < _MOST_LENGTH:
        least, most = most, 2.0 * most
    for _ in range(_HALVINGS_ALONG):
        middle = 0.5 * (least + most)
        least, most = (middle, most) if slope(middle) < 0.0 else (least, middle)
    return least


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
