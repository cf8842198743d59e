from types import SimpleNamespace

import pytest

from bncc import _cuda
from fake_cupy import fake_cupy, no_driver


@pytest.mark.parametrize(
    ("cupy", "reason"),
    [
        (fake_cupy(no_driver), "CuPy finds no usable CUDA device: no driver"),
        (fake_cupy(lambda: 0), "CuPy finds no CUDA device."),
        (fake_cupy(lambda: 1, 7, 5), "must have compute capability 8.0 (Ampere) or newer; Card has 7.5."),
        (fake_cupy(lambda: 1, 8, 0), ""),
        (fake_cupy(lambda: 1, 8, 9), ""),
        (fake_cupy(lambda: 1, 12, 0), ""),
    ],
)
def test_what_is_missing_is_said(cupy, reason, monkeypatch):
    monkeypatch.setattr(_cuda, "find_spec", lambda name: object())
    monkeypatch.setattr(_cuda, "import_module", lambda name: cupy)
    assert (reason in _cuda.missing()) if reason else _cuda.missing() == ""


def test_without_cupy(monkeypatch):
    monkeypatch.setattr(_cuda, "find_spec", lambda name: None)
    assert "CuPy is not installed" in _cuda.missing()


@pytest.mark.parametrize(("limit", "free"), [(0, 130), (120, 100), (10, 0)])
def test_free_memory_keeps_to_the_limit_of_the_pool(limit, free):
    pool = SimpleNamespace(free_bytes=lambda: 30, get_limit=lambda: limit, used_bytes=lambda: 20)
    cupy = SimpleNamespace(
        cuda=SimpleNamespace(runtime=SimpleNamespace(memGetInfo=lambda: (100, 200))),
        get_default_memory_pool=lambda: pool,
    )
    assert _cuda.free_memory(cupy) == free
