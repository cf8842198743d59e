"""More than one machine: the tasks of a study on a Dask cluster."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from typing import Any

__all__ = ["dask_executor"]


@contextmanager
def dask_executor(address: str) -> Iterator[Executor]:
    """An executor for `run_study` on the workers of a Dask scheduler, as "tcp://host:8786".

    Each worker needs this package and the data sets, at the same paths or under its own BNCC_DATA. A task whose worker
    dies is given to another one. Workers should run one task at a time (``dask worker --nthreads 1``), since a task
    uses all cores of its machine.
    """
    try:
        from distributed import Client
    except ImportError as error:
        raise ImportError('A cluster needs Dask: pip install "bncc[cluster]".') from error
    try:
        client: Any = Client(address, timeout="5s", set_as_default=False)  # type: ignore[no-untyped-call]
    except OSError as error:
        raise ConnectionError(f"no Dask scheduler answers at {address!r}; start one with `dask scheduler`.") from error
    with client, client.get_executor(retries=3, pure=False) as executor:
        yield executor
