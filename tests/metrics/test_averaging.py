from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import fbeta_score

from bncc.metrics import averaged, binary, micro_f1
from oracles import metrics as oracle
from oracles.strategies import label_pairs

AVERAGES = ["macro", "micro", "weighted", "example", None]
BINARY = {"f1": binary.f_beta, "precision": binary.precision, "recall": binary.recall, "jaccard": binary.jaccard}


@settings(max_examples=80, deadline=None)
@given(label_pairs(), st.sampled_from(AVERAGES), st.sampled_from([0.0, 1.0, float("nan")]))
def test_equals_the_definition(pair, average, zero_division):
    true, pred = (Y.tolist() for Y in pair)
    for kind, function in BINARY.items():
        value = averaged(function, average)(*pair, zero_division=zero_division)
        np.testing.assert_allclose(value, oracle.average(kind, average, true, pred, zero_division), atol=1e-12)


@settings(max_examples=60, deadline=None)
@given(label_pairs(), st.sampled_from([0.0, 0.5, 2.0, np.inf]), st.sampled_from(["macro", "micro", "weighted", None]))
def test_f_beta_equals_scikit_learns(pair, beta, average):
    true, pred = (np.column_stack([Y, Y[:, :1]]) for Y in pair)  # at least two labels for scikit-learn
    expected = fbeta_score(true, pred, beta=beta, average=average, zero_division=0)
    np.testing.assert_allclose(averaged(binary.f_beta, average, beta=beta)(true, pred), expected, atol=1e-12)


def test_none_gives_one_value_per_label():
    values = averaged(binary.recall, None)([[1, 0, 1], [1, 1, 0]], [[1, 0, 0], [0, 1, 0]])
    assert values.tolist() == [0.5, 1.0, 0.0]


def test_nan_leaves_out_and_nothing_left_is_nan():
    metric = averaged(binary.recall, "macro")
    assert metric([[1, 0]], [[1, 0]], zero_division=float("nan")) == 1.0
    assert np.isnan(metric([[0, 0]], [[1, 0]], zero_division=float("nan")))


def test_a_users_binary_metric_on_all_four_counts():
    def balanced_accuracy(tp, fp, fn, tn):
        return (tp / (tp + fn) + tn / (tn + fp)) / 2

    value = averaged(balanced_accuracy, "macro")([[1, 0], [0, 0], [1, 1]], [[1, 0], [1, 0], [0, 1]])
    assert value == pytest.approx((0.25 + 1.0) / 2)


def test_samples_is_taken_for_example():
    assert averaged(binary.recall, "samples") == averaged(binary.recall, "example")


def test_name_and_pickle():
    assert averaged(binary.f_beta, "macro").__name__ == "macro_f_beta"
    assert averaged(binary.recall, None, name="mine").__name__ == "mine"
    two = averaged(binary.f_beta, "micro", beta=2.0)
    again = pickle.loads(pickle.dumps(two))
    assert again([[1, 1]], [[1, 0]]) == two([[1, 1]], [[1, 0]]) == pytest.approx(5 / 9)
    assert pickle.loads(pickle.dumps(micro_f1)) == micro_f1


def test_errors():
    with pytest.raises(ValueError, match=r"`average` must be .* got 'mean'"):
        averaged(binary.recall, "mean")
    with pytest.raises(ValueError, match="`beta` must be a number >= 0; got -1"):
        averaged(binary.f_beta, "macro", beta=-1)([[1]], [[1]])
    for bad in (0.5, "warn", None, -1):
        with pytest.raises(ValueError, match=r"`zero_division` must be 'empty' .* 0.0, 1.0 or nan"):
            micro_f1([[1]], [[1]], zero_division=bad)
