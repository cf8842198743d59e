import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.linear_model import LogisticRegression as Reference
from sklearn.multiclass import OneVsRestClassifier
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

from bncc.linear import LogisticRegression

IRIS = load_iris(return_X_y=True)
CANCER = load_breast_cancer(return_X_y=True)
CANCER = (StandardScaler().fit_transform(CANCER[0]), CANCER[1])


@pytest.mark.parametrize("engine", ["auto", "numpy"])
def test_check_estimator(engine):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the checks themselves warn about what they skip
        results = check_estimator(LogisticRegression(engine=engine, tol=1e-14), on_skip=None, on_fail=None)
    assert [r["check_name"] for r in results if r["status"] == "failed"] == []


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
def test_two_classes_are_those_of_scikit_learn(container):
    X, y = CANCER
    weight = np.random.default_rng(0).uniform(0.1, 2.0, len(y))
    ours = LogisticRegression(C=0.3, tol=1e-12, class_weight={0: 2.0, 1: 0.5}).fit(
        container(X), y, sample_weight=weight
    )
    reference = Reference(C=0.3, solver="liblinear", tol=1e-10, class_weight={0: 2.0, 1: 0.5}, max_iter=10**4)
    theirs = reference.fit(X, y, sample_weight=weight)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-5)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-5)
    np.testing.assert_allclose(ours.predict_proba(container(X)), theirs.predict_proba(X), atol=1e-5)
    np.testing.assert_allclose(ours.predict_log_proba(X), np.log(ours.predict_proba(X)))


@pytest.mark.parametrize("C", [0.01, 1.0])
@pytest.mark.parametrize(
    "options",
    [
        {"fit_intercept": False},
        {"intercept_scaling": 0.1},
        {"intercept_scaling": 30.0},
        {"class_weight": "balanced"},
        {"class_weight": "balanced", "fit_intercept": False},
    ],
    ids=str,
)
def test_options_mean_what_they_mean_in_scikit_learn(options, C):
    X, y = CANCER
    X = X + 0.5  # so that the intercept matters
    ours = LogisticRegression(C=C, tol=1e-12, **options).fit(X, y)
    theirs = Reference(C=C, solver="liblinear", tol=1e-10, max_iter=10**4, **options).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-5)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-5)
    plain = LogisticRegression(C=C, tol=1e-12).fit(X, y)
    assert np.abs(ours.coef_ - plain.coef_).max() > 1e-3


def test_several_classes_are_one_against_the_rest():
    X, y = IRIS
    ours = LogisticRegression(tol=1e-12).fit(X, y)
    theirs = OneVsRestClassifier(Reference(solver="liblinear", tol=1e-10)).fit(X, y)
    np.testing.assert_allclose(ours.coef_, np.vstack([one.coef_ for one in theirs.estimators_]), atol=1e-5)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-5)


def test_probabilities_of_rows_that_no_class_wants_sum_to_one():
    X, y = IRIS
    p = LogisticRegression(C=100.0).fit(X, y).predict_proba(X * [[1e5, -1e5, 1e5, 1e5]])
    np.testing.assert_allclose(p.sum(axis=1), 1.0)
