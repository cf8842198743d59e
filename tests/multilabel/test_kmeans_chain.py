import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.linear_model import LogisticRegression

from bncc.multilabel import ClassifierChain, KMeansChain
from bncc.multilabel.kmeans_chain import correlation_order, shared_clusters
from bncc.svm import KernelSVC
from multilabel_behaviour import assert_folds_agree, assert_passes_checks, assert_sensible, draw
from oracles import multilabel as oracle


@given(st.integers(1, 7), st.integers(0, 1000))
@settings(max_examples=60)
def test_order_equals_the_definition(n_labels, seed):
    shares = np.random.default_rng(seed).integers(0, 5, (n_labels, n_labels)) / 4
    correlation = np.maximum(shares, shares.T)
    np.fill_diagonal(correlation, 1)
    assert correlation_order(correlation) == oracle.correlation_order(correlation)


def test_labels_that_go_together_share_clusters():
    random = np.random.default_rng(0)
    first, second = random.random((2, 200, 1)) < 0.5
    noise = random.random((200, 6)) < 0.05
    Y = sparse.csc_array((np.hstack([first, first, first, second, second, second]) ^ noise).astype(np.int8))
    shares = shared_clusters(Y, 10, 2, np.random.RandomState(0))
    np.testing.assert_array_equal(shares, np.kron(np.eye(2), np.ones((3, 3))))
    assert correlation_order(shares) == (0, 1, 2, 3, 4, 5)


def test_shares_are_symmetric_shares():
    Y = sparse.csc_array(draw(60, 8)[1].astype(np.int8))
    shares = shared_clusters(Y, 7, 4, np.random.RandomState(1))
    np.testing.assert_array_equal(shares, shares.T)
    np.testing.assert_array_equal(np.diag(shares), 1)
    np.testing.assert_allclose(shares * 7, np.round(shares * 7))


@pytest.mark.parametrize("base", [KernelSVC(), LogisticRegression()])
def test_is_a_chain_in_its_order(base):
    X, Y = draw(70, 6)
    fitted = KMeansChain(base, random_state=0).fit(X, Y)
    assert fitted.order_ == oracle.correlation_order(fitted.correlation_)
    chain = ClassifierChain(base, order=fitted.order_).fit(X, Y)
    np.testing.assert_array_equal(fitted.decision_function(X), chain.decision_function(X))
    if not isinstance(base, KernelSVC):
        expected = oracle.full_chain(base, X, Y, X, fitted.order_)
        np.testing.assert_allclose(fitted.decision_function(X), expected, atol=1e-12)


@pytest.mark.parametrize("options", [{"n_clusterings": 0}, {"max_clusters": 1}])
def test_bad_parameters(options):
    (name, value), *_ = options.items()
    with pytest.raises(ValueError, match=f"`{name}` must be a whole number of at least {value + 1}; got {value}"):
        KMeansChain(**options).fit(*draw())


@pytest.mark.parametrize("base", [None, LogisticRegression(C=0.1, max_iter=1000)])
def test_behaviour(base):
    estimator = KMeansChain(base, n_clusterings=3, random_state=0)
    assert_sensible(estimator)
    assert_passes_checks(estimator, weights_are_exact=base is not None)


def test_folds_agree():
    assert_folds_agree(KMeansChain(KernelSVC(sigma=1.0, tol=1e-6), random_state=0))


def test_tags_are_taken():
    random = np.random.default_rng(0)
    Y = (random.random((30, 4)) < 0.5).astype(int)
    tags = [[f"tag{label}" for label in np.flatnonzero(row)] for row in Y]
    chain = KMeansChain(LogisticRegression(), random_state=0)
    X = random.standard_normal((30, 2))
    expected = chain.fit(X, Y).correlation_
    np.testing.assert_array_equal(chain.fit(X, tags).correlation_, expected)
