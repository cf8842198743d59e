from functools import partial

import numpy as np
import pytest

from bncc.metrics import get_metric
from bncc.multilabel.blending.clock import Clock, OutOfTime
from bncc.multilabel.blending.decisions import (
    Answers,
    Decision,
    ExpectedF1,
    Half,
    JointMode,
    LabelSets,
    Thresholds,
    _validated,
    choose_decision,
    planned_decision,
    replay_decision,
)
from bncc.multilabel.blending.leaderboard import PlannedDecision

NO_LIMIT = Clock(None)
RNG = np.random.default_rng(0)
TRUTH = RNG.random((300, 5)) < 0.25
RATES = np.clip(TRUTH * 0.25 + 0.1 + RNG.random(TRUTH.shape) * 0.3, 0, 1)


@pytest.mark.parametrize("name", ["macro_auc", "ranking_loss", "hamming_loss"])
def test_rankings_and_hamming_loss_want_one_half(name):
    decision = choose_decision(get_metric(name), Answers(RATES, TRUTH), None, NO_LIMIT)
    assert isinstance(decision, Half)
    np.testing.assert_array_equal(decision.decide(RATES), RATES > 0.5)


@pytest.mark.parametrize("name", ["micro_f1", "macro_f1", "example_jaccard", "example_f1"])
def test_f_measures_gain_over_one_half(name):
    answers, metric = Answers(RATES, TRUTH), get_metric(name)
    decision = choose_decision(metric, answers, None, NO_LIMIT)
    assert isinstance(decision, Thresholds | ExpectedF1)
    assert not decision.needs_sets
    assert answers.value(metric, decision.decide(RATES)) > answers.value(metric, RATES > 0.5) + 0.1


def test_exact_matches_take_a_set_that_occurs():
    sets = np.array([[0, 0, 0, 0, 0], [1, 1, 0, 0, 0], [0, 0, 1, 1, 1]], bool)
    truth = sets[RNG.integers(0, 3, 300)]
    rates = np.clip(np.where(truth, 0.55, 0.4) + RNG.normal(size=truth.shape) * 0.15, 0.01, 0.99)
    metric, answers = get_metric("subset_accuracy"), Answers(rates, truth)
    decision = choose_decision(metric, answers, LabelSets(sets, np.log([1 / 3] * 3)), NO_LIMIT)
    assert isinstance(decision, JointMode)
    assert answers.value(metric, decision.decide(rates)) > answers.value(metric, rates > 0.5) + 0.1
    known = Answers(rates, truth, set_rates=(truth[:, None, :] == sets).all(axis=2) * 0.9 + 0.03)
    best = choose_decision(metric, known, LabelSets(sets, np.log([1 / 3] * 3)), NO_LIMIT)
    assert best.needs_sets
    assert known.value(metric, best.decide(rates, known.set_rates)) == 1.0


def test_where_every_row_has_one_label_sets_of_one_are_more_probable():
    truth = np.eye(5, dtype=bool)[RNG.integers(0, 5, 600)]
    rates = 1.0 / (1.0 + np.exp(1.5 - 1.2 * truth + RNG.normal(size=truth.shape)))
    metric, chosen_on, new = get_metric("example_f1"), Answers(rates[:300], truth[:300]), rates[300:]
    decision = choose_decision(metric, chosen_on, None, NO_LIMIT)
    assert isinstance(decision, ExpectedF1)
    assert decision.size_factors is not None
    assert decision.size_factors[1] > 5 * max(decision.size_factors[0], decision.size_factors[2])
    found, before = (metric.function(truth[300:], rule.decide(new)) for rule in (decision, ExpectedF1()))
    assert found > before + 0.05


def test_few_rows_and_weights():
    assert isinstance(choose_decision(get_metric("MacF"), Answers(RATES[:3], TRUTH[:3]), None, NO_LIMIT), Half)
    weight = np.where(TRUTH.any(axis=1), 0.0, 1.0)
    decision = choose_decision(get_metric("example_f1"), Answers(RATES, TRUTH, None, weight), None, NO_LIMIT)
    assert decision.decide(RATES)[weight > 0].mean() < 0.1  # only rows without labels count


@pytest.mark.parametrize("name", ["macro_f1", "example_f1", "subset_accuracy"])
def test_there_is_a_decision_when_the_time_is_over(name):
    metric, answers = get_metric(name), Answers(RATES, TRUTH, known=np.ones(TRUTH.shape, bool))
    decision = choose_decision(metric, answers, LabelSets(np.eye(5) > 0, np.zeros(5)), Clock(1e-9))
    assert isinstance(decision, Half if name == "subset_accuracy" else Thresholds)
    if name != "subset_accuracy":
        assert decision.decide(RATES).sum() == TRUTH.sum()  # as many labels as there are


class _RunsOut(Clock):
    """A clock that is over after so many questions."""

    def __init__(self, questions):
        super().__init__(1e6)
        self.questions = questions

    def earlier(self, seconds):
        return self

    def check(self, reserve=0.0):
        self.questions -= 1
        if self.questions < 0:
            raise OutOfTime("over")


