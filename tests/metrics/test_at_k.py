from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import ndcg_score

import bncc.metrics as metrics
from bncc.metrics import UndefinedMetricError, at_k
from oracles import metrics as oracle
from oracles.strategies import scored_labels, weights

KINDS = ("precision", "recall", "ndcg")
PLAIN = [f"{kind}_at_k" for kind in KINDS]
SCORED = [f"ps_{kind}_at_k" for kind in KINDS]
depths = st.integers(1, 7)


@settings(max_examples=150, deadline=None)
@given(scored_labels(), depths)
def test_equals_the_definition(pair, k):
    true, scores = (part.tolist() for part in pair)
    for kind in KINDS:
        value = getattr(metrics, f"{kind}_at_k")(*pair, k=k)
        assert value == pytest.approx(oracle.at_k(kind, true, scores, k), abs=1e-12)


@settings(max_examples=150, deadline=None)
@given(scored_labels(), depths, st.data())
def test_the_propensity_scored_forms_equal_their_definition(pair, k, data):
    n_labels = pair[0].shape[1]
    propensities = data.draw(st.lists(st.sampled_from([0.1, 0.5, 0.8, 1.0]), min_size=n_labels, max_size=n_labels))
    for kind in KINDS:
        metric = getattr(metrics, f"ps_{kind}_at_k")
        expected = oracle.ps_at_k(kind, *(part.tolist() for part in pair), k, propensities)
        if expected is None:
            with pytest.raises(UndefinedMetricError, match="needs a row with a relevant label"):
                metric(*pair, k=k, propensities=propensities)
        else:
            assert metric(*pair, k=k, propensities=propensities) == pytest.approx(expected, abs=1e-12)


@settings(max_examples=60, deadline=None)
@given(scored_labels(), depths, st.data())
def test_sparse_scores_are_dense_ones_with_nothing_below(pair, k, data):
    true, scores = pair
    stored = np.array(data.draw(st.lists(st.booleans(), min_size=true.size, max_size=true.size))).reshape(true.shape)
    rows, labels = np.nonzero(stored)
    matrix = sparse.coo_array((scores[rows, labels], (rows, labels)), shape=true.shape)
    filled = np.where(stored, scores, -np.inf)
    for name in PLAIN + (SCORED if true.any() else []):
        metric = getattr(metrics, name)
        value = metric(true, filled, k=k)
        assert metric(true, matrix, k=k) == pytest.approx(value, abs=1e-12)
        assert metric(sparse.csc_array(true), matrix.tocsc(), k=k) == pytest.approx(value, abs=1e-12)
        assert metric(sparse.csr_array(true), filled, k=k) == pytest.approx(value, abs=1e-12)


@settings(max_examples=80, deadline=None)
@given(st.integers(2, 6), st.integers(2, 8), depths, st.integers(0, 10_000), st.data())
def test_ndcg_is_scikit_learns_without_ties(n_rows, n_labels, k, seed, data):
    rng = np.random.default_rng(seed)
    true = rng.integers(0, 2, (n_rows, n_labels))
    scores = rng.permuted(np.tile(np.arange(n_labels), (n_rows, 1)), axis=1).astype(float)
    weight = data.draw(st.none() | weights(n_rows))
    expected = ndcg_score(true, scores, k=k, sample_weight=weight)
    assert metrics.ndcg_at_k(true, scores, k=k, sample_weight=weight) == pytest.approx(expected, abs=1e-12)


@settings(max_examples=80, deadline=None)
@given(scored_labels().filter(lambda pair: pair[0].any()), depths, st.randoms(use_true_random=False))
def test_laws(pair, k, random):
    true, scores = pair
    rows, labels = (random.sample(range(n), n) for n in true.shape)
    for name in PLAIN + SCORED:
        metric = getattr(metrics, name)
        value = metric(true, scores, k=k)
        assert 0 <= value <= 1 + 1e-12
        assert metric(true[np.ix_(rows, labels)], scores[np.ix_(rows, labels)], k=k) == pytest.approx(value)
        assert metric(true, np.exp(3 * scores), k=k) == pytest.approx(value)  # only the order counts
    assert metrics.recall_at_k(true, scores, k=k) <= metrics.recall_at_k(true, scores, k=k + 1) + 1e-12
    assert metrics.ndcg_at_k(true, scores, k=1) == pytest.approx(metrics.precision_at_k(true, scores, k=1))
    assert metrics.precision_at_k(true, scores, k=1) == pytest.approx(1 - metrics.one_error(true, scores))
    for name in SCORED:  # with equal propensities they are the plain ones, over their best
        metric, plain = getattr(metrics, name), getattr(metrics, name.removeprefix("ps_"))
        halves = np.full(true.shape[1], 0.5)
        best = plain(true, true, k=k)
        assert metric(true, scores, k=k, propensities=halves) == pytest.approx(plain(true, scores, k=k) / best)


