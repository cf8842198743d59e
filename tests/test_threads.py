import os
import shutil
import subprocess
import sys

import pytest

from bncc._threads import n_threads


def test_none_and_minus_one_are_all_cores(monkeypatch):
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    everything = n_threads(None)
    assert n_threads(-1) == everything >= 1
    assert n_threads(-2) == max(1, everything - 1)
    assert n_threads(-999) == 1


def test_the_share_of_a_worker_process_is_respected(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    assert n_threads(None) == 1
    assert n_threads(3) == 3


def test_zero_is_refused():
    with pytest.raises(ValueError, match="got 0"):
        n_threads(0)


@pytest.mark.parametrize("wrong", [2**40, -(2**40), 1.5, "2", True])
def test_what_is_no_number_of_threads_is_refused(wrong):
    with pytest.raises(
        ValueError, match=r"`n_jobs` must be None, -1 .all cores. or a positive number up to 32768; got"
    ):
        n_threads(wrong)


@pytest.mark.parametrize(("text", "cores"), [("1", 1), (" 1 ", 1), ("1,4", 1), ("", None), ("many", None), ("0", None)])
def test_what_the_environment_says(text, cores, monkeypatch):
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    everything = n_threads(None)
    monkeypatch.setenv("OMP_NUM_THREADS", text)
    assert n_threads(None) == (everything if cores is None else cores)


ASK = "from bncc._threads import n_threads; print(n_threads(None))"
# A control group of half a core, told where Linux tells it.
HALF_A_CORE = """
import builtins, io, os
found, opened = os.path.exists, builtins.open
told = {"/sys/fs/cgroup/cpu.max": "50000 100000"}
os.path.exists = lambda path: path in told or (not str(path).startswith("/sys/fs/cgroup") and found(path))
builtins.open = lambda path, *a, **k: io.StringIO(told[path]) if path in told else opened(path, *a, **k)
"""


def run_python(code: str, *before: str) -> str:
    environment = {name: value for name, value in os.environ.items() if name != "OMP_NUM_THREADS"}
    command = [*before, sys.executable, "-c", code]
    return subprocess.run(command, capture_output=True, text=True, check=True, env=environment, timeout=300).stdout


@pytest.mark.skipif(sys.platform != "linux", reason="control groups are those of Linux")
def test_the_limit_of_a_control_group_is_respected():
    assert run_python(HALF_A_CORE + ASK).strip() == "1"


@pytest.mark.skipif(shutil.which("taskset") is None, reason="taskset is not installed")
def test_one_core_is_one_thread():
    assert run_python(ASK, "taskset", "--cpu-list", "0").strip() == "1"