def test_what_was_compared_in_time_is_chosen_from():
    metric, answers = get_metric("example_f1"), Answers(RATES, TRUTH)
    values = []
    for questions in (0, 10, 300, 900, 10_000):
        decision = choose_decision(metric, answers, None, _RunsOut(questions))
        values.append(answers.value(metric, decision.decide(RATES)))
    assert min(values[1:]) >= values[0] - 0.02
    whole = choose_decision(metric, answers, None, NO_LIMIT)
    assert values[-1] == answers.value(metric, whole.decide(RATES))


@pytest.mark.parametrize("name", ["example_f1", "example_jaccard", "subset_accuracy"])
def test_of_one_label_these_are_accuracy_and_want_one_half(name):
    one, predicted = Answers(RATES[:, :1], TRUTH[:, :1]), RATES[:, :1] > 0.3
    metric = get_metric(name)
    assert metric.function(one.truth, predicted) == pytest.approx((predicted == one.truth).mean())
    assert isinstance(choose_decision(metric, one, None, NO_LIMIT), Half)
    assert isinstance(choose_decision(get_metric("macro_f1"), one, None, NO_LIMIT), Thresholds)


def test_rows_without_weight_count_nowhere():
    weight = np.zeros(len(RATES))
    weight[::2] = 1.0  # one of the halves that rules are compared on has no weight
    weighed = choose_decision(get_metric("macro_f1"), Answers(RATES, TRUTH, weight=weight), None, NO_LIMIT)
    alone = choose_decision(
        get_metric("macro_f1"), Answers(RATES[::2], TRUTH[::2], weight=np.ones(150)), None, NO_LIMIT
    )
    np.testing.assert_array_equal(weighed.decide(RATES), alone.decide(RATES))


def test_rare_labels_of_many_have_no_thresholds_of_their_own(monkeypatch):
    tried = []

    def watched(how, seen):
        tried.append(how)
        return np.zeros(seen.truth.shape[1])

    monkeypatch.setattr(
        "bncc.multilabel.blending.decisions.RULES", {how: partial(watched, how) for how in ("global", "per_label")}
    )
    rng = np.random.default_rng(0)
    for share, expected in ((0.01, {"global"}), (0.5, {"global", "per_label"})):
        tried.clear()
        truth = rng.random((20, 1100)) < share
        choose_decision(get_metric("micro_f1"), Answers(rng.random(truth.shape), truth), None, NO_LIMIT)
        assert set(tried) == expected


SETS = LabelSets(np.eye(5, dtype=bool), np.log(np.full(5, 0.2)))


@pytest.mark.parametrize(
    "decision",
    [
        Half(),
        Thresholds(RNG.random(5)),
        ExpectedF1(-0.4),
        ExpectedF1(0.2, np.array([0.1, 3.0, 1.0])),
        JointMode(SETS.sets, SETS.log_shares, 0.0, 0.5),
    ],
    ids=lambda decision: type(decision).__name__,
)
def test_a_planned_decision_decides_the_same_again(decision):
    planned = planned_decision(decision)
    assert all(type(value) is float for value in planned.values)
    again = replay_decision(planned, SETS, 5)
    assert type(again) is type(decision)
    np.testing.assert_array_equal(again.decide(RATES), decision.decide(RATES))
    assert planned_decision(again) == planned


@pytest.mark.parametrize(
    ("kind", "values"), [("thresholds", (0.5,)), ("expected F1", ()), ("joint mode", (0.0, 1.0)), ("moon", ())]
)
def test_a_plan_that_is_nothing_for_these_labels_is_refused(kind, values):
    with pytest.raises(ValueError, match=f"The plan decides by {kind} of {len(values)} numbers.* 5 labels"):
        replay_decision(PlannedDecision(kind, values), None, 5)


def test_halves_are_of_whole_groups():
    groups = RNG.integers(0, 60, len(TRUTH))
    asked = []

    class Noted(Answers):
        def take(self, rows):
            asked.append(rows)
            return super().take(rows)

    choose_decision(get_metric("micro_f1"), Noted(RATES, TRUTH, groups=groups), None, NO_LIMIT)
    assert asked
    for rows in asked:
        assert 120 < rows.size < 180
        assert not set(groups[rows]) & set(np.delete(groups, rows))


class Remembered(Decision):
    """Knows the labels of the rows that it was made of, and of copies of them."""

    def __init__(self, held):
        self.known = {rates.tobytes(): labels for rates, labels in zip(held.rates, held.truth, strict=True)}

    def decide(self, rates, set_rates=None):
        nothing = np.zeros(rates.shape[1], bool)
        return np.array([self.known.get(row.tobytes(), nothing) for row in rates])


def test_copies_of_rows_in_one_group_flatter_no_rule():
    copies = np.repeat(np.arange(150), 2)
    truth, rates, metric = TRUTH[copies], RATES[copies], get_metric("micro_f1")
    values = [
        _validated(metric, Answers(rates, truth, groups=groups), lambda metric, held: Remembered(held)).value
        for groups in (None, copies)
    ]
    assert values == [1.0, 0.0]
