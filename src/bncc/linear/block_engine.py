"""A batch of smooth problems in blocks, wherever the arithmetic lives: costs, starting points, and what comes back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from bncc._threads import n_threads
from bncc._typing import CSR, Array
from bncc.linear.block_newton import BlockArithmetic, BlockSolution, Table, solve_block
from bncc.linear.plans import chains_of_starts
from bncc.linear.problems import Batch
from bncc.linear.solutions import BlockCosts, Solutions, Status

__all__ = ["Task", "newton", "signed_costs", "solve_in_blocks"]

Progress = Callable[[int], object]

_LINES_AT_ONCE = 64  # of a matrix, by one thread


@dataclass(frozen=True, eq=False)
class _Kept:
    """The solution of a batch while it grows; `weights` is a table, or lines of columns and values."""

    weights: Array | None
    lines: list[tuple[NDArray[np.int32], Array]]
    bias: NDArray[np.float64]
    objective: NDArray[np.float64]
    dual_objective: NDArray[np.float64]
    iterations: NDArray[np.int64]
    status: NDArray[np.int8]


@dataclass(frozen=True, eq=False)
class Task:
    """Problems that are solved side by side: their arithmetic, costs and starting points, and their numbers."""

    arithmetic: BlockArithmetic
    costs: Table
    start: Table
    problems: NDArray[np.intp]
    pulse: Callable[[], object]


def newton(task: Task, tol: float, max_iter: int) -> BlockSolution:
    """Newton's method alone, which takes any smooth loss."""
    return solve_block(task.arithmetic, task.costs, task.start, tol, max_iter, task.pulse)


def solve_in_blocks(
    batch: Batch,
    arithmetic: BlockArithmetic,
    width: int,
    method: Callable[[Task], BlockSolution],
    *,
    drop: float | None = None,
    progress: Progress | None = None,
) -> Solutions:
    """Solve every problem of a batch, `width` of them side by side; problems that start from one another in turn."""
    kept = _empty(batch, drop)
    done = 0

    def pulse() -> None:
        if progress is not None:
            progress(done)

    for chains in _blocks(batch, width):
        weights = None
        for problems in np.transpose(chains):
            weights = _solve(batch, Task(arithmetic, None, weights, problems, pulse), method, kept, drop)
            done += problems.size
            pulse()
    return _solutions(batch, kept)


def _blocks(batch: Batch, width: int) -> Iterator[NDArray[np.intp]]:
    """Chains of problems, those of one length together, with about as many positives side by side."""
    chains = chains_of_starts(batch.start)
    n_positive = np.diff(batch.target_ptr)[batch.target]
    lengths = np.array([len(chain) for chain in chains], np.int64)
    first = np.array([chain[0] for chain in chains], np.int64)
    order = np.lexsort((first, -n_positive[first], -lengths))
    for length in np.unique(lengths):
        alike = [chains[number] for number in order if lengths[number] == length]
        for begin in range(0, len(alike), width):
            yield np.array(alike[begin : begin + width], np.intp)


def _solve(batch: Batch, task: Task, method: Callable[[Task], BlockSolution], kept: _Kept, drop: float | None) -> Table:
    """Solve problems side by side and write them down; their weights, for those that start from them."""
    arithmetic, problems = task.arithmetic, task.problems
    costs = signed_costs(batch, arithmetic.xp, problems)
    start, both = _start(batch, arithmetic, problems, costs)
    if task.start is not None:
        start = task.start
    there, one_class = np.flatnonzero(both), np.flatnonzero(~both)
    if one_class.size:
        signs = arithmetic.host(costs[:, one_class].sum(axis=0))
        kept.status[problems[one_class]] = Status.ONE_CLASS
        kept.bias[problems[one_class]] = np.where(signs > 0, 1.0, -1.0)
    if there.size:
        context = batch.context[problems[there]]
        if there.size < problems.size:
            costs = arithmetic.xp.ascontiguousarray(costs[:, there])
        begin = arithmetic.xp.ascontiguousarray(start[:, there])
        seeing = arithmetic.seeing(context if context.any() else None)
        solved = method(Task(seeing, costs, begin, problems[there], task.pulse))
        _write(batch, arithmetic, problems[there], solved, kept, drop)
        start[:, there] = solved.weights
    return start


def signed_costs(batch: Batch, xp: Any, problems: NDArray[np.intp]) -> Table:
    """The cost of each row in each problem, with the sign of its class; 0 for rows that a problem does not have."""
    dtype = batch.features.values.dtype
    out = xp.empty((batch.n_rows, problems.size), dtype)
    out[:] = xp.asarray(-batch.cost_negative[problems].astype(dtype))
    targets = batch.target[problems]
    members = [batch.target_rows[batch.target_ptr[t] : batch.target_ptr[t + 1]] for t in targets]
    columns = np.repeat(np.arange(problems.size), [rows.size for rows in members])
    values = batch.cost_positive[problems].astype(dtype)[columns]
    out[xp.asarray(np.concatenate(members)), xp.asarray(columns)] = xp.asarray(values)
    for number in np.unique(batch.weight[problems]):
        if number >= 0:
            alike = np.flatnonzero(batch.weight[problems] == number)
            out[:, alike] *= xp.asarray(batch.weights[number].astype(dtype))[:, None]
    for number in np.unique(batch.row_set[problems]):
        if number >= 0:
            alike = np.flatnonzero(batch.row_set[problems] == number)
            member = np.zeros(batch.n_rows, dtype)
            member[batch.row_index[batch.row_ptr[number] : batch.row_ptr[number + 1]]] = 1.0
            out[:, alike] *= xp.asarray(member)[:, None]
    return out


