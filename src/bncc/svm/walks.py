"""Decisions of solved problems for other rows, link by link where a chain asks for it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Unpack

import numpy as np
from numpy.typing import ArrayLike

from bncc._typing import Floats, Floats32, Words
from bncc.svm.engines import engine_for
from bncc.svm.problems import Batch, Solutions
from bncc.svm.solver_settings import SettingChanges, SolverSettings
from bncc.svm.walk_plan import check_rows, check_solutions, plan_walks

__all__ = ["walk", "walk_known"]


def walk(
    batch: Batch,
    solutions: Solutions,
    d2: Floats32,
    problems: ArrayLike,
    *,
    rows: Sequence[ArrayLike] | None = None,
    writes: ArrayLike | None = None,
    words: Words | None = None,
    **settings: Unpack[SettingChanges],
) -> list[Floats]:
    """Decisions along chains of solved problems.

    A walk visits its problems in order for each of its rows. Where it writes a label, the sign of the decision becomes
    that label of the row, which later problems of the walk read as context. Without `writes` this is a plain
    evaluation of many problems.

    Parameters
    ----------
    batch, solutions : Batch, Solutions
    d2 : array of shape (n_new, n_rows), float32
        Squared distances of the rows to decide to the rows of the batch.
    problems : array of shape (n_walks, length)
    rows : sequence of n_walks index arrays, default=None
        Rows of `d2` that each walk decides; None is all of them for every walk.
    writes : array of shape (n_walks, length), default=None
        Label that each link predicts; -1 for none.
    words : array of shape (n_words, n_new), default=None
        Packed labels that are known beforehand; None is none.
    **settings
        Fields of `SolverSettings`.

    Returns
    -------
    list of n_walks arrays of shape (rows of the walk, length)
    """
    if d2.shape[1] != batch.n_rows:
        raise ValueError(f"`d2` must have one column per row of the batch ({batch.n_rows}); got shape {d2.shape}.")
    check_solutions(batch, solutions)
    walks = plan_walks(batch, problems, d2.shape[0], rows=rows, writes=writes, words=words)
    asked = SolverSettings(**settings)
    return engine_for(asked.engine, walks.evaluations(solutions)).walk(batch, solutions, d2, walks, asked)


def walk_known(
    batch: Batch,
    solutions: Solutions,
    rows: ArrayLike,
    problems: ArrayLike,
    *,
    writes: ArrayLike | None = None,
    words: Words | None = None,
    **settings: Unpack[SettingChanges],
) -> Floats:
    """Decisions along chains (see `walk`) for rows of the batch itself: (n_walks, len(rows), length).

    In blocks that keep to the memory budget, or on the distances that a device holds.
    """
    (numbers,) = check_rows([rows], 1, batch.n_rows)
    check_solutions(batch, solutions)
    walks = plan_walks(batch, problems, numbers.size, writes=writes, words=words)
    asked = SolverSettings(**settings)
    if not numbers.size or not walks.problems.size:
        return np.empty((len(walks.problems), numbers.size, walks.problems.shape[1]))
    return engine_for(asked.engine, walks.evaluations(solutions)).walk_known(batch, solutions, numbers, walks, asked)
