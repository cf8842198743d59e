"""From families that were tried to one answer: weights, fits, calibration, a decision, within the time left."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from bncc._typing import Floats, Rows
from bncc.multilabel.blending.blend_weights import blend_rates, choose_weights, weights_of_labels
from bncc.multilabel.blending.clock import Clock, OutOfTime
from bncc.multilabel.blending.decisions import Answers, Decision, Half, LabelSets, choose_decision, replay_decision
from bncc.multilabel.blending.families import named_families
from bncc.multilabel.blending.family import FittedPart, Settings, Tried
from bncc.multilabel.blending.frequent_sets import frequent_sets, places_of_sets
from bncc.multilabel.blending.leaderboard import BlendPlan
from bncc.multilabel.blending.prior_part import PriorPart
from bncc.multilabel.blending.problem import BlendProblem
from bncc.multilabel.blending.rate_sigmoids import RateSigmoids, fit_sigmoids, log_odds
from bncc.multilabel.blending.stacking import STACKED, may_stack, try_stacked
from bncc.multilabel.blending.trials import Trials, add_tried, fit_tried, settling_seconds
from bncc.multilabel.targets import Targets

__all__ = ["Settled", "settle"]

# Of the seconds kept for settling, what weights leave over, what fits leave over, what calibration leaves over.
_AFTER_WEIGHTS, _AFTER_FITS, _AFTER_CALIBRATION = 0.6, 0.6, 0.4
# Of the score of the best family, what another must have to be weighed where there are many rows.
_HOPELESS = 0.5
# Fewer rows say little of which family is best: the fewer they are, the nearer are weights to one another.
_ENOUGH_ROWS = 100.0
# Stacked trees want so many times the seconds kept for settling: weights are chosen again with them.
_SETTLED_TWICE = 2.5
# Slope of the sigmoid of a label that never changes: ranks are kept, and probabilities differ in last digits alone.
_FLAT = 1e-9
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
        Also of those without that stacked trees learned from; stacked trees come last.
    label_weights : array of shape (n_parts, n_labels)
    weighs_labels : bool
        Whether each label was given weights of its own.
    calibration : RateSigmoids or None
    decision : Decision
    set_part : FittedPart or None
        What knows label sets, where the decision looks at them.
    below : tuple of str
        The families that stacked trees learned from, where there are such.
    """

    tried: tuple[Tried, ...]
    weights: Floats
    parts: Mapping[str, FittedPart]
    label_weights: Floats
    weighs_labels: bool
    calibration: RateSigmoids | None
    decision: Decision
    set_part: FittedPart | None
    below: tuple[str, ...] = ()

    @property
    def weight_of_family(self) -> dict[str, float]:
        """Weights by name, also those that are 0."""
        return {each.family: float(weight) for each, weight in zip(self.tried, self.weights, strict=True)}


def settle(
    problem: BlendProblem, trials: Trials, plan: BlendPlan | None, clock: Clock, *, stacks: bool = False
) -> Settled:
    """Weigh what was tried, fit what has weight, calibrate and decide; what is not fitted in time is left out.

    With `stacks`, trees learn from what that blend answers, and weights are chosen again with them among the rest.
    """
    kept = settling_seconds(trials, clock)
    tried, parts = _in_question(problem, trials, plan), dict[str, FittedPart]()
    while tried:
        weights = _weights(problem, trials, tried, plan, clock.earlier(_AFTER_WEIGHTS * kept))
        grace = clock.earlier(-_GRACE_SHARE * clock.limit - _GRACE_SECONDS) if clock.limited else clock
        late = _fit_parts(problem, tried, weights, parts, trials, clock.earlier(_AFTER_FITS * kept), grace)
        if late is None:
            break
        tried = [each for each in tried if each.family != late]
    if not tried:
        if problem.folds and problem.tells_nothing:
            warnings.warn(
                "All rows have the same features: the answer is how often each label holds, the same for all rows. "
                "Give features that differ.",
                UserWarning,
                stacklevel=2,
            )
        elif clock.limited and problem.folds:
            warnings.warn(
                f"No family of models was done within {clock.limit:g} seconds: the answer is how often each label "
                "holds, the same for all rows. Give it more time, or fewer rows.",
                UserWarning,
                stacklevel=2,
            )
        tried, weights = [_prior(problem)], np.ones(1)
        parts = {tried[0].family: tried[0].part or PriorPart.of(problem.rows.targets)}
    below: tuple[str, ...] = ()
    if stacks and trials.tried and may_stack(problem):
        tried, weights, below = _stack(problem, trials, plan, tried, weights, clock, kept)
    return _assemble(problem, plan, tried, weights, parts, below, clock, kept)


def _in_question(problem: BlendProblem, trials: Trials, plan: BlendPlan | None) -> list[Tried]:
    """What may have weight: of many rows, no family that is worth less than half of the best.

    It has learned from few of the rows for want of time, and its probabilities may still be likely ones.
    """
    tried = [(each, score) for each, score in zip(trials.tried, trials.scores, strict=True) if each.family != STACKED]
    least = _HOPELESS * max((score for _, score in tried), default=0.0)
    selects = plan is None and problem.held_out_once and least > 0
    return [each for each, score in tried if not selects or score >= least]


