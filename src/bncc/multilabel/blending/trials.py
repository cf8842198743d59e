"""Trying families one after the other within a limit of time, and what came of it."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from bncc.multilabel.blending.clock import Clock, OutOfTime
from bncc.multilabel.blending.family import Family, FittedPart, Settings, Tried
from bncc.multilabel.blending.leaderboard import BlendPlan
from bncc.multilabel.blending.problem import BlendProblem

__all__ = ["Trials", "add_tried", "fit_tried", "settling_seconds", "try_families"]

# Evaluations of the metric that weights and decisions take, about, and shares of the limit that they may have.
_EVALUATIONS = 150.0
_LEAST_SHARE, _MOST_SHARE = 0.06, 0.25
# Of the mean logarithm of the likelihood, what is left of it at most for a family that must be ahead.
_LEAD = 0.97
# What learns most in little time from sparse features or of thousands of labels.
_QUICKEST = ("linear SVM", "linear")


@dataclass
class Trials:
    """What has been tried so far.

    Attributes
    ----------
    tried, scores : lists of the same length
        Families that have answered, and what their answers are worth.
    seconds, notes : by name of the family
        What it took, and why it is not in the blend.
    evaluation_seconds : float
        What one evaluation of the metric took at most.
    """

    tried: list[Tried] = field(default_factory=list)
    scores: list[float] = field(default_factory=list)
    seconds: dict[str, float] = field(default_factory=dict)
    notes: dict[str, str] = field(default_factory=dict)
    evaluation_seconds: float = 0.0


def try_families(families: Sequence[Family], problem: BlendProblem, plan: BlendPlan | None, clock: Clock) -> Trials:
    """Try those that suit, or those of the plan as it says; none where features tell nothing."""
    trials = Trials()
    if not problem.folds or problem.tells_nothing:
        return trials
    planned = None if plan is None else {each.family: dict(each.settings) for each in plan.families}
    for family in _in_order(families, problem):
        if planned is None and family.suits(problem):
            _try_family(family, problem, None, clock, trials)
        elif planned is not None and family.name in planned:
            _try_family(family, problem, planned[family.name], clock, trials)
    return trials


def _in_order(families: Sequence[Family], problem: BlendProblem) -> list[Family]:
    """As they come; where trees are slow and linear models good, the linear families first."""
    first = _QUICKEST if problem.linear_first else ()
    return sorted(families, key=lambda family: family.name not in first)


def _lacks_time(problem: BlendProblem, trials: Trials) -> bool:
    """Whether the quickest family had to leave rows out: all others would learn from fewer still, and help little."""
    first = trials.tried[0] if trials.tried and problem.linear_first else None
    return first is not None and first.family in _QUICKEST and "rows" in first.settings


def _try_family(family: Family, problem: BlendProblem, settings: Settings | None, clock: Clock, trials: Trials) -> None:
    clock.tell(f"trying {family.name}")
    begin, reserve = clock.spent, settling_seconds(trials, clock) + _fitting_seconds(problem, trials)
    try:
        clock.check(reserve if trials.tried else 0.0)
        if settings is None and _lacks_time(problem, trials):
            raise OutOfTime(f"{family.name} would learn from too few rows.")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            tried = family.try_out(problem, clock, reserve, settings)
    except OutOfTime:
        trials.notes[family.name] = "not done in time"
        return
    finally:
        trials.seconds[family.name] = clock.spent - begin
    if settings is None and family.must_lead(problem) and not _leads(tried, problem, trials):
        trials.notes[family.name] = "not ahead on few rows"
        return
    add_tried(trials, tried, problem, clock)


def _leads(tried: Tried, problem: BlendProblem, trials: Trials) -> bool:
    """Whether its answers are less surprised by the labels than all before, by some hundredths."""
    every_row = np.arange(len(tried.rates))
    best = max((problem.likelihood(other.rates, every_row) for other in trials.tried), default=-np.inf)
    return bool(problem.likelihood(tried.rates, every_row) > _LEAD * best)


def add_tried(trials: Trials, tried: Tried, problem: BlendProblem, clock: Clock) -> None:
    """Note what a family has answered, and what that is worth."""
    begin = clock.spent
    trials.tried.append(tried)
    trials.scores.append(problem.score(tried.rates))
    trials.evaluation_seconds = max(trials.evaluation_seconds, clock.spent - begin)
    best = int(np.argmax(trials.scores))
    clock.tell(
        f"{tried.family}: {problem.metric.name} {trials.scores[-1]:.4f}, "
        f"best so far {trials.scores[best]:.4f} ({trials.tried[best].family})"
    )


def settling_seconds(trials: Trials, clock: Clock) -> float:
    """Seconds kept for weights, calibration and decisions, from what one evaluation of the metric took."""
    if not clock.limited:
        return 0.0
    wanted = _EVALUATIONS * trials.evaluation_seconds
    return float(np.clip(wanted, _LEAST_SHARE * clock.limit, _MOST_SHARE * clock.limit))


def _fitting_seconds(problem: BlendProblem, trials: Trials) -> float:
    """Seconds kept for fits on all rows of what was tried on folds."""
    of_folds = [trials.seconds[tried.family] for tried in trials.tried if tried.part is None]
    return 1.3 * sum(of_folds) / max(len(problem.folds), 1)


def fit_tried(family: Family, problem: BlendProblem, tried: Tried, clock: Clock) -> FittedPart:
    """A family fitted as it was tried."""
    if tried.part is not None:
        return tried.part
    clock.tell(f"fitting {tried.family}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return family.fit(problem, tried, clock)
