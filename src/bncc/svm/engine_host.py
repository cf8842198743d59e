"""What engines in main memory share: rows are decided in blocks whose distances keep to the memory budget."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np

from bncc._typing import Floats, Floats32, Longs, Matrix, Pulse, Words
from bncc.svm.distances import blocks_of_rows, cross_distances
from bncc.svm.engine_protocol import Engine, States
from bncc.svm.fold_plan import FoldPlan
from bncc.svm.fold_problems import FoldDecisions, FoldProblems, KernelGrid
from bncc.svm.precision import in_double, longest_multipliers, solve_in_double
from bncc.svm.problems import Batch, Solutions
from bncc.svm.solver_settings import SolverSettings
from bncc.svm.walk_plan import Walks, plan_walks
from bncc.svm.walks_in_double import walk_in_double

__all__ = ["HostEngine", "decide_folds_with", "join_blocks", "solve_folds"]


class HostEngine(ABC):
    """An engine that solves and walks on the CPU; see `Engine`."""

    name: str
    starts_warm = True

    @abstractmethod
    def solve_in_single(
        self, batch: Batch, longest: Floats, settings: SolverSettings, pulse: Pulse | None = None
    ) -> Solutions:
        """Solve the problems of a batch from single-precision distances.

        Those whose `longest` multipliers are 0 are left out, and work may end on those that have come to be longer.
        """

    @abstractmethod
    def walk_in_single(
        self, batch: Batch, solutions: Solutions, d2: Floats32, walks: Walks, settings: SolverSettings
    ) -> list[Floats]:
        """Decisions for new rows with these squared distances to the rows of the batch, an array per walk."""

    def solve(self, batch: Batch, settings: SolverSettings, pulse: Pulse | None = None) -> Solutions:
        """Solve every problem of a batch; in double where single precision is not enough."""
        longest = longest_multipliers(batch)
        solutions = self.solve_in_single(batch, longest, settings, pulse)
        return solve_in_double(batch, solutions, longest, settings, pulse)

    def walk(
        self, batch: Batch, solutions: Solutions, d2: Floats32 | Floats, walks: Walks, settings: SolverSettings
    ) -> list[Floats]:
        """Decisions for new rows with these squared distances to the rows of the batch, an array per walk."""
        if in_double(solutions, walks.problems):
            return walk_in_double(batch, solutions, d2, walks)
        return self.walk_in_single(batch, solutions, np.asarray(d2, np.float32), walks, settings)

    def walk_known(
        self, batch: Batch, solutions: Solutions, rows: Longs, walks: Walks, settings: SolverSettings
    ) -> Floats:
        """Decisions for rows of the batch itself: (n_walks, len(rows), length)."""
        out = np.empty((len(walks.problems), rows.size, walks.problems.shape[1]))
        exact = in_double(solutions, walks.problems)
        for part in blocks_of_rows(rows.size, batch.n_rows, settings.cache_size):
            d2 = batch.distances.block(rows[part], n_jobs=settings.n_jobs, exact=exact)
            out[:, part] = self.walk(batch, solutions, d2, walks.block(part), settings)
        return out

    def walk_new(
        self, batch: Batch, solutions: Solutions, X: Matrix, walks: Walks, settings: SolverSettings
    ) -> list[Floats]:
        """Decisions for new rows from their features, in blocks that keep to the memory."""
        points, blocks = batch.distances.points, []
        exact = in_double(solutions, walks.problems)
        for part in blocks_of_rows(X.shape[0], batch.n_rows, settings.cache_size):
            rows = X if part.stop - part.start == X.shape[0] else X[part]  # a slice of a sparse matrix is a copy
            d2 = cross_distances(points, rows, n_jobs=settings.n_jobs, exact=exact)
            blocks.append(self.walk(batch, solutions, d2, walks.block(part), settings))
        return join_blocks(blocks, walks)

    def states(self, batch: Batch, solutions: Solutions, X: Matrix, settings: SolverSettings) -> States:
        """Decisions for new rows in any state; their distances are computed once."""
        exact = solutions.precise is not None
        d2 = cross_distances(batch.distances.points, X, n_jobs=settings.n_jobs, exact=exact)

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
        return decide_folds_with(self, problems, grid, settings, pulse)


def decide_folds_with(
    engine: Engine, problems: FoldProblems, grid: KernelGrid, settings: SolverSettings, pulse: Pulse | None
) -> FoldDecisions:
    """Decisions of every link for the rows that its fold holds out, by solving and walking with an engine."""
    return solve_folds(engine, FoldPlan(problems, grid), settings, pulse)[0]


def solve_folds(
    engine: Engine, plan: FoldPlan, settings: SolverSettings, pulse: Pulse | None
) -> tuple[FoldDecisions, Batch, Solutions]:
    """Decisions of every link for the rows that its fold holds out, with what was solved for them."""
    begin = time.perf_counter()
    batch = plan.batch()
    solutions = engine.solve(batch, settings, pulse)
    solved = time.perf_counter()
    decisions = plan.decide(batch, lambda rows, walks: engine.walk_known(batch, solutions, rows, walks, settings))
    return FoldDecisions(decisions, solved - begin, time.perf_counter() - solved), batch, solutions


def join_blocks(blocks: Sequence[Sequence[Floats]], walks: Walks) -> list[Floats]:
    """One array per walk from those of blocks of rows."""
    if not blocks:
        return [np.zeros((0, walks.problems.shape[1])) for _ in walks.problems]
    return [np.concatenate(parts) for parts in zip(*blocks, strict=True)]
