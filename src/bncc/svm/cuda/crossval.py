"""Cross-validation end to end on the device: solve all folds and values, walk their test rows, copy decisions back."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bncc.svm.cuda.device import Device
from bncc.svm.cuda.distances import source_of_rows
from bncc.svm.cuda.solve import ROW_BYTES, chunks, load_batch, solve_some
from bncc.svm.cuda.walk import walk_rows
from bncc.svm.distances import Distances
from bncc.svm.links import Links
from bncc.svm.problems import Batch, Kernel, make_batch
from bncc.svm.row_sets import Fold, RowSets, training_sets
from bncc.svm.walks import check_links

__all__ = ["fold_decisions"]


def fold_decisions(
    device: Device,
    distances: Distances,
    targets: ArrayLike,
    links: Sequence[Links],
    folds: Sequence[Fold],
    *,
    gammas: NDArray[np.float64],
    costs: NDArray[np.float64],
    words: NDArray[np.uint32] | None,
    weights: NDArray[np.float64] | None,
    kernel: Kernel,
    tol: float,
    max_iter: int,
    progress: Callable[[int], object] | None,
    seconds: dict[str, float] | None = None,
) -> NDArray[np.float64]:
    """Decisions as `cross_val_decisions` returns them.

    The unit of work is one fold at one gamma and C: its links are solved, then walked over its test rows. As many units
    as fit into the memory of the device are solved in one go; only decisions travel back.
    """
    begin, walking = time.perf_counter(), 0.0
    batch = _batch(distances, targets, links, folds, gammas, costs, words, weights, kernel)
    n_folds, n_links = len(folds), len(links[0])
    for each in links:
        check_links(batch, each.chains, each.writes[each.chains], None, distances.n_rows)
    out = np.full((gammas.size * costs.size, distances.n_rows, n_links), np.nan)
    fields = load_batch(device, batch)
    source = source_of_rows(device, distances.points)
    tested = np.tile([np.asarray(test).size for _, test in folds], gammas.size * costs.size)
    sizes = batch.sizes().reshape(-1, n_links).sum(axis=1) * ROW_BYTES + tested * n_links * 16
    for chunk in chunks(sizes, device.free_memory()):
        problems = np.arange(chunk.start * n_links, chunk.stop * n_links)
        count = _counter(progress, int(problems[0]))
        solved, _ = solve_some(device, batch, fields, source, problems, tol, max_iter, count)
        solved_at, poll = time.perf_counter(), partial(count, problems.size)
        for units in _alike(chunk, links):
            rows, chain, writes = _walks(units, links, folds)
            walked = walk_rows(device, batch, solved.fields, source, rows, chain, writes, poll=poll)
            _place(out, device.download(walked), rows, chain, n_folds, n_links)
        del solved
        walking += time.perf_counter() - solved_at
    if seconds is not None:
        seconds |= {"train": time.perf_counter() - begin - walking, "test": walking}
    if progress is not None:
        progress(len(batch))
    return out.reshape(gammas.size, costs.size, distances.n_rows, n_links)


def _batch(
    distances: Distances,
    targets: ArrayLike,
    links: Sequence[Links],
    folds: Sequence[Fold],
    gammas: NDArray[np.float64],
    costs: NDArray[np.float64],
    words: NDArray[np.uint32] | None,
    weights: NDArray[np.float64] | None,
    kernel: Kernel,
) -> Batch:
    """One problem per gamma, C, fold and link, in that order."""
    sets = RowSets()
    row_set = training_sets(sets, links, folds, distances.n_rows)
    values, per_value = gammas.size * costs.size, row_set.size
    context = None if words is None else np.tile(np.concatenate([each.context for each in links]), (values, 1))
    return make_batch(
        distances,
        targets,
        gamma=np.repeat(gammas, costs.size * per_value),
        C=np.tile(np.repeat(costs, per_value), gammas.size),
        kernel=kernel,
        rows=sets.sets,
        row_set=np.tile(row_set.ravel(), values),
        target=np.tile(np.concatenate([each.target for each in links]), values),
        words=words,
        context=context,
        weights=weights,
        weight=np.tile(_weight(weights, links), values),
    )


def _weight(weights: NDArray[np.float64] | None, links: Sequence[Links]) -> NDArray[np.int32]:
    """Line of weights of each link of each fold: its own, or that of the fold."""
    if weights is None or len(weights) == 1:
        return np.full(len(links) * len(links[0]), -1 if weights is None else 0, np.int32)
    own = [np.full(len(each), fold) if each.weight is None else each.weight for fold, each in enumerate(links)]
    return np.concatenate(own).astype(np.int32)


def _counter(progress: Callable[[int], object] | None, before: int) -> Callable[[int], object]:
    return lambda done: None if progress is None else progress(before + done)


def _alike(chunk: slice, links: Sequence[Links]) -> list[list[int]]:
    """Units of a chunk by the length of their chains: one launch walks chains of one length."""
    groups: dict[int, list[int]] = {}
    for unit in range(chunk.start, chunk.stop):
        groups.setdefault(links[unit % len(links)].chains.shape[1], []).append(unit)
    return list(groups.values())


def _walks(
    units: Sequence[int], links: Sequence[Links], folds: Sequence[Fold]
) -> tuple[list[NDArray[Any]], NDArray[np.int32], NDArray[np.int32]]:
    """Rows, problems and written labels of every chain of every unit."""
    rows, chain, writes = [], [], []
    for unit in units:
        fold = unit % len(folds)
        chains = links[fold].chains
        rows += [np.asarray(folds[fold][1], np.int64)] * len(chains)
        chain.append(chains + unit * len(links[0]))
        writes.append(links[fold].writes[chains])
    return rows, np.concatenate(chain).astype(np.int32), np.concatenate(writes).astype(np.int32)


def _place(
    out: NDArray[np.float64],
    found: NDArray[np.float64],
    rows: Sequence[NDArray[Any]],
    chain: NDArray[np.int32],
    n_folds: int,
    n_links: int,
) -> None:
    start = 0
    for part, problems in zip(rows, chain, strict=True):
        value = problems[0] // (n_folds * n_links)
        out[value][part[:, None], problems % n_links] = found[start : start + part.size]
        start += part.size
