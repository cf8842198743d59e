"""Batches of linear problems on the current CUDA device.

Hinge losses go by dual descent over the rows that matter; what that has not solved, and everything else that is smooth,
by Newton's method. Values of C that start from one another are solved in turn by Newton's method alone; descent begins
anew.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import cast

import numpy as np
from scipy import sparse

from bncc._cuda import free_memory
from bncc.linear.block_engine import Task, newton, solve_in_blocks
from bncc.linear.block_newton import BlockSolution
from bncc.linear.cuda.arithmetic import DeviceArithmetic, cupy, device_arithmetic
from bncc.linear.cuda.descent import descend_block
from bncc.linear.features import prepare_features
from bncc.linear.problems import Batch
from bncc.linear.solutions import Solutions

__all__ = ["block_width", "solve_batch"]

_WIDEST = 2048
_TABLES = 10  # of rows and of weights that a block needs at the same time, some of them of entries
_SHARE = 0.8  # of the memory that is free
_COARSE = 1e-4


def solve_batch(
    batch: Batch, *, tol: float, max_iter: int, drop: float | None, progress: Callable[[int], object] | None
) -> Solutions:
    """Solve every problem of a batch whose features have the precision that it is to have."""
    if batch.loss == "hinge" and not batch.features.is_sparse:
        batch = replace(batch, features=prepare_features(sparse.csr_array(batch.features.values)))
    arithmetic = device_arithmetic(batch)
    descends = batch.features.is_sparse and batch.loss != "logistic"
    width = block_width(batch, free_memory(cupy()))

    def method(task: Task) -> BlockSolution:
        return _descend(batch, task, tol, max_iter) if descends else newton(task, tol, max_iter)

    return solve_in_blocks(batch, arithmetic, width, method, drop=drop, progress=progress)


def block_width(batch: Batch, free: int) -> int:
    """How many problems go side by side in that many bytes."""
    column = _TABLES * batch.features.values.dtype.itemsize * (batch.n_rows + batch.n_columns + 1)
    return int(max(1, min(_WIDEST, len(batch), _SHARE * free // column)))


def _descend(batch: Batch, task: Task, tol: float, max_iter: int) -> BlockSolution:
    """Descent; then, if the loss is smooth, Newton's method for problems that it has not solved.

    Near the solution Newton's method is the faster: at a small tolerance descent only finds where it starts.
    """
    arithmetic, smooth = cast(DeviceArithmetic, task.arithmetic), batch.loss != "hinge"
    coarse = max(tol, _COARSE) if smooth else tol
    solved = descend_block(arithmetic, task.costs, batch.context[task.problems], coarse, max_iter, task.pulse)
    if coarse > tol:
        solved = replace(solved, converged=solved.objective - solved.dual_objective <= tol * solved.objective)
        left = np.flatnonzero(solved.iterations < max_iter)
    else:
        left = np.flatnonzero(~solved.converged & (solved.iterations < max_iter))
    if not left.size or not smooth:
        return solved
    steps = max_iter - int(solved.iterations[left].max())
    numbers = arithmetic.xp.asarray(left)
    costs, start = (arithmetic.xp.ascontiguousarray(table[:, numbers]) for table in (task.costs, solved.weights))
    rest = newton(Task(arithmetic.narrow(left), costs, start, task.problems[left], task.pulse), tol, steps)
    solved.weights[:, numbers] = rest.weights
    solved.iterations[left] += rest.iterations
    for name in ("objective", "dual_objective", "converged"):
        getattr(solved, name)[left] = getattr(rest, name)
    return solved
