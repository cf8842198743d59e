"""Records of arrays that arrive from other machines in a form that compiled code can read."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import Generic, TypeVar

import numpy as np

__all__ = ["SentRecord", "aligned"]

Record = TypeVar("Record")


class SentRecord(Generic[Record]):
    """A record on its way: once it has arrived, its arrays are aligned, as what comes over a network need not be.

    >>> from pickle import dumps, loads
    >>> from bncc.linear import prepare_features
    >>> loads(dumps(SentRecord(prepare_features([[1.0, 2.0]])))).record.values.tolist()
    [[1.0, 2.0]]
    """

    def __init__(self, record: Record) -> None:
        self.record = record

    def __setstate__(self, state: dict[str, Record]) -> None:
        self.record = aligned(state["record"])


def aligned(record: Record) -> Record:
    """A record, or a tuple, with the same content and aligned arrays; only those that are not are copied."""
    if isinstance(record, np.ndarray):
        return np.require(record, requirements="A")
    if isinstance(record, tuple):
        return tuple(aligned(part) for part in record)  # type: ignore[return-value]
    if is_dataclass(record) and not isinstance(record, type):
        return replace(record, **{part.name: aligned(getattr(record, part.name)) for part in fields(record)})
    return record
