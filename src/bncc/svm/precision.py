"""When single precision is not enough, and what is done then: problems solved and rows decided in double.

Distances and kernel rows are held in single precision, which is enough for nearly all data. It is not where features
lie far outside of its range, where rows are much closer to each other than to the centre and the kernel is narrow, or
where multipliers grow so large that rounding of the kernel shows in the decisions. `longest_multipliers` says how long
the multipliers of a problem may get, `solve_in_double` solves those that got longer.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from bncc._typing import Floats, Matrix, Pulse
from bncc.svm.distances import exact_distances
from bncc.svm.fold_problems import FoldProblems, KernelGrid
from bncc.svm.native import extension
from bncc.svm.plain_smo import Part, Reached, join_parts, kernel_block, one_class, part_of, solve_part
from bncc.svm.problems import Batch, Solutions, Status, make_batch
from bncc.svm.solver_settings import SolverSettings

__all__ = ["MARGIN", "bears_single", "in_double", "longest_multipliers", "solve_in_double"]

#: Decisions are right to about this much; beyond it, signs are those of double precision.
MARGIN = 0.02

_ROUNDING = 1.2e-7  # of a kernel value in single precision
_RANGE = (1e-30, 1e30)  # of gamma, in single precision
_FLATTEST = 1e-8  # a kernel that differs less from a constant has no digits to spare for the curvature of a pair
_SCALES = (1e-8, 1e12)  # of squared norms, for the linear kernel
_LEAST_SQUARE = 1e-37  # below which squares have no digits


def longest_multipliers(batch: Batch) -> Floats:
    """How long the multipliers of each problem may be in single precision; 0 where it does not hold the kernel.

    Rounding of the kernel times the length of the multipliers is what decisions may be wrong by, in the mean.

    >>> from bncc.svm import make_batch, squared_distances
    >>> batch = make_batch(squared_distances([[0.0], [1.0]]), [-1, 1], gamma=[1.0, 1e35], C=1.0, target=0)
    >>> longest_multipliers(batch).round(-3).tolist()
    [111000.0, 0.0]
    """
    points = batch.distances.points
    largest = float(points.norms.max(initial=0.0))
    if points.exponent:
        return np.zeros(len(batch))
    if largest == 0.0:
        return np.full(len(batch), np.inf)
    if batch.is_linear:
        fits = _SCALES[0] < largest < _SCALES[1]
        return np.full(len(batch), MARGIN / (_ROUNDING * 4.0 * float(points.norms.mean())) if fits else 0.0)
    with np.errstate(over="ignore"):
        error = _ROUNDING + 2.0 * np.sqrt(batch.gamma) * points.slip + batch.gamma * _LEAST_SQUARE
        flat = batch.gamma * (4.0 * largest + batch.context.any(axis=1)) < _FLATTEST
    wrong = flat | (error > 0.05 * MARGIN) | (batch.gamma < _RANGE[0]) | (batch.gamma > _RANGE[1])
    return np.where(wrong, 0.0, MARGIN / error)


def solve_in_double(
    batch: Batch, solutions: Solutions, longest: Floats, settings: SolverSettings, pulse: Pulse | None = None
) -> Solutions:
    """The solutions, those of problems whose multipliers are longer than they may be solved anew in double."""
    rough = np.flatnonzero((longest == 0.0) | (_lengths(solutions) > longest))
    if not rough.size:
        return solutions
    parts = {int(problem): _solve(batch, int(problem), settings, pulse) for problem in rough}
    every = [parts.get(problem) or _fields(solutions, problem) for problem in range(len(batch))]
    precise = np.zeros(len(batch), bool)
    precise[rough] = True
    return replace(join_parts(every, batch.token), costs=solutions.costs, precise=precise)


def bears_single(problems: FoldProblems, grid: KernelGrid) -> bool:
    """Whether no problem of the folds can have multipliers that are too long, whatever comes of it."""
    largest = 1.0 if problems.weights is None else float(problems.weights.max(initial=1.0))
    corner = make_batch(
        problems.distances, np.ones(problems.n_rows, np.int8), gamma=grid.gammas, C=grid.costs.max(), target=0,
        kernel=problems.kernel,
    )  # fmt: skip
    with np.errstate(over="ignore"):
        longest = float(grid.costs.max() * largest * np.sqrt(problems.n_rows))
    return bool((longest_multipliers(corner) > longest).all())


def in_double(solutions: Solutions, problems: NDArray[np.int32]) -> bool:
    """Whether any of the problems was solved in double, and must be decided so."""
    return solutions.precise is not None and bool(solutions.precise[problems].any())


def _lengths(solutions: Solutions) -> Floats:
    """Euclidean length of the multipliers of each problem."""
    of_entry = np.repeat(np.arange(len(solutions)), np.diff(solutions.support_ptr))
    largest = np.abs(solutions.coef).max(initial=0.0) or 1.0
    return largest * np.sqrt(np.bincount(of_entry, (solutions.coef / largest) ** 2, minlength=len(solutions)))


def _fields(solutions: Solutions, problem: int) -> Part:
    one = solutions[problem]
    return Part(one.support, one.coef, one.bias, one.objective, one.iterations, one.status)


def _solve(batch: Batch, problem: int, settings: SolverSettings, pulse: Pulse | None) -> Part:
    if (part := one_class(batch, problem)) is not None:
        return part
    rows, native = batch.rows(problem), extension()
    if native is None:
        return solve_part(batch, problem, settings, _ExactRows(batch, problem))
    mask = batch.context[problem][:, None]
    found = native.solve_precisely(
        _native_features(batch.distances.points.exact_rows(rows)),
        np.ascontiguousarray((batch.words[:, rows] & mask)[mask[:, 0] != 0]),
        np.ascontiguousarray(batch.targets[batch.target[problem], rows]),
        batch.bounds(problem)[rows],
        float(batch.gamma[problem]),
        batch.is_linear,
        settings.tol,
        settings.max_iter,
        int(0.5e6 * settings.cache_size),
        None if pulse is None else lambda _: pulse(problem),
    )
    return part_of(batch, problem, Reached(**found | {"status": Status(found["status"])}))


class _ExactRows:
    """Kernel rows of one problem in double, formed when first asked for."""

    def __init__(self, batch: Batch, problem: int) -> None:
        self.batch, self.problem, self.rows = batch, problem, batch.rows(problem)
        self.features = batch.distances.points.exact_rows(self.rows)
        self.known: dict[int, Floats] = {}

    def __call__(self, i: int) -> Floats:
        if i not in self.known:
            d2 = exact_distances(self.features[[i]], self.features)
            words = self.batch.words[:, self.rows[[i]]]
            self.known[i] = kernel_block(self.batch, self.problem, d2, words, self.rows)[0]
        return self.known[i]


def _native_features(X: Matrix) -> Matrix:
    """Features as compiled code takes them."""
    if isinstance(X, np.ndarray):
        return np.ascontiguousarray(X, np.float64)
    out = X.astype(np.float64)
    out.sum_duplicates()
    out.indptr, out.indices = out.indptr.astype(np.int64), out.indices.astype(np.int32)
    return out
