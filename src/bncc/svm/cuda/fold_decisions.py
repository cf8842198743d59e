"""Cross-validation end to end on the device: solve all folds and values, walk their test rows, copy decisions back."""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import partial

import numpy as np

from bncc._typing import Floats, Pulse
from bncc.svm.cuda.device import Device
from bncc.svm.cuda.distances import source_of_rows
from bncc.svm.cuda.solve import ROW_BYTES, chunks, count_from, load_batch, solve_some
from bncc.svm.cuda.walk import walk_rows
from bncc.svm.fold_problems import FoldDecisions, FoldProblems, KernelGrid
from bncc.svm.link_table import LinkTable
from bncc.svm.problems import Batch, make_batch
from bncc.svm.row_sets import RowSets, training_sets
from bncc.svm.solver_settings import SolverSettings
from bncc.svm.walk_plan import Walks, plan_walks

__all__ = ["decide_folds_on_device"]


def decide_folds_on_device(
    device: Device, given: FoldProblems, grid: KernelGrid, settings: SolverSettings, pulse: Pulse | None
) -> FoldDecisions:
    """Decisions of every link for the rows that its fold holds out, for every gamma and C.

    The unit of work is one fold at one gamma and C: its links are solved, then walked over its test rows. As many units
    as fit into the memory of the device are solved in one go; only decisions travel back.
    """
    begin, walking = time.perf_counter(), 0.0
    batch, n_links = _batch(given, grid), given.n_links
    out = np.full((grid.size, given.n_rows, n_links), np.nan)
    fields, source = load_batch(device, batch), source_of_rows(device, given.distances.points)
    for chunk in chunks(_bytes_of_units(given, grid, batch), device.free_memory()):
        problems = np.arange(chunk.start * n_links, chunk.stop * n_links)
        count = count_from(pulse, int(problems[0]))
        solved, _ = solve_some(device, batch, fields, source, problems, settings, count)
        solved_at, poll = time.perf_counter(), partial(count, problems.size)
        for units in _alike(chunk, given.links):
            walks = _walks(batch, units, given)
            decisions = device.download(walk_rows(device, batch, solved.fields, source, walks, poll=poll))
            _fill(out, decisions, walks, given)
        del solved
        walking += time.perf_counter() - solved_at
    train_seconds = time.perf_counter() - begin - walking
    if pulse is not None:
        pulse(len(batch))
    shape = (grid.gammas.size, grid.costs.size, given.n_rows, n_links)
    return FoldDecisions(out.reshape(shape), train_seconds, walking)


def _bytes_of_units(given: FoldProblems, grid: KernelGrid, batch: Batch) -> Floats:
    """Memory that each fold at each gamma and C takes, with its decisions."""
    tested = np.tile([np.asarray(test).size for _, test in given.folds], grid.size)
    return batch.sizes().reshape(-1, given.n_links).sum(axis=1) * ROW_BYTES + tested * given.n_links * 16.0


def _batch(given: FoldProblems, grid: KernelGrid) -> Batch:
    """One problem per gamma, C, fold and link, in that order."""
    sets = RowSets()
    row_set = training_sets(sets, given.links, given.folds, given.n_rows)
    per_value, context = row_set.size, None
    if given.words is not None:
        context = np.tile(np.concatenate([each.context for each in given.links]), (grid.size, 1))
    return make_batch(
        given.distances,
        given.targets,
        gamma=np.repeat(grid.gammas, grid.costs.size * per_value),
        C=np.tile(np.repeat(grid.costs, per_value), grid.gammas.size),
        kernel=given.kernel,
        rows=sets.sets,
        row_set=np.tile(row_set.ravel(), grid.size),
        target=np.tile(np.concatenate([each.target for each in given.links]), grid.size),
        words=given.words,
        context=context,
        weights=given.weights,
        weight=np.tile(given.weight_lines().ravel(), grid.size),
    )


def _alike(chunk: slice, links: Sequence[LinkTable]) -> list[list[int]]:
    """Units of a chunk by the length of their chains: one launch walks chains of one length."""
    groups: dict[int, list[int]] = {}
    for unit in range(chunk.start, chunk.stop):
        groups.setdefault(links[unit % len(links)].chains.shape[1], []).append(unit)
    return list(groups.values())


def _walks(batch: Batch, units: Sequence[int], given: FoldProblems) -> Walks:
    """Every chain of every unit over the test rows of its fold."""
    rows, chain, writes = [], [], []
    for unit in units:
        fold = unit % len(given.folds)
        links = given.links[fold]
        rows += [np.asarray(given.folds[fold][1], np.int64)] * len(links.chains)
        chain.append(links.chains + unit * given.n_links)
        writes.append(links.writes[links.chains])
    return plan_walks(batch, np.concatenate(chain), given.n_rows, rows=rows, writes=np.concatenate(writes))


def _fill(out: Floats, decisions: Floats, walks: Walks, given: FoldProblems) -> None:
    """Put decisions of walks, laid end to end, to their value of the grid, rows and links."""
    start = 0
    for rows, problems in zip(walks.rows, walks.problems, strict=True):
        value = problems[0] // (len(given.folds) * given.n_links)
        out[value][rows[:, None], problems % given.n_links] = decisions[start : start + rows.size]
        start += rows.size
