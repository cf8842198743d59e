"""How many threads to use."""

from __future__ import annotations

import os
from functools import cache

from joblib import cpu_count

__all__ = ["n_threads"]


def n_threads(n_jobs: int | None) -> int:
    """Number of threads for an `n_jobs`: None and -1 are all cores, -2 all but one, and so on.

    Cores are those this process may use. A smaller OMP_NUM_THREADS is respected, which joblib sets in its worker
    processes: a search that runs several fits at once does not oversubscribe the machine.

    >>> n_threads(3)
    3
    """
    cores = _all_cores()
    if n_jobs is None:
        return cores
    if n_jobs == 0:
        raise ValueError("`n_jobs` must be None, -1 (all cores) or a positive number; got 0.")
    return max(1, cores + 1 + n_jobs) if n_jobs < 0 else int(n_jobs)


def _all_cores() -> int:
    cores = _physical_limit()
    asked = os.environ.get("OMP_NUM_THREADS", "")
    return max(1, min(cores, int(asked))) if asked.isdigit() and int(asked) > 0 else cores


@cache
def _physical_limit() -> int:
    return int(cpu_count())
