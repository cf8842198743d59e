"""One entry for every batch: pick an engine, solve, and hand back frozen solutions."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from bncc._threads import n_threads
from bncc.svm import engine_numpy
from bncc.svm.cuda.device import current_device, missing
from bncc.svm.cuda.solve import solve_batch
from bncc.svm.native import extension, simd
from bncc.svm.problems import Batch, Solutions

__all__ = ["EngineChoice", "choose_engine", "solve", "work_of"]

_log = logging.getLogger(__name__)
_NAMES = ("auto", "cpu", "cuda", "native", "numpy")
_WORTH_A_DEVICE = 1e9

_MAX_ROWS = 2**31 - 1 - 256


@dataclass(frozen=True)
class EngineChoice:
    """The engine that a name stands for here, and why: "cuda", "native" or "numpy"."""

    name: str
    reason: str


def choose_engine(engine: str = "auto", *, work: float = 0.0) -> EngineChoice:
    """What solves problems on this machine.

    Parameters
    ----------
    engine : "auto", "cpu" or "cuda"
        "cpu" is the compiled extension, or NumPy where it is not built. "auto" is "cuda" where CuPy finds a device and
        the work is worth it, else "cpu". Also "native" and "numpy", which are these and nothing else.
    work : float
        Sum of the squared numbers of rows of all problems (`work_of`); 10^9 is about a second of one core.

    Raises
    ------
    ImportError
        If an engine is asked for by name that cannot run here; the message says what is missing.

    >>> choose_engine("numpy")
    EngineChoice(name='numpy', reason='asked for')
    """
    if engine not in _NAMES:
        raise ValueError(f'`engine` must be "auto", "cpu" or "cuda"; got {engine!r}.')
    choice = _choose(engine, work)
    _log.debug("engine %s for %r: %s", choice.name, engine, choice.reason)
    return choice


def _choose(engine: str, work: float) -> EngineChoice:
    if engine == "numpy":
        return EngineChoice("numpy", "asked for")
    if engine == "cuda":
        return EngineChoice("cuda", f"asked for; device {current_device().name}")
    if engine == "native" and extension() is None:
        raise ImportError("The native engine is not built here. Reinstall bncc with a C++17 compiler, or use 'numpy'.")
    cpu = "numpy" if extension() is None else "native"
    built = "the extension is not built" if extension() is None else "the extension is built"
    if engine != "auto":
        return EngineChoice(cpu, f"asked for; {built}")
    if work < _WORTH_A_DEVICE:
        return EngineChoice(cpu, f"little work ({work:.1e} below {_WORTH_A_DEVICE:.0e}); {built}")
    if reason := missing():
        return EngineChoice(cpu, f"{reason} And {built}.")
    return EngineChoice("cuda", f"much work ({work:.1e}); device {current_device().name}")


def work_of(sizes: Any) -> float:
    """Work of problems with these numbers of rows, as `choose_engine` weighs it."""
    return float(np.square(np.asarray(sizes, np.float64)).sum())


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
    engine : "auto", "cpu" or "cuda", default="auto"
        See `choose_engine`. `cache_size` and `n_jobs` do not matter to a CUDA device.
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
    chosen = choose_engine(engine, work=work_of(batch.sizes())).name
    if chosen == "numpy":
        return engine_numpy.solve_batch(batch, tol=tol, max_iter=max_iter, progress=progress)
    if chosen == "cuda":
        return solve_batch(current_device(), batch, tol=tol, max_iter=max_iter, progress=progress)
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
