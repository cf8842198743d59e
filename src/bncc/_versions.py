"""The versions that results are kept with, so that they can be had again."""

from __future__ import annotations

import platform
import sys
from importlib.metadata import PackageNotFoundError, version

__all__ = ["versions_now"]

_PACKAGES = ("numpy", "scipy", "scikit-learn")


def versions_now(*others: str) -> dict[str, str]:
    """This package, those that decide results, `others`, and Python, as they are now.

    >>> list(versions_now())
    ['bncc', 'numpy', 'scipy', 'scikit-learn', 'python']
    """
    packages = {package: _version(package) for package in (*_PACKAGES, *others)}
    own_version: str = sys.modules["bncc"].__version__  # what runs, installed or not; it is loaded, since this is in it
    return {"bncc": own_version, **packages, "python": platform.python_version()}


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:  # on the path, but never installed
        return "unknown"
