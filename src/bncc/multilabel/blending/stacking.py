"""Trees on top of a blend: they see the features, and what its families answer for rows held out, in the mean."""

from __future__ import annotations

from dataclasses import replace

from sklearn.ensemble import ExtraTreesRegressor

from bncc._typing import Floats, Matrix
from bncc.multilabel.backend import TrainingRows
from bncc.multilabel.blending.clock import Clock
from bncc.multilabel.blending.family import Settings, Tried
from bncc.multilabel.blending.problem import BlendProblem
from bncc.multilabel.blending.rate_sigmoids import log_odds
from bncc.multilabel.blending.tree_family import TreeFamily, Width
from bncc.multilabel.feature_rows import append_context

__all__ = ["STACKED", "may_stack", "try_stacked", "with_answers"]

#: Name of the trees on top.
STACKED = "stacked trees"

_TREES = TreeFamily(STACKED, ExtraTreesRegressor, 0.5, Width(0.6, 2e8))


def with_answers(X: Matrix, rates: Floats) -> Matrix:
    """Features, and the log-odds of answers (n_rows, n_labels) as further columns.

    >>> import numpy as np
    >>> with_answers(np.array([[7.0, 8.0]]), np.array([[0.5]])).tolist()
    [[7.0, 8.0, 0.0]]
    """
    return append_context(X, log_odds(rates))


def may_stack(problem: BlendProblem) -> bool:
    """Where every row was held out, so that there is an answer for each, and trees do not cost too much.

    Not where rows come in groups: what trees answer for rows that they have not seen may stem from others of the group.
    """
    if not problem.folds or problem.grouped or problem.held_out_once:
        return False
    return problem.tested.size == problem.rows.targets.n_rows and _TREES.suits(problem)


def try_stacked(
    problem: BlendProblem, rates: Floats, clock: Clock, reserve: float, settings: Settings | None = None
) -> Tried:
    """Trees that learn from the features and from held-out answers (n_rows, n_labels) of the families below them."""
    rows = TrainingRows(with_answers(problem.rows.X, rates), problem.rows.targets, problem.rows.weight)
    return _TREES.try_out(replace(problem, rows=rows), clock, reserve, settings)
