"""Data to learn from, as `fit` and `evaluate` read them: columns that give labels away are told."""

from __future__ import annotations

import warnings
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING

from bncc.cli.output import Voice

if TYPE_CHECKING:
    from bncc.evaluation import LabelledData, Reading

__all__ = ["read_to_learn", "telling_of_reading"]

_LONG_BYTES = 2**20  # files of some seconds


def telling_of_reading(data: str, voice: Voice) -> AbstractContextManager[None]:
    """Say that DATA are read. What reading needs is imported inside, since that alone takes a second."""
    return voice.waiting(f"Reading {data}", long=_n_bytes(data) >= _LONG_BYTES)


def read_to_learn(data: str, reading: Reading, voice: Voice) -> LabelledData:
    """Read DATA; leaks are told once each, whatever filters of warnings are set, unless it is quiet."""
    from bncc.evaluation import LeakWarning, read_labelled

    with warnings.catch_warnings():
        warnings.simplefilter("ignore" if voice.quiet else "always", LeakWarning)
        return read_labelled(data, reading)


def _n_bytes(data: str) -> int:
    try:
        return Path(data).stat().st_size
    except (OSError, ValueError):  # the name of a data set, or no file at all, which the reader tells
        return 0
