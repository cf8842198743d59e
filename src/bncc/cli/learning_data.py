"""Data to learn from, as `fit` and `evaluate` read them: columns that give labels away are told."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bncc.evaluation import LabelledData, Reading

__all__ = ["read_to_learn"]


def read_to_learn(data: str, reading: Reading, *, quiet: bool) -> LabelledData:
    """Read DATA; leaks are told once each, whatever filters of warnings are set, and not at all if `quiet`."""
    from bncc.evaluation import LeakWarning, read_labelled

    with warnings.catch_warnings():
        warnings.simplefilter("ignore" if quiet else "always", LeakWarning)
        return read_labelled(data, reading)
