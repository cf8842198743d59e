"""The engines that tests of batches run with."""

from __future__ import annotations

import shutil

import pytest

from bncc.svm import native
from bncc.svm.cuda import device
from emulator import EmulatedDevice

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
            patch.setattr(device, "_device", EmulatedDevice())
        elif request.param == "cuda" and device.missing():
            pytest.skip(device.missing())
        yield "cuda" if request.param == "emulated" else request.param
