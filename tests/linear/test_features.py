import numpy as np
import pytest
from scipy import sparse

from bncc.linear import prepare_features


def test_dense_rows_are_not_copied():
    for dtype in (np.float32, np.float64):
        X = np.ones((3, 2), dtype)
        assert np.shares_memory(prepare_features(X).values, X)
    features = prepare_features([[1, 2]])
    assert features.values.dtype == np.float64
    assert not features.is_sparse
    assert prepare_features(features) is features


@pytest.mark.parametrize("container", [sparse.csr_array, sparse.csr_matrix])
def test_sparse_rows_are_not_copied(container):
    X = container(sparse.random_array((20, 10), density=0.3, dtype=np.float32, rng=np.random.default_rng(0)))
    X.sort_indices()
    features = prepare_features(X)
    assert np.shares_memory(features.values, X.data)
    assert features.indices.dtype == np.int32
    assert features.indptr.dtype == np.int64
    np.testing.assert_array_equal(features.matrix().toarray(), X.toarray())
    assert features.astype(np.float32) is features
    assert features.astype(np.float64).values.dtype == np.float64


def test_other_formats_and_numbers_become_csr():
    X = sparse.coo_array(([1, 2, 3], ([0, 0, 1], [1, 1, 0])), shape=(2, 2))
    np.testing.assert_array_equal(prepare_features(X).matrix().toarray(), [[0.0, 3.0], [3.0, 0.0]])
    assert prepare_features(X.tocsc()).values.dtype == np.float64


def test_repeated_columns_are_summed_and_the_callers_rows_kept():
    X = sparse.csr_array((np.array([1.0, 2.0, 4.0]), np.array([1, 0, 1]), np.array([0, 3])), shape=(1, 2))
    features = prepare_features(X)
    assert features.indices.tolist() == [0, 1]
    assert features.values.tolist() == [2.0, 5.0]
    assert X.indices.tolist() == [1, 0, 1]
    assert X.data.tolist() == [1.0, 2.0, 4.0]


def broken(**changes):
    X = sparse.csr_array(np.eye(3))
    for name, value in changes.items():
        setattr(X, name, np.array(value))
    return X


@pytest.mark.parametrize(
    ("X", "message"),
    [
        ([1.0, 2.0], "X must be 2-D"),
        ([[np.nan]], "X must be finite; got NaN or infinity. Impute"),
        ([[np.inf]], "X must be finite"),
        (sparse.csr_array([[np.nan]]), "X must be finite"),
        (sparse.csr_array([[1j]]), "X must hold real numbers; got dtype complex128"),
        (broken(indices=[0, 1, 3]), r"Column indices of `X` must lie in 0..2; got 0..3"),
        (broken(indices=[0, -1, 2]), r"Column indices of `X` must lie in 0..2; got -1..2"),
        (broken(indptr=[0, 2, 1, 3]), "`indptr` of `X` must begin with 0 and not descend"),
        (broken(indptr=[0, 1, 2, 4]), "points beyond its stored entries"),
        (sparse.csr_array((1, 2**30)), "X may have up to 1,073,741,823 columns"),
    ],
)
def test_bad_rows_are_refused(X, message):
    with pytest.raises(ValueError, match=message):
        prepare_features(X)
