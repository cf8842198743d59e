"""The compiled extension, where there is one."""

from __future__ import annotations

import os
from typing import Any

from bncc._native import load_extension

__all__ = ["extension", "simd"]

_module = load_extension("bncc.linear._linear")


def extension() -> Any:
    """The extension module, or None where it is not built."""
    return _module


def simd() -> str:
    """Instruction set asked for by the environment ("baseline", "avx2" or "avx512" in BNCC_SIMD); "" is the best."""
    return os.environ.get("BNCC_SIMD", "")
