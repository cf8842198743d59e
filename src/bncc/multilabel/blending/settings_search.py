"""Which settings suit some rows: all are tried on few rows, and the best of them on more (successive halving)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from bncc._rows import take_rows
from bncc._typing import Floats
from bncc.multilabel.backend import TrainingRows
from bncc.multilabel.blending.clock import Clock, OutOfTime
from bncc.multilabel.blending.family import Settings
from bncc.multilabel.blending.problem import BlendProblem, deal_held_out
from bncc.multilabel.blending.selection_score import score_candidate
from bncc.multilabel.blending.tree_family import draw_rows
from bncc.multilabel.linked_classifier import LinkedClassifier
from bncc.selection.tasks import BatchOptions

__all__ = ["SEARCH_ROWS", "search_settings"]

#: Rows that settings are compared on at last.
SEARCH_ROWS = 1500
# Many settings are tried on so many rows first, where there are at least twice as many; a share of them goes on.
_FIRST_ROWS = 500
_MANY_SETTINGS = 6
_SHARE_KEPT = 1.0 / 3.0
_N_FOLDS = 3


def search_settings(
    grid: Sequence[Settings],
    make: Callable[[BlendProblem], LinkedClassifier],
    problem: BlendProblem,
    rows: TrainingRows,
    clock: Clock,
    until: float,
) -> Settings | None:
    """The setting with the best held-out score; the first of equally good ones.

    What is not done before so few seconds are left is given up: then the best of a round of settings that was done, or
    None.
    """
    kept, best = list(grid), None
    try:
        for n_rows, n_best in _rounds(len(grid), rows.targets.n_rows):
            scores = _held_out_scores(kept, make(problem), problem, rows, n_rows, clock, until)
            order = np.argsort(-scores, kind="stable")[:n_best]
            best = kept[int(order[0])]
            kept = [kept[place] for place in np.sort(order).tolist()]
    except OutOfTime:
        pass
    return best


def _rounds(n_settings: int, n_rows: int) -> Iterator[tuple[int, int]]:
    """Rows that settings are tried on, and how many of them go on.

    >>> list(_rounds(12, 1600)), list(_rounds(12, 900)), list(_rounds(3, 1600))
    ([(500, 4), (1500, 1)], [(1500, 1)], [(1500, 1)])
    """
    if n_settings >= _MANY_SETTINGS and n_rows >= 2 * _FIRST_ROWS:
        yield _FIRST_ROWS, int(np.ceil(_SHARE_KEPT * n_settings))
    yield SEARCH_ROWS, 1


def _held_out_scores(
    grid: Sequence[Settings],
    model: LinkedClassifier,
    problem: BlendProblem,
    rows: TrainingRows,
    n_rows: int,
    clock: Clock,
    until: float,
) -> Floats:
    """Mean score of each setting over folds of some of the rows; those that were not done in time have -inf."""
    drawn = draw_rows(np.arange(rows.targets.n_rows), n_rows, problem.seed)
    part = rows.take(drawn)
    groups = None if problem.groups is None else take_rows(problem.groups, drawn)
    folds = deal_held_out(part.targets, groups, limited=clock.limited)[:_N_FOLDS]
    totals, counts = np.zeros(len(grid)), np.zeros(len(grid))
    try:
        for solved in model._task_on(part, folds).solve(list(grid), BatchOptions(pulse=clock.pulse(until))):
            for answer in solved.answers:
                test = folds[answer.fold][1]
                decisions = np.asarray(answer.decided.decisions, np.float64).reshape(test.size, -1)
                totals[answer.candidate] += score_candidate(problem.metric, decisions, part.take(test))
                counts[answer.candidate] += 1
    except OutOfTime:
        if counts.max() < len(folds):
            raise
    return np.where(counts == counts.max(), totals / np.maximum(counts, 1), -np.inf)
