"""The engine in plain NumPy: the oracle of the tests, and the fallback where the extension is not built.

Double precision throughout, one problem after the other; `start` and `group` only save time and are not used here.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bncc._typing import Floats, Floats32, Pulse
from bncc.svm.engine_host import HostEngine
from bncc.svm.plain_smo import Part, join_parts, kernel_block, solve_part
from bncc.svm.problems import Batch, Solutions, Status
from bncc.svm.solver_settings import SolverSettings
from bncc.svm.walk_plan import Walks
from bncc.svm.walks_in_double import walk_in_double

__all__ = ["NumpyEngine"]

_UNSOLVED = Part(np.zeros(0, np.int32), np.zeros(0), 0.0, 0.0, 0, Status.ITERATION_LIMIT)


class NumpyEngine(HostEngine):
    """One problem after the other, in double precision from distances in single."""

    name = "numpy"

    def solve_in_single(
        self, batch: Batch, longest: Floats, settings: SolverSettings, pulse: Pulse | None = None
    ) -> Solutions:
        """Solve the problems of a batch in turn."""
        parts = []
        for problem in range(len(batch)):
            kernel = _KernelRows(batch, problem, batch.rows(problem))
            parts.append(solve_part(batch, problem, settings, kernel) if longest[problem] else _UNSOLVED)
            if pulse is not None:
                pulse(problem + 1)
        return join_parts(parts, batch.token)

    def walk_in_single(
        self, batch: Batch, solutions: Solutions, d2: Floats32, walks: Walks, settings: SolverSettings
    ) -> list[Floats]:
        """Decisions for new rows with these squared distances to the rows of the batch, an array per walk."""
        return walk_in_double(batch, solutions, d2, walks)


class _KernelRows:
    """Kernel rows of one problem, formed when first asked for."""

    def __init__(self, batch: Batch, problem: int, rows: NDArray[np.int32]) -> None:
        self.batch, self.problem, self.rows = batch, problem, rows
        self.known: dict[int, Floats] = {}

    def __call__(self, i: int) -> Floats:
        if i not in self.known:
            row = self.rows[[i]]
            d2 = self.batch.distances.block(row)[:, self.rows]
            self.known[i] = kernel_block(self.batch, self.problem, d2, self.batch.words[:, row], self.rows)[0]
            self.known[i][i] = 0.0
        return self.known[i]
