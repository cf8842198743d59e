from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

from blend_problems import X, Y, problem_of
from bncc.metrics import macro_auc
from bncc.multilabel import Blend, load_model, save_model
from bncc.multilabel.blending.clock import Clock
from bncc.multilabel.blending.families import named_families
from bncc.multilabel.blending.settling import settle
from bncc.multilabel.blending.stacking import STACKED, may_stack, try_stacked, with_answers
from bncc.multilabel.blending.trials import try_families

FAMILIES = ["extra trees", "linear", STACKED]


# Labels that a linear model knows nothing of, so that trees on top of it have weight.
CENTRED = X - np.median(X, axis=0)
CROSSED = (CENTRED[:, :3] * CENTRED[:, 3:6] > 0).astype(int)


@pytest.fixture(scope="module")
def fitted():
    return Blend("macro_auc", families=["linear", "kernel ridge", STACKED], random_state=0).fit(X[:300], CROSSED[:300])


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("options", [{}, {"unknown": True}, {"missing": True}, {"weight": np.linspace(0.1, 2.0, 160)}])
def test_trees_learn_from_answers(make, options):
    problem = problem_of(make=make, **options)
    truth = np.nan_to_num(Y[:160].astype(float))
    knowing = try_stacked(problem, 0.1 + 0.8 * truth, Clock(), 0.0, {"trees": 30})
    random = np.random.default_rng(0).random(truth.shape)
    other = try_stacked(problem, random, Clock(), 0.0, {"trees": 30})
    assert knowing.family == STACKED
    assert macro_auc(truth, knowing.rates) > 0.95 > macro_auc(truth, other.rates)
    new = with_answers(make(X[200:]), 0.1 + 0.8 * Y[200:])
    assert macro_auc(Y[200:], knowing.part.rates(new)) > 0.95


def test_features_come_before_answers():
    made = with_answers(sparse.csr_array(np.array([[0.0, 2.0]])), np.array([[0.5, 0.9]]))
    assert sparse.issparse(made)
    np.testing.assert_allclose(made.toarray(), [[0.0, 2.0, 0.0, np.log(9.0)]])


def test_where_it_may_not():
    assert may_stack(problem_of())
    assert not may_stack(problem_of(once=True))
    assert not may_stack(problem_of(groups=np.arange(160) // 4))


def test_a_blend_with_stacked_trees(fitted, tmp_path):
    assert list(fitted.parts_)[-1] == STACKED
    assert fitted.weights_[STACKED] > 0
    assert sum(fitted.weights_.values()) == pytest.approx(1.0)
    assert STACKED in str(fitted.leaderboard_)
    assert macro_auc(CROSSED[300:], fitted.predict_proba(X[300:])) > 0.6
    below = [part.rates(X[300:]) for name, part in fitted.parts_.items() if name != STACKED]
    above = fitted.parts_[STACKED].rates(with_answers(X[300:], sum(below) / len(below)))
    mixed = sum(rates * weight for rates, weight in zip([*below, above], fitted._label_weights, strict=True))
    np.testing.assert_array_equal(
        np.argsort(mixed, axis=0)[-5:], np.argsort(fitted.predict_proba(X[300:]), axis=0)[-5:]
    )
    again = load_model(save_model(fitted, tmp_path / "m"))
    np.testing.assert_allclose(again.predict_proba(X[300:]), fitted.predict_proba(X[300:]), atol=1e-9)


def test_a_plan_does_it_again(fitted):
    again = Blend("macro_auc", plan=fitted.plan_, random_state=0).fit(X[:300], CROSSED[:300])
    assert again.weights_ == pytest.approx(fitted.weights_)
    np.testing.assert_allclose(again.predict_proba(X[300:]), fitted.predict_proba(X[300:]), atol=1e-9)
    assert again.plan_ == fitted.plan_


def test_a_plan_without_them_has_none():
    plain = Blend("macro_auc", families=FAMILIES[:2], random_state=0).fit(X[:120], Y[:120])
    assert STACKED not in plain.parts_
    again = Blend("macro_auc", plan=plain.plan_, random_state=0).fit(X[:120], Y[:120])
    assert STACKED not in again.parts_
    np.testing.assert_allclose(again.predict_proba(X[200:]), plain.predict_proba(X[200:]), atol=1e-9)


def test_without_weight_the_blend_is_as_it_was(monkeypatch):
    problem = problem_of()
    names = named_families(FAMILIES)
    plain = settle(problem, try_families(names, problem, None, Clock()), None, Clock())

    def useless(problem, rates, clock, reserve, settings=None):
        tried = try_stacked(problem, rates, clock, reserve, {"trees": 1})
        return replace(tried, rates=np.where(problem.truth, 0.01, 0.99))  # all wrong

    monkeypatch.setattr("bncc.multilabel.blending.settling.try_stacked", useless)
    trials = try_families(names, problem, None, Clock())
    stacked = settle(problem, trials, None, Clock(), stacks=True)
    assert [each.family for each in trials.tried][-1] == STACKED  # it is on the leaderboard
    assert list(stacked.parts) == list(plain.parts)
    assert stacked.below == ()
    np.testing.assert_allclose(stacked.label_weights, plain.label_weights)


def test_there_must_be_something_below():
    with pytest.raises(ValueError, match=r"must have others beside 'stacked trees'"):
        named_families([STACKED])


def test_it_is_not_begun_where_time_is_short():
    problem = problem_of()
    trials = try_families(named_families(FAMILIES), problem, None, Clock(50.0))
    clock = Clock(50.0)
    clock._start -= 49.0
    settled = settle(problem, trials, None, clock, stacks=True)
    assert STACKED not in settled.parts
