"""SMO in plain NumPy and double precision, one problem at a time, from any source of kernel rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bncc._typing import Floats, Floats32, Rows, Words
from bncc.svm.contexts import hamming
from bncc.svm.problems import Batch, Solutions, Status
from bncc.svm.solver_settings import SolverSettings

__all__ = ["KernelRow", "Part", "Reached", "join_parts", "kernel_block", "part_of", "solve_part"]

_TAU = 1e-12  # curvature of a pair of duplicates, as in LIBSVM
_EDGE = 1e-12

#: Kernel values between the i-th row of a problem and all of its rows, less that of the row with itself.
KernelRow = Callable[[int], Floats]


class Part(NamedTuple):
    """One solved problem; see `Solution`."""

    support: NDArray[np.int32]
    coef: Floats
    bias: float
    objective: float
    iterations: int
    status: Status


class Reached(NamedTuple):
    """Where the iteration ended: multipliers, f, the largest f that may grow, the least that may fall."""

    alpha: Floats
    f: Floats
    top: float
    bottom: float
    iterations: int
    status: Status


def kernel_block(batch: Batch, problem: int, d2: Floats32 | Floats, left: Words, rows: Rows) -> Floats:
    """k - 1 (or -d/2 if linear) between new rows and rows of the batch, from their squared distances.

    `d2` has shape (n_new, len(rows)), `left` are the packed labels of the new rows.
    """
    d = d2.astype(np.float64)
    if batch.context[problem].any():
        d += hamming(left, batch.words[:, rows], batch.context[problem])
    return -0.5 * d if batch.is_linear else np.expm1(-batch.gamma[problem] * d)


def join_parts(parts: Sequence[Part], token: str) -> Solutions:
    """The solutions of a batch from those of its problems."""
    pointer = np.concatenate([[0], np.cumsum([part.support.size for part in parts])]).astype(np.int64)
    return Solutions(
        support_ptr=pointer,
        support=np.concatenate([np.zeros(0, np.int32), *(part.support for part in parts)]).astype(np.int32),
        coef=np.concatenate([np.zeros(0), *(part.coef for part in parts)]),
        bias=np.array([part.bias for part in parts], np.float64),
        objective=np.array([part.objective for part in parts], np.float64),
        iterations=np.array([part.iterations for part in parts], np.int64),
        status=np.array([part.status for part in parts], np.int8),
        costs={"iterations": float(sum(part.iterations for part in parts))},
        token=token,
    )


def one_class(batch: Batch, problem: int) -> Part | None:
    """The solution of a problem that has rows of one class alone; None if it has both."""
    rows = batch.rows(problem)
    y = batch.targets[batch.target[problem], rows].astype(np.float64)[batch.bounds(problem)[rows] > 0]
    if y.size and abs(y.sum()) < y.size:
        return None
    return Part(np.zeros(0, np.int32), np.zeros(0), 1.0 if y.sum() >= 0 else -1.0, 0.0, 0, Status.ONE_CLASS)


def solve_part(batch: Batch, problem: int, settings: SolverSettings, kernel: KernelRow) -> Part:
    """Solve one problem with these kernel rows."""
    if (part := one_class(batch, problem)) is not None:
        return part
    rows = batch.rows(problem)
    y = batch.targets[batch.target[problem], rows].astype(np.float64)
    limit = settings.max_iter if settings.max_iter >= 0 else max(10_000_000, 100 * rows.size)
    return part_of(batch, problem, _iterate(kernel, y, batch.bounds(problem)[rows], settings.tol, limit))


def part_of(batch: Batch, problem: int, reached: Reached) -> Part:
    """Support, bias and objective of a problem from where its iteration ended."""
    rows = batch.rows(problem)
    y, bound = batch.targets[batch.target[problem], rows].astype(np.float64), batch.bounds(problem)[rows]
    alpha, f = reached.alpha, reached.f
    used = alpha > 0
    free = used & (alpha < bound)
    bias = float(f[free].mean()) if free.any() else 0.5 * (reached.top + reached.bottom)
    objective = -0.5 * float((alpha * (1.0 + y * f)).sum())
    return Part(rows[used], (alpha * y)[used], bias, objective, reached.iterations, reached.status)


def _iterate(kernel: KernelRow, y: Floats, bound: Floats, tol: float, limit: int) -> Reached:
    alpha, f, largest = np.zeros_like(y), y.copy(), 0.0
    for iteration in range(limit + 1):
        up = np.where(y > 0, alpha < bound, alpha > 0)
        down = np.where(y > 0, (alpha > 0), alpha < bound)
        i = int(np.argmax(np.where(up, f, -np.inf)))
        top, bottom = float(f[i]), float(np.min(f[down]))
        if top - bottom < tol or iteration == limit:
            break
        row = kernel(i)
        lack = np.where(down, np.maximum(f[i] - f, 0.0), 0.0)
        curvature = np.where(row < 0.0, -2.0 * row, _TAU)
        j = int(np.argmax(lack * (lack / curvature)))
        change = min(
            (f[i] - f[j]) / curvature[j],
            bound[i] - alpha[i] if y[i] > 0 else alpha[i],
            alpha[j] if y[j] > 0 else bound[j] - alpha[j],
        )
        alpha[i] = _snap(alpha[i] + y[i] * change, bound[i], largest)
        alpha[j] = _snap(alpha[j] - y[j] * change, bound[j], largest)
        largest = max(largest, alpha[i], alpha[j])
        f -= change * (row - kernel(j))
    status = Status.CONVERGED if top - bottom < tol else Status.ITERATION_LIMIT
    return Reached(alpha, f, top, bottom, iteration, status)


def _snap(value: float, bound: float, largest: float) -> float:
    """A coefficient within rounding of its box is put onto it, so that it leaves the working sets.

    What counts as rounding is told by the largest multiplier so far: the box may be wider by any factor.
    """
    if value < _EDGE * min(bound, largest):
        return 0.0
    return bound if value > bound * (1.0 - _EDGE) else value
