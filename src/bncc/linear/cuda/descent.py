"""Dual coordinate descent on a CUDA device: one warp to a problem, over the rows that matter to it.

A problem has a working set: rows within their margin, and rows with a multiplier. Scores of all rows say which these
are and how far the objective is from the dual; they take about as long as one pass over the working sets.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from bncc.linear.block_newton import BlockSolution, Table
from bncc.linear.cuda.arithmetic import DeviceArithmetic, kernel

__all__ = ["descend_block"]

_WARPS = 2
_EPOCHS = 8  # passes over the working sets between two looks at all rows
_MAX_LOOKS = 200
_VISITS = 100_000  # of a problem between two looks, but for one whole pass
_SAMPLE = 5.0  # rows of the other class to each positive, to begin with
_COLUMNS = 256  # of the tables are searched at a time


def descend_block(
    arithmetic: DeviceArithmetic,
    costs: Table,
    context: NDArray[np.uint32],
    tol: float,
    max_iter: int,
    pulse: Callable[[], object] = lambda: None,
) -> BlockSolution:
    """Minimise ``1/2 |w|^2 + sum of costs`` for every problem of a block, until primal and dual are within `tol`."""
    width = costs.shape[1]
    out = BlockSolution(
        arithmetic.xp.zeros((arithmetic.n_columns, width), costs.dtype),
        np.zeros(width),
        np.zeros(width),
        np.zeros(width, np.int64),
        np.zeros(width, bool),
    )
    block = _Block(arithmetic, costs, context)
    for look in range(min(_MAX_LOOKS, -(-max_iter // _EPOCHS))):
        pulse()
        epochs = min(_EPOCHS, max_iter - look * _EPOCHS)
        block.descend(look, epochs)
        solved = block.gap <= tol * block.objective
        out.weights[:, block.problems] = block.weights
        out.objective[block.problems], out.dual_objective[block.problems] = block.objective, block.dual
        out.iterations[block.problems] += epochs
        out.converged[block.problems] = solved
        if solved.all():
            break
        if solved.mean() > 0.3:
            block.narrow(np.flatnonzero(~solved))
    return out


class _Block:
    """The problems that are not solved yet: a line of weights each, and a table of multipliers."""

    def __init__(self, arithmetic: DeviceArithmetic, costs: Table, context: NDArray[np.uint32]) -> None:
        xp, width = arithmetic.xp, costs.shape[1]
        self.arithmetic, self.costs = arithmetic, costs
        self.context = xp.asarray(np.ascontiguousarray(context))
        self.multipliers = xp.zeros_like(costs)
        self.lines = xp.zeros((width, arithmetic.n_columns), costs.dtype)
        self.problems = np.arange(width)
        self.scores: Table | None = None

    def descend(self, look: int, epochs: int) -> None:
        """Some passes over the working sets, then scores, objectives and duals."""
        arithmetic, xp = self.arithmetic, self.arithmetic.xp
        pointer, problems, rows = self._working_sets()
        costs, multipliers = self.costs[rows, problems], self.multipliers[rows, problems]
        dual = xp.zeros(self.problems.size, np.float64)
        stored, real = arithmetic.stored, self.costs.dtype.type
        kernel("descend", self.costs.dtype.name)(
            (-(-self.problems.size // _WARPS),),
            (32, _WARPS),
            (
                *(stored.pointer, stored.columns, stored.values, pointer, rows, costs, multipliers),
                *(np.int64(self.problems.size), self.lines, np.int64(arithmetic.n_columns)),
                *(np.int32(arithmetic.n_features), self.context, np.int32(self.context.shape[1])),
                *(real(arithmetic.bias_feature), np.int32(arithmetic.loss == "hinge"), np.int32(epochs)),
                *(np.uint32(_VISITS), np.uint32(look * _EPOCHS), real(0.1 * 0.5**look), dual),
            ),
        )
        self.multipliers[rows, problems] = multipliers
        self.weights = xp.ascontiguousarray(self.lines.T)
        self.scores = arithmetic.times(self.weights)
        penalty = 0.5 * arithmetic.dots(self.weights, self.weights)
        self.objective = arithmetic.host(penalty + arithmetic.losses(self.scores, self.costs))
        self.dual = arithmetic.host(dual - penalty)
        self.gap = self.objective - self.dual

    def _working_sets(self) -> tuple[Table, Table, Table]:
        """Entries problem by problem: where each problem's begin, their problems, their rows."""
        xp, width = self.arithmetic.xp, self.problems.size
        counts, problems, rows = [], [], []
        for begin in range(0, width, _COLUMNS):
            part = slice(begin, min(begin + _COLUMNS, width))
            matters = self._sample(part) if self.scores is None else self._within_margin(part)
            problem, row = xp.nonzero(xp.ascontiguousarray(matters.T))
            counts.append(matters.sum(axis=0))
            problems.append(problem.astype(np.int32) + np.int32(begin))
            rows.append(row.astype(np.int32))
        pointer = xp.concatenate([xp.zeros(1, np.int64), xp.cumsum(xp.concatenate(counts)).astype(np.int64)])
        return pointer, xp.concatenate(problems), xp.concatenate(rows)

    def _within_margin(self, part: slice) -> Table:
        costs = self.costs[:, part]
        assert self.scores is not None
        margins = self.arithmetic.xp.sign(costs) * self.scores[:, part]
        return ((margins < 1) & (costs != 0)) | (self.multipliers[:, part] > 0)

    def _sample(self, part: slice) -> Table:
        """All positives, and some of the others: the first look at all rows finds those that are missing."""
        xp, costs = self.arithmetic.xp, self.costs[:, part]
        positive = costs > 0
        rate = xp.clip(_SAMPLE * positive.sum(axis=0) / costs.shape[0], 0.02, 0.1)
        rows = xp.arange(costs.shape[0], dtype=np.uint32)
        scattered = (rows * np.uint32(2654435761)).astype(np.float64) / 2.0**32
        return positive | ((scattered[:, None] < rate) & (costs != 0))

    def narrow(self, kept: NDArray[np.intp]) -> None:
        """Go on with some of the problems."""
        xp, numbers = self.arithmetic.xp, self.arithmetic.xp.asarray(kept)
        self.arithmetic = self.arithmetic.narrow(kept)
        for name in ("costs", "multipliers", "scores"):
            setattr(self, name, xp.ascontiguousarray(getattr(self, name)[:, numbers]))
        self.lines, self.context = self.lines[numbers], self.context[numbers]
        for name in ("problems", "objective", "dual", "gap"):
            setattr(self, name, getattr(self, name)[kept])
