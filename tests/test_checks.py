import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from bncc._checks import (
    as_label_matrix,
    check_count,
    check_flag,
    check_names,
    check_number,
    check_pairs,
    read_sparse,
    split_unknown,
)

Y = np.array([[1, 0, 1], [0, 0, 1]])


def test_columns_of_the_same_name():
    frame = pd.DataFrame(Y, columns=["a", "b", "a"])
    with pytest.raises(ValueError, match=r"The columns of `y` must have distinct names; got \['a'\] more than once"):
        as_label_matrix(frame, argument="y")
    assert as_label_matrix(frame, label_names=["p", "q", "r"]).names == ("p", "q", "r")
    assert as_label_matrix(frame, names=False).names is None


@pytest.mark.parametrize("dtype", [pd.SparseDtype("int8", 0), pd.SparseDtype(bool, False), pd.SparseDtype(float, 0)])
def test_a_sparse_frame_is_never_densified(dtype, monkeypatch):
    frame = pd.DataFrame(Y, columns=["a", "b", "sparse"]).astype(dtype)
    monkeypatch.setattr(pd.DataFrame, "to_numpy", None)
    checked = as_label_matrix(frame)
    assert checked.values.toarray().tolist() == Y.tolist()
    assert checked.names == ("a", "b", "sparse")


def test_frames_that_are_not_sparse_around_zero():
    around_one = pd.DataFrame(Y).astype(pd.SparseDtype("int8", 1))
    mixed = pd.DataFrame({"sparse": pd.arrays.SparseArray([1, 0]), "b": [0, 1]})
    assert as_label_matrix(around_one).values.toarray().tolist() == Y.tolist()
    assert as_label_matrix(mixed).values.toarray().tolist() == [[1, 0], [0, 1]]
    missing = pd.DataFrame({"a": pd.arrays.SparseArray([1.0, np.nan])})
    with pytest.raises(ValueError, match=r"1 missing value\(s\)"):
        as_label_matrix(missing)


@pytest.mark.parametrize(
    "missing",
    [
        pd.DataFrame({"a": [1, None], "b": [0, 1]}, dtype="Int8"),
        pd.DataFrame({"a": [True, None], "b": [False, True]}, dtype="boolean"),
        np.ma.masked_array([[1, 0], [1, 1]], mask=[[0, 0], [1, 0]]),
        [[1, 0], [None, 1]],
    ],
)
def test_missing_values_are_named_as_such(missing):
    with pytest.raises(ValueError, match=r"got 1 missing value\(s\) .* Drop those rows"):
        as_label_matrix(missing)


def test_a_masked_array_without_masked_values():
    assert as_label_matrix(np.ma.masked_array(Y)).values.toarray().tolist() == Y.tolist()


@pytest.mark.parametrize("form", [np.asarray, pd.DataFrame, lambda text: np.asarray(text, object)])
def test_text_is_refused_in_every_form(form):
    with pytest.raises(ValueError, match=r"with text such as '0'. Turn text into numbers first"):
        as_label_matrix(form([["0", "1"], ["1", "1"]]))


def test_names_are_checked_under_the_name_of_the_argument():
    with pytest.raises(ValueError, match=r"`feature_names` must have one name per feature \(2\); got 1"):
        check_names(["a"], 2, argument="feature_names", what="feature")
    with pytest.raises(ValueError, match="`feature_names` must be distinct"):
        check_names(["a", "a"], 2, argument="feature_names", what="feature")


def test_sparse_input_is_not_changed():
    doubled = sparse.csr_array(([0, 1], [1, 0], [0, 2]), shape=(1, 2))
    as_label_matrix(doubled)
    assert doubled.indices.tolist() == [1, 0]


def test_pairs_are_checked_in_one_place():
    assert check_pairs([], 3, argument="edges", what="join nodes").shape == (0, 2)
    assert check_pairs(np.array([[2, 0]], np.uint8), 3, argument="edges", what="join nodes").tolist() == [[2, 0]]
    with pytest.raises(ValueError, match=r"`edges` must hold whole numbers; got dtype float64\."):
        check_pairs([(0.5, 1)], 3, argument="edges", what="join nodes")
    with pytest.raises(ValueError, match=r"`edges` must be pairs \(parent, child\); got shape \(1, 3\)\."):
        check_pairs([(0, 1, 2)], 3, argument="edges", what="join nodes")
    with pytest.raises(ValueError, match=r"`pairs` must hold label indices 0\.\.2; got 1\.\.3\."):
        check_pairs([(1, 3)], 3, argument="pairs", what="hold label indices")