def _stack(
    problem: BlendProblem,
    trials: Trials,
    plan: BlendPlan | None,
    tried: list[Tried],
    weights: Floats,
    clock: Clock,
    kept: float,
) -> tuple[list[Tried], Floats, tuple[str, ...]]:
    """Stacked trees beside the rest, the weights with them, and what they learned from; as it was without weight.

    They learn from the plain mean of the families that have weight: weights were chosen on the rows that they answer.
    """
    settings = None if plan is None else _settings_of(plan, STACKED)
    if clock.left < _SETTLED_TWICE * kept or (plan is not None and settings is None):
        return tried, weights, ()
    below, begin = [each for each, weight in zip(tried, weights, strict=True) if weight > 0], clock.spent
    clock.tell(f"trying {STACKED}")
    answers = np.mean([each.rates for each in below], axis=0)
    above = try_stacked(problem, answers, clock, (_SETTLED_TWICE - 1.0) * kept, settings)
    trials.seconds[STACKED] = clock.spent - begin
    add_tried(trials, above, problem, clock)
    chosen = _weights(problem, trials, [*below, above], plan, clock.earlier(_AFTER_WEIGHTS * kept), above=True)
    if chosen[-1] == 0:
        return tried, weights, ()
    share = {each.family: float(weight) for each, weight in zip(below, chosen, strict=False)}
    again = np.array([*(share.get(each.family, 0.0) for each in tried), chosen[-1]])
    return [*tried, above], again, tuple(share)


def _settings_of(plan: BlendPlan, family: str) -> Settings | None:
    return next((dict(each.settings) for each in plan.families if each.family == family), None)


def _weights(
    problem: BlendProblem,
    trials: Trials,
    tried: Sequence[Tried],
    plan: BlendPlan | None,
    clock: Clock,
    *,
    above: bool = False,
) -> Floats:
    """One per family of `tried`, which are some of the trials; `above` says that stacked trees are among them."""
    if plan is not None:
        first = not above and _settings_of(plan, STACKED) is not None  # any weights for what stacked trees learn from
        planned = {each.family: float(each.below) if first else each.weight for each in plan.families}
        return np.array([planned[each.family] for each in tried])

    def timed(score: Callable[[Floats, Rows], float], blended: Floats, rows: Rows) -> float:
        clock.check()
        return score(blended, rows)

    rates = [each.rates for each in tried]
    score_of_family = {each.family: score for each, score in zip(trials.tried, trials.scores, strict=True)}
    best = int(np.argmax([score_of_family[each.family] for each in tried]))
    # Scores by a metric on few rows are noisy, and likelihoods less so; half of the weights go by each.
    drawn: dict[str, Any] = {"seed": problem.seed, "best": best, "groups": problem.group_of_tested}
    by_metric = choose_weights(rates, partial(timed, problem.score), **drawn)
    by_likelihood = choose_weights(rates, partial(timed, problem.likelihood), **drawn)
    weights = by_metric if clock.left <= 0 else 0.5 * by_metric + 0.5 * by_likelihood
    even = max(0.0, 1.0 - problem.tested.size / _ENOUGH_ROWS)
    return np.asarray((1.0 - even) * weights + even / weights.size, np.float64)


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
    plan: BlendPlan | None,
    tried: Sequence[Tried],
    weights: Floats,
    parts: Mapping[str, FittedPart],
    below: tuple[str, ...],
    clock: Clock,
    kept: float,
) -> Settled:
    """Weights per label, calibration of the blend, and the decision; what a plan says of them is done as it says."""
    places = np.flatnonzero((weights > 0) | np.array([each.family in below for each in tried]))
    matrix = np.repeat(weights[:, None], problem.rows.targets.n_labels, axis=1)
    calibration: RateSigmoids | None = None
    decision: Decision = Half()
    weighs_labels = False
    if problem.folds:
        rates = [each.rates for each in tried]
        in_time = clock.left >= _AFTER_CALIBRATION * kept
        weighs_labels = in_time if plan is None or plan.weighs_labels is None else plan.weighs_labels
        if weighs_labels:
            matrix = weights_of_labels(rates, problem.truth, problem.known, weights, problem.weight)
        blended = blend_rates(rates, matrix)
        in_time = clock.left > 0 or places.size > 1  # a single part is calibrated already
        if in_time if plan is None or plan.calibrates is None else plan.calibrates:
            calibration = fit_sigmoids(log_odds(blended), problem.truth, problem.known, problem.weight)
            calibration = _without_certainty(calibration, problem.rows.targets)
            blended = calibration(log_odds(blended))
        decision = _decide(problem, plan, tried, blended, clock)
    set_part = next((each.part for each in tried if each.set_rates is not None), None)
    named = {each.family: each.part or parts[each.family] for each in (tried[place] for place in places.tolist())}
    sets_used = set_part if decision.needs_sets else None
    return Settled(tuple(tried), weights, named, matrix[places], weighs_labels, calibration, decision, sets_used, below)


def _without_certainty(calibration: RateSigmoids, targets: Targets) -> RateSigmoids:
    """A label that all rows have, or none, as far as is known, is as probable as so many rows make it."""
    shares, positive, known = PriorPart.of(targets).shares, targets.n_positives, targets.n_known
    constant = (positive == 0) | (positive == known)
    return RateSigmoids(
        np.where(constant, _FLAT, calibration.slopes), np.where(constant, log_odds(shares), calibration.offsets)
    )


def _decide(
    problem: BlendProblem, plan: BlendPlan | None, tried: Sequence[Tried], rates: Floats, clock: Clock
) -> Decision:
    label_sets, set_rates, n_labels = None, None, problem.rows.targets.n_labels
    planned = None if plan is None else plan.decision
    joint = problem.metric.name == "subset_accuracy" if planned is None else planned.kind == "joint mode"
    if joint and n_labels > 1:
        knowing = next((each for each in tried if each.set_rates is not None), None)
        label_sets = _label_sets(problem, knowing)
        set_rates = None if knowing is None else knowing.set_rates
    if planned is not None:
        return replay_decision(planned, label_sets, n_labels)
    answers = Answers(rates, problem.truth, problem.known, problem.weight, set_rates, problem.group_of_tested)
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
