from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import sklearn.metrics as reference
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

import bncc.metrics as metrics
from bncc.metrics import ranking
from oracles import metrics as oracle
from oracles.strategies import scored_labels, weights

REFERENCE = {
    "ranking_loss": reference.label_ranking_loss,
    "coverage_error": reference.coverage_error,
    "label_ranking_average_precision": reference.label_ranking_average_precision_score,
}


@settings(max_examples=100, deadline=None)
@given(scored_labels())
def test_equals_the_definition(pair):
    true, scores = (part.tolist() for part in pair)
    for name in ranking.__all__:
        assert getattr(metrics, name)(*pair) == pytest.approx(getattr(oracle, name)(true, scores), abs=1e-12)


@settings(max_examples=80, deadline=None)
@given(scored_labels().filter(lambda pair: pair[0].shape[1] > 1), st.booleans(), st.data())
def test_equals_scikit_learn(pair, as_sparse, data):
    weight = data.draw(st.none() | weights(len(pair[0])))
    true = sparse.csr_array(pair[0]) if as_sparse else pair[0]
    for name, function in REFERENCE.items():
        value = getattr(metrics, name)(true, pair[1], sample_weight=weight)
        assert value == pytest.approx(function(*pair, sample_weight=weight), abs=1e-12)


@settings(max_examples=40, deadline=None)
@given(scored_labels(), st.randoms(use_true_random=False))
def test_laws(pair, random):
    true, scores = pair
    rows, labels = (random.sample(range(n), n) for n in true.shape)
    for name in ranking.__all__:
        metric = getattr(metrics, name)
        value = metric(true, scores)
        assert metric(true[np.ix_(rows, labels)], scores[np.ix_(rows, labels)]) == pytest.approx(value)
        assert metric(true, np.exp(3 * scores)) == pytest.approx(value)  # only the order counts
    cardinality = true.sum(axis=1).mean()
    assert metrics.coverage_error(true, true) <= true.shape[1]
    assert metrics.coverage_error(true, scores) >= cardinality - 1e-12


def test_perfect_and_worst():
    true = np.array([[1, 0, 0, 1], [0, 1, 0, 0]])
    assert metrics.ranking_loss(true, true) == 0.0
    assert metrics.one_error(true, true) == 0.0
    assert metrics.label_ranking_average_precision(true, true) == 1.0
    assert metrics.coverage_error(true, true) == 1.5
    assert metrics.ranking_loss(true, -true) == 1.0
    assert metrics.one_error(true, np.zeros((2, 4))) == 1.0  # ties count against


def test_infinite_scores_are_ranked():
    assert metrics.ranking_loss([[1, 0, 0]], [[-np.inf, -np.inf, -1.0]]) == 1.0


def test_blocks_do_not_show(monkeypatch):
    rng = np.random.default_rng(0)
    true, scores = rng.integers(0, 2, (50, 6)), rng.integers(0, 4, (50, 6))
    whole = [getattr(metrics, name)(true, scores) for name in ranking.__all__]
    monkeypatch.setattr(ranking, "_BLOCK", 13)
    assert [getattr(metrics, name)(true, scores) for name in ranking.__all__] == whole


def test_probabilities_per_label_are_stacked():
    parts = [np.array([[0.2, 0.8], [0.9, 0.1]]), np.array([[0.7, 0.3], [0.4, 0.6]])]
    stacked = [[0.8, 0.3], [0.1, 0.6]]
    assert metrics.ranking_loss([[1, 0], [1, 0]], parts) == metrics.ranking_loss([[1, 0], [1, 0]], stacked) == 0.5


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        ([[0.1, np.nan]], r"1 missing value\(s\)"),
        ([0.1, 0.2], "must be 2-D"),
        ([[0.1, 0.2, 0.3]], "same shape"),
        ([["a", "b"]], "numbers"),
        ([[0.1, 0.2], [0.1]], "rectangular"),
        (sparse.csr_array([[0.1, 0.2]]), "must be dense"),
        ([np.ones((1, 2)), np.ones((1, 1))], r"label 1 has 1 column\(s\)"),
        (pd.DataFrame([[0.1, 0.2]], columns=["b", "a"]), "another order"),
    ],
)
def test_errors(scores, message):
    with pytest.raises(ValueError, match=message):
        metrics.ranking_loss(pd.DataFrame([[1, 0]], columns=["a", "b"]), scores)


@pytest.mark.parametrize("name", ranking.__all__)
def test_scores_that_have_no_order(name):
    metric = getattr(metrics, name)
    with pytest.raises(ValueError, match=r"`Y_score` must be a rectangular matrix of numbers .*complex"):
        metric([[1, 0]], np.array([[1j, 2.0]]))
    with pytest.raises(ValueError, match=r"`Y_score` must have a score in every cell; got masked"):
        metric([[1, 0]], np.ma.masked_array([[1.0, 2.0]], mask=[[1, 0]]))


@pytest.mark.parametrize("name", ["ranking_loss", "coverage_error", "one_error", "label_ranking_average_precision"])
def test_unknown_labels_have_no_place_in_the_ranking(name):
    rng = np.random.default_rng(0)
    true, scores = rng.integers(0, 2, (30, 6)).astype(float), rng.integers(0, 4, (30, 6)).astype(float)
    scores[3, 2] = -np.inf
    unknown = rng.random(true.shape) < 0.3
    unknown[5] = True
    function = getattr(metrics, name)
    rows = [function(t[None, ~u], s[None, ~u]) for t, s, u in zip(true, scores, unknown, strict=True) if not u.all()]
    lost = np.where(unknown, np.nan, true)
    assert function(lost, scores) == pytest.approx(np.mean(rows))
    assert function(sparse.csr_array(lost), scores) == pytest.approx(np.mean(rows))
