"""One entry for every batch: pick an engine, solve, and hand back frozen solutions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import get_args

import numpy as np

from bncc._checks import check_count, check_number
from bncc._cuda import missing
from bncc._threads import n_threads
from bncc._typing import Array, EngineName
from bncc.linear import engine_numpy
from bncc.linear.cuda import engine as cuda
from bncc.linear.dask_blocks import active_cluster
from bncc.linear.engine_native import NativeSettings, solve_plan
from bncc.linear.features import Features
from bncc.linear.native import extension
from bncc.linear.plans import plan_blocks
from bncc.linear.problems import Batch
from bncc.linear.solutions import Solutions, Status
from bncc.linear.used_columns import used_columns, with_all_columns, with_columns

__all__ = ["engine_and_reason", "solve"]

# Single precision bears gaps down to this share of the objective, squares of values of this size, and columns that
# vary by at least this share of their largest value: less than that it rounds away. What it rounds off a margin counts
# as often as the row costs, so that it bears costs up to the last number (hinge loss), and to the one before it over
# the square of the largest value.
_SINGLE_TOL = 1e-4
_SINGLE_RANGE = (1e-12, 1e12)
_SINGLE_SPREAD = 1e-6
_SINGLE_STEEPNESS = 1e8
_SINGLE_HINGE_COST = 10.0
# Of the hinge loss, what is rounded off the margins adds up over the rows that lie on them; so many, at most.
_SINGLE_ROUNDING = 4.0 * 2.0**-24
_MOST_ON_MARGINS = 1000
# Rows that are asked one by one whether they have a column, before all are.
_FIRST_ROWS = 16


def solve(
    batch: Batch,
    *,
    tol: float = 1e-3,
    max_iter: int = 1000,
    drop: float | None = None,
    n_jobs: int | None = None,
    engine: EngineName = "auto",
    progress: Callable[[int], object] | None = None,
) -> Solutions:
    """Solve every problem of a batch.

    Parameters
    ----------
    batch : Batch
    tol : float, default=1e-3
        A problem is solved when its objective is within this share of the optimum, by the gap between primal and dual.
        Where data or costs are so badly scaled that rounding hides whether it is, its status is that of a problem that
        has reached the limit. From 1e-4 on the work is done in single precision, where values and costs bear it.
    max_iter : int, default=1000
        Passes over the working set plus Newton steps, per block.
    drop : float or None, default=None
        Weights up to this share of a problem's largest are dropped, and weights come back sparse; 0 drops zeros alone.
        None hands back a dense array.
    n_jobs : int or None, default=None
        Threads; None and -1 mean all cores. Solutions do not depend on it, nor on a `cluster` of machines.
    engine : "auto", "cpu", "native", "numpy" or "cuda", default="auto"
        "auto" and "cpu" are the compiled extension. Where it is not built, "auto" is a CUDA device, if CuPy finds one,
        else NumPy as "cpu" is. "cuda" adds up in no fixed order: two runs differ in the last digits.
    progress : callable, default=None
        Called about ten times a second with the number of problems done. What it raises stops the call, as Ctrl-C
        does, within a fraction of a second.

    >>> from bncc.linear import make_batch
    >>> solution = solve(make_batch([[-1.0], [1.0]], [0, 1], C=100.0), tol=1e-8)[0]
    >>> round(float(solution.weights[0]), 3), round(abs(solution.bias), 3)
    (0.998, 0.0)
    """
    check_number("tol", tol, 5e-324, 1e30)
    check_count("max_iter", max_iter, 1, 2**62)
    if drop is not None and not 0 <= drop < 1:
        raise ValueError(f"`drop` must lie in [0, 1) or be None; got {drop}.")
    columns = used_columns(batch.features)
    if columns is not None:
        solutions = solve(
            with_columns(batch, columns),
            tol=tol,
            max_iter=max_iter,
            drop=drop,
            n_jobs=n_jobs,
            engine=engine,
            progress=progress,
        )
        return with_all_columns(solutions, columns, batch.features.n_features)
    chosen = _choose(engine)
    if chosen != "native" and active_cluster() is not None:
        raise ValueError(
            f"a cluster solves on the compiled engine; here the engine is {chosen!r}. Use engine='cpu' where the "
            "extension is built, or leave `bncc.cluster`."
        )
    if chosen == "numpy":
        return engine_numpy.solve_batch(batch, tol=tol, max_iter=max_iter, drop=drop, progress=progress)
    if _bears_single(batch, tol):
        solutions = _solve_as(chosen, np.float32, batch, tol, max_iter, drop, n_jobs, progress)
        solved = solutions.status != Status.ONE_CLASS
        if batch.loss != "hinge" or not (_is_rounding(batch, tol * solutions.objective) & solved).any():
            return solutions
    return _solve_as(chosen, np.float64, batch, tol, max_iter, drop, n_jobs, progress)


def _solve_as(
    chosen: str,
    precision: type[np.floating],
    batch: Batch,
    tol: float,
    max_iter: int,
    drop: float | None,
    n_jobs: int | None,
    progress: Callable[[int], object] | None,
) -> Solutions:
    batch = replace(batch, features=batch.features.astype(precision))
    if chosen == "cuda":
        return cuda.solve_batch(batch, tol=tol, max_iter=max_iter, drop=drop, progress=progress)
    settings = NativeSettings.here(tol, max_iter, drop)
    if (cluster := active_cluster()) is not None:
        return cluster.solve(batch, settings, n_jobs, progress)
    return solve_plan(batch, plan_blocks(batch), settings, n_threads(n_jobs), progress)


def engine_and_reason(engine: str) -> tuple[str, str]:
    """The engine that `solve` takes where this one is asked for, and why.

    >>> engine_and_reason("numpy")
    ('numpy', 'asked for')
    """
    if engine in ("numpy", "cuda"):
        return engine, "asked for"
    if extension() is not None and active_cluster() is not None:
        return "native", "on the workers of a cluster"
    if extension() is not None:
        return "native", "asked for" if engine == "native" else "the compiled extension is there"
    why = "the compiled extension is not built here"
    return ("cuda", why) if engine == "auto" and not missing() else ("numpy", why)


def _choose(engine: str) -> str:
    if engine not in get_args(EngineName):
        raise ValueError(f'`engine` must be "auto", "cpu", "native", "numpy" or "cuda"; got {engine!r}.')
    if engine == "native" and extension() is None:
        raise ImportError("The native engine is not built here. Reinstall bncc with a C++17 compiler, or use 'numpy'.")
    if engine == "cuda" and (reason := missing()):
        raise ImportError(f"The CUDA engine cannot run here: {reason} Or use engine='cpu'.")
    return engine_and_reason(engine)[0]


def _is_rounding(batch: Batch, share: Array) -> Array:
    """For each problem with the hinge loss, whether so much of its objective may be rounding in single precision."""
    on_margins = min(batch.n_rows, batch.n_columns + 1, _MOST_ON_MARGINS)
    costs = np.maximum(batch.cost_positive, batch.cost_negative) * batch.weights.max(initial=1.0)
    return np.asarray(_SINGLE_ROUNDING * on_margins * costs > share)


def _bears_single(batch: Batch, tol: float) -> bool:
    values = batch.features.values
    largest = max(float(values.max()), -float(values.min()), batch.bias_feature) if values.size else 1.0
    costs = np.concatenate([batch.cost_positive, batch.cost_negative])
    costs = costs[costs > 0]
    low, high = _SINGLE_RANGE
    per_row = values.size / max(batch.n_rows, 1) + batch.n_labels + 1.0
    least = np.full(len(batch), 0.5 / (per_row * max(largest, 1.0) ** 2))  # of the objective where margins can be held
    most = float(costs.max(initial=0.0)) * (float(batch.weights.max(initial=0.0)) if batch.weights.size else 1.0)
    return (
        tol >= _SINGLE_TOL
        and (largest == 0 or low < largest < high)
        and bool((costs > low).all())
        and most < high
        and most * largest**2 <= _SINGLE_STEEPNESS
        and (batch.loss != "hinge" or (most <= _SINGLE_HINGE_COST and not _is_rounding(batch, least).any()))
        and not _varies_by_little(batch.features)
    )


def _varies_by_little(features: Features) -> bool:
    """Whether a column varies far from zero by less than single precision tells apart."""
    columns = _full_columns(features)
    if not columns.size:
        return False
    low, high = columns.min(axis=0), columns.max(axis=0)
    spread = high - low
    return bool(((spread > 0) & (spread < _SINGLE_SPREAD * np.maximum(high, -low))).any())


def _full_columns(features: Features) -> Array:
    """The values of the columns without a zero that is not stored: those of the shortest row that all others have."""
    if features.indices is None or features.indptr is None:
        return features.values
    shortest = int(np.argmin(np.diff(features.indptr)))  # of equal ones the first
    possible = features.indices[features.indptr[shortest] : features.indptr[shortest + 1]]
    for row in range(min(features.n_rows, _FIRST_ROWS)):  # text has none, and the first rows say so
        own = features.indices[features.indptr[row] : features.indptr[row + 1]]
        possible = np.intersect1d(possible, own, assume_unique=True)
        if not possible.size:
            return possible
    listed = np.zeros(features.n_features, bool)
    listed[possible] = True
    entries = np.flatnonzero(listed[features.indices])
    columns, counts = np.unique(features.indices[entries], return_counts=True)
    full = columns[counts == features.n_rows]
    if not full.size:
        return full
    return features.values[entries[np.isin(features.indices[entries], full)]].reshape(features.n_rows, full.size)
