"""The CUDA engine: all problems of a batch in one launch, distances kept on the device while they serve."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from bncc._typing import Floats, Floats32, Longs, Matrix, Pulse, Words
from bncc.svm.cuda.device import Device, current_device
from bncc.svm.cuda.distances import DistanceSource, cross_source, source_of_rows
from bncc.svm.cuda.fold_decisions import decide_folds_on_device
from bncc.svm.cuda.solve import solve_batch
from bncc.svm.cuda.walk import load_solutions, walk_rows
from bncc.svm.engine_host import decide_folds_with, join_blocks
from bncc.svm.engine_protocol import Engine, States
from bncc.svm.fold_problems import FoldDecisions, FoldProblems, KernelGrid
from bncc.svm.precision import bears_single, in_double, longest_multipliers, solve_in_double
from bncc.svm.problems import Batch, Solutions
from bncc.svm.solver_settings import SolverSettings
from bncc.svm.walk_plan import Walks, check_rows, plan_walks

__all__ = ["CudaEngine", "device_blocks"]

_SHARE = 0.5  # of the free memory of a device that distances of new rows may take


class CudaEngine:
    """Solves and walks on the current CUDA device; see `Engine`. What the device has no room for, `spare` does."""

    name = "cuda"
    starts_warm = False

    def __init__(self, spare: Callable[[], Engine]) -> None:
        self._spare = spare

    @property
    def _device(self) -> Device:
        return current_device()

    def solve(self, batch: Batch, settings: SolverSettings, pulse: Pulse | None = None) -> Solutions:
        """Solve every problem of a batch; on the CPU and in double where single precision is not enough."""
        longest = longest_multipliers(batch)
        if not longest.all():
            return self._spare().solve(batch, settings, pulse)
        return solve_in_double(batch, solve_batch(self._device, batch, settings, pulse), longest, settings, pulse)

    def walk(
        self, batch: Batch, solutions: Solutions, d2: Floats32 | Floats, walks: Walks, settings: SolverSettings
    ) -> list[Floats]:
        """Decisions for new rows with these squared distances to the rows of the batch, an array per walk."""
        if in_double(solutions, walks.problems):
            return self._spare().walk(batch, solutions, d2, walks, settings)
        device = self._device
        if d2.shape[1] != batch.n_rows:
            raise ValueError(f"`d2` must have one column per row of the batch ({batch.n_rows}); got {d2.shape[1]}.")
        source = DistanceSource(0, {"d2": device.upload(np.ascontiguousarray(d2, np.float32))}, len(d2))
        fields = load_solutions(device, batch, solutions)
        return _split(device.download(walk_rows(device, batch, fields, source, walks)), walks)

    def walk_known(
        self, batch: Batch, solutions: Solutions, rows: Longs, walks: Walks, settings: SolverSettings
    ) -> Floats:
        """Decisions for rows of the batch itself: (n_walks, len(rows), length)."""
        if in_double(solutions, walks.problems):
            return self._spare().walk_known(batch, solutions, rows, walks, settings)
        device = self._device
        out = np.empty((len(walks.problems), rows.size, walks.problems.shape[1]))
        source, fields = source_of_rows(device, batch.distances.points), load_solutions(device, batch, solutions)
        for part in device_blocks(rows.size, walks, 4 * len(batch.words), device.free_memory()):
            decisions = walk_rows(device, batch, fields, source, walks.block(part), numbers=rows[part])
            out[:, part] = device.download(decisions).reshape(len(out), -1, out.shape[2])
        return out

    def walk_new(
        self, batch: Batch, solutions: Solutions, X: Matrix, walks: Walks, settings: SolverSettings
    ) -> list[Floats]:
        """Decisions for new rows from their features, in blocks that keep to the memory."""
        if in_double(solutions, walks.problems):
            return self._spare().walk_new(batch, solutions, X, walks, settings)
        device, points = self._device, batch.distances.points
        fields, blocks = load_solutions(device, batch, solutions), []
        per_row = 4 * (points.n_rows + len(batch.words))
        for part in device_blocks(X.shape[0], walks, per_row, device.free_memory()):
            source, block = cross_source(device, points.like(X[part]), points), walks.block(part)
            blocks.append(_split(device.download(walk_rows(device, batch, fields, source, block)), block))
        return join_blocks(blocks, walks)

    def states(self, batch: Batch, solutions: Solutions, X: Matrix, settings: SolverSettings) -> States:
        """Decisions for new rows in any state; their distances stay on the device where they fit."""
        device, points = self._device, batch.distances.points
        held = 4 * X.shape[0] * points.n_rows <= _SHARE * device.free_memory()
        if not held or solutions.precise is not None:
            return self._spare().states(batch, solutions, X, settings)
        fields = load_solutions(device, batch, solutions)
        source = cross_source(device, points.like(X), points)

        def decide(problem: int, rows: Longs, words: Words) -> Floats:
            (numbers,) = check_rows([rows], 1, X.shape[0])
            walks = plan_walks(batch, [[problem]], rows.size, words=words)
            return device.download(walk_rows(device, batch, fields, source, walks, numbers=numbers))[:, 0]

        return decide

    def decide_folds(
        self, problems: FoldProblems, grid: KernelGrid, settings: SolverSettings, pulse: Pulse | None = None
    ) -> FoldDecisions:
        """Decisions of every link for the rows that its fold holds out, for every gamma and C."""
        if not bears_single(problems, grid):
            return decide_folds_with(self, problems, grid, settings, pulse)
        return decide_folds_on_device(self._device, problems, grid, settings, pulse)


def device_blocks(n_rows: int, walks: Walks, per_row: int, free: int) -> list[slice]:
    """Rows in parts that a device has memory for, with their decisions and `per_row` bytes each besides."""
    step = max(1, int(0.2 * free / (per_row + 12 * len(walks.problems) + 8 * walks.problems.size)))
    return [slice(start, min(start + step, n_rows)) for start in range(0, n_rows, step)]


def _split(decisions: Floats, walks: Walks) -> list[Floats]:
    """An array per walk from decisions laid end to end."""
    pointer = walks.pointer()
    return [decisions[pointer[number] : pointer[number + 1]] for number in range(len(walks.rows))]
