"""The task of a launch: a struct of 8-byte fields, as `kernel.cu` declares it."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np

from bncc.svm.cuda.device import Device

__all__ = ["FIELDS", "pack_task", "source_of"]

_PARTS = {"solve": ("kernel", "smo", "parts", "solve"), "walk": ("kernel", "walk")}

FIELDS = (
    "d2",
    "points",
    "indptr",
    "indices",
    "values",
    "words",
    "targets",
    "row_ptr",
    "row_index",
    "weights",
    "target",
    "row_set",
    "weight",
    "gamma",
    "C",
    "context",
    "problems",
    "offset",
    "alpha",
    "f",
    "support",
    "coef",
    "chosen",
    "before",
    "bias",
    "objective",
    "iterations",
    "n_support",
    "status",
    "stop",
    "item_walk",
    "item_row",
    "item_known",
    "chain",
    "writes",
    "known",
    "out",
    "n_rows",
    "n_words",
    "n_features",
    "n_problems",
    "max_iter",
    "length",
    "n_items",
    "n_known",
    "tol",
)


def pack_task(device: Device, **given: Any) -> Any:
    """The struct on the device; arrays become their addresses, and what is not given is null."""
    if unknown := given.keys() - set(FIELDS):
        raise TypeError(f"A task has no fields {sorted(unknown)}.")
    slots = np.zeros(len(FIELDS), np.uint64)
    for slot, name in enumerate(FIELDS):
        value = given.get(name, 0)
        if isinstance(value, float | int):
            kind = np.float64 if isinstance(value, float) else np.int64
            slots[slot : slot + 1] = np.array([value], kind).view(np.uint64)
        elif value is not None:
            slots[slot] = device.address(value)
    return device.upload(slots)


@cache
def source_of(name: str) -> str:
    """The device code of one kernel ("solve" or "walk"), its files joined."""
    folder = files("bncc.svm.cuda")
    return "\n".join((folder / f"{part}.cu").read_text(encoding="utf-8") for part in _PARTS[name])
