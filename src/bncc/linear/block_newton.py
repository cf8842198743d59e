"""Newton's method for many smooth problems side by side: every step is a product of the rows with a block of columns.

The method knows nothing of where its arrays live: `BlockArithmetic` has the products and the losses, on the host
(`block_arithmetic`) or on a device (`cuda.arithmetic`). Column p of every table belongs to problem p. A problem's cost
of a row carries the sign of its class, and is 0 for rows that it does not have.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from bncc._typing import Array

__all__ = ["BlockArithmetic", "BlockSolution", "Curve", "Table", "solve_block"]

#: An array of the arithmetic: NumPy's, or that of a device, of which type checkers know nothing.
Table = Any

_MAX_HALVINGS = 40
_MAX_STEPS = 250  # of conjugate gradients, per Newton step
_PRECISION = 0.03  # of a Newton step: its squared residual falls to this share
_NEXT_TO_NOTHING = 1e-4
_SHARE_OF_TOL = 0.1  # what the residual of a step may add to the gap
_SHARE_OF_ROUNDING = 0.01  # of the tolerance: what rounding may


class Curve(Protocol):
    """The costs of a block around some scores, to second order."""

    def gradient(self) -> Table:
        """Their derivatives by the weights; labels that a problem does not see have none."""

    def diagonal(self) -> Table:
        """The diagonal of their second derivatives."""

    def bend(self, weights: Table) -> Table:
        """Their second derivatives times a vector for each problem."""

    def keeps_signs(self, change: Table) -> NDArray[np.bool_]:
        """Of which problems no row's derivative, to first order, changes its sign along this change of the scores."""

    def narrow(self, kept: NDArray[np.intp]) -> Curve:
        """The same for some of the problems."""


class BlockArithmetic(Protocol):
    """What the method needs of the rows of a batch, for one block of its problems."""

    @property
    def xp(self) -> Any:
        """The module of its arrays: NumPy, or one that has the same functions."""

    def times(self, weights: Table) -> Table:
        """Scores of all rows (n_rows, width) from weights (features, labels, constant; width)."""

    def losses(self, scores: Table, costs: Table) -> Table:
        """The cost of each problem, in double precision."""

    def dots(self, left: Table, right: Table) -> Table:
        """Sums of products over every column, in double precision."""

    def curve(self, scores: Table, costs: Table) -> Curve:
        """The costs around the scores."""

    def seeing(self, context: NDArray[np.uint32] | None) -> BlockArithmetic:
        """The same for problems that see these labels (bits in words, as in a batch); None where all see none."""

    def narrow(self, kept: NDArray[np.intp]) -> BlockArithmetic:
        """The same for some of the problems."""

    def host(self, table: Table) -> Array:
        """A copy in main memory."""


@dataclass(frozen=True, eq=False)
class BlockSolution:
    """Solved problems: weights (features, labels, constant; width) where the arithmetic lives, the rest on the host."""

    weights: Table
    objective: NDArray[np.float64]
    dual_objective: NDArray[np.float64]
    iterations: NDArray[np.int64]
    converged: NDArray[np.bool_]


def solve_block(
    arithmetic: BlockArithmetic,
    costs: Table,
    start: Table,
    tol: float,
    max_iter: int,
    pulse: Callable[[], object] = lambda: None,
) -> BlockSolution:
    """Minimise ``1/2 |w|^2 + sum of costs`` for every problem of a block.

    A problem is solved when half the squared gradient, which bounds the distance to the optimum, is within `tol` of the
    objective, or when a step that promises next to nothing leads to multipliers of which the dual says so. Problems
    that are solved leave the block; so do those that promise nothing where no such step is found.
    """
    width = start.shape[1]
    out = BlockSolution(
        start.copy(), np.zeros(width), np.zeros(width), np.zeros(width, np.int64), np.zeros(width, bool)
    )
    block = _Block(arithmetic, costs, start, np.arange(width))
    for iteration in range(1, max_iter + 1):
        pulse()
        solved = block.step(tol, pulse)
        _keep(out, block, iteration, solved)
        left = ~solved & ~block.stopped
        if not left.any():
            return out
        block.advance(left)
    block.step(tol, pulse)  # for the values at the last weights
    _keep(out, block, max_iter, np.zeros(block.problems.size, bool))
    return out


