"""Decisions of solved problems for other rows, link by link where a chain asks for it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bncc._threads import n_threads
from bncc.svm import engine_numpy
from bncc.svm.cuda.device import current_device
from bncc.svm.cuda.distances import Source, source_of_rows
from bncc.svm.cuda.walk import Known, load_solutions, walk_rows
from bncc.svm.distances import blocks_of_rows
from bncc.svm.engines import choose_engine
from bncc.svm.native import extension, simd
from bncc.svm.problems import Batch, Solutions

__all__ = ["check_links", "device_blocks", "rows_of_walks", "walk", "walk_known"]


def walk(
    batch: Batch,
    solutions: Solutions,
    d2: NDArray[np.float32],
    problems: ArrayLike,
    *,
    rows: Sequence[ArrayLike] | None = None,
    writes: ArrayLike | None = None,
    words: NDArray[np.uint32] | None = None,
    n_jobs: int | None = None,
    engine: str = "auto",
) -> list[NDArray[np.float64]]:
    """Decisions along chains of solved problems.

    A walk visits its problems in order for each of its rows. Where it writes a label, the sign of the decision becomes
    that label of the row, which later problems of the walk read as context. Without `writes` this is a plain
    evaluation of many problems.

    Parameters
    ----------
    batch, solutions : Batch, Solutions
    d2 : array of shape (n_new, n_rows), float32
        Squared distances of the rows to decide to the rows of the batch.
    problems : array of shape (n_walks, length)
    rows : sequence of n_walks index arrays, default=None
        Rows of `d2` that each walk decides; None is all of them for every walk.
    writes : array of shape (n_walks, length), default=None
        Label that each link predicts; -1 for none.
    words : array of shape (n_words, n_new), default=None
        Packed labels that are known beforehand; None is none.

    Returns
    -------
    list of n_walks arrays of shape (rows of the walk, length)
    """
    chain = np.ascontiguousarray(np.atleast_2d(problems), np.int32)
    labels = np.full_like(chain, -1) if writes is None else np.ascontiguousarray(np.atleast_2d(writes), np.int32)
    n_new = d2.shape[0]
    known = np.zeros((len(batch.words), n_new), np.uint32) if words is None else np.ascontiguousarray(words, np.uint32)
    parts = rows_of_walks(rows, len(chain), n_new)
    _check_shapes(batch, solutions, d2)
    check_links(batch, chain, labels, known, n_new)
    chosen = choose_engine(engine, work=_evaluations(solutions, chain, [part.size for part in parts])).name
    if chosen == "numpy":
        each = zip(parts, chain, labels, strict=True)
        return [engine_numpy.walk_rows(batch, solutions, d2[r], known[:, r], p, w) for r, p, w in each]
    pointer = np.concatenate([[0], np.cumsum([p.size for p in parts])]).astype(np.int64)
    if chosen == "cuda":
        device = current_device()
        source = Source(0, {"d2": device.upload(np.ascontiguousarray(d2, np.float32))})
        fields = load_solutions(device, batch, solutions)
        given = None if words is None else Known(known, parts)
        found = device.download(walk_rows(device, batch, fields, source, parts, chain, labels, given))
        return [found[pointer[w] : pointer[w + 1]] for w in range(len(parts))]
    flat = np.ascontiguousarray(np.concatenate([np.zeros(0, np.int32), *parts]), np.int32)
    out = np.zeros((flat.size, chain.shape[1]))
    d2 = np.ascontiguousarray(d2, np.float32)
    extension().walk(batch, solutions, d2, known, pointer, flat, chain, labels, out, n_threads(n_jobs), simd())
    return [out[pointer[w] : pointer[w + 1]] for w in range(len(parts))]


def walk_known(
    batch: Batch,
    solutions: Solutions,
    rows: ArrayLike,
    problems: ArrayLike,
    *,
    writes: ArrayLike | None = None,
    words: NDArray[np.uint32] | None = None,
    cache_size: float = 2000.0,
    n_jobs: int | None = None,
    engine: str = "auto",
) -> NDArray[np.float64]:
    """Decisions along chains (see `walk`) for rows of the batch itself: (n_walks, len(rows), length).

    In blocks that keep to the memory budget, or on the distances that a device holds.
    """
    chain = np.ascontiguousarray(np.atleast_2d(problems), np.int32)
    labels = np.full_like(chain, -1) if writes is None else np.ascontiguousarray(np.atleast_2d(writes), np.int32)
    (own,) = rows_of_walks([rows], 1, batch.n_rows)
    _check_solutions(batch, solutions)
    check_links(batch, chain, labels, words, own.size)
    chosen = choose_engine(engine, work=_evaluations(solutions, chain, [own.size] * len(chain))).name
    out = np.empty((len(chain), own.size, chain.shape[1]))
    if not out.size:
        return out
    if chosen == "cuda":
        device = current_device()
        source, fields = source_of_rows(device, batch.distances.points), load_solutions(device, batch, solutions)
        for part in device_blocks(own.size, chain, 4 * len(batch.words), device.free_memory()):
            every = [np.arange(part.stop - part.start)] * len(chain)
            given = None if words is None else Known(np.ascontiguousarray(words[:, part]), every)
            found = walk_rows(device, batch, fields, source, [own[part]] * len(chain), chain, labels, given)
            out[:, part] = device.download(found).reshape(len(chain), -1, chain.shape[1])
        return out
    for part in blocks_of_rows(own.size, batch.n_rows, cache_size):
        d2 = batch.distances.block(own[part], n_jobs=n_jobs)
        known = None if words is None else np.ascontiguousarray(words[:, part])
        out[:, part] = walk(batch, solutions, d2, chain, writes=labels, words=known, n_jobs=n_jobs, engine=chosen)
    return out


def device_blocks(n_rows: int, chain: NDArray[np.int32], per_row: int, free: int) -> list[slice]:
    """Rows in parts that a device has memory for, with their decisions and `per_row` bytes each besides."""
    step = max(1, int(0.2 * free / (per_row + 12 * len(chain) + 8 * chain.size)))
    return [slice(start, min(start + step, n_rows)) for start in range(0, n_rows, step)]


def _evaluations(solutions: Solutions, chain: NDArray[np.int32], sizes: Sequence[int]) -> float:
    """Kernel values that walks over so many rows read."""
    support = np.diff(solutions.support_ptr)
    return float(support[chain].sum(axis=1) @ np.asarray(sizes, np.float64))


def rows_of_walks(rows: Sequence[ArrayLike] | None, n_walks: int, n_new: int) -> list[NDArray[Any]]:
    """The rows that each walk decides, checked."""
    parts = [np.arange(n_new)] * n_walks if rows is None else [_as_rows(r) for r in rows]
    if len(parts) != n_walks:
        raise ValueError(f"`rows` must have one entry per walk ({n_walks}); got {len(parts)}.")
    for part in parts:
        if part.size and (part.min() < 0 or part.max() >= n_new):
            raise ValueError(f"`rows` must lie in 0..{n_new - 1}; got {part.min()}..{part.max()}.")
    return parts


def _as_rows(rows: ArrayLike) -> NDArray[np.int64]:
    given = np.asarray(rows)
    if given.ndim != 1 or (given.size and given.dtype.kind not in "iu"):
        raise ValueError(f"`rows` must be row numbers; got an array of {given.dtype} and shape {given.shape}.")
    return given.astype(np.int64)


def _check_shapes(batch: Batch, solutions: Solutions, d2: Any) -> None:
    if d2.shape[1] != batch.n_rows:
        raise ValueError(f"`d2` must have one column per row of the batch ({batch.n_rows}); got shape {d2.shape}.")
    _check_solutions(batch, solutions)


def _check_solutions(batch: Batch, solutions: Solutions) -> None:
    if len(solutions) != len(batch):
        raise ValueError(f"`solutions` must be those of the batch ({len(batch)} problems); got {len(solutions)}.")


def check_links(batch: Batch, chain: Any, labels: Any, words: Any, n_new: int) -> None:
    """Raise ValueError unless chains of problems, what they write and the known labels fit the batch."""
    if chain.size and (chain.min() < 0 or chain.max() >= len(batch)):
        raise ValueError(f"`problems` must lie in 0..{len(batch) - 1}; got {chain.min()}..{chain.max()}.")
    if labels.shape != chain.shape:
        raise ValueError(f"`writes` must have the shape of `problems` {chain.shape}; got {labels.shape}.")
    if labels.size and (labels.min() < -1 or labels.max() >= 32 * len(batch.words)):
        limit = 32 * len(batch.words) - 1
        raise ValueError(f"`writes` must lie in -1..{limit}; got {labels.min()}..{labels.max()}.")
    if words is not None and words.shape != (len(batch.words), n_new):
        raise ValueError(f"`words` must have shape {(len(batch.words), n_new)}; got {words.shape}.")
