from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
import sklearn.metrics as reference
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

import bncc.metrics as metrics
from bncc.datasets import load
from bncc.metrics import label_sets
from oracles import metrics as oracle
from oracles.strategies import label_pairs, weights

REFERENCE = {
    "f1": reference.f1_score,
    "precision": reference.precision_score,
    "recall": reference.recall_score,
    "jaccard": reference.jaccard_score,
}
AVERAGES = {"example": "samples", "macro": "macro", "micro": "micro", "weighted": "weighted"}
SET_METRICS = [name for name in label_sets.__all__ if name != "paper_scores"]
F_SCORES = ["example_f1", "macro_f1", "micro_f1"]


def of(name, *arguments, **options):
    return getattr(metrics, name)(*arguments, **options)


@settings(max_examples=80, deadline=None)
@given(label_pairs(), st.sampled_from([0.0, 1.0]), st.booleans(), st.data())
def test_equals_scikit_learn(pair, zero_division, as_sparse, data):
    weight = data.draw(st.none() | weights(len(pair[0])))
    # scikit-learn takes a single column for binary targets, so it gets one more label.
    pair = tuple(np.column_stack([Y, np.arange(len(Y)) % 2]) for Y in pair)
    mine = tuple(map(sparse.csr_array, pair)) if as_sparse else pair
    options = {"zero_division": zero_division, "sample_weight": weight}
    for stem, function in REFERENCE.items():
        for average, theirs in AVERAGES.items():
            expected = function(*pair, average=theirs, **options)
            assert of(f"{average}_{stem}", *mine, **options) == pytest.approx(expected, abs=1e-12)
    expected = reference.hamming_loss(*pair, sample_weight=weight)
    assert metrics.hamming_loss(*mine, sample_weight=weight) == pytest.approx(expected, abs=1e-12)
    expected = reference.accuracy_score(*pair, sample_weight=weight)
    assert metrics.subset_accuracy(*mine, sample_weight=weight) == pytest.approx(expected, abs=1e-12)


@settings(max_examples=40, deadline=None)
@given(label_pairs())
def test_nan_for_undefined_equals_scikit_learn(pair):
    pair = tuple(np.column_stack([Y, np.arange(len(Y)) % 2]) for Y in pair)
    for stem in ("f1", "precision", "recall"):
        for average, theirs in AVERAGES.items():
            expected = REFERENCE[stem](*pair, average=theirs, zero_division=np.nan)
            value = of(f"{average}_{stem}", *pair, zero_division=np.nan)
            np.testing.assert_allclose(value, expected, atol=1e-12)


@settings(max_examples=60, deadline=None)
@given(label_pairs())
def test_the_papers_four_by_definition(pair):
    true, pred = (Y.tolist() for Y in pair)
    assert metrics.hamming_loss(*pair) == pytest.approx(oracle.hamming_loss(true, pred))
    assert metrics.subset_accuracy(*pair) == pytest.approx(oracle.subset_accuracy(true, pred))
    for average in ("example", "macro", "micro"):
        assert of(f"{average}_f1", *pair) == pytest.approx(oracle.average("f1", average, true, pred))


def test_the_papers_four_by_hand():
    true = [[1, 1, 0], [0, 0, 1], [0, 0, 0]]
    pred = [[1, 0, 0], [0, 1, 1], [0, 0, 0]]
    assert metrics.hamming_loss(true, pred) == pytest.approx(2 / 9)
    assert metrics.example_f1(true, pred) == pytest.approx((2 / 3 + 2 / 3 + 1) / 3)
    assert metrics.example_f1(true, pred, zero_division=0.0) == pytest.approx((2 / 3 + 2 / 3 + 0) / 3)
    assert metrics.example_f1(true, pred, zero_division=1.0) == pytest.approx((2 / 3 + 2 / 3 + 1) / 3)
    assert metrics.example_f1(true, pred, zero_division=float("nan")) == pytest.approx(2 / 3)
    assert metrics.macro_f1(true, pred) == pytest.approx((1 + 0 + 1) / 3)
    assert metrics.micro_f1(true, pred) == pytest.approx(4 / 6)


@settings(max_examples=40, deadline=None)
@given(label_pairs(), st.sampled_from([0.0, 1.0]), st.randoms(use_true_random=False))
def test_laws(pair, zero_division, random):
    true, pred = pair
    rows, labels = (random.sample(range(n), n) for n in true.shape)
    for name in SET_METRICS:
        options = {} if name in ("hamming_loss", "subset_accuracy") else {"zero_division": zero_division}
        value = of(name, true, pred, **options)
        assert -1e-12 <= value <= 1 + 1e-12
        shuffled = of(name, true[np.ix_(rows, labels)], pred[np.ix_(rows, labels)], **options)
        assert shuffled == pytest.approx(value, abs=1e-12)
        repeated = of(name, np.vstack([true, true]), np.vstack([pred, pred]), **options)
        assert repeated == pytest.approx(value, abs=1e-12)
        weighted = of(name, true, pred, sample_weight=np.full(len(true), 2.5), **options)
        assert weighted == pytest.approx(value, abs=1e-12)
    assert metrics.hamming_loss(true, 1 - true) == 1.0
    assert metrics.hamming_loss(true, pred) + metrics.hamming_loss(true, 1 - pred) == pytest.approx(1.0)
    for stem in REFERENCE:
        by_label = of(f"macro_{stem}", true, pred, zero_division=zero_division)
        assert of(f"example_{stem}", true.T, pred.T, zero_division=zero_division) == pytest.approx(by_label)
    swapped = metrics.micro_recall(pred, true, zero_division=zero_division)
    assert metrics.micro_precision(true, pred, zero_division=zero_division) == pytest.approx(swapped)
    f1, jaccard = metrics.micro_f1(true, pred), metrics.micro_jaccard(true, pred)
    assert f1 == pytest.approx(2 * jaccard / (1 + jaccard))


