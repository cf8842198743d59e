"""The versions that a page names, so that it can be made again."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version

__all__ = ["versions_now"]

_PACKAGES = ("bncc", "numpy", "scipy", "scikit-learn")


def versions_now() -> dict[str, str]:
    """Python and the packages that decide results, as they are now.

    >>> sorted(versions_now())[:2]
    ['bncc', 'numpy']
    """
    out = {"python": platform.python_version()}
    for package in _PACKAGES:
        try:
            out[package] = version(package)
        except PackageNotFoundError:  # run from a source folder
            out[package] = "unknown"
    return out
