"""One entry for every batch: pick an engine, solve, and hand back frozen solutions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from bncc._threads import n_threads
from bncc.svm import engine_numpy
from bncc.svm.native import extension, simd
from bncc.svm.problems import Batch, Solutions

__all__ = ["pick_engine", "solve"]

_MAX_ROWS = 2**31 - 1 - 256


def pick_engine(engine: str) -> str:
    """The engine that a name stands for on this machine: "native" or "numpy".

    >>> pick_engine("numpy")
    'numpy'
    """
    if engine not in ("auto", "native", "numpy"):
        raise ValueError(f'`engine` must be "auto", "native" or "numpy"; got {engine!r}.')
    if engine == "native" and extension() is None:
        raise ImportError("The native engine is not built here. Reinstall bncc with a C++17 compiler, or use 'numpy'.")
    if engine == "auto":
        return "numpy" if extension() is None else "native"
    return engine


def solve(
    batch: Batch,
    *,
    tol: float = 1e-3,
    max_iter: int = -1,
    cache_size: float = 2000.0,
    n_jobs: int | None = None,
    engine: str = "auto",
    progress: Callable[[int], object] | None = None,
) -> Solutions:
    """Solve every problem of a batch.

    Parameters
    ----------
    batch : Batch
    tol : float, default=1e-3
        A problem is solved when no pair of rows violates the optimality conditions by more.
    max_iter : int, default=-1
        Iterations per problem; -1 is no limit in practice (LIBSVM's: the larger of 10^7 and 100 n).
    cache_size : float, default=2000
        Megabytes for distances and kernel rows together; kernel rows get what the distances leave, at least half.
    n_jobs : int or None, default=None
        Threads; None and -1 mean all cores. Solutions do not depend on it.
    engine : "auto", "native" or "numpy", default="auto"
    progress : callable, default=None
        Called about ten times a second with the number of problems done. What it raises stops the call, as Ctrl-C
        does, within a fraction of a second.

    >>> from bncc.svm import make_batch, squared_distances
    >>> batch = make_batch(squared_distances([[0.0], [1.0], [3.0]]), [-1, 1, 1], gamma=1.0, C=1.0)
    >>> solve(batch)[0].support.tolist()
    [0, 1, 2]
    """
    if not tol > 0:
        raise ValueError(f"`tol` must be positive; got {tol}.")
    if batch.n_rows > _MAX_ROWS:
        raise ValueError(f"A batch may have up to {_MAX_ROWS:,} rows; got {batch.n_rows:,}.")
    if pick_engine(engine) == "numpy":
        return engine_numpy.solve_batch(batch, tol=tol, max_iter=max_iter, progress=progress)
    order, group_ptr = _group_order(batch)
    held = 0 if batch.distances.matrix is None else batch.distances.matrix.nbytes
    result = extension().solve(
        batch,
        order,
        group_ptr,
        tol,
        max_iter,
        int(max(cache_size * 1e6 - held, 0.5e6 * cache_size)),
        n_threads(n_jobs),
        simd(),
        progress,
    )
    if progress is not None:
        progress(len(batch))
    return Solutions(**result)


def _group_order(batch: Batch) -> tuple[Any, Any]:
    """Problems sorted by group (in order within one) and where each group begins."""
    order = np.argsort(batch.group, kind="stable").astype(np.int32)
    _, counts = np.unique(batch.group, return_counts=True)
    return order, np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
