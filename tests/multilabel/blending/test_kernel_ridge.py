import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from scipy.spatial.distance import cdist

from bncc.multilabel.blending.kernel_ridge import KernelRidge, gaussian, ridge_answers, squared_distances_between


@given(st.integers(0, 10_000), st.integers(4, 30), st.integers(1, 4))
def test_what_a_fold_holds_out_is_answered_as_by_a_fit_without_it(seed, n_rows, n_labels):
    rng = np.random.default_rng(seed)
    X, target = rng.normal(size=(n_rows, 3)), rng.integers(0, 2, (n_rows, n_labels)).astype(float)
    kernel, penalty = gaussian(cdist(X, X, "sqeuclidean"), 2.0), rng.uniform(0.1, 3.0, n_rows)
    fold = rng.integers(0, 3, n_rows)
    folds = [(np.flatnonzero(fold != part), np.flatnonzero(fold == part)) for part in np.unique(fold)]
    held, coefficients = ridge_answers(kernel, penalty, target, folds)
    np.testing.assert_allclose((kernel + np.diag(penalty)) @ coefficients, target, atol=1e-8)
    for train, test in folds:
        alone = np.linalg.solve(kernel[np.ix_(train, train)] + np.diag(penalty[train]), target[train])
        np.testing.assert_allclose(held[test], kernel[np.ix_(test, train)] @ alone, atol=1e-7)


def test_the_arguments_stay_as_they_were():
    kernel, target = gaussian(np.array([[0.0, 1.0], [1.0, 0.0]]), 1.0), np.array([[1.0], [0.0]])
    before = kernel.copy(), target.copy()
    ridge_answers(kernel, np.ones(2), target, [(np.array([0]), np.array([1]))])
    np.testing.assert_array_equal(kernel, before[0])
    np.testing.assert_array_equal(target, before[1])


def test_what_cannot_be_inverted_is_no_answer():
    assert ridge_answers(np.ones((5, 5)), np.zeros(5), np.ones((5, 1)), []) is None


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array])
def test_distances(make):
    rng = np.random.default_rng(0)
    A, B = rng.normal(size=(7, 4)), rng.normal(size=(5, 4))
    np.testing.assert_allclose(squared_distances_between(make(A), make(B)), cdist(A, B, "sqeuclidean"), atol=1e-12)
    assert (squared_distances_between(make(A), make(A)) >= 0).all()


def test_scores_in_blocks_are_those_at_once(monkeypatch):
    rng = np.random.default_rng(0)
    model = KernelRidge(rng.normal(size=(6, 3)), rng.normal(size=(6, 2)), 1.5)
    X = rng.normal(size=(11, 3))
    whole = model.scores(X)
    np.testing.assert_allclose(whole, gaussian(cdist(X, model.rows, "sqeuclidean"), 1.5) @ model.coefficients)
    monkeypatch.setattr("bncc.multilabel.blending.kernel_ridge._BLOCK", 4)
    np.testing.assert_allclose(model.scores(X), whole)
    assert model.scores(X[:0]).shape == (0, 2)
    with pytest.raises(ValueError, match="knows 3 features; got 2"):
        model.scores(X[:, :2])
