"""The compiled engine: C++ on all cores."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bncc._native import simd
from bncc._threads import n_threads
from bncc._typing import Bools, Floats, Floats32, Longs, Pulse
from bncc.svm.engine_host import HostEngine
from bncc.svm.native import extension
from bncc.svm.problems import Batch, Solutions
from bncc.svm.solver_settings import SolverSettings
from bncc.svm.walk_plan import Walks

__all__ = ["NativeEngine"]


class NativeEngine(HostEngine):
    """Problems spread over threads; solutions do not depend on how many there are."""

    name = "native"

    def solve_in_single(
        self, batch: Batch, longest: Floats, settings: SolverSettings, pulse: Pulse | None = None
    ) -> Solutions:
        """Solve the problems of a batch; those of a group in turn."""
        order, group_ptr = _group_order(batch, longest > 0.0)
        held = 0 if batch.distances.matrix is None else batch.distances.matrix.nbytes
        budget = int(max(settings.cache_size * 1e6 - held, 0.5e6 * settings.cache_size))
        threads = n_threads(settings.n_jobs)
        result = extension().solve(
            batch, order, group_ptr, longest, settings.tol, settings.max_iter, budget, threads, simd(), pulse
        )
        if pulse is not None:
            pulse(len(batch))
        return Solutions(**result, token=batch.token)

    def walk_in_single(
        self, batch: Batch, solutions: Solutions, d2: Floats32, walks: Walks, settings: SolverSettings
    ) -> list[Floats]:
        """Decisions for new rows with these squared distances to the rows of the batch, an array per walk."""
        known = np.zeros((len(batch.words), d2.shape[0]), np.uint32) if walks.words is None else walks.words
        pointer = walks.pointer()
        flat = np.ascontiguousarray(np.concatenate([np.zeros(0, np.int32), *walks.rows]), np.int32)
        out = np.zeros((flat.size, walks.problems.shape[1]))
        d2 = np.ascontiguousarray(d2, np.float32)
        threads = n_threads(settings.n_jobs)
        extension().walk(batch, solutions, d2, known, pointer, flat, walks.problems, walks.writes, out, threads, simd())
        return [out[pointer[number] : pointer[number + 1]] for number in range(len(walks.rows))]


def _group_order(batch: Batch, solved: Bools) -> tuple[NDArray[np.int32], Longs]:
    """Problems to be solved sorted by group (in order within one) and where each group begins."""
    problems = np.flatnonzero(solved)
    order = problems[np.argsort(batch.group[problems], kind="stable")].astype(np.int32)
    _, counts = np.unique(batch.group[problems], return_counts=True)
    return order, np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
