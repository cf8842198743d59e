import numpy as np
import pytest
from scipy import sparse
from sklearn.utils import check_array

from bncc.multilabel.feature_rows import append_context, bytes_of, is_plain, narrow

X = np.array([[0.5, 0.0], [0.0, 2.0], [1.0, 1.0]])
LABELS = np.array([[1, 0], [0, 1], [1, 1]], np.int8)


@pytest.mark.parametrize("context", [LABELS, sparse.csc_array(LABELS)])
def test_labels_stand_after_the_features(context):
    dense = append_context(X, context)
    np.testing.assert_array_equal(dense, np.hstack([X, LABELS]))
    assert dense.dtype == np.float64
    mixed = append_context(sparse.csr_array(X.astype(np.float32)), context)
    assert sparse.issparse(mixed)
    assert mixed.dtype == np.float32
    np.testing.assert_array_equal(mixed.toarray(), np.hstack([X, LABELS]))


def test_no_context_is_no_copy():
    assert append_context(X, LABELS[:, :0]) is X


def test_whole_numbers_become_floats_beside_labels():
    assert append_context(np.ones((3, 1), int), LABELS).dtype == np.float64


def test_wide_indices_are_narrowed_where_they_fit():
    wide = sparse.csr_array(X)
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    slim = narrow(wide)
    assert slim.indices.dtype == slim.indptr.dtype == np.int32
    np.testing.assert_array_equal(slim.toarray(), X)
    assert narrow(slim) is slim
    assert narrow(X) is X


def test_bytes_are_those_of_all_arrays():
    assert bytes_of(X) == 48
    assert bytes_of(narrow(sparse.csr_array(X))) == 4 * 8 + 4 * 4 + 4 * 4


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array, sparse.csr_matrix])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_what_is_plain_passes_scikit_learns_check_unchanged(form, dtype):
    plain = form(X.astype(dtype))
    assert is_plain(plain)
    assert check_array(plain, accept_sparse="csr") is plain or np.shares_memory(check_array(plain), plain)


@pytest.mark.parametrize(
    "other",
    [
        X.tolist(),
        X.astype(int),
        X.astype(np.float16),
        X[:0],
        X[:, :0],
        X[0],
        sparse.csc_array(X),
        np.where(X > 0, np.nan, X),
        sparse.csr_array(np.where(X > 0, np.inf, X)),
        np.full((2, 2), 3e38, np.float32),
        np.ma.masked_array(X),
    ],
)
def test_what_is_not_plain_is_left_to_the_check(other):
    assert not is_plain(other)


def test_entries_of_one_place_are_added_up():
    split = sparse.csr_array((np.array([1.0, 3.0, 2.0]), np.array([1, 0, 1]), np.array([0, 3, 3])), shape=(2, 2))
    joined = narrow(split)
    assert (joined.indices.tolist(), joined.data.tolist()) == ([0, 1], [3.0, 3.0])
    assert split.data.tolist() == [1.0, 3.0, 2.0]
