"""Compiled code in processes made in every way, and on a machine without shared memory."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="ways to start processes are those of Linux")

PROGRAM = """
import json, multiprocessing, sys, warnings
import numpy as np

random = np.random.default_rng(0)
X = random.standard_normal((120, 5))
Y = (X @ random.standard_normal((5, 4)) > 0).astype(int)

def decide(n_jobs):
    from bncc import BNCC, BinaryRelevance
    from sklearn.linear_model import LogisticRegression
    kernel = BNCC(n_jobs=n_jobs).fit(X, Y).decision_function(X[:5])
    linear = BinaryRelevance(LogisticRegression(), n_jobs=n_jobs).fit(X, Y).predict(X[:5])
    return kernel.round(6).tolist(), linear.tolist()

if __name__ == "__main__":
    warnings.simplefilter("ignore")  # joblib tells that it works alone
    answers = [decide(2)]  # threads have run before any child begins
    for method in sys.argv[1:]:
        with multiprocessing.get_context(method).Pool(2) as pool:
            answers += pool.map(decide, [1, 2])
    print(json.dumps(answers))
"""


def run_program(folder: Path, *arguments: str, before: tuple[str, ...] = ()) -> list:
    program = folder / "program.py"
    program.write_text(PROGRAM)
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "1"}
    command = [*before, sys.executable, "-W", "ignore", str(program), *arguments]
    run = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False, env=environment)
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


@pytest.mark.slow
def test_children_of_every_kind_give_the_same_answers(tmp_path):
    first, *others = run_program(tmp_path, "fork", "spawn", "forkserver")
    assert len(others) == 6
    assert all(answer == first for answer in others)


@pytest.mark.slow
def test_shared_memory_is_not_needed(tmp_path):
    """In a namespace of its own, where `/dev/shm` cannot be written."""
    hide = 'mount -t tmpfs -o ro,size=4k none /dev/shm && exec "$@"'
    unshare = ("unshare", "--mount", "sh", "-c", hide, "sh")
    if (
        shutil.which("unshare") is None
        or subprocess.run([*unshare, "true"], capture_output=True, check=False).returncode
    ):
        pytest.skip("this process may not make a namespace")
    assert run_program(tmp_path, before=unshare) == run_program(tmp_path)