@given(
    st.integers(1, 6).flatmap(
        lambda m: st.lists(st.lists(st.integers(0, 1), min_size=m, max_size=m), min_size=1, max_size=9)
    ),
    st.sampled_from([np.int8, np.int64, bool, np.float32]),
)
def test_dense_labels_are_stored_as_scipy_stores_them(rows, dtype):
    Y = np.array(rows, dtype)
    ours, theirs = as_label_matrix(Y).values, sparse.csc_array(Y.astype(np.int8))
    for name in ("data", "indices", "indptr"):
        np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name))
        assert getattr(ours, name).dtype == getattr(theirs, name).dtype
    assert as_label_matrix(np.asfortranarray(Y)).values.toarray().tolist() == Y.astype(int).tolist()


@pytest.mark.parametrize("value", [0, -1.0, float("nan"), float("inf"), 10**400, "2", None, True, 1j])
def test_what_is_no_positive_number_is_refused(value):
    with pytest.raises(ValueError, match="`C` must be a positive number; got"):
        check_number("C", value, 1e-3, 1e3)


def test_numbers_beyond_the_limits_name_them():
    with pytest.raises(ValueError, match=r"`C` must lie in 0.001..1000; got 5000"):
        check_number("C", 5000, 1e-3, 1e3)
    assert check_number("C", np.float32(2), 1e-3, 1e3) == 2.0


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (1.5, "a whole number"),
        ("3", "a whole number"),
        (True, "a whole number"),
        (-2, "at least -1"),
        (2**70, "at most 9"),
    ],
)
def test_what_is_no_count_is_refused(value, message):
    with pytest.raises(ValueError, match=f"`max_iter` must be {message}; got"):
        check_count("max_iter", value, -1, 9)


@pytest.mark.parametrize("form", ["csr", "csc", "coo"])
def test_sparse_matrices_are_checked_before_they_are_trusted(form):
    good = sparse.random_array((6, 9), density=0.3, rng=np.random.default_rng(0), format=form)
    assert (read_sparse(good) != good).nnz == 0
    for change in (-1, 2**30):
        bad = good.copy()
        (bad.coords[1] if form == "coo" else bad.indices)[0] = change
        with pytest.raises(ValueError, match="indices of `X` must lie in"):
            read_sparse(bad)
    if form != "coo":
        for place, change in ((0, 1), (2, 10**6), (-1, 10**6), (-1, 0)):
            bad = good.copy()
            bad.indptr[place] = change
            with pytest.raises(ValueError, match="`indptr` of `X`"):
                read_sparse(bad)


def test_labels_with_indices_out_of_range_are_refused():
    broken = sparse.csr_array(np.eye(4, dtype=int))
    broken.indices[1] = 2**20
    with pytest.raises(ValueError, match=r"Column indices of `Y` must lie in 0..3"):
        as_label_matrix(broken)


def test_unknown_labels_are_split_off_in_every_form():
    known = [[1, 0], [0, 1]]
    assert split_unknown(known) == (known, None)
    cells = [[1.0, None], [float("nan"), 1.0]]
    forms = [
        np.array(cells, float),
        np.array(cells, object),
        cells,
        pd.DataFrame(cells, columns=["a", "b"]),
        pd.DataFrame({"a": pd.array([1, None], "Int64"), "b": pd.array([None, 1], "Int64")}),
        pl.DataFrame({"a": [1, None], "b": [None, 1]}),
        pl.DataFrame({"a": [True, None], "b": [None, True]}),
        sparse.csr_array(np.array(cells, float)),
    ]
    for form in forms:
        filled, unknown = split_unknown(form)
        assert as_label_matrix(filled).values.toarray().tolist() == [[1, 0], [0, 1]]
        assert unknown.toarray().tolist() == [[0, 1], [1, 0]]
    for other in ([["a", "b"]], np.ma.masked_array([[1, 0]], [[True, False]]), [1, 0]):
        assert split_unknown(other)[1] is None


def test_names_of_columns_with_unknown_labels_are_kept():
    for frame in (pd.DataFrame({"a": [1, None], "b": [0, 1]}), pl.DataFrame({"a": [1, None], "b": [0, 1]})):
        assert as_label_matrix(split_unknown(frame)[0]).names == ("a", "b")


def test_flags_are_no_words_and_no_numbers():
    assert check_flag("fit_intercept", np.False_) is False
    for wrong in ("no", 0, None):
        with pytest.raises(ValueError, match=f"`fit_intercept` must be True or False; got {wrong!r}"):
            check_flag("fit_intercept", wrong)
