"""How many threads to use."""

from __future__ import annotations

import os
from functools import cache
from numbers import Integral

from joblib import cpu_count

__all__ = ["n_threads"]

_MOST = 1 << 15  # threads that compiled code takes


def n_threads(n_jobs: int | None) -> int:
    """Number of threads for an `n_jobs`: None and -1 are all cores, -2 all but one, and so on.

    Cores are those this process may use: its affinity and the limits of its control group count. A smaller
    OMP_NUM_THREADS is respected, which joblib sets in its worker processes: a search that runs several fits at once
    does not oversubscribe the machine.

    >>> n_threads(3)
    3
    """
    cores = _all_cores()
    if n_jobs is None:
        return cores
    is_whole = isinstance(n_jobs, Integral) and not isinstance(n_jobs, bool)
    if not is_whole or n_jobs == 0 or abs(n_jobs) > _MOST:
        limits = f"-1 (all cores) or a positive number up to {_MOST}"
        raise ValueError(f"`n_jobs` must be None, {limits}; got {n_jobs!r}.")
    return max(1, cores + 1 + n_jobs) if n_jobs < 0 else int(n_jobs)


def _all_cores() -> int:
    cores = _physical_limit()
    asked = os.environ.get("OMP_NUM_THREADS", "").split(",")[0].strip()  # a list is one number per nested level
    return max(1, min(cores, int(asked))) if asked.isdigit() and int(asked) > 0 else cores


@cache
def _physical_limit() -> int:
    return int(cpu_count())
