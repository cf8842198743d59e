import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from bncc.datasets import load
from bncc.multilabel import ClassifierChain, GroupSensitiveChain
from bncc.multilabel.group_sensitive_chain import cooccurrence_order
from bncc.svm import KernelSearchCV, KernelSVC
from multilabel_behaviour import assert_folds_agree, assert_passes_checks, assert_sensible, draw
from oracles import multilabel as oracle

TREE = DecisionTreeClassifier(max_depth=2, random_state=0)


@given(st.integers(0, 1000), st.integers(1, 6), st.integers(1, 12))
@settings(max_examples=60)
def test_order_equals_the_definition(seed, n_labels, n_rows):
    Y = (np.random.default_rng(seed).random((n_rows, n_labels)) < 0.5).astype(int)
    assert cooccurrence_order(Y) == oracle.cooccurrence_order(Y)


@pytest.mark.parametrize("base", [LogisticRegression(), TREE])
@pytest.mark.parametrize("n_groups", [1, 3])
def test_equals_the_definition(base, n_groups):
    X, Y = draw(90, 4)
    test = draw(40, 4, seed=1)[0]
    fitted = GroupSensitiveChain(base, n_groups=n_groups, random_state=0).fit(X, Y)
    groups, centres = fitted.groups_.labels_, fitted.groups_.cluster_centers_
    expected = oracle.group_sensitive_chain(base, X, Y, test, groups, centres)
    np.testing.assert_allclose(fitted.decision_function(test), expected, atol=1e-12)


def test_engine_equals_svc_on_real_data(data_folder):
    data = load(data_folder / "emotions")
    X, Y = np.asarray(data.X), np.asarray(data.Y)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    ours = GroupSensitiveChain(KernelSVC(C=10, gamma=0.02, tol=1e-5), random_state=0).fit(X[:400], Y[:400])
    groups, centres = ours.groups_.labels_, ours.groups_.cluster_centers_
    svc = SVC(C=10, gamma=0.02, tol=1e-5)
    theirs = oracle.group_sensitive_chain(svc, X[:400], Y[:400], X[400:], groups, centres)
    np.testing.assert_array_equal(ours.predict(X[400:]), theirs > 0)


def test_one_group_is_a_chain():
    X, Y = draw(80, 4)
    one = GroupSensitiveChain(KernelSVC(), n_groups=1, random_state=0).fit(X, Y)
    chain = ClassifierChain(KernelSVC(), order=one.orders_[0]).fit(X, Y)
    np.testing.assert_array_equal(one.decision_function(X), chain.decision_function(X))


@pytest.mark.parametrize("base", [KernelSVC(), TREE])
def test_blocks_of_rows_change_nothing(base, monkeypatch):
    X, Y = draw(60, 4)
    fitted = GroupSensitiveChain(base, n_groups=2, random_state=0).fit(X, Y)
    whole, rates = fitted.decision_function(X), fitted.predict_proba(X)
    monkeypatch.setattr("bncc.multilabel.linked_classifier._ANSWERS", 50)
    np.testing.assert_allclose(fitted.decision_function(X), whole, rtol=1e-6)
    np.testing.assert_allclose(fitted.predict_proba(X), rates, rtol=1e-6)


def test_missing_features_are_refused():
    X, Y = draw(60, 3)
    X[0, 0] = np.nan
    assert GroupSensitiveChain(TREE, n_groups=1).__sklearn_tags__().input_tags.allow_nan is False
    with pytest.raises(ValueError, match="contains NaN"):
        GroupSensitiveChain(TREE).fit(X, Y)


def test_few_or_equal_rows():
    X, Y = draw(4, 3)
    assert GroupSensitiveChain(TREE, n_groups=9, random_state=0).fit(X, Y).groups_.n_clusters == 4
    for base in (TREE, KernelSVC()):
        same = GroupSensitiveChain(base, n_groups=3, random_state=0).fit(np.ones((6, 2)), draw(6, 3)[1])
        assert same.predict(np.ones((2, 2))).shape == (2, 3)
        assert same.predict_proba(np.ones((2, 2))).shape == (2, 3)


def test_searched_with_all_folds_at_once():
    X, Y = draw(90, 3)
    chain = GroupSensitiveChain(KernelSVC(), n_groups=2, random_state=0)
    search = KernelSearchCV(chain, {"sigma": [0.5, 2.0]}, cv=3).fit(X, Y)
    assert search.predict(X).shape == Y.shape


def test_bad_number_of_groups():
    with pytest.raises(ValueError, match="`n_groups` must be a whole number of at least 1; got 0"):
        GroupSensitiveChain(n_groups=0).fit(*draw())


@pytest.mark.parametrize("base", [None, LogisticRegression(C=0.1)])
def test_behaviour(base):
    assert_sensible(GroupSensitiveChain(base, n_groups=2, random_state=0))
    assert_passes_checks(GroupSensitiveChain(base, n_groups=2, random_state=0), weights_are_exact=False)


def test_folds_agree():
    assert_folds_agree(GroupSensitiveChain(KernelSVC(sigma=1.0, tol=1e-6), n_groups=2, random_state=0))