def _keep(out: BlockSolution, block: _Block, iteration: int, solved: NDArray[np.bool_]) -> None:
    """Write down where the problems of a block are."""
    out.weights[:, block.problems] = block.weights
    out.objective[block.problems] = block.objective
    out.dual_objective[block.problems] = block.objective - block.gap
    out.iterations[block.problems] = iteration
    out.converged[block.problems] = solved


class _Block:
    """The problems that are not solved yet, and the step that each of them is about to take."""

    def __init__(self, arithmetic: BlockArithmetic, costs: Table, weights: Table, problems: NDArray[np.intp]) -> None:
        self.arithmetic, self.costs, self.weights, self.problems = arithmetic, costs, weights, problems
        self.scores = arithmetic.times(weights)
        self.nearly, self.careful, self.stopped = (np.zeros(problems.size, bool) for _ in range(3))
        self.objective = self.gap = np.zeros(problems.size)

    def step(self, tol: float, pulse: Callable[[], object]) -> NDArray[np.bool_]:
        """See where the problems are; which of them are solved."""
        arithmetic, self.tol, self.pulse = self.arithmetic, tol, pulse
        host = arithmetic.host
        self.objective = host(
            0.5 * arithmetic.dots(self.weights, self.weights) + arithmetic.losses(self.scores, self.costs)
        )
        self.curve = arithmetic.curve(self.scores, self.costs)
        self.gradient = self.curve.gradient() + self.weights
        self.gap = 0.5 * host(arithmetic.dots(self.gradient, self.gradient))
        return (self.gap <= tol * self.objective) | self.nearly

    def advance(self, left: NDArray[np.bool_]) -> None:
        """Take a Newton step in the problems that are left; the others leave the block."""
        if not left.all():
            self._narrow(np.flatnonzero(left))
        arithmetic, host = self.arithmetic, self.arithmetic.host
        enough = 2.0 * _SHARE_OF_TOL * self.tol * self.objective
        share = np.where(self.careful, 0.0, _PRECISION)
        step, precise = _direction(arithmetic, self.curve, self.gradient, share, enough, self.pulse)
        change = arithmetic.times(step)
        promise = host(arithmetic.dots(self.gradient, step))
        length = _line_search(self, step, change, promise)
        along = arithmetic.xp.asarray(length.astype(self.weights.dtype))
        before, self.weights = self.weights, self.weights + along * step
        self.scores = self.scores + along * change
        still = (length == 0.0) | (-promise <= _NEXT_TO_NOTHING * self.tol * self.objective)
        self.nearly, self.stopped = still & precise, still & self.careful
        if self.nearly.any():
            self.nearly &= self._gap_of_step(step, change, before, enough) <= self.tol * self.objective
        self.stopped &= ~self.nearly
        self.careful = self.careful | still

    def _gap_of_step(
        self, step: Table, change: Table, before: Table, enough: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """How far above the minimum the problems were `before` a step: above the dual of what the step leads to.

        See lower_bounds.py. Infinite where a multiplier would be none, or where what is rounded off the margins counts.
        """
        arithmetic, host = self.arithmetic, self.arithmetic.host
        bent = self.curve.bend(step)
        missing = self.gradient + bent  # less than the gradient there, by the step itself
        moved = host(arithmetic.dots(step, bent))
        gap = np.where(self.curve.keeps_signs(change), 0.5 * host(arithmetic.dots(missing, missing)) + moved, np.inf)
        if not (gap <= self.tol * self.objective).all():  # then by what the Hessian makes of it
            back, precise = _direction(arithmetic, self.curve, missing, np.zeros_like(gap), enough, self.pulse)
            length = np.sqrt(np.maximum(-host(arithmetic.dots(missing, back)), 0.0))
            there = precise & self.curve.keeps_signs(change + arithmetic.times(back))
            gap = np.minimum(gap, np.where(there, (np.sqrt(np.maximum(moved, 0.0)) + length) ** 2, np.inf))
        rounding = 2.0 * float(np.finfo(step.dtype).eps)  # of the products of a row with the weights
        size = host(arithmetic.dots(self.curve.diagonal() * before, before))
        sure = size * rounding**2 <= _SHARE_OF_ROUNDING * self.tol * self.objective
        return np.where(sure, gap, np.inf)

    def _narrow(self, kept: NDArray[np.intp]) -> None:
        self.arithmetic, self.curve = self.arithmetic.narrow(kept), self.curve.narrow(kept)
        for name in ("costs", "weights", "scores", "gradient"):
            setattr(self, name, self.arithmetic.xp.ascontiguousarray(getattr(self, name)[:, kept]))
        for name in ("problems", "nearly", "careful", "stopped", "objective", "gap"):
            setattr(self, name, getattr(self, name)[kept])


def _direction(
    arithmetic: BlockArithmetic,
    curve: Curve,
    gradient: Table,
    share: NDArray[np.float64],
    enough: NDArray[np.float64],
    pulse: Callable[[], object],
) -> tuple[Table, NDArray[np.bool_]]:
    """Newton steps by conjugate gradients with the diagonal as preconditioner.

    A problem whose residual has fallen to its share, or has a square that is small enough, stands still. The second
    says of which problems it is small enough.
    """
    xp, host, dtype = arithmetic.xp, arithmetic.host, gradient.dtype
    diagonal = curve.diagonal() + dtype.type(1)
    step, residual = xp.zeros_like(gradient), -gradient
    search = residual / diagonal
    rho = host(arithmetic.dots(residual, search))
    goal = rho * share
    live, precise = rho > goal, np.zeros(rho.size, bool)
    for _ in range(_MAX_STEPS):
        pulse()
        image = curve.bend(search) + search
        bend = host(arithmetic.dots(search, image))
        live &= bend > 0
        length = xp.asarray(np.divide(rho, bend, out=np.zeros_like(rho), where=live).astype(dtype))
        step += length * search
        residual -= length * image
        scaled = residual / diagonal
        before, rho = rho, np.where(live, host(arithmetic.dots(residual, scaled)), rho)
        precise |= live & (host(arithmetic.dots(residual, residual)) <= enough)
        live &= (rho > goal) & ~precise
        if not live.any():
            break
        ratio = np.divide(rho, before, out=np.zeros_like(rho), where=live)
        search = scaled + xp.asarray(ratio.astype(dtype)) * search
    return step, precise


def _line_search(block: _Block, step: Table, change: Table, promise: NDArray[np.float64]) -> NDArray[np.float64]:
    """For each problem the largest of 1, 1/2, 1/4 ... that lowers its objective enough; 0 where none does."""
    arithmetic, dtype = block.arithmetic, block.weights.dtype
    slack = 4.0 * float(np.finfo(dtype).eps) * np.abs(block.objective)
    length = np.ones(block.problems.size)
    for _ in range(_MAX_HALVINGS):
        along = arithmetic.xp.asarray(length.astype(dtype))
        weights = block.weights + along * step
        losses = arithmetic.losses(block.scores + along * change, block.costs)
        value = arithmetic.host(0.5 * arithmetic.dots(weights, weights) + losses)
        short = ~(value <= block.objective + 0.01 * length * promise + slack)
        if not short.any():
            return length
        length = np.where(short, 0.5 * length, length)
    return np.where(short, 0.0, length)
