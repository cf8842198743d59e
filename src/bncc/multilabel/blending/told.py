"""What a blend tells of itself after a fit: its leaderboard, and the plan to do it again."""

from __future__ import annotations

import numpy as np

from bncc.multilabel.blending.blend_weights import blend_rates
from bncc.multilabel.blending.decisions import planned_decision
from bncc.multilabel.blending.family import Tried
from bncc.multilabel.blending.leaderboard import BlendPlan, Leaderboard, LeaderboardRow, PlannedFamily
from bncc.multilabel.blending.problem import BlendProblem
from bncc.multilabel.blending.settling import Settled
from bncc.multilabel.blending.trials import Trials

__all__ = ["leaderboard_of", "plan_of"]


def leaderboard_of(problem: BlendProblem, trials: Trials, settled: Settled, seconds: float) -> Leaderboard:
    """All that was tried or given up, and the blend of it, best first."""
    weights = settled.weight_of_family
    rows = [
        LeaderboardRow(each.family, _shown(each), score, trials.seconds[each.family], weights.get(each.family, 0.0),
                       trials.notes.get(each.family, ""))
        for each, score in zip(trials.tried, trials.scores, strict=True)
    ]  # fmt: skip
    answered = {each.family for each in trials.tried}
    rows += [
        LeaderboardRow(name, "", None, trials.seconds[name], 0.0, note)
        for name, note in trials.notes.items()
        if name not in answered
    ]
    if problem.folds and trials.tried:
        blended = blend_rates([each.rates for each in settled.tried], settled.weights[:, None])
        rows.append(LeaderboardRow("blend", "", problem.score(blended), seconds, 1.0))
    rows.sort(key=lambda row: -np.inf if row.score is None else row.score, reverse=True)
    return Leaderboard(problem.metric.name, tuple(rows))


def plan_of(trials: Trials, settled: Settled, *, limited: bool) -> BlendPlan:
    """What has to be tried, and how it is weighed, calibrated and decided, to have the same blend again."""
    weights = settled.weight_of_family
    planned = tuple(
        PlannedFamily(
            each.family, tuple(sorted(each.settings.items())), weights[each.family], each.family in settled.below
        )
        for each in trials.tried
        if each.family in weights
    )
    decision = planned_decision(settled.decision)
    return BlendPlan(planned, limited, settled.weighs_labels, settled.calibration is not None, decision)


def _shown(tried: Tried) -> str:
    return ", ".join(f"{name} {value:g}" for name, value in tried.settings.items())
