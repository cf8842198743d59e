import numpy as np
import pytest
from scipy import sparse
from sklearn.kernel_approximation import Nystroem
from sklearn.metrics.pairwise import rbf_kernel

from bncc.svm import landmarks
from bncc.svm.landmarks import learn_landmarks

X = np.random.default_rng(0).normal(size=(60, 4))


def test_all_rows_as_landmarks_give_the_kernel_itself():
    features = learn_landmarks(X, 0.1, 100).transform(X)
    np.testing.assert_allclose(features @ features.T, rbf_kernel(X, gamma=0.1), atol=1e-5)
    assert features.dtype == np.float32


def test_the_same_landmarks_give_the_inner_products_of_scikit_learns_features():
    own = learn_landmarks(X, 0.1, 20, random_state=3)
    peer = Nystroem(gamma=0.1, n_components=20, random_state=0).fit(own.landmarks)  # all of them are taken
    ours, theirs = own.transform(X), peer.transform(X)
    np.testing.assert_allclose(ours @ ours.T, theirs @ theirs.T, atol=1e-5)


def test_more_landmarks_come_nearer():
    kernel = rbf_kernel(X, gamma=0.1)
    errors = []
    for n_components in (5, 15, 40):
        features = learn_landmarks(X, 0.1, n_components).transform(X)
        errors.append(np.abs(features @ features.T - kernel).max())
    assert errors[0] > errors[1] > errors[2]


def test_equal_rows_make_no_noise():
    repeated = np.repeat(X[:5], 12, axis=0).astype(np.float32)
    features = learn_landmarks(repeated, 0.1, 60).transform(repeated)
    assert np.abs(features).max() <= 1
    np.testing.assert_allclose(features @ features.T, rbf_kernel(repeated, gamma=0.1), atol=1e-5)


def test_sparse_rows_and_blocks(monkeypatch):
    whole = learn_landmarks(X, 0.1, 10).transform(X)
    monkeypatch.setattr(landmarks, "_BLOCK_BYTES", 8 * 10 * 7)
    stored = sparse.csr_array(X)
    np.testing.assert_allclose(learn_landmarks(stored, 0.1, 10).transform(stored), whole, atol=1e-6)


def test_the_seed_draws_the_landmarks():
    assert np.array_equal(learn_landmarks(X, 0.1, 10).landmarks, learn_landmarks(X, 0.1, 10).landmarks)
    assert np.array_equal(learn_landmarks(X, 0.1, 10, 5).landmarks, learn_landmarks(X, 0.1, 10, 5).landmarks)
    assert not np.array_equal(learn_landmarks(X, 0.1, 10, 5).landmarks, learn_landmarks(X, 0.1, 10, 6).landmarks)


@pytest.mark.parametrize("n_components", [0, -1, 2.5, True, "10"])
def test_the_number_of_landmarks_is_checked(n_components):
    with pytest.raises(ValueError, match="`n_components` must be a whole number"):
        learn_landmarks(X, 0.1, n_components)