def test_the_plain_propensity_scored_forms():
    true, scores, propensities = [[1, 0, 1], [0, 0, 0]], [[0.9, 0.5, 0.1], [0.1, 0.2, 0.3]], [0.5, 0.5, 0.2]
    options = {"propensities": propensities, "normalize": False}
    assert metrics.ps_precision_at_k(true, scores, k=2, **options) == pytest.approx((2 / 2 + 0) / 2)
    assert metrics.ps_recall_at_k(true, scores, k=3, **options) == pytest.approx((7 / 2 + 0) / 2)
    discounts = [1, 1 / np.log2(3), 0.5]
    assert metrics.ps_ndcg_at_k(true, scores, k=3, **options) == pytest.approx((2 + 5 / 2) / sum(discounts) / 2)


def test_rows_without_relevant_labels():
    true, scores = [[1, 0], [0, 0]], [[0.9, 0.1], [0.9, 0.1]]
    assert metrics.precision_at_k(true, scores, k=1) == 0.5
    for metric in (metrics.recall_at_k, metrics.ndcg_at_k):
        values = [metric(true, scores, k=1, zero_division=filler) for filler in (0.0, 1.0, np.nan)]
        assert values == [0.5, 1.0, 1.0]
    assert metrics.ps_precision_at_k(true, scores, k=1) == 1.0
    assert metrics.ps_precision_at_k([[0, 0]], [[1, 2]], k=1, normalize=False) == 0.0


def test_more_places_than_labels_are_misses():
    assert metrics.precision_at_k([[1, 1]], [[1, 2]], k=4) == 0.5
    assert metrics.recall_at_k([[1, 1]], [[1, 2]], k=4) == 1.0
    assert metrics.ndcg_at_k([[1, 1]], [[1, 2]], k=10**6) == 1.0


def test_blocks_do_not_show(monkeypatch):
    rng = np.random.default_rng(0)
    true, scores = rng.random((50, 9)) < 0.3, rng.integers(0, 5, (50, 9)).astype(float)
    stored = sparse.csr_array(np.where(rng.random((50, 9)) < 0.5, scores, 0))
    names = PLAIN + SCORED
    whole = [getattr(metrics, name)(true, each, k=3) for name in names for each in (scores, stored)]
    monkeypatch.setattr("bncc.metrics.top_gains._BLOCK", 20)
    assert [getattr(metrics, name)(true, each, k=3) for name in names for each in (scores, stored)] == whole


@pytest.mark.parametrize("k", [0, -1, 1.5, "3", True, None])
def test_k_must_be_a_whole_number(k):
    for name in PLAIN + SCORED:
        with pytest.raises(ValueError, match="`k` must be a whole number >= 1"):
            getattr(metrics, name)([[1, 0]], [[1, 2]], k=k)


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        (sparse.csr_array([[np.nan, 1.0]]), "missing value"),
        (sparse.csr_array([[1.0, 2.0, 3.0]]), "same shape"),
        (sparse.csr_array([[1j, 2.0]]), "matrix of numbers"),
        ([[np.nan, 1.0]], "missing value"),
    ],
)
def test_bad_scores(scores, message):
    with pytest.raises(ValueError, match=message):
        metrics.precision_at_k([[1, 0]], scores)


def test_repeated_cells_add_up_and_nothing_is_changed():
    repeated = sparse.csr_array((np.array([1.0, 2.0, 2.5]), np.array([1, 1, 0]), np.array([0, 3])), shape=(1, 2))
    before = repeated.data.copy(), repeated.indices.copy()
    assert metrics.precision_at_k([[0, 1]], repeated, k=1) == 1.0
    assert np.array_equal(before[0], repeated.data)
    assert np.array_equal(before[1], repeated.indices)


def test_names_say_the_metric():
    fixed = metrics.get_metric("ndcg_at_10")
    assert (fixed.name, fixed.needs, fixed.greater_is_better, fixed.function.k) == ("ndcg_at_10", "scores", True, 10)
    assert metrics.get_metric("recall_at_5") is metrics.METRICS["recall_at_5"]
    assert pickle.loads(pickle.dumps(metrics.recall_at_3)) == metrics.recall_at_3
    assert metrics.get_metric("recall_at_3").takes_zero_division
    assert not metrics.get_metric("precision_at_3").takes_zero_division
    for name in ("precision_at_0", "precision_at_05", "precision_at_", "f1_at_3", "precision_at_1000000"):
        assert at_k.metric_at_k(name) is None
    with pytest.raises(ValueError, match="Did you mean 'precision_at_"):
        metrics.get_metric("precision_at_x")


class ScoresAreFeatures(ClassifierMixin, BaseEstimator):
    def fit(self, X, Y):
        self.classes_ = [np.array([0, 1])] * Y.shape[1]
        return self

    def decision_function(self, X):
        return X


def test_scorers_take_propensities():
    true, scores = np.array([[1, 0, 1]]), np.array([[0.9, 0.5, 0.1]])
    scorer = metrics.get_scorer("ps_precision_at_1", propensities=np.array([0.5, 0.5, 0.2]))
    assert scorer(ScoresAreFeatures().fit(scores, true), scores, true) == 0.4
    assert metrics.get_scorer("precision_at_2")(ScoresAreFeatures().fit(scores, true), scores, true) == 0.5


def test_evaluate_takes_sparse_scores():
    true, scores = np.array([[1, 0, 1]]), sparse.csr_array(np.array([[0.9, 0.5, 0.1]]))
    assert metrics.evaluate(true, Y_score=scores, metrics=["precision_at_2"]) == {"precision_at_2": 0.5}
