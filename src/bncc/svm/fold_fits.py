"""Links on all rows and on folds of them in one batch: the folds start from what all rows have led to."""

from __future__ import annotations

from dataclasses import dataclass

from bncc._typing import Longs, Pulse
from bncc.svm.engine_host import solve_folds
from bncc.svm.engine_protocol import Engine
from bncc.svm.fold_plan import FoldPlan
from bncc.svm.fold_problems import FoldDecisions, FoldProblems, KernelGrid
from bncc.svm.models import Model, keep_some
from bncc.svm.solver_settings import SolverSettings

__all__ = ["FoldedFit", "fit_last_fold"]


@dataclass(frozen=True, eq=False)
class FoldedFit:
    """Decisions of the folds, and a model of the last one."""

    decided: FoldDecisions
    model: Model


def fit_last_fold(
    engine: Engine,
    problems: FoldProblems,
    grid: KernelGrid,
    links: Longs,
    settings: SolverSettings,
    pulse: Pulse | None = None,
) -> FoldedFit:
    """Decisions for the rows that folds hold out, as `decide_folds`, and a model of these links of the last fold.

    The grid has one gamma and one C. A last fold that learns from all rows and tests none costs next to nothing beside
    the others, which start from its solution.
    """
    plan = FoldPlan(problems, grid)
    decided, batch, solutions = solve_folds(engine, plan, settings, pulse)
    return FoldedFit(decided, keep_some(batch, solutions, plan.problem[0, 0, -1, links]))
