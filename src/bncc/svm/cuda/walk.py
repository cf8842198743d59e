"""Chains of decisions on the device: every row of every walk in one launch, label by label without a copy."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from bncc._typing import Array, Longs
from bncc.svm.cuda.checks import check_solutions, check_walks
from bncc.svm.cuda.device import Device, DeviceArray, Fields, run_kernels
from bncc.svm.cuda.distances import DistanceSource
from bncc.svm.cuda.solve import load_batch
from bncc.svm.cuda.task import pack_task, source_of
from bncc.svm.problems import Batch, Solutions
from bncc.svm.walk_plan import Walks

__all__ = ["load_solutions", "walk_rows"]

_THREADS = 128


def load_solutions(device: Device, batch: Batch, solutions: Solutions) -> Fields:
    """A batch and its solutions on the device, as fields of a task."""
    check_solutions(batch, solutions)
    given: dict[str, Array] = {
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
    fields: Fields,
    source: DistanceSource,
    walks: Walks,
    numbers: Longs | None = None,
    poll: Callable[[], object] = lambda: None,
) -> DeviceArray:
    """Decisions of walks for their rows, on the device: (rows of all walks, length).

    Rows are those of the source's left side, or with `numbers` the source's row of each. What `poll` raises ends the
    walk, as Ctrl-C does.
    """
    check_walks(batch, walks, source.n_left, numbers)
    decided = np.concatenate([np.zeros(0, np.int64), *walks.rows])
    n_items, length = decided.size, walks.problems.shape[1]
    out = device.xp.empty((n_items, length), np.float64)
    if not out.size:
        return out
    sizes = [rows.size for rows in walks.rows]
    held = {
        "item_walk": device.upload(np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)),
        "item_row": device.upload((decided if numbers is None else numbers[decided]).astype(np.int32)),
        "chain": device.upload(walks.problems),
        "writes": device.upload(walks.writes),
    }
    task = fields | source.fields | held | {"out": out, "n_items": n_items, "length": length}
    if walks.words is not None:
        task |= {"known": device.upload(walks.words), "n_known": walks.words.shape[1]}
        task |= {"item_known": device.upload(decided.astype(np.int32))}
    defines = {"THREADS": _THREADS, "SOURCE": source.define} | ({"LINEAR": 1} if batch.is_linear else {})
    warps = _THREADS // 32
    grid, shared = -(-n_items // warps), 4 * warps * len(batch.words)

    def start(stop: int) -> None:
        packed = pack_task(device, **task, stop=stop)
        device.launch(source_of("walk"), "walk_chains", defines, grid, (_THREADS, 1), packed, shared)

    run_kernels(device, start, poll)
    return out
