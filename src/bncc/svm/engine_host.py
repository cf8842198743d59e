"""What engines in main memory share: rows are decided in blocks whose distances keep to the memory budget."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np

from bncc._typing import Floats, Floats32, Longs, Matrix, Pulse, Words
from bncc.svm.distances import blocks_of_rows, cross_distances
from bncc.svm.engine_protocol import States
from bncc.svm.fold_plan import FoldPlan
from bncc.svm.fold_problems import FoldDecisions, FoldProblems, KernelGrid
from bncc.svm.problems import Batch, Solutions
from bncc.svm.solver_settings import SolverSettings
from bncc.svm.walk_plan import Walks, plan_walks

__all__ = ["HostEngine", "join_blocks"]


class HostEngine(ABC):
    """An engine that solves and walks on the CPU; see `Engine`."""

    name: str

    @abstractmethod
    def solve(self, batch: Batch, settings: SolverSettings, pulse: Pulse | None = None) -> Solutions:
        """Solve every problem of a batch."""

    @abstractmethod
    def walk(
        self, batch: Batch, solutions: Solutions, d2: Floats32, walks: Walks, settings: SolverSettings
    ) -> list[Floats]:
        """Decisions for new rows with these squared distances to the rows of the batch, an array per walk."""

    def walk_known(
        self, batch: Batch, solutions: Solutions, rows: Longs, walks: Walks, settings: SolverSettings
    ) -> Floats:
        """Decisions for rows of the batch itself: (n_walks, len(rows), length)."""
        out = np.empty((len(walks.problems), rows.size, walks.problems.shape[1]))
        for part in blocks_of_rows(rows.size, batch.n_rows, settings.cache_size):
            d2 = batch.distances.block(rows[part], n_jobs=settings.n_jobs)
            out[:, part] = self.walk(batch, solutions, d2, walks.block(part), settings)
        return out

    def walk_new(
        self, batch: Batch, solutions: Solutions, X: Matrix, walks: Walks, settings: SolverSettings
    ) -> list[Floats]:
        """Decisions for new rows from their features, in blocks that keep to the memory."""
        points, blocks = batch.distances.points, []
        for part in blocks_of_rows(X.shape[0], batch.n_rows, settings.cache_size):
            d2 = cross_distances(points, X[part], n_jobs=settings.n_jobs)
            blocks.append(self.walk(batch, solutions, d2, walks.block(part), settings))
        return join_blocks(blocks, walks)

    def states(self, batch: Batch, solutions: Solutions, X: Matrix, settings: SolverSettings) -> States:
        """Decisions for new rows in any state; their distances are computed once."""
        d2 = cross_distances(batch.distances.points, X, n_jobs=settings.n_jobs)

        def decide(problem: int, rows: Longs, words: Words) -> Floats:
            out = np.empty(rows.size)
            walks = plan_walks(batch, [[problem]], rows.size, words=words)
            for part in blocks_of_rows(rows.size, batch.n_rows, settings.cache_size):
                out[part] = self.walk(batch, solutions, d2[rows[part]], walks.block(part), settings)[0][:, 0]
            return out

        return decide

    def decide_folds(
        self, problems: FoldProblems, grid: KernelGrid, settings: SolverSettings, pulse: Pulse | None = None
    ) -> FoldDecisions:
        """Decisions of every link for the rows that its fold holds out, for every gamma and C."""
        begin = time.perf_counter()
        plan = FoldPlan(problems, grid)
        batch = plan.batch()
        solutions = self.solve(batch, settings, pulse)
        solved = time.perf_counter()
        decisions = plan.decide(batch, lambda rows, walks: self.walk_known(batch, solutions, rows, walks, settings))
        return FoldDecisions(decisions, solved - begin, time.perf_counter() - solved)


def join_blocks(blocks: Sequence[Sequence[Floats]], walks: Walks) -> list[Floats]:
    """One array per walk from those of blocks of rows."""
    if not blocks:
        return [np.zeros((0, walks.problems.shape[1])) for _ in walks.problems]
    return [np.concatenate(parts) for parts in zip(*blocks, strict=True)]
