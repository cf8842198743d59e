"""Mutated files of every format: a data set or `MalformedFile`, never a crash, a hang or unbounded memory."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).with_name("fuzz.py")
FILES_IN_ALL = 100_000
PARTS = 4


def fuzz(folder, seed, count):
    if sys.platform != "linux":
        pytest.skip("memory and time limits per process are those of Linux")
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, str(SCRIPT), str(folder), str(seed), str(count)],
        capture_output=True, text=True, timeout=590, env=environment, check=False,
    )  # fmt: skip
    assert done.returncode == 0, (
        f"the process ended with {done.returncode}; the file is in {folder}\n{done.stderr[-3000:]}"
    )
    summary = json.loads(done.stdout.splitlines()[-1])
    assert summary["files"] == count
    assert not summary["n_failures"], json.dumps(summary["failures"][:3], indent=1)
    return summary


def test_a_thousand_mutated_files(tmp_path):
    outcomes = fuzz(tmp_path, seed=0, count=1000)["outcomes"]
    for kind in ("arff", "csv", "jsonl", "mat", "npz", "svm", "txt", "xml"):
        assert outcomes[f"{kind} refused"] > 0
        assert kind == "npz" or outcomes[f"{kind} ok"] > 0


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_a_hundred_thousand_mutated_files(tmp_path, part):
    fuzz(tmp_path, seed=1000 + part, count=FILES_IN_ALL // PARTS)
