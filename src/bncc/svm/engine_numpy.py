"""The engine in plain NumPy: the oracle of the tests, and the fallback where the extension is not built.

Double precision throughout, one problem after the other; `start` and `group` only save time and are not used here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bncc._typing import Floats, Floats32, Pulse, Rows, Words
from bncc.svm.contexts import WORD, hamming
from bncc.svm.engine_host import HostEngine
from bncc.svm.problems import Batch, Solutions, Status
from bncc.svm.solver_settings import SolverSettings
from bncc.svm.walk_plan import Walks

__all__ = ["NumpyEngine", "kernel_block"]

_TAU = 1e-12


class NumpyEngine(HostEngine):
    """One problem after the other, in double precision."""

    name = "numpy"

    def solve(self, batch: Batch, settings: SolverSettings, pulse: Pulse | None = None) -> Solutions:
        """Solve every problem of a batch in turn."""
        parts = []
        for problem in range(len(batch)):
            parts.append(_solve_one(batch, problem, settings))
            if pulse is not None:
                pulse(problem + 1)
        return _join(parts)

    def walk(
        self, batch: Batch, solutions: Solutions, d2: Floats32, walks: Walks, settings: SolverSettings
    ) -> list[Floats]:
        """Decisions for new rows with these squared distances to the rows of the batch, an array per walk."""
        known = np.zeros((len(batch.words), d2.shape[0]), np.uint32) if walks.words is None else walks.words
        each = zip(walks.rows, walks.problems, walks.writes, strict=True)
        return [
            _walk_chain(batch, solutions, d2[rows], known[:, rows], list(zip(problems, writes, strict=True)))
            for rows, problems, writes in each
        ]


def kernel_block(batch: Batch, problem: int, d2: Floats32, left: Words, rows: Rows) -> Floats:
    """k - 1 (or -d/2 if linear) between new rows and rows of the batch, from their squared distances.

    `d2` has shape (n_new, len(rows)), `left` are the packed labels of the new rows.
    """
    d = d2.astype(np.float64)
    if batch.context[problem].any():
        d += hamming(left, batch.words[:, rows], batch.context[problem])
    return -0.5 * d if batch.is_linear else np.expm1(-batch.gamma[problem] * d)


class _Part(NamedTuple):
    """One solved problem."""

    support: NDArray[np.int32]
    coef: Floats
    bias: float
    objective: float
    iterations: int
    status: Status


def _join(parts: list[_Part]) -> Solutions:
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
    )


def _solve_one(batch: Batch, problem: int, settings: SolverSettings) -> _Part:
    rows = batch.rows(problem)
    y = batch.targets[batch.target[problem], rows].astype(np.float64)
    bound = batch.bounds(problem)[rows]
    live = bound > 0
    if not live.any() or abs(y[live].sum()) == live.sum():
        side = 1.0 if y[live].sum() >= 0 else -1.0
        return _Part(np.zeros(0, np.int32), np.zeros(0), side, 0.0, 0, Status.ONE_CLASS)
    kernel = _KernelRows(batch, problem, rows)
    limit = settings.max_iter if settings.max_iter >= 0 else max(10_000_000, 100 * rows.size)
    alpha, f, gap, iterations = _iterate(kernel, y, bound, settings.tol, limit)
    used = alpha > 0
    free = used & (alpha < bound)
    bias = f[free].mean() if free.any() else 0.5 * (gap[0] + gap[1])
    objective = -0.5 * float((alpha * (1.0 + y * f)).sum())
    status = Status.CONVERGED if gap[0] - gap[1] < settings.tol else Status.ITERATION_LIMIT
    return _Part(rows[used], (alpha * y)[used], float(bias), objective, iterations, status)


class _KernelRows:
    """Kernel rows of one problem, formed when first asked for."""

    def __init__(self, batch: Batch, problem: int, rows: NDArray[np.int32]) -> None:
        self.batch, self.problem, self.rows = batch, problem, rows
        self.known: dict[int, Floats] = {}

    def __call__(self, i: int) -> Floats:
        if i not in self.known:
            row = self.rows[[i]]
            d2 = self.batch.distances.block(row)[:, self.rows]
            self.known[i] = kernel_block(self.batch, self.problem, d2, self.batch.words[:, row], self.rows)[0]
            self.known[i][i] = 0.0
        return self.known[i]


def _iterate(
    kernel: Callable[[int], Floats],
    y: Floats,
    bound: Floats,
    tol: float,
    limit: int,
) -> tuple[Floats, Floats, tuple[float, float], int]:
    alpha, f = np.zeros_like(y), y.copy()
    for iteration in range(limit + 1):
        up = np.where(y > 0, alpha < bound, alpha > 0)
        down = np.where(y > 0, (alpha > 0), alpha < bound)
        i = int(np.argmax(np.where(up, f, -np.inf)))
        gap = (float(f[i]), float(np.min(f[down])))
        if gap[0] - gap[1] < tol or iteration == limit:
            break
        row = kernel(i)
        lack = np.where(down, np.maximum(f[i] - f, 0.0), 0.0)
        j = int(np.argmax(lack * lack / np.maximum(-2.0 * row, _TAU)))
        change = (f[i] - f[j]) / max(-2.0 * row[j], _TAU)
        change = min(
            change,
            bound[i] - alpha[i] if y[i] > 0 else alpha[i],
            alpha[j] if y[j] > 0 else bound[j] - alpha[j],
        )
        alpha[i] = _snap(alpha[i] + y[i] * change, bound[i])
        alpha[j] = _snap(alpha[j] - y[j] * change, bound[j])
        f -= change * (row - kernel(j))
    return alpha, f, gap, iteration


def _snap(value: float, bound: float) -> float:
    """A coefficient within rounding of its box is put onto it, so that it leaves the working sets."""
    if value < 1e-12 * bound:
        return 0.0
    return bound if value > bound * (1.0 - 1e-12) else value


def _walk_chain(
    batch: Batch, solutions: Solutions, d2: Floats32, words: Words, chain: list[tuple[np.int32, np.int32]]
) -> Floats:
    """Decisions of one chain of (problem, written label) for all rows of `d2`, their labels known beforehand."""
    labels = words.copy()
    out = np.zeros((d2.shape[0], len(chain)))
    for link, (problem, label) in enumerate(chain):
        solution = solutions[int(problem)]
        k = kernel_block(batch, int(problem), d2[:, solution.support], labels, solution.support)
        out[:, link] = k @ solution.coef + solution.bias
        if label >= 0:
            bit = np.uint32(1) << np.uint32(label % WORD)
            word = labels[label // WORD]
            labels[label // WORD] = np.where(out[:, link] > 0, word | bit, word & ~bit)
    return out
