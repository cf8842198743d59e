import numpy as np
import pytest

from bncc import BinaryRelevance, TunedThresholds
from bncc.datasets import make_scenes
from bncc.multilabel.threshold_rules import RULES, HeldOut
from bncc.multilabel.thresholds import Objective, best_threshold, best_thresholds, counts_threshold, shrink

rng = np.random.default_rng(0)
TRUTH = rng.random((80, 4)) < [0.1, 0.3, 0.5, 0.2]
SCORES = TRUTH + rng.normal(scale=0.7, size=TRUTH.shape) - 0.8
HELD_OUT = HeldOut(SCORES, TRUTH, None, "micro_f1", 20.0)


def test_rules_are_those_of_the_functions_they_are_made_of():
    objective = Objective("micro_f1", TRUTH)
    shared = best_threshold(SCORES, objective)
    assert RULES["global"](HELD_OUT).tolist() == [shared] * 4
    assert RULES["counts"](HELD_OUT).tolist() == [counts_threshold(SCORES, TRUTH.sum())] * 4
    expected = shrink(best_thresholds(SCORES, objective, shared), shared, TRUTH.sum(axis=0), 20.0)
    np.testing.assert_array_equal(RULES["per_label"](HELD_OUT), expected)


def test_a_rule_of_ones_own(monkeypatch):
    monkeypatch.setitem(RULES, "median", lambda held_out: np.median(held_out.scores, axis=0))
    data = make_scenes(120)
    tuned = TunedThresholds(BinaryRelevance(), how="median").fit(data.X, data.Y)
    shares = tuned.predict(data.X).mean(axis=0)
    assert ((shares > 0.2) & (shares < 0.8)).all()


def test_unknown_rules_are_named():
    with pytest.raises(ValueError, match="`how` must be 'global', 'per_label' or 'counts'; got 'best'"):
        TunedThresholds(BinaryRelevance(), how="best").fit([[0.0], [1.0]], [[0, 1], [1, 0]])
