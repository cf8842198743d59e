import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from bncc.metrics._inputs import (
    check_columns,
    check_shapes,
    dense_labels,
    read_average,
    read_labels,
    read_scores,
    read_weight,
    read_zero_division,
)
from oracles.strategies import label_pairs

Y = np.array([[1, 0, 1], [0, 0, 1]])


@given(label_pairs(), st.sampled_from(["array", "list", "csr", "frame", "sparse frame"]))
def test_every_form_of_a_label_matrix_reads_the_same(pair, form):
    matrix = pair[0]
    forms = {
        "array": lambda: matrix,
        "list": matrix.tolist,
        "csr": lambda: sparse.csr_array(matrix),
        "frame": lambda: pd.DataFrame(matrix),
        "sparse frame": lambda: pd.DataFrame(matrix).astype(pd.SparseDtype("int8", 0)),
    }
    labels = read_labels(forms[form](), "Y_true")
    assert sparse.issparse(labels) == (form in ("csr", "sparse frame"))
    assert dense_labels(labels).dtype == bool
    np.testing.assert_array_equal(dense_labels(labels), matrix.astype(bool))


def test_rows_of_sparse_labels_become_dense_on_their_own():
    np.testing.assert_array_equal(dense_labels(read_labels(sparse.csr_array(Y), "Y")[1:]), Y[1:] == 1)


def test_a_boolean_array_is_taken_without_a_copy():
    booleans = Y.astype(bool)
    assert read_labels(booleans, "Y_true") is booleans


@pytest.mark.parametrize("wrong", [np.array([[0, 2]]), np.array([[0.5, 1]]), np.ma.masked_equal(Y, 0)])
def test_what_is_no_label_matrix_is_refused(wrong):
    with pytest.raises(ValueError, match="`Y_pred` must hold 0/1 or booleans"):
        read_labels(wrong, "Y_pred")


def test_columns_are_compared_by_name_where_both_have_names():
    first = pd.DataFrame(Y, columns=["a", "b", "c"])
    check_columns(first, first.copy(), "Y_pred")
    check_columns(first, Y, "Y_pred")
    with pytest.raises(ValueError, match=r"another order\. Use `Y_pred\[Y_true\.columns\]`"):
        check_columns(first, first[["b", "a", "c"]], "Y_pred")
    with pytest.raises(ValueError, match=r"missing \['c'\]"):
        check_columns(first, first.rename(columns={"c": "d"}), "Y_pred")


def test_shapes_must_agree():
    with pytest.raises(ValueError, match=r"same shape \(rows x labels\); got \(2, 3\) and \(3, 2\)"):
        check_shapes((2, 3), (3, 2), "Y_pred")


def test_probabilities_as_a_list_give_their_second_columns():
    parts = [np.array([[0.9, 0.1], [0.2, 0.8]]), np.array([[0.5, 0.5], [1.0, 0.0]])]
    assert read_scores(parts).tolist() == [[0.1, 0.5], [0.8, 0.0]]
    with pytest.raises(ValueError, match=r"label 1 has 1 column\(s\)"):
        read_scores([parts[0], parts[1][:, :1]])


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        (sparse.csr_array(Y), "must be dense"),
        (np.ma.masked_equal(Y, 0), "got masked ones"),
        ([[1j, 0]], "complex numbers have no order"),
        ([[1.0, 2.0], [1.0]], "rectangular matrix of numbers"),
        ([1.0, 2.0], r"2-D \(rows x labels\)"),
        ([[np.nan, 1.0]], r"1 missing value\(s\) \(NaN\)"),
    ],
)
def test_what_cannot_be_ranked_is_refused(scores, message):
    with pytest.raises(ValueError, match=message):
        read_scores(scores)


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        ([1.0], r"one weight per row, shape \(2,\)"),
        ([1.0, -1.0], "finite numbers >= 0"),
        ([1.0, np.inf], "finite numbers >= 0"),
        ([0.0, 0.0], "zeros only"),
    ],
)
def test_weights_that_weigh_nothing_are_refused(weight, message):
    assert read_weight(None, 2) is None
    with pytest.raises(ValueError, match=message):
        read_weight(weight, 2)


def test_averages_and_what_zero_division_may_be():
    assert [read_average(name) for name in ("samples", "example", "macro", None)] == [
        "example",
        "example",
        "macro",
        None,
    ]
    with pytest.raises(ValueError, match="got 'mean'"):
        read_average("mean")
    assert read_zero_division(1) == 1.0
    assert math.isnan(read_zero_division(math.nan))
    with pytest.raises(ValueError, match=r"got 0\.5"):
        read_zero_division(0.5)
