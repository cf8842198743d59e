"""Batches on the device: which problem is solved by which kernel, in chunks that fit the memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import DTypeLike, NDArray

from bncc._typing import Array, Floats, Longs, Pulse
from bncc.svm.cuda.checks import check_batch
from bncc.svm.cuda.device import Device, DeviceArray, Fields, Variant, run_kernels
from bncc.svm.cuda.distances import DistanceSource, source_of_rows
from bncc.svm.cuda.task import pack_task, source_of
from bncc.svm.problems import Batch, Solutions
from bncc.svm.solver_settings import SolverSettings

__all__ = ["ROW_BYTES", "DeviceSolutions", "chunks", "count_from", "load_batch", "solve_batch", "solve_some"]

_RUNNING = 4  # no status of a problem
ROW_BYTES = 40  # work space per row of a problem
_SHARE = 0.8  # of the free memory that a chunk may take


@dataclass(frozen=True, eq=False)
class DeviceSolutions:
    """Solutions on the device, by problem of the batch; those of problems not solved in this chunk are empty."""

    fields: Fields

    def take(self, device: Device, problems: Longs) -> dict[str, Array]:
        """Copies in main memory for some problems, support and coefficients concatenated."""
        names = ("offset", "n_support", "bias", "objective", "iterations")
        out = {name: device.download(self.fields[name])[problems] for name in names}
        entries = np.repeat(out["offset"] - np.cumsum(out["n_support"]) + out["n_support"], out["n_support"])
        entries += np.arange(entries.size)
        index = device.upload(entries)
        for name in ("support", "coef"):
            out[name] = device.download(self.fields[name][index])
        return out


def load_batch(device: Device, batch: Batch) -> Fields:
    """The arrays of a batch on the device, as fields of a task."""
    check_batch(batch)
    names = ("words", "targets", "row_ptr", "row_index", "weights", "target", "row_set", "weight", "gamma", "C")
    fields = {name: device.upload(getattr(batch, name)) for name in (*names, "context")}
    return fields | {"n_rows": batch.n_rows, "n_words": len(batch.words)}


def solve_batch(device: Device, batch: Batch, settings: SolverSettings, pulse: Pulse | None = None) -> Solutions:
    """Solve every problem; `group` and `start` only save time on the CPU and are not used here."""
    fields = load_batch(device, batch)
    source = source_of_rows(device, batch.distances.points)
    sizes = batch.sizes()
    status, parts = np.zeros(len(batch), np.int8), []
    done = 0
    for chunk in chunks(sizes * ROW_BYTES, device.free_memory()):
        problems = np.arange(chunk.start, chunk.stop)
        count = count_from(pulse, done)
        solved, status[chunk] = solve_some(device, batch, fields, source, problems, settings, count)
        parts.append(solved.take(device, problems))
        del solved
        done += problems.size
    if pulse is not None:
        pulse(done)
    return _solutions(parts, status, batch.token)


def chunks(sizes: Array, available: float) -> list[slice]:
    """Runs of units whose bytes together fit into the memory; a unit that does not fit stands alone."""
    limit, out, start, used = _SHARE * available, [], 0, 0.0
    for unit, size in enumerate(sizes.tolist()):
        if used + size > limit and unit > start:
            out.append(slice(start, unit))
            start, used = unit, 0.0
        used += size
    return [*out, slice(start, sizes.size)] if sizes.size else []


def count_from(pulse: Pulse | None, before: int) -> Pulse:
    """A pulse that counts on from what was done before; one that does nothing where there is none."""
    return lambda done: None if pulse is None else pulse(before + done)


def _solutions(parts: Sequence[dict[str, Array]], status: NDArray[np.int8], token: str) -> Solutions:
    def joined(name: str, dtype: DTypeLike) -> Array:
        return np.concatenate([np.zeros(0, dtype), *(part[name] for part in parts)]).astype(dtype)

    counts = joined("n_support", np.int64)
    return Solutions(
        support_ptr=np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
        support=joined("support", np.int32),
        coef=joined("coef", np.float64),
        bias=joined("bias", np.float64),
        objective=joined("objective", np.float64),
        iterations=joined("iterations", np.int64),
        status=status,
        costs={"iterations": float(joined("iterations", np.int64).sum())},
        token=token,
    )


def solve_some(
    device: Device,
    batch: Batch,
    fields: Fields,
    source: DistanceSource,
    problems: Longs,
    settings: SolverSettings,
    count: Pulse,
) -> tuple[DeviceSolutions, NDArray[np.int8]]:
    """Solve some problems of a batch that is on the device; `count` gets the number done and may raise.

    Returns the solutions on the device, and the status of each problem.
    """
    sizes = batch.sizes()[problems]
    status, status_at = device.mapped(len(batch), np.int8)
    status[problems] = _RUNNING
    room = _room(device, len(batch), problems, sizes, device.variants[-1].capacity)
    task = fields | source.fields | room | {"status": status_at}
    task |= {"tol": float(settings.tol), "max_iter": int(settings.max_iter)}
    held: list[DeviceArray] = []

    def start(stop: int) -> None:
        for variant, members in _assign(device.variants, sizes, _work(batch, problems, sizes)):
            numbers = device.upload(problems[members].astype(np.int32))
            held.append(numbers)
            packed = pack_task(device, **task, problems=numbers, n_problems=members.size, stop=stop)
            _launch(device, variant, packed, members.size, source, batch.is_linear)

    run_kernels(device, start, lambda: count(int((status[problems] != _RUNNING).sum())))
    return DeviceSolutions(fields | room), status[problems].copy()


def _room(device: Device, n_problems: int, problems: Longs, sizes: Longs, capacity: int) -> Fields:
    """Room for the state and the results of some problems."""
    xp = device.xp
    offset = np.zeros(n_problems, np.int64)
    offset[problems] = np.cumsum(sizes) - sizes
    total = int(sizes.sum())
    by_parts = total if sizes.size and sizes.max() > capacity else 0
    return {
        "offset": device.upload(offset),
        "alpha": xp.empty(total, np.float64),
        "f": xp.empty(total, np.float32),
        "support": xp.empty(total, np.int32),
        "coef": xp.empty(total, np.float64),
        "chosen": xp.empty(by_parts, np.int32),
        "before": xp.empty(by_parts, np.float64),
        "bias": xp.zeros(n_problems, np.float64),
        "objective": xp.zeros(n_problems, np.float64),
        "iterations": xp.zeros(n_problems, np.int64),
        "n_support": xp.zeros(n_problems, np.int32),
    }


def _work(batch: Batch, problems: Longs, sizes: Longs) -> Floats:
    """What problems will take, roughly: the rarer class bounds the number of coefficients that move."""
    share = (batch.targets > 0).mean(axis=1)
    return sizes * np.minimum(share, 1.0 - share)[batch.target[problems]]


def _assign(variants: Sequence[Variant], sizes: Longs, work: Floats) -> list[tuple[Variant, Longs]]:
    """The smallest variant that holds each problem (the largest for those that none holds), much work first."""
    limits = np.array([variant.capacity for variant in variants])
    smallest = np.minimum(np.searchsorted(limits, sizes), limits.size - 1)
    order = np.argsort(-work, kind="stable")
    out = [(variants[v], order[smallest[order] == v]) for v in range(limits.size - 1, -1, -1)]
    return [(variant, members) for variant, members in out if members.size]


def _launch(device: Device, variant: Variant, task: DeviceArray, n: int, source: DistanceSource, linear: bool) -> None:
    defines = {
        "THREADS": variant.threads,
        "ELEMENTS": variant.elements,
        "PACK": variant.pack,
        "BLOCKS": variant.blocks,
        "SOURCE": source.define,
    }
    if linear:
        defines["LINEAR"] = 1
    grid = -(-n // variant.pack)
    shared = 8 * variant.capacity * variant.pack
    device.launch(source_of("solve"), "solve_problems", defines, grid, (variant.threads, variant.pack), task, shared)
