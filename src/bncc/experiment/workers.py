"""More than one process: the tasks of a study on the cores, or the GPU, of this machine."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Iterator
from concurrent.futures import BrokenExecutor, Executor, ProcessPoolExecutor
from contextlib import contextmanager
from typing import Any

from bncc._threads import n_threads

__all__ = ["local_executor"]

_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")
_MOST_WORKERS = 1024
_GPU_MEMORY = "CUPY_GPU_MEMORY_LIMIT"


@contextmanager
def local_executor(workers: int) -> Iterator[Executor]:
    """An executor for `run_study` on processes of this machine, which share its cores and the memory of its GPU.

    Worth it where one task does not fill the machine: small data sets on many cores, methods of scikit-learn that use
    one, or a GPU that waits while links are described and scored. What still runs when the context ends is stopped.

    Parameters
    ----------
    workers : int
        Processes. Each gets its share of the cores (set OMP_NUM_THREADS for fewer) and, unless CUPY_GPU_MEMORY_LIMIT
        says otherwise, of 90 % of the GPU's memory.

    Notes
    -----
    Processes import the script that starts them: what it does belongs under ``if __name__ == "__main__":``.

    >>> from bncc.experiment import run_study, load_protocol
    >>> with local_executor(2) as executor:  # doctest: +SKIP
    ...     run_study(load_protocol("paper"), "paper.sqlite", executor=executor)
    """
    if not isinstance(workers, int) or isinstance(workers, bool) or not 1 <= workers <= _MOST_WORKERS:
        raise ValueError(f"`workers` must be a whole number from 1 to {_MOST_WORKERS}; got {workers!r}.")
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(workers, context, _begin, (context.Barrier(workers),))
    processes: list[Any] = []
    try:
        with _for_children(workers):
            # A process starts when something is submitted and no other is idle: none is before all have met.
            started = [pool.submit(_meet) for _ in range(workers)]
        numbers = {future.result() for future in started}
        processes += [process for process in multiprocessing.active_children() if process.pid in numbers]
        yield pool
    except BrokenExecutor as error:
        if processes:
            raise
        raise ChildProcessError(
            "the worker processes could not start. They import the script that starts them: what it does must stand "
            'under `if __name__ == "__main__":`, and it must be a file.'
        ) from error
    finally:
        try:
            _drop_waiting(pool)
        finally:
            for process in processes:
                process.kill()


_barrier: Any = None  # of a worker


def _begin(barrier: Any) -> None:
    """What a worker does first: leave Ctrl-C to its parent, and end when that is gone, however it ended."""
    global _barrier
    _barrier = barrier
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)


def _meet() -> int:
    """Wait until all workers are here; each is then given one of as many calls."""
    _barrier.wait()
    return os.getpid()


def _drop_waiting(pool: ProcessPoolExecutor) -> None:
    """Let the thread of a pool drop what waits: Python 3.11 complains of cancelled tasks when a process dies before."""
    try:
        last = pool.submit(time.sleep, 0.0)
    except RuntimeError:  # broken, or shut down
        return
    pool.shutdown(wait=False, cancel_futures=True)
    deadline = time.monotonic() + 5.0
    while not (last.cancelled() or last.running() or last.done()) and time.monotonic() < deadline:
        time.sleep(0.01)
    time.sleep(0.01)  # the last one is cancelled last, and dropped a moment after


@contextmanager
def _for_children(workers: int) -> Iterator[None]:
    """What processes inherit that start meanwhile: their share of the machine, and that Ctrl-C is not for them."""
    share = dict.fromkeys(_THREADS, str(max(1, n_threads(None) // workers)))
    share[_GPU_MEMORY] = os.environ.get(_GPU_MEMORY, f"{90 / workers:.2f}%")
    before = {name: os.environ.get(name) for name in share}
    handler = signal.getsignal(signal.SIGINT)  # None: not one of Python's, which could not be put back
    ours = handler is not None and threading.current_thread() is threading.main_thread()
    os.environ.update(share)
    if ours:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        if ours:
            signal.signal(signal.SIGINT, handler)
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
