from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.metrics import multilabel_confusion_matrix

from bncc.metrics import compare, macro_f1
from bncc.metrics import confusion as module
from oracles.strategies import label_pairs, weights

TRUE = np.array([[1, 1, 0], [0, 0, 1], [0, 0, 0], [1, 0, 1]])
PRED = np.array([[1, 0, 0], [0, 1, 1], [0, 0, 0], [1, 0, 1]])


def cells(comparison, view):
    return np.array(getattr(comparison, view))


@settings(max_examples=60, deadline=None)
@given(label_pairs(), st.data())
def test_equals_scikit_learns_confusion(pair, data):
    weight = data.draw(st.none() | weights(len(pair[0])))
    both = compare(*pair, sample_weight=weight)
    # A zero column on each side keeps one-label matrices multi-label for scikit-learn.
    wide = [np.column_stack([Y, np.zeros(len(Y), int)]) for Y in pair]
    per_label = multilabel_confusion_matrix(*wide, sample_weight=weight)[:-1]
    tn, fp, fn, tp = per_label.reshape(-1, 4).T
    np.testing.assert_allclose(cells(both, "per_label"), [tp, fp, fn, tn], atol=1e-12)
    tn, fp, fn, tp = multilabel_confusion_matrix(*wide, samplewise=True).reshape(-1, 4).T
    np.testing.assert_allclose(cells(both, "per_example"), [tp, fp, fn, tn - 1])
    np.testing.assert_allclose(cells(both, "pooled")[:, 0], cells(both, "per_label").sum(axis=1))


FORMS = {
    "lists": lambda Y: Y.tolist(),
    "bool": lambda Y: Y.astype(bool),
    "float": lambda Y: Y.astype(float),
    "int64": lambda Y: Y,
    "fortran": np.asfortranarray,
    "frame": lambda Y: pd.DataFrame(Y, columns=list("abc")),
    "csr_array": sparse.csr_array,
    "csc_matrix": sparse.csc_matrix,
    "coo": sparse.coo_array,
    "explicit zeros": lambda Y: sparse.csr_array((Y.ravel(), np.tile(np.arange(3), 4), np.arange(0, 13, 3)), (4, 3)),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("other", ["int64", "csr_array"])
@pytest.mark.parametrize("weight", [None, [1.0, 2.0, 0.5, 0.0]])
def test_every_form_counts_the_same(form, other, weight):
    expected = compare(TRUE, PRED, sample_weight=weight)
    for true, pred in [(FORMS[form](TRUE), FORMS[other](PRED)), (FORMS[other](TRUE), FORMS[form](PRED))]:
        both = compare(true, pred, sample_weight=weight)
        for view in ("per_label", "per_example", "pooled"):
            np.testing.assert_array_equal(cells(both, view), cells(expected, view))


def test_blocks_do_not_show(monkeypatch):
    rng = np.random.default_rng(0)
    true, pred = rng.random((2, 100, 7)) < 0.3
    whole = compare(true, pred, sample_weight=rng.random(100))
    rng = np.random.default_rng(0)
    rng.random((2, 100, 7))
    monkeypatch.setattr(module, "_BLOCK", 20)
    parts = compare(true, pred, sample_weight=rng.random(100))
    np.testing.assert_allclose(cells(parts, "per_label"), cells(whole, "per_label"))
    np.testing.assert_array_equal(cells(parts, "per_example"), cells(whole, "per_example"))


def test_sparse_is_never_densified():
    # A dense version would take 10^11 cells.
    n = 400_000
    true = sparse.csr_array((np.ones(n), (np.arange(n), np.arange(n))), shape=(n, n))
    both = compare(true, true)
    assert both.pooled.tp[0] == n
    assert both.pooled.tn[0] == float(n) * n - n
    assert macro_f1(both) == 1.0


def test_inputs_are_not_changed():
    true, pred = sparse.csr_array(TRUE), PRED.copy()
    compare(true, pred)
    np.testing.assert_array_equal(true.toarray(), TRUE)
    np.testing.assert_array_equal(pred, PRED)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((TRUE, PRED[:, :2]), r"same shape .* got \(4, 3\) and \(4, 2\)"),
        ((TRUE, PRED * 2), "`Y_pred` must hold 0/1 or booleans; got 2"),
        ((TRUE * 1.0 - 2 * TRUE, PRED), "`Y_true` must hold 0/1 .* coded -1/\\+1"),
        ((TRUE, np.where(PRED, np.nan, 0)), "missing value"),
        ((TRUE[:, 0], PRED[:, 0]), "must be 2-D"),
        ((TRUE[:0], PRED[:0]), "at least one row"),
        ((TRUE,), "`Y_pred` is missing"),
        ((compare(TRUE, PRED), PRED), "give it alone"),
        ((pd.DataFrame(TRUE, columns=list("abc")), pd.DataFrame(PRED, columns=list("acb"))), "another order"),
        ((pd.DataFrame(TRUE, columns=list("abc")), pd.DataFrame(PRED, columns=list("abd"))), r"missing \['c'\]"),
        ((TRUE, PRED.astype(str)), "dtype"),
    ],
)
def test_errors(arguments, message):
    with pytest.raises(ValueError, match=message):
        compare(*arguments)


@pytest.mark.parametrize(
    ("weight", "message"),
    [([1, 1], r"shape \(4,\)"), ([1, -1, 1, 1], ">= 0"), ([0, 0, 0, 0], "zeros only"), ([1, 1, 1, np.inf], "finite")],
)
def test_weight_errors(weight, message):
    with pytest.raises(ValueError, match=message):
        compare(TRUE, PRED, sample_weight=weight)
