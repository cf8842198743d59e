import re
import subprocess
import sys
import textwrap
from concurrent.futures import ThreadPoolExecutor
from importlib.resources import files
from types import SimpleNamespace

import numpy as np
import pytest

from bncc import _cuda
from bncc.svm import KernelSVC, choose_engine, make_batch, solve, squared_distances
from bncc.svm.cuda import device
from fake_cupy import fake_cupy, no_driver


def test_importing_the_package_does_not_import_cupy():
    code = "import sys, bncc, bncc.svm; assert 'cupy' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_what_is_missing_is_said(monkeypatch):
    monkeypatch.setattr(device, "_device", None)
    monkeypatch.setattr(_cuda, "find_spec", lambda name: None)
    with pytest.raises(ImportError, match=r"CuPy is not installed.*bncc\[gpu\].*engine='cpu'"):
        choose_engine("cuda")
    with pytest.raises(ImportError, match="CuPy is not installed"):
        KernelSVC(engine="cuda").fit([[0.0], [1.0]], [0, 1])
    assert "CuPy is not installed" in choose_engine("auto", work=1e12).reason


@pytest.mark.parametrize(
    ("cupy", "reason"),
    [
        (fake_cupy(no_driver), "CuPy finds no usable CUDA device: no driver"),
        (fake_cupy(lambda: 0), "CuPy finds no CUDA device."),
        (fake_cupy(lambda: 1, 7, 5), "must have compute capability 8.0 (Ampere) or newer; Card has 7.5."),
    ],
)
def test_a_machine_without_a_usable_device_is_said(cupy, reason, monkeypatch):
    monkeypatch.setattr(device, "_device", None)
    monkeypatch.setattr(_cuda, "find_spec", lambda name: object())
    monkeypatch.setattr(_cuda, "import_module", lambda name: cupy)
    assert reason in device.missing()
    with pytest.raises(ImportError, match=re.escape(reason)):
        choose_engine("cuda")
    choice = choose_engine("auto", work=1e12)
    assert choice.name != "cuda"
    assert reason in choice.reason


def test_auto_takes_a_device_for_much_work(monkeypatch):
    from emulator import EmulatedDevice

    monkeypatch.setattr("bncc.svm.engines.missing", lambda: "")
    monkeypatch.setattr(device, "_device", EmulatedDevice())
    choice = choose_engine("auto", work=1e10)
    assert choice.name == "cuda"
    assert "device emulated" in choice.reason
    monkeypatch.setattr("bncc.svm.engines.extension", lambda: object())
    assert choose_engine("auto", work=1e3).name == "native"


def test_auto_never_takes_numpy_where_there_is_a_device(monkeypatch):
    from emulator import EmulatedDevice

    monkeypatch.setattr("bncc.svm.engines.missing", lambda: "")
    monkeypatch.setattr("bncc.svm.engines.extension", lambda: None)
    monkeypatch.setattr(device, "_device", EmulatedDevice())
    choice = choose_engine("auto", work=1e3)
    assert choice.name == "cuda"
    assert choice.reason == "the extension is not built; device emulated"
    assert choose_engine("cpu", work=1e12).name == "numpy"


def test_the_device_code_travels_with_the_package():
    for name in ("kernel", "smo", "parts", "solve", "walk"):
        assert "Task" in (files("bncc.svm.cuda") / f"{name}.cu").read_text()


def test_variants_come_by_capacity():
    capacities = [variant.capacity for variant in device.CupyDevice.variants]
    assert capacities == sorted(set(capacities))


@pytest.mark.parametrize(("limit", "free"), [(0, 1000 + 30), (500, 500 - 120), (10**6, 1000 + 30), (100, 0)])
def test_free_memory_keeps_to_the_limit_of_the_pool(limit, free, monkeypatch):
    cupy = fake_cupy(lambda: 1)
    cupy.cuda.runtime.memGetInfo = lambda: (1000, 5000)
    pool = SimpleNamespace(free_bytes=lambda: 30, used_bytes=lambda: 120, get_limit=lambda: limit)
    cupy.get_default_memory_pool = lambda: pool
    monkeypatch.setattr(device, "import_module", lambda name: cupy)
    assert device.CupyDevice().free_memory() == free


@pytest.mark.gpu
def test_threads_share_a_device():
    if reason := device.missing():
        pytest.skip(reason)
    rng = np.random.default_rng(0)
    batches = [
        make_batch(
            squared_distances(rng.normal(size=(n, 3))), rng.choice([-1, 1], n), gamma=[0.1] * 20, C=1.0, target=0
        )
        for n in (80, 400, 1500, 2500)
    ]
    alone = [solve(batch, engine="cuda") for batch in batches]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda batch: solve(batch, engine="cuda"), batches * 3))
    for found, expected in zip(together, alone * 3, strict=True):
        np.testing.assert_array_equal(found.coef, expected.coef)


@pytest.mark.gpu
def test_ctrl_c_stops_a_device_within_a_second():
    if reason := device.missing():
        pytest.skip(reason)
    code = """
        import os, signal, threading, time
        import numpy as np
        from bncc.svm import make_batch, solve, squared_distances
        rng = np.random.default_rng(0)
        batch = make_batch(squared_distances(rng.normal(size=(3000, 3))), rng.choice([-1, 1], 3000),
                           target=0, gamma=[1e-3] * 8, C=1e9)
        solve(batch, tol=1e-12, max_iter=10, engine="cuda")
        sent = []
        def interrupt():
            sent.append(time.monotonic())
            os.kill(os.getpid(), signal.SIGINT)
        try:
            threading.Timer(0.7, interrupt).start()
            solve(batch, tol=1e-12, max_iter=10**12, engine="cuda")
        except KeyboardInterrupt:
            print(time.monotonic() - sent[0])
    """

    def seconds_to_stop():
        command = [sys.executable, "-c", textwrap.dedent(code)]
        return float(subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout)

    assert any(seconds_to_stop() < 1.0 for _ in range(3))  # a machine may stand still for a while
