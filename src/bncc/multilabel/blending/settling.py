"""From families that were tried to one answer: weights, fits, calibration, a decision, within the time left."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from bncc._typing import Floats, Rows
from bncc.multilabel.blending.blend_weights import blend_rates, choose_weights, weights_of_labels
from bncc.multilabel.blending.clock import Clock, OutOfTime
from bncc.multilabel.blending.decisions import Answers, Decision, Half, LabelSets, choose_decision
from bncc.multilabel.blending.families import named_families
from bncc.multilabel.blending.family import FittedPart, Tried
from bncc.multilabel.blending.frequent_sets import frequent_sets, places_of_sets
from bncc.multilabel.blending.leaderboard import BlendPlan
from bncc.multilabel.blending.prior_part import PriorPart
from bncc.multilabel.blending.problem import BlendProblem
from bncc.multilabel.blending.rate_sigmoids import RateSigmoids, fit_sigmoids, log_odds
from bncc.multilabel.blending.trials import Trials, fit_tried, settling_seconds

__all__ = ["Settled", "settle"]

# Of the seconds kept for settling, what weights leave over, what fits leave over, what calibration leaves over.
_AFTER_WEIGHTS, _AFTER_FITS, _AFTER_CALIBRATION = 0.6, 0.6, 0.4
# What the heaviest part may overrun the limit by, as a share of it and in seconds: a blend without it is worse.
_GRACE_SHARE, _GRACE_SECONDS = 0.05, 1.0


@dataclass(frozen=True, eq=False)
class Settled:
    """What a blend answers with.

    Attributes
    ----------
    tried, weights : of the same length
        What the blend is of, with weight or without; weights sum to 1.
    parts : fitted parts of those with weight, by name, in the order of `tried`
    label_weights : array of shape (n_parts, n_labels)
    calibration : RateSigmoids or None
    decision : Decision
    set_part : FittedPart or None
        What knows label sets, where the decision looks at them.
    """

    tried: tuple[Tried, ...]
    weights: Floats
    parts: Mapping[str, FittedPart]
    label_weights: Floats
    calibration: RateSigmoids | None
    decision: Decision
    set_part: FittedPart | None

    @property
    def weight_of_family(self) -> dict[str, float]:
        """Weights by name, also those that are 0."""
        return {each.family: float(weight) for each, weight in zip(self.tried, self.weights, strict=True)}


def settle(problem: BlendProblem, trials: Trials, plan: BlendPlan | None, clock: Clock) -> Settled:
    """Weigh what was tried, fit what has weight, calibrate and decide; what is not fitted in time is left out."""
    kept = settling_seconds(trials, clock)
    tried, parts = list(trials.tried), dict[str, FittedPart]()
    while tried:
        weights = _weights(problem, trials, tried, plan, clock.earlier(_AFTER_WEIGHTS * kept))
        grace = clock.earlier(-_GRACE_SHARE * clock.limit - _GRACE_SECONDS) if clock.limited else clock
        late = _fit_parts(problem, tried, weights, parts, trials, clock.earlier(_AFTER_FITS * kept), grace)
        if late is None:
            break
        tried = [each for each in tried if each.family != late]
    if not tried:
        tried, weights = [_prior(problem)], np.ones(1)
        parts = {tried[0].family: tried[0].part or PriorPart.of(problem.rows.targets)}
    return _assemble(problem, tried, weights, parts, clock, kept)


def _weights(
    problem: BlendProblem, trials: Trials, tried: Sequence[Tried], plan: BlendPlan | None, clock: Clock
) -> Floats:
    """One per family of `tried`, which are some of the trials."""
    if plan is not None:
        planned = {each.family: each.weight for each in plan.families}
        return np.array([planned[each.family] for each in tried])

    def timed(score: Callable[[Floats, Rows], float], blended: Floats, rows: Rows) -> float:
        clock.check()
        return score(blended, rows)

    rates = [each.rates for each in tried]
    score_of_family = {each.family: score for each, score in zip(trials.tried, trials.scores, strict=True)}
    best = int(np.argmax([score_of_family[each.family] for each in tried]))
    # Scores by a metric on few rows are noisy, and likelihoods less so; half of the weights go by each.
    by_metric = choose_weights(rates, partial(timed, problem.score), problem.seed, best)
    by_likelihood = choose_weights(rates, partial(timed, problem.likelihood), problem.seed, best)
    return by_metric if clock.left <= 0 else 0.5 * by_metric + 0.5 * by_likelihood


def _fit_parts(
    problem: BlendProblem,
    tried: Sequence[Tried],
    weights: Floats,
    parts: dict[str, FittedPart],
    trials: Trials,
    clock: Clock,
    grace: Clock,
) -> str | None:
    """Fit what has weight, heaviest first, which has some more time; the name of what was not done in time, or None."""
    heaviest = int(np.argmax(weights))
    for place in np.argsort(-weights, kind="stable"):
        each = tried[place]
        if weights[place] == 0 or each.family in parts:
            continue
        begin = clock.spent
        (family,) = named_families([each.family])
        try:
            parts[each.family] = fit_tried(family, problem, each, grace if place == heaviest else clock)
        except OutOfTime:
            trials.notes[each.family] = "not fitted in time"
            return each.family
        finally:
            trials.seconds[each.family] += clock.spent - begin
    return None


def _assemble(
    problem: BlendProblem,
    tried: Sequence[Tried],
    weights: Floats,
    parts: Mapping[str, FittedPart],
    clock: Clock,
    kept: float,
) -> Settled:
    """Weights per label, calibration of the blend, and the decision."""
    places = np.flatnonzero(weights > 0)
    matrix = np.repeat(weights[:, None], problem.rows.targets.n_labels, axis=1)
    calibration: RateSigmoids | None = None
    decision: Decision = Half()
    if problem.folds:
        rates = [each.rates for each in tried]
        if clock.left >= _AFTER_CALIBRATION * kept:
            matrix = weights_of_labels(rates, problem.truth, problem.known, weights)
        blended = blend_rates(rates, matrix)
        if clock.left > 0 or places.size > 1:  # a single part is calibrated already
            calibration = fit_sigmoids(log_odds(blended), problem.truth, problem.known, problem.weight)
            blended = calibration(log_odds(blended))
        decision = _decide(problem, tried, blended, clock)
    set_part = next((each.part for each in tried if each.set_rates is not None), None)
    named = {each.family: parts[each.family] for each, weight in zip(tried, weights, strict=True) if weight > 0}
    sets_used = set_part if decision.needs_sets else None
    return Settled(tuple(tried), weights, named, matrix[places], calibration, decision, sets_used)


def _decide(problem: BlendProblem, tried: Sequence[Tried], rates: Floats, clock: Clock) -> Decision:
    label_sets, set_rates = None, None
    if problem.metric.name == "subset_accuracy" and problem.rows.targets.n_labels > 1:
        knowing = next((each for each in tried if each.set_rates is not None), None)
        label_sets = _label_sets(problem, knowing)
        set_rates = None if knowing is None else knowing.set_rates
    answers = Answers(rates, problem.truth, problem.known, problem.weight, set_rates)
    return choose_decision(problem.metric, answers, label_sets, clock)


def _label_sets(problem: BlendProblem, knowing: Tried | None) -> LabelSets | None:
    """The sets to choose from, and how common they are: those of a family that knows sets, or the frequent ones."""
    if knowing is None or knowing.sets is None:
        sets, code = frequent_sets(problem.rows.targets)
    else:
        sets, code = knowing.sets, places_of_sets(knowing.sets, problem.rows.targets)
    if not len(sets):
        return None
    count = np.bincount(code[code >= 0], minlength=len(sets)) + 1.0
    return LabelSets(sets, np.log(count / count.sum()))


def _prior(problem: BlendProblem) -> Tried:
    """How often labels hold: what is left where nothing could be tried."""
    part = PriorPart.of(problem.rows.targets)
    n_tested = problem.tested.size if problem.folds else 0
    return Tried("prior", {}, np.tile(part.shares, (n_tested, 1)), part)
