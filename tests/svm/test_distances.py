import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from bncc.svm import cross_distances, distances, points, prepare_points, squared_distances
from oracles.kernels import distance


def exact(X, Z):
    X, Z = np.asarray(X, np.float64), np.asarray(Z, np.float64)
    return ((X[:, None, :] - Z[None, :, :]) ** 2).sum(axis=2)


def cases():
    rng = np.random.default_rng(0)
    yield "dense", rng.normal(size=(300, 7))
    yield "one feature", rng.normal(size=(33, 1))
    yield "one row", rng.normal(size=(1, 4))
    yield "deep", rng.normal(size=(40, 600))
    yield "offset", rng.normal(size=(90, 5)) + 1e3
    yield "two far clusters", np.concatenate([rng.normal(size=(60, 3)) * 1e-2, rng.normal(size=(60, 3)) * 1e-2 + 50])
    yield "outlier", np.concatenate([rng.normal(size=(50, 3)), [[1e6, 0, 0]]])
    yield "duplicates", np.repeat(rng.normal(size=(20, 4)), 3, axis=0)
    yield "sparse", sparse.random_array((150, 500), density=0.02, rng=rng, format="csr")
    yield "sparse duplicates", sparse.csr_array(np.repeat(np.eye(60), 2, axis=0))


@pytest.mark.parametrize(("name", "X"), [pytest.param(*case, id=case[0]) for case in cases()])
def test_distances_are_accurate_at_every_scale(name, X):
    dense = X.toarray() if sparse.issparse(X) else X
    held = squared_distances(X)
    # Rounding of the features themselves to single precision is what remains.
    spread = np.abs(dense - dense.mean(axis=0)).max()
    np.testing.assert_allclose(held.matrix, exact(dense, dense), rtol=1e-4, atol=1e-10 * spread**2)
    assert (held.matrix == held.matrix.T).all()
    assert (np.diag(held.matrix) == 0).all()
    fresh = cross_distances(held.points, X[: min(5, X.shape[0])])
    np.testing.assert_array_equal(fresh, held.matrix[:5])


@pytest.mark.parametrize(("name", "X"), [pytest.param(*case, id=case[0]) for case in cases()])
def test_rows_on_demand_have_the_same_bits_as_the_held_matrix(name, X):
    held, lean = squared_distances(X), squared_distances(X, cache_size=0.0)
    assert lean.matrix is None
    rows = np.array([0, held.n_rows - 1])
    np.testing.assert_array_equal(lean.block(rows), held.block(rows))


def test_the_budget_decides_what_is_held():
    X = np.zeros((500, 1))
    assert squared_distances(X, cache_size=2.1).matrix is not None
    assert squared_distances(X, cache_size=1.9).matrix is None


@settings(max_examples=20, deadline=None)
@given(st.integers(1, 40), st.integers(1, 6), st.integers(0, 10**6))
def test_distances_agree_with_the_definition(n, d, seed):
    X = np.random.default_rng(seed).normal(size=(n, d))
    expected = [[distance(x, z) for z in X] for x in X]
    np.testing.assert_allclose(squared_distances(X).matrix, expected, rtol=1e-4, atol=1e-6)


def test_without_the_extension_the_distances_are_the_same(monkeypatch):
    for name, X in cases():
        native = squared_distances(X).matrix
        with monkeypatch.context() as patch:
            patch.setattr(points, "extension", lambda: None)
            patch.setattr(distances, "extension", lambda: None)
            plain = squared_distances(prepare_points(X)).matrix
        np.testing.assert_allclose(plain, native, rtol=1e-4, atol=1e-6 * native.max(), err_msg=name)


def test_threads_do_not_change_the_distances():
    X = np.random.default_rng(1).normal(size=(700, 20))
    np.testing.assert_array_equal(squared_distances(X, n_jobs=1).matrix, squared_distances(X, n_jobs=4).matrix)
