"""Out-of-fold decisions of a method for many sigmas and C at once, on shared distances."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Required, Unpack

import numpy as np
from numpy.typing import ArrayLike

from bncc._typing import EngineName, Floats, Fold, KernelName, Pulse, Words
from bncc.svm.distances import Distances
from bncc.svm.engines import EngineChoice, choose_engine
from bncc.svm.fold_problems import FoldDecisions, FoldProblems, KernelGrid, fold_problems, work_of_folds
from bncc.svm.link_table import LinkTable
from bncc.svm.solver_settings import SettingChanges, SolverSettings

__all__ = ["FoldOptions", "cross_val_decisions", "decide_folds", "fold_engine", "kernel_grid"]


class FoldOptions(SettingChanges, total=False):
    """What `cross_val_decisions` takes by name."""

    gamma: Required[ArrayLike]
    C: Required[ArrayLike]
    words: Words | None
    weights: ArrayLike | None
    kernel: KernelName
    progress: Pulse | None
    seconds: dict[str, float] | None


def cross_val_decisions(
    distances: Distances,
    targets: ArrayLike,
    links: LinkTable | Sequence[LinkTable],
    folds: Sequence[Fold],
    **options: Unpack[FoldOptions],
) -> Floats:
    """Decisions of every link for rows it did not learn from.

    Parameters
    ----------
    distances : Distances
    targets : array of shape (n_targets, n_rows)
        +1 / -1; `links` choose from its rows.
    links : LinkTable, or one per fold
        One per fold where the method learns its structure from the training rows.
    folds : sequence of (training rows, test rows)
    gamma, C : values to try, crossed
    words : array of shape (n_words, n_rows), default=None
        Packed labels, for links with context.
    weights : array of shape (n_rows,) or (n_folds, n_rows), default=None
        Factors of C. Any number of lines where the links say which is theirs.
    kernel : "rbf" or "linear", default="rbf"
    progress : callable, default=None
        As in `solve`.
    seconds : dict, default=None
        Filled with the seconds of "train" and "test".
    tol, max_iter, cache_size, n_jobs, engine
        Fields of `SolverSettings`.

    Returns
    -------
    array of shape (n_gamma, n_C, n_rows, n_links)
        NaN for rows that no fold tests; for rows that several test, the decisions of the last.
    """
    given = _Given(**options)
    problems = fold_problems(
        distances, targets, links, folds, words=given.words, weights=given.weights, kernel=given.kernel
    )
    decided = decide_folds(problems, kernel_grid(given.gamma, given.C), given, given.progress)
    if given.seconds is not None:
        given.seconds.update(train=decided.train_seconds, test=decided.test_seconds)
    return decided.decisions


@dataclass(frozen=True, eq=False, kw_only=True)
class _Given(SolverSettings):
    """The options as they were handed over, with what the absent ones mean."""

    gamma: ArrayLike
    C: ArrayLike
    words: Words | None = None
    weights: ArrayLike | None = None
    kernel: KernelName = "rbf"
    progress: Pulse | None = None
    seconds: dict[str, float] | None = None


def kernel_grid(gamma: ArrayLike, C: ArrayLike) -> KernelGrid:
    """Values of gamma and C, each one or several."""
    return KernelGrid(np.atleast_1d(np.asarray(gamma, np.float64)), np.atleast_1d(np.asarray(C, np.float64)))


def decide_folds(
    problems: FoldProblems, grid: KernelGrid, settings: SolverSettings, pulse: Pulse | None = None
) -> FoldDecisions:
    """As `cross_val_decisions`, from records, with the seconds that it took."""
    engine = choose_engine(settings.engine, work=problems.work() * grid.size).engine()
    return engine.decide_folds(problems, grid, settings, pulse)


def fold_engine(
    engine: EngineName, links: LinkTable | Sequence[LinkTable], folds: Sequence[Fold], n_values: int
) -> EngineChoice:
    """What `cross_val_decisions` solves with, for that many pairs of gamma and C."""
    tables = (links,) * len(folds) if isinstance(links, LinkTable) else links
    return choose_engine(engine, work=work_of_folds(tables, folds) * n_values)
