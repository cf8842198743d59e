"""A real Dask scheduler and workers on loopback, for tests: processes of their own that can be killed."""

import json
import subprocess
import sys
import time
from contextlib import contextmanager

__all__ = ["start", "started_cluster", "wait_for"]


def start(*arguments):
    """A process of the dask command."""
    return subprocess.Popen(
        [sys.executable, "-m", "dask", *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )


def wait_for(what, ready, seconds=120):
    """Until it is ready."""
    deadline = time.monotonic() + seconds
    while not ready():
        assert time.monotonic() < deadline, f"no {what} within {seconds} seconds"
        time.sleep(0.05)


@contextmanager
def started_cluster(folder, *options, host="127.0.0.1", n_workers=2):
    """The scheduler's address and its workers, one thread each; options go to all of them."""
    where = folder / "scheduler.json"
    common = ("--scheduler-file", str(where), "--no-dashboard", *options)
    processes = [start("scheduler", "--host", host, "--port", "0", *common)]
    try:
        wait_for("scheduler", lambda: where.exists() and where.read_text().strip())
        single = ("--nthreads", "1", "--no-nanny")
        for number in range(n_workers):
            processes.append(start("worker", *common, *single, "--local-directory", str(folder / f"worker{number}")))
        yield json.loads(where.read_text())["address"], processes[1:]
    finally:
        for process in reversed(processes):
            process.kill()
            process.wait()
