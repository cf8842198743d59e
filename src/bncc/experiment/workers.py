"""More than one process: the tasks of a study on the cores, or the GPU, of this machine."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Iterator
from concurrent.futures import BrokenExecutor, Executor, ProcessPoolExecutor, wait
from contextlib import contextmanager

from bncc._threads import n_threads

__all__ = ["local_executor"]

_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


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

    >>> from bncc.experiment import run_study, load_protocol
    >>> with local_executor(2) as executor:  # doctest: +SKIP
    ...     run_study(load_protocol("paper"), "paper.sqlite", executor=executor)
    """
    if not isinstance(workers, int) or workers < 1:
        raise ValueError(f"`workers` must be a whole number of at least 1; got {workers!r}.")
    others = multiprocessing.active_children()
    pool = ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"), _end_with_parent)
    with _for_children(workers):
        # A process starts when something is submitted and all others are busy: none is idle before it has started.
        started = [pool.submit(time.sleep, 0.0) for _ in range(workers)]
    try:
        wait(started)
        yield pool
    finally:
        _empty(pool)
        for process in set(multiprocessing.active_children()) - set(others):
            process.kill()


def _end_with_parent() -> None:
    """Have a worker end when the process that started it is gone, however that ended."""

    def watch() -> None:
        parent = multiprocessing.parent_process()
        assert parent is not None
        parent.join()
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _empty(pool: ProcessPoolExecutor) -> None:
    """Let the thread of a pool drop what waits: Python 3.11 complains of cancelled tasks when a process dies before."""
    try:
        last = pool.submit(time.sleep, 0.0)
    except BrokenExecutor:
        return
    pool.shutdown(wait=False, cancel_futures=True)
    deadline = time.monotonic() + 5.0
    while not (last.cancelled() or last.done()) and time.monotonic() < deadline:
        time.sleep(0.01)
    time.sleep(0.01)  # it is cancelled last, and dropped a moment after


@contextmanager
def _for_children(workers: int) -> Iterator[None]:
    """What processes inherit that start meanwhile: their share of the machine, and that Ctrl-C is not for them."""
    share = dict.fromkeys(_THREADS, str(max(1, n_threads(None) // workers)))
    share["CUPY_GPU_MEMORY_LIMIT"] = os.environ.get("CUPY_GPU_MEMORY_LIMIT", f"{90 / workers:.2f}%")
    before = {name: os.environ.get(name) for name in share}
    in_main = threading.current_thread() is threading.main_thread()
    handler = signal.signal(signal.SIGINT, signal.SIG_IGN) if in_main else None
    os.environ.update(share)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
        if in_main:
            signal.signal(signal.SIGINT, handler)
