"""The engines that tests of batches run with."""

from __future__ import annotations

import shutil

import pytest

from bncc import _cuda
from bncc.linear import engines, native
from bncc.linear.cuda import arithmetic
from bncc.linear.cuda import engine as cuda_engine
from emulator.raw_kernels import EmulatedCupy

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


# What the emulator takes more than some seconds for.
_LONG = ("test_starting_from_smaller_C", "test_everything_at_once", "test_dropping_weights", "test_hostile_data")


def pytest_collection_modifyitems(items):
    """Long tests on the emulated device belong to the slow suite."""
    for item in items:
        if "emulated" in item.name and item.name.startswith(_LONG) and "logistic" not in item.name:
            item.add_marker(pytest.mark.slow)
