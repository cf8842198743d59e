import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC as Reference
from sklearn.utils.estimator_checks import check_estimator

from bncc.linear import LinearSVC

IRIS = load_iris(return_X_y=True)
CANCER = load_breast_cancer(return_X_y=True)
CANCER = (StandardScaler().fit_transform(CANCER[0]), CANCER[1])


@pytest.mark.parametrize("engine", ["auto", "numpy"])
@pytest.mark.parametrize("tol", [1e-3, 1e-17])
def test_check_estimator(engine, tol):
    reason = "a row of weight 2 and a row twice are the same problem, but its solution is only as exact as `tol`"
    names = [f"check_sample_weight_equivalence_on_{kind}_data" for kind in ("dense", "sparse")]
    expected = {name: reason for name in names if tol > 1e-9}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the checks themselves warn about what they skip
        estimator = LinearSVC(engine=engine, tol=tol)
        results = check_estimator(estimator, expected_failed_checks=expected, on_skip=None, on_fail=None)
    assert [r["check_name"] for r in results if r["status"] == "failed"] == []


def test_check_estimator_with_the_hinge_loss():
    reason = "a row of weight 2 and a row twice are the same problem, but its solution is only as exact as `tol`"
    expected = {f"check_sample_weight_equivalence_on_{kind}_data": reason for kind in ("dense", "sparse")}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results = check_estimator(LinearSVC(loss="hinge"), expected_failed_checks=expected, on_skip=None, on_fail=None)
    assert [r["check_name"] for r in results if r["status"] == "failed"] == []


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array, lambda X: X.astype(np.float32)])
@pytest.mark.parametrize("data", [IRIS, CANCER], ids=["iris", "cancer"])
def test_the_model_is_that_of_scikit_learn(data, container):
    X, y = data
    ours = LinearSVC(C=0.5, tol=1e-12).fit(container(X), y)
    theirs = Reference(C=0.5, tol=1e-10, dual=False, max_iter=10**5).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-4)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-4)
    np.testing.assert_allclose(ours.decision_function(container(X)), theirs.decision_function(X), atol=1e-3)
    assert (ours.predict(container(X)) == theirs.predict(X)).all()
    default = LinearSVC(C=0.5).fit(container(X), y)
    assert (default.predict(container(X)) == theirs.predict(X)).mean() > 0.98


@pytest.mark.parametrize(
    "parameters",
    [
        {"class_weight": "balanced"},
        {"class_weight": {0: 3.0, 1: 0.5}},
        {"fit_intercept": False},
        {"intercept_scaling": 10.0},
        {"loss": "hinge"},
    ],
)
def test_parameters_mean_what_they_mean_in_scikit_learn(parameters):
    X, y = CANCER
    weight = np.random.default_rng(0).uniform(0.1, 2.0, len(y))
    if parameters.get("class_weight") == "balanced":  # releases of scikit-learn differ in what weights do to it
        weight[:] = 1.0
    hinge = parameters.get("loss") == "hinge"
    ours = LinearSVC(C=0.05, tol=1e-6 if hinge else 1e-12, max_iter=10**5, **parameters)
    ours.fit(X, y, sample_weight=weight)
    theirs = Reference(C=0.05, tol=1e-8, dual=hinge, max_iter=10**6, **parameters).fit(X, y, sample_weight=weight)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=2e-3 if hinge else 1e-5)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=2e-3 if hinge else 1e-5)


def test_balanced_classes_count_weighted_rows():
    X, y = CANCER
    times = np.random.default_rng(0).integers(0, 4, len(y))
    weighted = LinearSVC(class_weight="balanced", tol=1e-12).fit(X, y, sample_weight=times)
    repeated = LinearSVC(class_weight="balanced", tol=1e-12).fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, atol=1e-5)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"C": 0.0}, "`C` must be a positive number"),
        ({"loss": "log"}, '`loss` must be "squared_hinge" or "hinge"; got \'log\''),
        ({"tol": 0.0}, "`tol` must be a positive number"),
        ({"max_iter": 0}, "`max_iter` must be at least 1"),
        ({"n_jobs": 0}, "`n_jobs`"),
        ({"engine": "gpu"}, "`engine` must be"),
        ({"intercept_scaling": 0.0}, "`intercept_scaling` must be a positive number; got 0.0"),
        ({"class_weight": {0: -1.0}}, "not negative"),
        ({"class_weight": "bal"}, "`class_weight` must be \"balanced\", a dict .*, or None; got 'bal'"),
        ({"class_weight": [1, 2]}, "`class_weight` must be .* or None; got .1, 2."),
        ({"fit_intercept": "no"}, "`fit_intercept` must be True or False; got 'no'"),
        ({"fit_intercept": 0}, "`fit_intercept` must be True or False; got 0"),
    ],
)
def test_bad_parameters_are_refused(parameters, message):
    with pytest.raises(ValueError, match=message):
        LinearSVC(**parameters).fit(*IRIS)
