"""The compiled extension, where there is one."""

from __future__ import annotations

from typing import Any

from bncc._native import load_extension

__all__ = ["extension"]

_module = load_extension("bncc.linear._linear")


def extension() -> Any:
    """The extension module, or None where it is not built."""
    return _module
