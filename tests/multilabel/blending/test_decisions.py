import numpy as np
import pytest

from bncc.metrics import get_metric
from bncc.multilabel.blending.clock import Clock, OutOfTime
from bncc.multilabel.blending.decisions import (
    Answers,
    ExpectedF1,
    Half,
    JointMode,
    LabelSets,
    Thresholds,
    choose_decision,
)

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
