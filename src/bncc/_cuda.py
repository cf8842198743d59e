"""Whether a CUDA device can be used here, through CuPy, and how much of its memory is free."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

__all__ = ["free_memory", "missing"]

_OLDEST = (8, 0)  # Ampere: the kernels reduce over a warp in one instruction, which older ones lack
_INSTALL = 'Install CuPy for your CUDA release (pip install "bncc[gpu]", or cupy-cuda12x for CUDA 12)'


def missing() -> str:
    """What keeps the CUDA engine from running here; "" if nothing does."""
    if find_spec("cupy") is None:
        return f"CuPy is not installed. {_INSTALL}."
    try:
        cuda = import_module("cupy").cuda
        if not cuda.runtime.getDeviceCount():
            return "CuPy finds no CUDA device."
        properties = cuda.runtime.getDeviceProperties(cuda.Device().id)
    except Exception as error:  # CuPy raises its own kinds, which need CuPy to be named
        return f"CuPy finds no usable CUDA device: {error}. Check the driver and that CuPy fits your CUDA release."
    if (properties["major"], properties["minor"]) >= _OLDEST:
        return ""
    name, capability = properties["name"].decode(), f"{properties['major']}.{properties['minor']}"
    return f"the CUDA device must have compute capability 8.0 (Ampere) or newer; {name} has {capability}."


def free_memory(cupy: Any) -> int:
    """Bytes that can still be had, counting what CuPy holds without use, within CuPy's own limit if it has one."""
    pool = cupy.get_default_memory_pool()
    free = int(cupy.cuda.runtime.memGetInfo()[0]) + int(pool.free_bytes())
    limit = int(pool.get_limit())
    return max(0, min(free, limit - int(pool.used_bytes()))) if limit else free
