"""Scaling by ranges: min-max without the shift, on dense and sparse data."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.preprocessing import MinMaxScaler
from sklearn.utils.estimator_checks import check_estimator

from bncc.multilabel.scaling import RangeScaler


def test_distances_are_those_of_min_max_scaling():
    random = np.random.default_rng(0)
    X = random.normal(3.0, 2.0, (20, 4)) * [1, 10, 0.1, 5]
    ours, theirs = RangeScaler().fit_transform(X), MinMaxScaler().fit_transform(X)
    np.testing.assert_allclose(np.diff(ours, axis=0), np.diff(theirs, axis=0))


def test_sparse_equals_dense_and_the_input_stays():
    X = np.where(np.random.default_rng(0).random((30, 5)) < 0.3, 7.0, 0.0)
    X[:, 4] = 3.0
    thin = sparse.csr_array(X)
    scaler = RangeScaler().fit(thin)
    np.testing.assert_allclose(scaler.scale_, RangeScaler().fit(X).scale_)
    np.testing.assert_allclose(scaler.transform(thin).toarray(), scaler.transform(X))
    np.testing.assert_array_equal(thin.toarray(), X)
    np.testing.assert_array_equal(scaler.transform(X)[:, 4], 3.0)


def test_scikit_learn_checks():
    check_estimator(RangeScaler(), on_skip=None)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize(
    ("low", "high", "dtype"),
    [(-1.5e308, 1.5e308, np.float64), (0.0, 5e-324, np.float64), (0.0, 1e-40, np.float32)],
)
def test_ranges_without_an_inverse_are_refused(form, low, high, dtype):
    with pytest.raises(ValueError, match="range of a feature must be 0, or from"):
        RangeScaler().fit(form(np.array([[low], [high]], dtype)))


def test_ranges_up_to_the_largest_number_are_taken():
    for dtype in (np.float32, np.float64):
        most = np.finfo(dtype).max
        scaled = RangeScaler().fit_transform(np.array([[-most / 4], [most / 2]], dtype))
        np.testing.assert_allclose(np.ravel(scaled), [-1 / 3, 2 / 3], rtol=1e-5)
