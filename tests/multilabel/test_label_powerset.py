import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from bncc.datasets import load
from bncc.multilabel import LabelPowerset
from bncc.svm import KernelSearchCV, KernelSVC
from multilabel_behaviour import assert_folds_agree, assert_passes_checks, assert_sensible, draw
from oracles import multilabel as oracle

BASES = [
    LogisticRegression(),
    DecisionTreeClassifier(max_depth=4, random_state=0),
    GaussianNB(),
    RidgeClassifier(),
    SVC(),
    SVC(decision_function_shape="ovo"),
]


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("n_labels", [1, 2, 4])
def test_equals_the_definition(base, n_labels):
    X, Y = draw(80, n_labels)
    test = draw(40, n_labels, seed=1)[0]
    fitted = LabelPowerset(base).fit(X, Y)
    expected = oracle.label_powerset(base, X, Y, test)
    np.testing.assert_array_equal(fitted.predict(test), expected)
    np.testing.assert_array_equal(fitted.decision_function(test) > 0, expected)


def test_probabilities_are_marginals_on_the_side_of_the_winner():
    X, Y = draw(80, 4)
    fitted = LabelPowerset(LogisticRegression()).fit(X, Y)
    marginals, rates = oracle.label_powerset_marginals(LogisticRegression(), X, Y, X), fitted.predict_proba(X)
    agree = (marginals > 0.5) == (fitted.predict(X) == 1)
    assert 0.8 < agree.mean() < 1
    np.testing.assert_allclose(rates[agree], marginals[agree], atol=1e-12)
    np.testing.assert_allclose(rates[~agree], 0.5)
    np.testing.assert_array_equal(rates > 0.5, fitted.predict(X) == 1)


def test_engine_equals_svc_on_real_data(data_folder):
    data = load(data_folder / "emotions")
    X, Y = np.asarray(data.X), np.asarray(data.Y)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    ours = LabelPowerset(KernelSVC(C=10, gamma=0.02, tol=1e-5)).fit(X[:400], Y[:400])
    svc = SVC(C=10, gamma=0.02, tol=1e-5, break_ties=True)
    np.testing.assert_array_equal(ours.predict(X[400:]), oracle.label_powerset(svc, X[:400], Y[:400], X[400:]))


def test_rows_with_unknown_labels_are_left_out():
    X, Y = draw(60, 3)
    lost = Y.astype(float)
    lost[:15, 1] = np.nan
    for base in (LogisticRegression(), KernelSVC(sigma=1.0)):
        with_unknown, without = LabelPowerset(base).fit(X, lost), LabelPowerset(base).fit(X[15:], Y[15:])
        np.testing.assert_array_equal(with_unknown.predict(X), without.predict(X))
    assert (LabelPowerset(LogisticRegression()).fit(X, np.full((60, 2), np.nan)).predict(X) == 0).all()


def test_sets_of_weight_zero_are_no_classes():
    X, Y = draw(60, 2)
    Y[:5] = 1
    Y[5:, 0] = 0
    weight = np.ones(60)
    weight[:5] = 0
    fitted = LabelPowerset(LogisticRegression()).fit(X, Y, sample_weight=weight)
    assert (fitted.predict(X)[:, 0] == 0).all()


def test_only_sets_that_were_seen():
    X, Y = draw(80, 4)
    for base in (KernelSVC(), LogisticRegression()):
        fitted = LabelPowerset(base).fit(X, Y)
        seen = set(map(tuple, fitted.label_sets_.astype(int).tolist()))
        assert seen == set(map(tuple, Y.tolist()))
        assert set(map(tuple, fitted.predict(draw(50, 4, seed=2)[0]).tolist())) <= seen


def test_folds_may_differ_in_their_sets():
    X, Y = draw(60, 3)
    Y[:20, 2] = 1
    Y[20:, 2] = 0
    search = KernelSearchCV(LabelPowerset(KernelSVC()), {"sigma": [0.5, 2.0]}, cv=3).fit(X, Y)
    assert search.predict(X).shape == Y.shape
    rates = LabelPowerset(KernelSVC()).fit(X, Y).predict_proba(X)
    assert ((rates > 0) & (rates < 1)).all()


def test_missing_features_go_to_a_base_that_takes_them():
    X, Y = draw(60, 3)
    X[::7, 1] = np.nan
    tree = DecisionTreeClassifier(max_depth=3, random_state=0)
    np.testing.assert_array_equal(LabelPowerset(tree).fit(X, Y).predict(X), oracle.label_powerset(tree, X, Y, X))
    with pytest.raises(ValueError, match="contains NaN"):
        LabelPowerset(KernelSVC()).fit(X, Y)


@pytest.mark.parametrize("base", [None, LogisticRegression(C=0.1, max_iter=1000)])
def test_behaviour(base):
    assert_sensible(LabelPowerset(base))
    assert_passes_checks(LabelPowerset(base), weights_are_exact=base is not None)


def test_folds_agree():
    assert_folds_agree(LabelPowerset(KernelSVC(sigma=1.0, tol=1e-6)))
