"""A real Dask scheduler with two workers on loopback, one of which is killed in the middle of a study."""

import json
import signal
import subprocess
import sys
import time

import pytest

from bncc.experiment import Store, dask_executor, load_protocol, run_study
from studies import table

pytest.importorskip("distributed")


def start(*arguments):
    return subprocess.Popen(
        [sys.executable, "-m", "dask", *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )


@pytest.fixture
def cluster(tmp_path):
    """The scheduler's address, and its two workers."""
    where = tmp_path / "scheduler.json"
    options = ("--host", "127.0.0.1", "--scheduler-file", str(where), "--no-dashboard")
    scheduler = start("scheduler", *options, "--port", "0")
    deadline = time.monotonic() + 60
    while not where.exists() or not where.read_text().strip():
        assert time.monotonic() < deadline, "no scheduler within a minute"
        time.sleep(0.05)
    common = ("worker", "--scheduler-file", str(where), "--nthreads", "1", "--no-nanny", "--no-dashboard")
    workers = [start(*common, "--local-directory", str(tmp_path / f"worker{k}")) for k in range(2)]
    yield json.loads(where.read_text())["address"], workers
    for process in (*workers, scheduler):
        process.kill()
        process.wait()


def test_a_worker_dies_and_the_table_is_the_same(write_protocol, tmp_path, cluster):
    address, workers = cluster
    protocol = load_protocol(write_protocol(mode="whole", repeats=6))
    killed = []

    def report(progress):
        if progress.done >= 4 and not killed:
            workers[0].send_signal(signal.SIGKILL)
            killed.append(progress.done)

    with dask_executor(address) as executor:
        last = run_study(protocol, tmp_path / "cluster.sqlite", executor=executor, report=report)
    assert killed
    assert killed[0] < last.total
    assert workers[0].wait() == -signal.SIGKILL
    assert (last.done, last.failures) == (last.total, ())
    run_study(protocol, tmp_path / "local.sqlite")
    with Store.read(tmp_path / "cluster.sqlite") as there, Store.read(tmp_path / "local.sqlite") as here:
        assert table(there) == table(here)


def test_no_scheduler():
    with pytest.raises(ConnectionError, match="no Dask scheduler answers at"), dask_executor("tcp://127.0.0.1:9"):
        pass
