"""As much of CuPy as is asked before a device is used."""

from __future__ import annotations

from types import SimpleNamespace


def fake_cupy(count, major=9, minor=0):
    """A machine with so many cards (a function, which may raise) of that compute capability."""
    runtime = SimpleNamespace(
        getDeviceCount=count,
        getDeviceProperties=lambda number: {"name": b"Card", "major": major, "minor": minor},
    )
    return SimpleNamespace(cuda=SimpleNamespace(runtime=runtime, Device=lambda: SimpleNamespace(id=0)))


def no_driver():
    raise RuntimeError("no driver")