def test_perfect_prediction():
    for true in ([[1, 0, 1], [0, 1, 0]], [[1, 0, 1], [0, 0, 0], [0, 1, 0]]):
        for name in SET_METRICS:
            assert of(name, true, true) == (0.0 if name == "hamming_loss" else 1.0)


@pytest.mark.parametrize("as_sparse", [False, True])
def test_a_row_without_labels_is_right_and_any_other_0_by_0_counts_0(as_sparse):
    true = np.array([[0, 0], [0, 0], [1, 0]])
    pred = np.array([[0, 0], [1, 0], [0, 0]])
    pair = (sparse.csr_array(true), sparse.csr_array(pred)) if as_sparse else (true, pred)
    for stem in REFERENCE:
        assert of(f"example_{stem}", *pair) == pytest.approx(1 / 3)
        for average in ("macro", "micro", "weighted"):
            assert of(f"{average}_{stem}", *pair) == 0.0
        assert of(f"example_{stem}", *pair, sample_weight=[2, 1, 1]) == pytest.approx(1 / 2)
        assert of(f"example_{stem}", *pair, zero_division=0.0) == 0.0
    assert metrics.evaluate(*pair, metrics=["example_f1"]) == {"example_f1": pytest.approx(1 / 3)}
    assert metrics.evaluate(*pair, metrics=["example_f1"], zero_division=0.0) == {"example_f1": 0.0}


@settings(max_examples=40, deadline=None)
@given(label_pairs(), st.sampled_from(["f1", "precision", "recall", "jaccard"]))
def test_the_default_by_definition(pair, stem):
    true, pred = (Y.tolist() for Y in pair)
    for average in AVERAGES:
        expected = oracle.average(stem, average, true, pred, "empty")
        assert of(f"{average}_{stem}", *pair) == pytest.approx(expected)


def test_integer_weights_repeat_rows():
    rng = np.random.default_rng(1)
    true, pred = rng.integers(0, 2, (2, 12, 4))
    weight = rng.integers(0, 4, 12)
    repeated = np.repeat(true, weight, axis=0), np.repeat(pred, weight, axis=0)
    for name in SET_METRICS:
        assert of(name, true, pred, sample_weight=weight) == pytest.approx(of(name, *repeated), abs=1e-12)


def test_no_warnings_on_undefined():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for name in SET_METRICS:
            of(name, [[0, 0]], [[0, 0]])


@settings(max_examples=30, deadline=None)
@given(label_pairs(), st.sampled_from(["empty", 0.0, 1.0, float("nan")]))
def test_paper_scores_equals_one_at_a_time(pair, zero_division):
    true, pred = pair
    stack = np.stack([pred, true, 1 - true, 1 - pred, pred, true]).reshape(2, 3, *true.shape)
    scores = metrics.paper_scores(true, stack, zero_division=zero_division)
    assert set(scores) == {"hamming_loss", *F_SCORES}
    for i, j in np.ndindex(2, 3):
        assert scores["hamming_loss"][i, j] == metrics.hamming_loss(true, stack[i, j])
        for name in F_SCORES:
            np.testing.assert_equal(scores[name][i, j], of(name, true, stack[i, j], zero_division=zero_division))


def test_paper_scores_of_one_prediction_are_floats():
    scores = metrics.paper_scores(sparse.csr_array([[1, 0]]), np.array([[True, True]]))
    assert scores == {"hamming_loss": 0.5, "example_f1": 2 / 3, "macro_f1": 0.5, "micro_f1": 2 / 3}
    assert all(type(value) is float for value in scores.values())


def test_paper_scores_errors():
    with pytest.raises(ValueError, match=r"same shape .* got \(1, 2\) and \(2, 2\)"):
        metrics.paper_scores([[1, 0]], np.zeros((3, 2, 2)))
    with pytest.raises(ValueError, match=r"shape \(..., n_rows, n_labels\); got \(2,\)"):
        metrics.paper_scores([[1, 0]], np.zeros(2))
    with pytest.raises(ValueError, match="0/1"):
        metrics.paper_scores([[1, 0]], np.full((2, 1, 2), 7))


