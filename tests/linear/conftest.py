"""The engines that tests of batches run with."""

from __future__ import annotations

import os
import shutil

import pytest

from bncc import _cuda
from bncc.linear import engines, native
from bncc.linear.cuda import arithmetic
from bncc.linear.cuda import engine as cuda_engine
from emulator.raw_kernels import EmulatedCupy
from linear_problems import check_ends

needs_extension = pytest.mark.skipif(native.extension() is None, reason="the native engine is not built")
needs_compiler = pytest.mark.skipif(shutil.which("g++") is None, reason="the emulated device needs g++")


@pytest.fixture(
    scope="module",
    params=[
        "numpy",
        pytest.param("native", marks=needs_extension),
        pytest.param("emulated", marks=needs_compiler),
        pytest.param("cuda", marks=pytest.mark.gpu),
    ],
)
def engine(request):
    """Each engine in turn; "emulated" is the CUDA engine with its device code on the CPU."""
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "emulated":
            emulate(patch)
        elif request.param == "cuda" and _cuda.missing():
            pytest.skip(_cuda.missing())
        yield "cuda" if request.param == "emulated" else request.param
    arithmetic.kernel.cache_clear()


@pytest.fixture
def emulated(monkeypatch):
    """The CUDA engine with its device code on the CPU."""
    if shutil.which("g++") is None:
        pytest.skip("the emulated device needs g++")
    emulate(monkeypatch)
    yield "cuda"
    arithmetic.kernel.cache_clear()


def emulate(patch):
    """Let the CUDA engine run its device code on the CPU."""
    cupy = EmulatedCupy()
    patch.setattr(arithmetic, "cupy", lambda: cupy)
    patch.setattr(cuda_engine, "cupy", lambda: cupy)
    patch.setattr(engines, "missing", lambda: "")
    arithmetic.kernel.cache_clear()


# Data or costs so badly scaled that the gap says nothing (see `solve`): these tests ask for other proofs.
_BADLY_SCALED = (
    "test_hostile_data",
    "test_directions_come_from",
    "test_a_step_that_promises_little",
    "test_what_is_called_solved_is_solved",
    "test_a_large_cost_finds",
    "test_columns_far_from_zero",
    "test_heavy_rows_are_solved",
    "test_check_estimator",
)
# Batches up to this many cells of a problem are checked.
_CHECKED_CELLS = 100_000


@pytest.fixture(scope="module", autouse=True)
def solves_end_as_promised():
    """Whatever a test is about, every solve of a small batch ends in what its status says (`check_ends`)."""

    def checked(run, tol_of):
        def wrapped(batch, *args, **settings):
            solutions = run(batch, *args, **settings)
            tol, drop = tol_of(*args, **settings)
            test = os.environ["PYTEST_CURRENT_TEST"].rpartition("::")[2]
            if batch.n_rows * batch.n_columns <= _CHECKED_CELLS and not drop and not test.startswith(_BADLY_SCALED):
                check_ends(batch, solutions, tol)
            return solutions

        return wrapped

    def keywords(*, tol, drop=None, **others):
        return tol, drop

    def native_settings(plan, settings, *others, **more):
        return settings.tol, settings.drop

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engines, "solve_plan", checked(engines.solve_plan, native_settings))
        for module in (engines.engine_numpy, engines.cuda):
            patch.setattr(module, "solve_batch", checked(module.solve_batch, keywords))
        yield


# What the emulator takes more than some seconds for.
_LONG = ("test_starting_from_smaller_C", "test_everything_at_once", "test_dropping_weights", "test_hostile_data")


def pytest_collection_modifyitems(items):
    """Long tests, most of them on the emulated device, belong to the slow suite."""
    for item in items:
        if item.name.startswith("test_hostile_data") and "million" in item.name and item.name.endswith("10000.0]"):
            item.add_marker(pytest.mark.slow)
        if "emulated" in item.name and item.name.startswith(_LONG) and "logistic" not in item.name:
            item.add_marker(pytest.mark.slow)
