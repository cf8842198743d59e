"""Dual coordinate descent on a CUDA device: one warp to a problem, over the rows that matter to it.

A problem has a working set: rows within their margin, and rows with a multiplier. Scores of all rows say which these
are and how far the objective is from the dual; they take about as long as one pass over the working sets.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bncc.linear.block_newton import BlockSolution, Table
from bncc.linear.cuda.arithmetic import DeviceArithmetic, kernel

__all__ = ["descend_block"]

_WARPS = 2
_EPOCHS = 8  # passes over the working sets between two looks at all rows
_MAX_LOOKS = 200
_VISITS = 100_000  # of a problem between two looks, but for one whole pass
# After a sample most rows lack a little of their margin: those that lack more than this come in first.
_LACK = 0.3
_SAMPLE = 5.0  # rows of the other class to each positive, to begin with
_PARTS = 1024  # of the rows, in which those that matter are searched for at the same time


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


@dataclass(frozen=True, eq=False)
class _WorkingSets:
    """Entries problem by problem: where each problem's begin, and what they are."""

    pointer: Table
    problems: Table
    rows: Table
    costs: Table
    multipliers: Table


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
        sets = self._working_sets(_LACK if look == 1 else 0.0)
        dual = xp.zeros(self.problems.size, np.float64)
        stored, real = arithmetic.stored, self.costs.dtype.type
        kernel("descend", self.costs.dtype.name)(
            (-(-self.problems.size // _WARPS),),
            (32, _WARPS),
            (
                *(stored.pointer, stored.columns, stored.values),
                *(sets.pointer, sets.rows, sets.costs, sets.multipliers),
                *(np.int64(self.problems.size), self.lines, np.int64(arithmetic.n_columns)),
                *(np.int32(arithmetic.n_features), self.context, np.int32(self.context.shape[1])),
                *(real(arithmetic.bias_feature), np.int32(arithmetic.loss == "hinge"), np.int32(epochs)),
                *(np.uint32(_VISITS), np.uint32(look * _EPOCHS), real(0.1 * 0.5**look), dual),
            ),
        )
        self.multipliers[sets.rows, sets.problems] = sets.multipliers
        self.weights = xp.ascontiguousarray(self.lines.T)
        self.scores = arithmetic.times(self.weights)
        penalty = 0.5 * arithmetic.dots(self.weights, self.weights)
        self.objective = arithmetic.host(penalty + arithmetic.losses(self.scores, self.costs))
        self.dual = arithmetic.host(dual - penalty)
        self.gap = self.objective - self.dual

    def _working_sets(self, lack: float) -> _WorkingSets:
        """Rows that lack more than this of their margin, and rows with a multiplier.

        Before the first look at all rows: positives, and some of the others. That look finds those that are missing.
        """
        xp, costs = self.arithmetic.xp, self.costs
        n_rows, width = costs.shape
        part_size = max(1, -(-n_rows // _PARTS))
        n_parts = -(-n_rows // (8 * part_size)) * 8
        rates = xp.clip(_SAMPLE * (costs > 0).sum(axis=0) / n_rows, 0.02, 0.1) if self.scores is None else np.uintp(0)
        scores = np.uintp(0) if self.scores is None else self.scores
        size_of_table, least = (np.int64(n_rows), np.int32(width)), costs.dtype.type(lack)
        tables = (costs, self.multipliers, scores, rates, *size_of_table, least, np.int64(part_size))
        grid, threads = (-(-width // 32), n_parts // 8), (32, 8)
        counts = xp.empty((n_parts, width), np.int32)
        kernel("count_rows", costs.dtype.name)(grid, threads, (*tables, counts))
        pointer = xp.concatenate([xp.zeros(1, np.int64), xp.cumsum(counts.sum(axis=0, dtype=np.int64))])
        places = xp.ascontiguousarray(xp.cumsum(counts, axis=0, dtype=np.int64) - counts + pointer[:-1])
        size = int(pointer[-1])
        problems, rows = xp.empty(size, np.int32), xp.empty(size, np.int32)
        entries = (problems, rows, xp.empty(size, costs.dtype), xp.empty(size, costs.dtype))
        kernel("list_rows", costs.dtype.name)(grid, threads, (*tables, places, *entries))
        return _WorkingSets(pointer, *entries)

    def narrow(self, kept: NDArray[np.intp]) -> None:
        """Go on with some of the problems."""
        xp, numbers = self.arithmetic.xp, self.arithmetic.xp.asarray(kept)
        self.arithmetic = self.arithmetic.narrow(kept)
        for name in ("costs", "multipliers", "scores"):
            setattr(self, name, xp.ascontiguousarray(getattr(self, name)[:, numbers]))
        self.lines, self.context = self.lines[numbers], self.context[numbers]
        for name in ("problems", "objective", "dual", "gap"):
            setattr(self, name, getattr(self, name)[kept])