@pytest.mark.usefixtures("data_folder")
def test_equals_scikit_learn_on_real_labels():
    true = load("enron").Y
    rng = np.random.default_rng(0)
    pred = np.where(rng.random(true.shape) < 0.7, true, rng.random(true.shape) < 0.05)
    values = metrics.evaluate(sparse.csr_array(true), sparse.csc_array(pred), zero_division=0.0)
    for stem, function in REFERENCE.items():
        for average, theirs in AVERAGES.items():
            expected = function(true, pred, average=theirs, zero_division=0)
            assert values[f"{average}_{stem}"] == pytest.approx(expected, abs=1e-12)
    assert values["hamming_loss"] == pytest.approx(reference.hamming_loss(true, pred))
    assert values["subset_accuracy"] == pytest.approx(reference.accuracy_score(true, pred))


def test_frames_with_repeated_columns_sparse_columns_and_masks():
    true, pred = np.array([[1, 0, 1], [0, 1, 1]]), np.array([[1, 1, 1], [0, 1, 0]])
    expected = metrics.macro_f1(true, pred)
    repeated = [pd.DataFrame(Y, columns=["a", "b", "a"]) for Y in (true, pred)]
    assert metrics.macro_f1(*repeated) == expected
    assert metrics.macro_f1(*(frame.astype(pd.SparseDtype("int8", 0)) for frame in repeated)) == expected
    with pytest.raises(ValueError, match=r"`Y_pred` must hold 0/1 or booleans; got 1 missing value\(s\) \(masked\)"):
        metrics.macro_f1(true, np.ma.masked_array(pred, mask=[[1, 0, 0], [0, 0, 0]]))


@settings(max_examples=60, deadline=None)
@given(label_pairs(), st.sampled_from([0.0, 1.0]))
def test_f1_of_means_from_its_definition(pair, zero_division):
    precision, recall = (oracle.average(kind, "example", *pair, zero_division) for kind in ("precision", "recall"))
    expected = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    assert metrics.example_f1_of_means(*pair, zero_division=zero_division) == pytest.approx(expected, abs=1e-12)


def test_f1_of_means_is_not_the_mean_of_f1():
    Y_true, Y_pred = [[1, 1, 0], [0, 0, 1]], [[1, 0, 0], [0, 0, 1]]
    assert metrics.example_f1_of_means(Y_true, Y_pred) == pytest.approx(2 * 0.75 / 1.75)
    assert metrics.example_f1(Y_true, Y_pred) == pytest.approx((2 / 3 + 1) / 2)


def rows_of_known(true, pred, unknown):
    """Rows as lists of the labels that are known, as the definitions take them."""
    return [
        (one[~hidden].tolist(), other[~hidden].tolist())
        for one, other, hidden in zip(true, pred, unknown, strict=True)
        if not hidden.all()
    ]


@settings(max_examples=60, deadline=None)
@given(label_pairs(), st.booleans(), st.data())
def test_unknown_labels_count_nowhere(pair, as_sparse, data):
    true, pred = pair
    unknown = np.array(data.draw(st.lists(st.booleans(), min_size=true.size, max_size=true.size))).reshape(true.shape)
    unknown[0, 0] = False
    lost = np.where(unknown, np.nan, true)
    given_labels = (sparse.csr_array(lost), sparse.csr_array(pred)) if as_sparse else (lost, pred)
    rows = rows_of_known(true, pred, unknown)
    wrong = sum(a != b for one, other in rows for a, b in zip(one, other, strict=True))
    assert metrics.hamming_loss(*given_labels) == pytest.approx(wrong / sum(len(one) for one, _ in rows))
    assert metrics.subset_accuracy(*given_labels) == pytest.approx(np.mean([one == other for one, other in rows]))
    for stem in REFERENCE:
        by_row = [oracle.average(stem, "example", [one], [other]) for one, other in rows]
        assert of(f"example_{stem}", *given_labels) == pytest.approx(np.mean(by_row))
        columns = rows_of_known(true.T, pred.T, unknown.T)
        by_label = [oracle.average(stem, "micro", [one], [other], 0.0) for one, other in columns]
        assert of(f"macro_{stem}", *given_labels) == pytest.approx(np.mean(by_label))
        pooled = oracle.average(stem, "micro", [true[~unknown].tolist()], [pred[~unknown].tolist()])
        assert of(f"micro_{stem}", *given_labels) == pytest.approx(pooled)
    # Whatever is predicted where nothing is known, nothing changes.
    other = np.where(unknown, 1 - pred, pred)
    assert metrics.evaluate(lost, other) == pytest.approx(metrics.evaluate(lost, pred))


def test_unknown_labels_of_frames_and_of_everything():
    frame = pd.DataFrame({"a": pd.array([1, None], "Int64"), "b": pd.array([0, 1], "Int64")})
    assert metrics.hamming_loss(frame, [[0, 0], [0, 1]]) == pytest.approx(1 / 3)
    with pytest.raises(ValueError, match="at least one label that is known; got NaN everywhere"):
        metrics.hamming_loss([[np.nan, np.nan]], [[0, 1]])
