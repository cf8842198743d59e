"""Compiled extensions, where they are built."""

from __future__ import annotations

import os
from importlib import import_module
from typing import Any

__all__ = ["load_extension", "simd"]

_SIMD = ("baseline", "avx2", "avx512")


def load_extension(name: str) -> Any:
    """The extension module of this full name, or None where it was not built.

    The package works without its extensions, slowly. One that is there and cannot be loaded (built for another
    Python, a library that is missing) is no reason to be slow in silence: its error is raised.

    >>> load_extension("bncc.svm._not_built") is None
    True
    """
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        return None


def simd() -> str:
    """Instruction set asked for by the environment ("baseline", "avx2" or "avx512" in BNCC_SIMD); "" is the best."""
    asked = os.environ.get("BNCC_SIMD", "")
    if asked not in ("", *_SIMD):
        known = ", ".join(_SIMD)
        raise ValueError(f"BNCC_SIMD must name an instruction set ({known}) or not be set; got {asked!r}.")
    return asked
