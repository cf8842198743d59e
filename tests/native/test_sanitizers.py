"""The compiled code under the address, undefined-behaviour and thread sanitizers."""

from __future__ import annotations

import os

import pytest

from native import sanitized
from native.building import build_drivers, run_drivers

#: What fits into the slow suite; `make test-sanitizers` runs all suites of the rooms.
PARTS = {
    "address,undefined": ["tests/native/test_arguments.py", "tests/svm/test_distances.py", "tests/svm/test_walks.py",
                          "tests/structure/test_parent_search.py", "tests/graph", "tests/linear/test_engines.py"],
    "thread": ["tests/svm/test_walks.py", "tests/structure/test_parent_search.py"],
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("sanitizers", ["", "address,undefined", "thread"])
def test_the_compiled_code_is_clean(sanitizers, tmp_path):
    build_drivers(tmp_path, f"-DSANITIZE={sanitizers}")
    run_drivers(tmp_path)


@pytest.mark.slow
@pytest.mark.skipif("BNCC_SANITIZED" in os.environ, reason="these are the tests that it runs")
@pytest.mark.skipif(
    os.environ.get("BNCC_SANITIZERS") != "1", reason="minutes of building: BNCC_SANITIZERS=1 asks for it"
)
@pytest.mark.parametrize("sanitizers", PARTS)
def test_the_python_suites_are_clean(sanitizers, tmp_path):
    """Extensions with every index asserted, as Python calls them."""
    pytest.importorskip("nanobind", reason="it is needed to build the extensions")
    if reason := sanitized.missing(sanitizers):
        pytest.skip(reason)
    sanitized.build(tmp_path, sanitizers)
    run = sanitized.run_suites(tmp_path, sanitizers, PARTS[sanitizers])
    assert run.returncode == 0, run.stdout[-5000:] + run.stderr[-5000:]
    assert " passed" in run.stdout
