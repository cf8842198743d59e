import multiprocessing
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from bncc.experiment import Store, load_protocol, local_executor, run_study
from studies import table


@pytest.fixture
def workers():
    """The processes of this test: other tests of this process may have left joblib's, which wait for more work."""
    before = {process.pid for process in multiprocessing.active_children()}
    return lambda: [process for process in multiprocessing.active_children() if process.pid not in before]


def test_the_table_is_that_of_one_process(write_protocol, tmp_path):
    protocol = load_protocol(write_protocol(mode="whole", repeats=2))
    with local_executor(2) as executor:
        last = run_study(protocol, tmp_path / "two.sqlite", executor=executor)
    assert (last.done, last.failures) == (last.total, ())
    run_study(protocol, tmp_path / "one.sqlite")
    with Store.read(tmp_path / "two.sqlite") as there, Store.read(tmp_path / "one.sqlite") as here:
        assert table(there) == table(here)


@pytest.mark.slow
def test_workers_have_their_share_of_the_machine_and_leave_ours_alone(monkeypatch, workers):
    monkeypatch.setattr("bncc.experiment.workers.n_threads", lambda n_jobs: 7)
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    monkeypatch.delenv("CUPY_GPU_MEMORY_LIMIT", raising=False)
    monkeypatch.setenv("MKL_NUM_THREADS", "5")
    handler = signal.getsignal(signal.SIGINT)
    with local_executor(3) as executor:
        names = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "CUPY_GPU_MEMORY_LIMIT")
        assert [executor.submit(os.getenv, name).result() for name in names] == ["2", "2", "30.00%"]
        assert executor.submit(signal.getsignal, signal.SIGINT).result() == signal.SIG_IGN
        assert len(workers()) == 3
        assert os.getenv("OMP_NUM_THREADS") is None
        assert os.environ["MKL_NUM_THREADS"] == "5"
        assert signal.getsignal(signal.SIGINT) == handler


def test_what_runs_is_stopped_at_the_end(workers):
    with local_executor(2) as executor:
        executor.submit(time.sleep, 600)
    deadline = time.monotonic() + 60
    while workers():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_a_worker_that_dies_is_said_and_nothing_is_lost(write_protocol, tmp_path, workers):
    protocol = load_protocol(write_protocol(mode="whole", repeats=3))
    killed = []

    def report(progress):
        if progress.done >= 2 and not killed:
            killed.append(progress.done)
            workers()[0].kill()

    with local_executor(2) as executor, pytest.raises(ChildProcessError, match="Finished parts are stored"):
        run_study(protocol, tmp_path / "study.sqlite", executor=executor, report=report)
    with Store.read(tmp_path / "study.sqlite") as store:
        assert len(store.done()) >= 2
    assert run_study(protocol, tmp_path / "study.sqlite").failures == ()


def test_ctrl_c_ends_workers_without_a_word(tmp_path):
    """Ctrl-C goes to all processes of a terminal; only the first one speaks."""
    code = """
        import time
        from bncc.experiment import local_executor
        if __name__ == "__main__":
            with local_executor(2) as executor:
                working = executor.submit(time.sleep, 600)
                print("ready", flush=True)
                working.result()
    """
    script = tmp_path / "study.py"
    script.write_text(textwrap.dedent(code))
    process = subprocess.Popen(
        [sys.executable, str(script)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stdout.readline() == "ready\n"
    os.killpg(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=120)
    assert errors.count("Traceback") == 1
    assert errors.strip().endswith("KeyboardInterrupt")


def test_workers_end_when_their_parent_is_killed(tmp_path):
    code = """
        import multiprocessing, time
        from bncc.experiment import local_executor
        if __name__ == "__main__":
            with local_executor(2) as executor:
                print(*(process.pid for process in multiprocessing.active_children()), flush=True)
                executor.submit(time.sleep, 600).result()
    """
    script = tmp_path / "study.py"
    script.write_text(textwrap.dedent(code))
    with subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, text=True) as process:
        workers = [int(pid) for pid in process.stdout.readline().split()]
        process.kill()
    assert len(workers) == 2
    deadline = time.monotonic() + 60
    while any(is_alive(pid) for pid in workers):
        assert time.monotonic() < deadline
        time.sleep(0.05)


def is_alive(pid):
    """Whether a process runs; one that has ended and that nobody has waited for does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.slow
def test_all_workers_start_before_any_work(monkeypatch, workers):
    """Slow starts: a worker that is through with its start must not make another one superfluous."""
    start = multiprocessing.context.SpawnProcess.start

    def slow(self):
        time.sleep(0.3)
        start(self)

    monkeypatch.setattr(multiprocessing.context.SpawnProcess, "start", slow)
    with local_executor(5) as executor:
        names = [executor.submit(os.getenv, "CUPY_GPU_MEMORY_LIMIT").result() for _ in range(20)]
        assert len(workers()) == 5
    assert set(names) == {"18.00%"}


def test_leaving_is_quick_and_spares_the_processes_of_others():
    def seconds_to_leave():
        with local_executor(2) as executor:
            other = multiprocessing.get_context("spawn").Process(target=time.sleep, args=(600,))
            other.start()
            for _ in range(3):
                executor.submit(time.sleep, 600)
            begin = time.monotonic()
        seconds = time.monotonic() - begin
        assert other.is_alive()
        other.kill()
        other.join()
        return seconds

    assert any(seconds_to_leave() < 3.0 for _ in range(3))  # a machine may stand still for a while


def test_a_script_without_a_guard_is_told_what_is_missing(tmp_path):
    script = tmp_path / "study.py"
    script.write_text("from bncc.experiment import local_executor\nwith local_executor(2):\n    pass\n")
    run = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=120, check=False)
    assert run.returncode == 1
    assert "ChildProcessError: the worker processes could not start" in run.stderr
    assert run.stderr.strip().endswith('under `if __name__ == "__main__":`, and it must be a file.')


@pytest.mark.parametrize("workers", [0, -1, 1.5, "2", True])
def test_workers_are_counted(workers):
    with pytest.raises(ValueError, match="`workers` must be a whole number from 1 to 1024"), local_executor(workers):
        pass
