"""Kernel ridge regression as a family: one matrix for all labels, and held-out answers without another fit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from bncc._rows import take_rows
from bncc._typing import Floats, Matrix, Rows
from bncc.multilabel.backend import TrainingRows
from bncc.multilabel.blending.clock import Clock, OutOfTime
from bncc.multilabel.blending.family import Family, FittedPart, Settings, Tried
from bncc.multilabel.blending.forests import fill_unknown
from bncc.multilabel.blending.kernel_ridge import KernelRidge, gaussian, ridge_answers, squared_distances_between
from bncc.multilabel.blending.problem import BlendProblem, deal_held_out
from bncc.multilabel.blending.rate_sigmoids import RateSigmoids, fit_sigmoids
from bncc.multilabel.blending.timed_fit import TimedFit
from bncc.multilabel.blending.tree_family import draw_rows
from bncc.multilabel.feature_rows import narrow

__all__ = ["KernelRidgeFamily", "KernelRidgePart"]

# Widths as shares of the median squared distance, and penalties, that are tried on some rows.
_WIDTHS = (0.2, 0.5, 1.0, 2.0, 4.0, 16.0)
_PENALTIES = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0)
_SEARCH_ROWS = 800
# Rows that a fit learns from: their kernel is 200 MB. Coefficients (rows x labels), and stored numbers of features.
_MOST_ROWS = 5000
_MOST_CELLS = 20_000_000
_MOST_NUMBERS = 50_000_000
_LEAST_ROWS = 500
_FEWEST_ROWS = 10
# Matrices of so many rows are worked on by one thread: on busy cores that is quicker by far.
_SMALL = 1500
# Of the seconds left, what the fit may take by the time of a smaller one.
_SHARE_OF_TIME = 0.3
# How a fit of some thousand rows grows with them: 5,000 take 200 times as long as 800.
_POWER = 2.9


@dataclass(frozen=True, eq=False)
class KernelRidgePart(FittedPart):
    """Kernel ridge regression with calibrated answers, behind features made into numbers."""

    model: KernelRidge
    sigmoids: RateSigmoids
    to_numbers: Any

    def rates(self, X: Matrix) -> Floats:
        """Calibrated probabilities."""
        return self.sigmoids(self.model.scores(narrow(self.to_numbers.transform(X))))


class KernelRidgeFamily(Family):
    """One Gaussian kernel for all labels, its width and penalty by squared error on rows held out."""

    name = "kernel ridge"

    def suits(self, problem: BlendProblem) -> bool:
        """Where kernel and coefficients fit into some hundred megabytes."""
        rows = problem.rows
        if problem.folds and _weighed(problem).size < _FEWEST_ROWS:
            return False
        n_rows = min(rows.X.shape[0], _MOST_ROWS)
        per_row = getattr(rows.X, "nnz", rows.X.shape[0] * rows.X.shape[1]) / rows.X.shape[0]
        return n_rows * rows.targets.n_labels <= _MOST_CELLS and n_rows * per_row <= _MOST_NUMBERS

    def try_out(self, problem: BlendProblem, clock: Clock, reserve: float, settings: Settings | None = None) -> Tried:
        """Answers for what the folds hold out; the coefficients of all rows come with them."""
        rows = _weighed(problem)
        if settings is None:
            with threadpool_limits(1, "blas"):
                settings, pace = self._search(problem, rows, clock, reserve)
            settings |= _fewer_rows(problem, rows, pace, clock, reserve)
            clock.check(reserve)  # what follows cannot be stopped
        learned = draw_rows(rows, int(settings.get("rows", _MOST_ROWS)), problem.seed)
        with threadpool_limits(1 if learned.size <= _SMALL else None, "blas"):
            scores, model = _answer(problem, learned, settings)
        sigmoids = fit_sigmoids(scores, problem.truth, problem.known, problem.weight)
        part = KernelRidgePart(model, sigmoids, problem.to_numbers)
        return Tried(self.name, dict(settings), sigmoids(scores), part, sigmoids)

    def fit(self, problem: BlendProblem, tried: Tried, clock: Clock) -> FittedPart:
        """What it was tried with."""
        assert tried.part is not None
        return tried.part

    def _search(
        self, problem: BlendProblem, rows: Rows, clock: Clock, reserve: float
    ) -> tuple[dict[str, float], _Pace]:
        """Width and penalty with the least squared error on held-out rows, the first of equally good ones."""
        kept = draw_rows(rows, _SEARCH_ROWS, problem.seed)
        part = problem.numbers.take(kept)
        groups = None if problem.groups is None else take_rows(problem.groups, kept)
        folds, target = deal_held_out(part.targets, groups, limited=False), fill_unknown(part.targets)
        begin = clock.spent
        distances = squared_distances_between(part.X, part.X)
        measured, n_done = clock.spent - begin, 0
        unit = _median(distances)
        best, least, begin = {"width": unit, "penalty": _PENALTIES[-1]}, np.inf, clock.spent
        for share in _WIDTHS:
            before = clock.spent
            kernel = gaussian(distances, share * unit)
            measured += (clock.spent - before) / len(_WIDTHS)
            for penalty in _PENALTIES:
                clock.check(reserve)
                found = ridge_answers(kernel, _penalties(part, penalty), target, folds)
                n_done += 1
                error = np.inf if found is None else float(((found[0] - target) ** 2 * _weights(part)).sum())
                if error < least:
                    best, least = {"width": share * unit, "penalty": penalty}, error
        fit = TimedFit(kept.size, measured + (clock.spent - begin) / n_done, _POWER)
        return best, _Pace(fit, measured / kept.size**2)


@dataclass(frozen=True)
class _Pace:
    """Seconds of a fit, and of an entry of the kernel between rows that it learned from and others."""

    fit: TimedFit
    entry: float

    def of_rows(self, n_rows: int, n_answered: int) -> float:
        """Seconds of a fit on so many rows, and of its answers for others."""
        return self.fit.of_rows(n_rows) + self.entry * n_rows * n_answered


def _weighed(problem: BlendProblem) -> Rows:
    """Rows that the answer may learn from: of weight above 0, and not held out where one part is held out once."""
    rows = problem.folds[0][0] if problem.held_out_once else np.arange(problem.rows.targets.n_rows)
    return rows if problem.rows.weight is None else rows[problem.rows.weight[rows] > 0]


def _weights(rows: TrainingRows) -> Floats:
    return np.ones((1, 1)) if rows.weight is None else np.asarray(rows.weight, np.float64)[:, None]


def _penalties(rows: TrainingRows, penalty: float) -> Floats:
    """Of each row: the less it weighs, the less its error counts against the smoothness of the rest."""
    return np.broadcast_to(penalty / _weights(rows).ravel(), (rows.targets.n_rows,))


def _median(distances: Floats) -> float:
    above = distances[np.triu_indices(len(distances), 1)]
    median = float(np.median(above)) if above.size else 0.0
    return median if median > 0 else float(max(above.max(initial=0.0), 1.0))


def _fewer_rows(problem: BlendProblem, rows: Rows, pace: _Pace, clock: Clock, reserve: float) -> dict[str, int]:
    """As a setting, rows to learn from where all of them would take too long; `OutOfTime` where few would."""
    n_rows = min(rows.size, _MOST_ROWS)
    n_answered = problem.tested.size if problem.held_out_once else 0  # others come with the fit
    available = _SHARE_OF_TIME * (clock.left - reserve)
    if not clock.limited or pace.of_rows(n_rows, n_answered) <= available:
        return {}
    fitting = min(n_rows, pace.fit.rows_in(available - pace.entry * n_rows * n_answered))
    if not problem.held_out_once or fitting < min(n_rows, _LEAST_ROWS):
        raise OutOfTime(f"Kernel ridge regression would take longer than the {clock.left:.0f} seconds that are left.")
    return {"rows": fitting}


def _answer(problem: BlendProblem, learned: Rows, settings: Settings) -> tuple[Floats, KernelRidge]:
    """Scores of the tested rows, and what answers for others; rows that it learned from, as without their fold."""
    part = problem.numbers.take(learned)
    target, width, penalty = fill_unknown(part.targets), float(settings["width"]), float(settings["penalty"])
    place = np.full(problem.rows.targets.n_rows, -1)
    place[learned] = np.arange(learned.size)
    held_out = [place[test][place[test] >= 0] for _, test in problem.folds]
    folds = [(learned, test) for test in held_out if test.size]
    kernel = gaussian(squared_distances_between(part.X, part.X), width)
    while (found := ridge_answers(kernel, _penalties(part, penalty), target, folds)) is None:
        penalty *= 10.0
    model = KernelRidge(part.X, found[1], width)
    known = place[problem.tested]
    scores = found[0][known]
    if (known < 0).any():
        scores[known < 0] = model.scores(problem.numbers.X[problem.tested[known < 0]])
    return scores, model
