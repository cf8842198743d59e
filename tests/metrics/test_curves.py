from __future__ import annotations

import numpy as np
import pytest
import sklearn.metrics as reference
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

import bncc.metrics as metrics
from bncc.metrics import UndefinedMetricError, average_precision, roc_auc
from oracles import metrics as oracle
from oracles.strategies import scored_labels, weights

THEIRS = {"macro": "macro", "micro": "micro", "weighted": "weighted", "example": "samples", None: None}


@settings(max_examples=80, deadline=None)
@given(scored_labels())
def test_equals_the_definition(pair):
    true, scores = pair
    columns = [(true[:, j].tolist(), scores[:, j].tolist()) for j in range(true.shape[1])]
    np.testing.assert_allclose(roc_auc(*pair, average=None), [oracle.auc(*column) for column in columns])
    expected = [oracle.average_precision(*column) for column in columns]
    np.testing.assert_allclose(average_precision(*pair, average=None, zero_division=np.nan), expected)


@settings(max_examples=80, deadline=None)
@given(scored_labels(), st.booleans(), st.data())
def test_equals_scikit_learn(pair, as_sparse, data):
    # Four more rows and two more labels give every label and every row both classes, without which scikit-learn has
    # no value for AUC.
    extra = np.array([[0, 1]] * (len(pair[0]) + 2))
    corner = np.array([[0], [1]]) * np.ones(pair[0].shape[1])
    true = np.hstack([np.vstack([pair[0], corner]), extra])
    true[-2:, -2:] = [[1, 0], [1, 0]]
    scores = np.hstack([np.vstack([pair[1], corner / 2]), extra / 4])
    weight = data.draw(st.none() | st.just(None) | weights(len(true)).map(lambda w: w + 0.5))
    mine = sparse.csc_array(true) if as_sparse else true
    for average, theirs in THEIRS.items():
        expected = reference.roc_auc_score(true, scores, average=theirs, sample_weight=weight)
        np.testing.assert_allclose(roc_auc(mine, scores, average=average, sample_weight=weight), expected)
        expected = reference.average_precision_score(true, scores, average=theirs, sample_weight=weight)
        np.testing.assert_allclose(average_precision(mine, scores, average=average, sample_weight=weight), expected)


def test_average_precision_without_positives_counts_as_in_scikit_learn():
    true, scores = np.array([[1, 0], [0, 0], [1, 0]]), np.array([[0.9, 0.1], [0.5, 0.2], [0.3, 0.3]])
    with pytest.warns(UserWarning, match="No positive class"):
        expected = reference.average_precision_score(true, scores)
    assert metrics.macro_average_precision(true, scores) == pytest.approx(expected)
    rest = metrics.macro_average_precision(true, scores, zero_division=np.nan)
    assert rest == pytest.approx(2 * expected)


def test_labels_with_one_class_are_left_out_of_auc():
    rng = np.random.default_rng(0)
    true, scores = rng.integers(0, 2, (30, 3)), rng.random((30, 5))
    wide = np.column_stack([true, np.zeros(30, int), np.ones(30, int)])
    assert metrics.macro_auc(wide, scores) == pytest.approx(metrics.macro_auc(true, scores[:, :3]))
    assert roc_auc(wide, scores, average="weighted") == pytest.approx(roc_auc(true, scores[:, :3], average="weighted"))
    assert np.isnan(roc_auc(wide, scores, average=None)).tolist() == [False, False, False, True, True]


@pytest.mark.parametrize("average", ["macro", "micro", "weighted", "example"])
def test_auc_with_nothing_left_is_an_error(average):
    with pytest.raises(UndefinedMetricError, match="both a positive and a negative"):
        roc_auc([[1, 1], [1, 1]], [[0.1, 0.2], [0.3, 0.4]], average=average)


@settings(max_examples=40, deadline=None)
@given(scored_labels())
def test_laws(pair):
    true, scores = pair
    auc = roc_auc(true, scores, average=None)
    np.testing.assert_allclose(roc_auc(1 - true, -scores, average=None), auc)
    np.testing.assert_allclose(roc_auc(true, -scores, average=None), 1 - auc)
    np.testing.assert_allclose(roc_auc(true, np.exp(scores), average=None), auc)
    constant = roc_auc(true, np.zeros(true.shape), average=None)
    assert set(constant[~np.isnan(constant)]) <= {0.5}
    perfect = average_precision(true, true, average=None, zero_division=1.0)
    np.testing.assert_allclose(perfect, 1.0)
    base_rate = average_precision(true, np.zeros(true.shape), average=None)
    np.testing.assert_allclose(base_rate, true.mean(axis=0))


def test_rows_with_zero_weight_do_not_count():
    rng = np.random.default_rng(0)
    true, scores = rng.integers(0, 2, (30, 3)), rng.random((30, 3))
    weight = np.repeat([1.0, 0.0], [20, 10])
    for metric in (
        metrics.macro_auc,
        metrics.micro_auc,
        metrics.macro_average_precision,
        metrics.micro_average_precision,
    ):
        assert metric(true, scores, sample_weight=weight) == pytest.approx(metric(true[:20], scores[:20]))


def test_unknown_labels_are_left_out_of_the_curves():
    rng = np.random.default_rng(0)
    true, scores = rng.integers(0, 2, (40, 4)).astype(float), rng.random((40, 4))
    unknown = rng.random(true.shape) < 0.4
    unknown[:, 3] = True
    lost = np.where(unknown, np.nan, true)
    for function in (roc_auc, average_precision):
        each = [function(true[~u, j][:, None], scores[~u, j][:, None]) for j, u in enumerate(unknown.T[:3])]
        for given_labels in (lost, sparse.csr_array(lost)):
            np.testing.assert_allclose(function(given_labels, scores, average=None)[:3], each)
        pooled = function(true[~unknown][:, None], scores[~unknown][:, None])
        assert function(lost, scores, average="micro") == pytest.approx(pooled)
    assert np.isnan(roc_auc(lost, scores, average=None)[3])
