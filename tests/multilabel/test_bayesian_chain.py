import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from bncc.datasets import load
from bncc.labels import mutual_information
from bncc.multilabel import BayesianChain
from bncc.multilabel.bayesian_chain import hang
from bncc.svm import KernelSearchCV, KernelSVC
from multilabel_behaviour import assert_folds_agree, assert_passes_checks, assert_sensible, draw
from oracles import multilabel as oracle


def _edges(Y):
    return oracle.spanning_tree(np.array([mutual_information(Y, label) for label in range(Y.shape[1])]))


@pytest.mark.parametrize("base", [LogisticRegression(), DecisionTreeClassifier(max_depth=3, random_state=0)])
@pytest.mark.parametrize("n_labels", [1, 2, 6])
def test_equals_the_definition(base, n_labels):
    X, Y = draw(90, n_labels)
    test = draw(40, n_labels, seed=1)[0]
    fitted = BayesianChain(base, n_roots=3, random_state=0).fit(X, Y)
    assert len(fitted.roots_) == len(set(fitted.roots_)) == min(3, n_labels)
    expected = oracle.bayesian_chain(base, X, Y, test, _edges(Y), fitted.roots_)
    np.testing.assert_allclose(fitted.decision_function(test), expected, atol=1e-12)


def test_engine_equals_svc_on_real_data(data_folder):
    data = load(data_folder / "emotions")
    X, Y = np.asarray(data.X), np.asarray(data.Y)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    ours = BayesianChain(KernelSVC(C=10, gamma=0.02, tol=1e-5), n_roots=None).fit(X[:400], Y[:400])
    svc = SVC(C=10, gamma=0.02, tol=1e-5)
    theirs = oracle.bayesian_chain(svc, X[:400], Y[:400], X[400:], _edges(Y[:400]), range(6))
    np.testing.assert_array_equal(ours.predict(X[400:]), theirs > 0)
    np.testing.assert_allclose(ours.decision_function(X[400:]), theirs, atol=1e-3)


def test_all_roots_share_links():
    X, Y = draw(60, 7)
    fitted = BayesianChain(LogisticRegression(), n_roots=None).fit(X, Y)
    assert fitted.roots_ == tuple(range(7))
    assert len(fitted._solved.estimators) == 3 * 7 - 2
    assert all(tree[root] == () for root, tree in zip(fitted.roots_, fitted.trees_, strict=True))


def test_hanging_keeps_the_edges():
    tree = ((), (0,), (0,), (1,), (1,))
    for root in range(5):
        hung = hang(tree, root)
        assert {frozenset((c, *p)) for c, p in enumerate(hung) if p} == {
            frozenset((c, *p)) for c, p in enumerate(tree) if p
        }
        assert hung == oracle.hang([(0, 1), (0, 2), (1, 3), (1, 4)], root, 5)[0]


def test_searched_with_all_folds_at_once():
    X, Y = draw(90, 4)
    search = KernelSearchCV(BayesianChain(KernelSVC(), random_state=0), {"sigma": [0.5, 2.0]}, cv=3).fit(X, Y)
    assert search.predict(X).shape == Y.shape


@pytest.mark.parametrize("options", [{"n_roots": 0}, {"aggregate": "sum"}])
def test_bad_parameters(options):
    with pytest.raises(ValueError, match="`" + next(iter(options)) + "` must be"):
        BayesianChain(**options).fit(*draw())


@pytest.mark.parametrize("base", [None, LogisticRegression(C=0.1, max_iter=1000)])
def test_behaviour(base):
    estimator = BayesianChain(base, n_roots=2, random_state=0)
    assert_sensible(estimator)
    assert_passes_checks(estimator, weights_are_exact=base is not None)


def test_folds_agree():
    assert_folds_agree(BayesianChain(KernelSVC(sigma=1.0, tol=1e-6), n_roots=None))
