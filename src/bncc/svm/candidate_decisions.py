"""Out-of-fold decisions for many candidates (sigma or gamma, and C) of a KernelSVC, solved together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from bncc._typing import Floats, Pulse
from bncc.svm.engines import EngineChoice, choose_engine
from bncc.svm.fold_problems import FoldProblems, KernelGrid
from bncc.svm.solver_settings import SolverSettings

__all__ = ["CandidateDecisions", "decide_candidates"]

# Decisions held at a time (8 bytes each).
_CELLS = 1 << 27


@dataclass(frozen=True, eq=False)
class CandidateDecisions:
    """Decisions (n_rows, n_links) of some candidates by their number, the seconds they took, and the engine."""

    decisions: dict[int, Floats]
    train_seconds: float
    test_seconds: float
    engine: EngineChoice


def decide_candidates(
    problems: FoldProblems,
    pairs: Sequence[tuple[float, float]],
    settings: SolverSettings,
    pulse: Pulse | None = None,
) -> Iterator[CandidateDecisions]:
    """Decisions of every pair of gamma and C for the rows that folds hold out, as many pairs at a time as fit."""
    gammas, costs = (np.unique(values) for values in zip(*pairs, strict=True))
    step = max(1, _CELLS // max(1, problems.n_links * problems.n_rows * costs.size))
    for start in range(0, gammas.size, step):
        grid = KernelGrid(gammas[start : start + step], costs)
        choice = choose_engine(settings.engine, work=problems.work() * grid.size)
        decided = choice.engine().decide_folds(problems, grid, settings, pulse)
        members = {
            number: decided.decisions[np.searchsorted(grid.gammas, gamma), np.searchsorted(costs, cost)]
            for number, (gamma, cost) in enumerate(pairs)
            if gamma in grid.gammas
        }
        yield CandidateDecisions(members, decided.train_seconds, decided.test_seconds, choice)
