from dataclasses import replace

import numpy as np
import pytest

from blend_problems import problem_of
from bncc.multilabel.blending.clock import Clock
from bncc.multilabel.blending.decisions import Half
from bncc.multilabel.blending.families import named_families
from bncc.multilabel.blending.leaderboard import BlendPlan, PlannedFamily
from bncc.multilabel.blending.settling import settle
from bncc.multilabel.blending.trials import Trials, try_families

PROBLEM = problem_of()


@pytest.fixture(scope="module")
def trials():
    return try_families(named_families(["extra trees", "linear"]), PROBLEM, None, Clock())


def test_parts_are_those_with_weight(trials):
    settled = settle(PROBLEM, trials, None, Clock())
    assert sum(settled.weight_of_family.values()) == pytest.approx(1.0)
    assert list(settled.parts) == [name for name, weight in settled.weight_of_family.items() if weight > 0]
    assert settled.label_weights.shape == (len(settled.parts), 10)
    np.testing.assert_allclose(settled.label_weights.sum(axis=0), 1.0)
    assert settled.calibration is not None
    assert isinstance(settled.decision, Half)  # the problem's metric ranks
    assert settled.set_part is None


def test_a_plan_brings_its_weights(trials):
    plan = BlendPlan(
        (PlannedFamily("extra trees", (), 0.0), PlannedFamily("linear", (("C", 1.0),), 1.0)), limited=False
    )
    settled = settle(PROBLEM, trials, plan, Clock())
    assert settled.weight_of_family == {"extra trees": 0.0, "linear": 1.0}
    assert list(settled.parts) == ["linear"]


def test_what_cannot_be_fitted_in_time_is_left_out(trials):
    late = Trials(list(trials.tried[::-1]), trials.scores[::-1], dict(trials.seconds), {}, trials.evaluation_seconds)
    over = Clock(1e-9)
    over._start -= 10.0
    settled = settle(PROBLEM, late, None, over)
    assert list(settled.parts) == ["extra trees"]  # the forest came with its trial; linear models had to be fitted
    assert late.notes == {"linear": "not fitted in time"}
    assert np.isfinite(settled.parts["extra trees"].rates(PROBLEM.rows.X)).all()


def test_the_heaviest_part_may_take_a_little_longer(trials):
    best_is_linear = Trials(list(trials.tried), [0.2, 0.9], dict(trials.seconds), {}, trials.evaluation_seconds)
    clock = Clock(100.0)
    clock._start -= 100.5  # the limit is over, by less than the blend may overrun it
    settled = settle(PROBLEM, best_is_linear, None, clock)
    assert list(settled.parts) == ["linear"]
    assert best_is_linear.notes == {}


def test_without_time_for_weights_the_best_family_answers_alone(trials):
    for order in (slice(None), slice(None, None, -1)):
        scored = Trials(trials.tried[order], [0.2, 0.9], dict(trials.seconds), {}, trials.evaluation_seconds)
        plain = settle(problem_of(once=True), _fitted(scored), None, Clock(1e-9))
        assert list(plain.parts) == [scored.tried[1].family]


def _fitted(trials):
    """The same trials with parts, as they come where rows are held out once."""
    part = next(each.part for each in trials.tried if each.part is not None)
    return replace(trials, tried=[replace(each, rates=each.rates[:32], part=part) for each in trials.tried])


def test_where_nothing_was_tried_labels_are_as_common_as_they_were():
    with pytest.warns(UserWarning, match="the same for all rows"):
        settled = settle(PROBLEM, Trials(), None, Clock(1e-9))
    assert list(settled.parts) == ["prior"]
    shares = settled.parts["prior"].rates(PROBLEM.rows.X[:1])[0]
    np.testing.assert_allclose(shares, PROBLEM.truth.mean(axis=0), atol=0.01)


def test_of_many_rows_no_family_far_behind_has_weight():
    problem = problem_of(once=True)
    trials = try_families(named_families(["extra trees", "linear"]), problem, None, Clock())
    behind = Trials(list(trials.tried), [0.9, 0.4], dict(trials.seconds), {}, trials.evaluation_seconds)
    assert settle(problem, behind, None, Clock()).weight_of_family == {"extra trees": 1.0}
    losses = Trials(list(trials.tried), [-0.1, -0.4], dict(trials.seconds), {}, trials.evaluation_seconds)
    assert set(settle(problem, losses, None, Clock()).weight_of_family) == {"extra trees", "linear"}
    plan = BlendPlan((PlannedFamily("extra trees", (), 0.5), PlannedFamily("linear", (), 0.5)), limited=False)
    assert settle(problem, behind, plan, Clock()).weight_of_family == {"extra trees": 0.5, "linear": 0.5}