def _class_costs(
    batch: Batch, arithmetic: BlockArithmetic, problems: NDArray[np.intp], costs: Table
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """What the positive and the negative rows of each problem cost in all; counted, where all rows weigh the same."""
    if (batch.weight[problems] < 0).all() and (batch.row_set[problems] < 0).all():
        n_positive = np.diff(batch.target_ptr)[batch.target[problems]]
        n_negative = batch.n_rows - n_positive
        return n_positive * batch.cost_positive[problems], n_negative * batch.cost_negative[problems]
    zero = costs.dtype.type(0)
    positive, negative = (
        arithmetic.host(arithmetic.xp.maximum(signed, zero).sum(axis=0, dtype=np.float64)) for signed in (costs, -costs)
    )
    return positive, negative


def _start(
    batch: Batch, arithmetic: BlockArithmetic, problems: NDArray[np.intp], costs: Table
) -> tuple[Table, NDArray[np.bool_]]:
    """The best constant for each problem, and which problems have rows of both classes."""
    xp = arithmetic.xp
    positive, negative = _class_costs(batch, arithmetic, problems, costs)
    both = (positive > 0) & (negative > 0)
    weights = xp.zeros((batch.n_columns + 1, costs.shape[1]), costs.dtype)
    if batch.bias_feature > 0:
        share = np.divide(positive, positive + negative, out=np.full(both.size, 0.5), where=both)
        constant = np.log(share / (1.0 - share)) if batch.loss == "logistic" else 2.0 * share - 1.0
        # Its weight is part of the penalty: where the constant is small the weight would be large.
        weights[-1] = xp.asarray((constant / max(batch.bias_feature, 1.0)).astype(costs.dtype))
    return weights, both


def _write(
    batch: Batch,
    arithmetic: BlockArithmetic,
    problems: NDArray[np.intp],
    solved: BlockSolution,
    kept: _Kept,
    drop: float | None,
) -> None:
    xp, host = arithmetic.xp, arithmetic.host
    weights = xp.ascontiguousarray(solved.weights[:-1].T)
    if kept.weights is not None:
        kept.weights[problems] = host(weights)
    else:
        size = xp.abs(weights)
        largest = size.max(axis=1, keepdims=True) if size.shape[1] else xp.zeros((len(size), 1), size.dtype)
        there = size > weights.dtype.type(drop or 0.0) * largest
        line, column = xp.nonzero(there)
        values, columns = host(weights[line, column]), host(column.astype(np.int32))
        ends = np.cumsum(host(there.sum(axis=1)))[:-1]
        for problem, *entry in zip(problems, np.split(columns, ends), np.split(values, ends), strict=True):
            kept.lines[problem] = (entry[0], entry[1])
    kept.bias[problems] = host(solved.weights[-1]).astype(np.float64) * batch.bias_feature
    kept.objective[problems], kept.dual_objective[problems] = solved.objective, solved.dual_objective
    kept.iterations[problems] = solved.iterations
    kept.status[problems] = np.where(solved.converged, Status.CONVERGED, Status.ITERATION_LIMIT)


def _empty(batch: Batch, drop: float | None) -> _Kept:
    n, dtype = len(batch), batch.features.values.dtype
    nothing = (np.zeros(0, np.int32), np.zeros(0, dtype))
    return _Kept(
        np.zeros((n, batch.n_columns), dtype) if drop is None else None,
        [nothing] * n,
        np.zeros(n),
        np.zeros(n),
        np.zeros(n),
        np.zeros(n, np.int64),
        np.zeros(n, np.int8),
    )


def _matrix(lines: list[tuple[NDArray[np.int32], Array]], n_columns: int) -> CSR:
    """Lines of columns and values as one matrix; gigabytes of new memory are asked for by many threads at once."""
    pointer = np.concatenate([[0], np.cumsum([line.size for line, _ in lines], dtype=np.int64)])
    values = np.empty(pointer[-1], lines[0][1].dtype if lines else np.float64)
    columns = np.empty(pointer[-1], np.int32)

    def copy(numbers: range) -> None:
        for number in numbers:
            part = slice(pointer[number], pointer[number + 1])
            columns[part], values[part] = lines[number]

    parts = [range(begin, min(begin + _LINES_AT_ONCE, len(lines))) for begin in range(0, len(lines), _LINES_AT_ONCE)]
    with ThreadPoolExecutor(n_threads(None)) as threads:
        for _ in threads.map(copy, parts):
            pass
    if pointer[-1] <= np.iinfo(np.int32).max:
        pointer = pointer.astype(np.int32)  # else the columns would be copied into 64 bits
    return sparse.csr_array((values, columns, pointer), shape=(len(lines), n_columns))


def _solutions(batch: Batch, kept: _Kept) -> Solutions:
    weights: Any = kept.weights
    if weights is None:
        weights = _matrix(kept.lines, batch.n_columns)
    nothing = np.zeros(0)
    return Solutions(
        n_features=batch.features.n_features,
        weights=weights,
        bias=kept.bias,
        objective=kept.objective,
        dual_objective=kept.dual_objective,
        iterations=kept.iterations,
        status=kept.status,
        costs=BlockCosts(nothing, nothing, nothing, nothing),
    )
