"""The compiled extension, where there is one."""

from __future__ import annotations

import os
from importlib import import_module
from typing import Any

__all__ = ["extension", "simd"]

_module: Any
try:
    _module = import_module("bncc.svm._smo")
except ImportError:  # everything works without it, slowly
    _module = None


def extension() -> Any:
    """The extension module, or None where it is not built."""
    return _module


def simd() -> str:
    """Instruction set asked for by the environment ("baseline", "avx2" or "avx512" in BNCC_SIMD); "" is the best."""
    return os.environ.get("BNCC_SIMD", "")
