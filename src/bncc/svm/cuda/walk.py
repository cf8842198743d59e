"""Chains of decisions on the device: every row of every walk in one launch, label by label without a copy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bncc.svm.cuda.device import Device, run_kernels
from bncc.svm.cuda.distances import Source
from bncc.svm.cuda.solve import load_batch
from bncc.svm.cuda.task import pack_task, source_of
from bncc.svm.problems import Batch, Solutions

__all__ = ["Known", "load_solutions", "walk_rows"]

_THREADS = 128


@dataclass(frozen=True, eq=False)
class Known:
    """Labels known beforehand: packed words (n_words, n_columns), and the column of each row of each walk."""

    words: NDArray[np.uint32]
    columns: Sequence[NDArray[np.integer[Any]]]


def load_solutions(device: Device, batch: Batch, solutions: Solutions) -> dict[str, Any]:
    """A batch and its solutions on the device, as fields of a task."""
    given: dict[str, NDArray[Any]] = {
        "offset": solutions.support_ptr[:-1],
        "n_support": np.diff(solutions.support_ptr).astype(np.int32),
        "support": solutions.support,
        "coef": solutions.coef,
        "bias": solutions.bias,
    }
    return load_batch(device, batch) | {name: device.upload(value) for name, value in given.items()}


def walk_rows(
    device: Device,
    batch: Batch,
    fields: dict[str, Any],
    source: Source,
    rows: Sequence[NDArray[np.integer[Any]]],
    chain: NDArray[np.int32],
    writes: NDArray[np.int32],
    known: Known | None = None,
    poll: Callable[[], object] = lambda: None,
) -> Any:
    """Decisions of walks for their rows (of the source's left side), on the device: (rows of all walks, length).

    What `poll` raises ends the walk, as Ctrl-C does.
    """
    sizes = [part.size for part in rows]
    n_items, length = int(sum(sizes)), chain.shape[1]
    out = device.xp.empty((n_items, length), np.float64)
    if not out.size:
        return out
    held = {
        "item_walk": device.upload(np.repeat(np.arange(len(rows), dtype=np.int32), sizes)),
        "item_row": device.upload(np.concatenate(rows).astype(np.int32)),
        "chain": device.upload(chain),
        "writes": device.upload(writes),
    }
    task = fields | source.fields | held | {"out": out, "n_items": n_items, "length": length}
    if known is not None:
        task |= {"known": device.upload(known.words), "n_known": known.words.shape[1]}
        task |= {"item_known": device.upload(np.concatenate(known.columns).astype(np.int32))}
    defines = {"THREADS": _THREADS, "SOURCE": source.define} | ({"LINEAR": 1} if batch.is_linear else {})
    warps = _THREADS // 32
    grid, shared = -(-n_items // warps), 4 * warps * len(batch.words)

    def start(stop: int) -> None:
        packed = pack_task(device, **task, stop=stop)
        device.launch(source_of("walk"), "walk_chains", defines, grid, (_THREADS, 1), packed, shared)

    run_kernels(device, start, poll)
    return out
