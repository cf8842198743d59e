"""Compiled code in a process that cannot make threads, or whose threads run out of memory."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

resource = pytest.importorskip("resource", reason="limits of a process are those of Unix")

START = """
import json, resource, threading
import numpy as np
from bncc import BNCC
from bncc.labels import count_labels
from bncc.structure.local_scores import get_score
from bncc.structure.parent_search import search_parents
from bncc.structure.search_task import ParentSearch

def labels_of(n_rows, n_labels):
    draws = np.random.default_rng(0).random((n_rows, n_labels))
    return (np.cumsum(draws < 0.1, axis=1) % 2).astype(np.int8)

def find_parents(Y):
    n_labels = Y.shape[1]
    task = ParentSearch(
        score=get_score("aic"), order=tuple(range(n_labels)), child_limits=(n_labels,) * n_labels, max_parents=12,
        required=((),) * n_labels, forbidden=((),) * n_labels,
    )
    return search_parents(count_labels(Y), task, n_jobs=3).parents

def fit_svms(n_rows, n_labels):
    X = np.random.default_rng(1).standard_normal((n_rows, 5))
    Y = (X @ np.random.default_rng(2).standard_normal((5, n_labels)) > 0).astype(np.int8)
    return BNCC(n_jobs=3).fit(X, Y).decision_function(X[:50]).tolist()
"""

SMALL = """
print(json.dumps([find_parents(labels_of(200, 40)), fit_svms(150, 6)]))
"""

NO_THREADS = """
try:
    threading.Thread(target=print).start()
    raise SystemExit("this process can make threads after all")
except RuntimeError:
    pass
"""

# The room that is left does not hold a thread's kernel rows.
NO_MEMORY = """
import bncc.svm._smo as native
solve = native.solve

def solve_without_memory(*arguments, **keywords):
    used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + (32 << 20), -1))
    try:
        solve(*arguments, **keywords)
    except MemoryError as error:
        raise RuntimeError("no memory for kernel rows") from error
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (-1, -1))

native.solve = solve_without_memory
try:
    fit_svms(4000, 2)
    raise SystemExit("there was memory after all")
except RuntimeError as error:
    assert str(error) == "no memory for kernel rows"
native.solve = solve
"""


def run_python(code: str, **limits: int) -> str:
    def limit() -> None:
        for name, value in limits.items():
            resource.setrlimit(getattr(resource, name), (value, resource.RLIM_INFINITY))

    environment = os.environ | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    run = subprocess.run(
        [sys.executable, "-c", START + code],
        capture_output=True, text=True, timeout=300, check=False, env=environment, preexec_fn=limit,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    return run.stdout


@pytest.fixture(scope="module")
def expected() -> list:
    return json.loads(run_python(SMALL))


@pytest.mark.skipif(sys.platform != "linux", reason="stacks are limited as in glibc")
def test_without_threads_the_results_are_the_same(expected):
    """A stack larger than the address space: no thread but the first can be made."""
    output = run_python(NO_THREADS + SMALL, RLIMIT_STACK=64 << 30, RLIMIT_AS=16 << 30)
    assert json.loads(output) == expected


@pytest.mark.skipif(sys.platform != "linux", reason="reads its size from /proc")
def test_without_memory_the_call_raises_and_the_next_one_works(expected):
    """What workers throw is the same in both rooms; the drivers see to the other one."""
    assert json.loads(run_python(NO_MEMORY + SMALL)) == expected
