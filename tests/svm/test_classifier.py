import pickle
import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_breast_cancer, load_digits, load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import log_loss
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import check_estimator

from bncc.svm import KernelSVC, engines

IRIS = load_iris(return_X_y=True)
CANCER = load_breast_cancer(return_X_y=True)
CANCER = (StandardScaler().fit_transform(CANCER[0]), CANCER[1])


def test_check_estimator():
    reason = "a sum of C over repeated rows is the same problem, but its solution is only as exact as `tol`"
    expected = {f"check_sample_weight_equivalence_on_{kind}_data": reason for kind in ("dense", "sparse")}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the checks themselves warn about what they skip
        results = check_estimator(KernelSVC(), expected_failed_checks=expected, on_skip=None, on_fail=None)
    assert [r["check_name"] for r in results if r["status"] == "failed"] == []
    assert {r["check_name"] for r in results if r["status"] == "xfail"} <= set(expected)


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("data", [IRIS, CANCER], ids=["iris", "cancer"])
def test_the_model_is_that_of_svc(data, container, kernel):
    X, y = data
    ours = KernelSVC(C=3.0, gamma=0.1, kernel=kernel, tol=1e-4).fit(container(X), y)
    theirs = SVC(C=3.0, gamma=0.1, kernel=kernel, tol=1e-4).fit(X, y)
    assert (ours.predict(container(X)) == theirs.predict(X)).all()
    np.testing.assert_allclose(ours.decision_function(container(X)), theirs.decision_function(X), atol=5e-3)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=5e-3)
    assert ours.dual_coef_.shape[0] == theirs.dual_coef_.shape[0]
    coefficients = np.zeros((2, theirs.dual_coef_.shape[0], len(X)))
    coefficients[0][:, ours.support_], coefficients[1][:, theirs.support_] = ours.dual_coef_, theirs.dual_coef_
    if kernel == "rbf":
        np.testing.assert_allclose(coefficients[0], coefficients[1], atol=2e-2)
    else:
        np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=5e-3)
    assert ours.n_support_.sum() == ours.support_.size
    assert (y[ours.support_] == np.repeat(ours.classes_, ours.n_support_)).all()


def test_the_model_of_many_classes_is_that_of_svc():
    X, y = load_digits(return_X_y=True)
    ours, theirs = KernelSVC(sigma=20.0).fit(X[:600], y[:600]), SVC(gamma=1 / 800).fit(X[:600], y[:600])
    assert (ours.predict(X[600:]) == theirs.predict(X[600:])).mean() > 0.998
    p = ours.predict_proba(X[600:])
    np.testing.assert_allclose(p.sum(axis=1), 1.0)
    assert (ours.classes_[p.argmax(axis=1)] == ours.predict(X[600:])).mean() > 0.98


@pytest.mark.parametrize("class_weight", ["balanced", {0: 3.0, 1: 0.5}])
def test_weights_are_those_of_svc(class_weight):
    X, y = CANCER
    weight = np.random.default_rng(0).uniform(0.1, 2.0, len(y))
    ours = KernelSVC(gamma=0.05, class_weight=class_weight, tol=1e-4).fit(X, y, sample_weight=weight)
    theirs = SVC(gamma=0.05, class_weight=class_weight, tol=1e-4).fit(X, y, sample_weight=weight)
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=5e-3)


def test_sigma_and_gamma():
    X, y = IRIS
    assert KernelSVC().fit(X, y).gamma_ == pytest.approx(1 / (4 * X.var()))
    assert KernelSVC().fit(sparse.csr_array(X), y).gamma_ == pytest.approx(1 / (4 * X.var()))
    both = KernelSVC(sigma=1.0, gamma=2.0).fit(X, y)
    assert (both.gamma_, both.sigma_) == (2.0, 0.5)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"sigma": 0.0}, "`sigma` must be a positive number; got 0.0"),
        ({"sigma": -1.0}, "`sigma` must be a positive number; got -1.0"),
        ({"sigma": np.nan}, "`sigma` must be a positive number; got nan"),
        ({"sigma": "wide"}, "`sigma` must be a positive number or \"auto\"; got 'wide'"),
        ({"gamma": np.inf}, "`gamma` must be a positive number; got inf"),
        ({"C": 0.0}, "`C` must be a positive number"),
        ({"kernel": "poly"}, '`kernel` must be "rbf" or "linear"; got \'poly\''),
        ({"tol": 0.0}, "`tol` must be a positive number"),
        ({"n_jobs": 0}, "`n_jobs`"),
    ],
)
def test_bad_parameters_are_refused(parameters, message):
    with pytest.raises(ValueError, match=message):
        KernelSVC(**parameters).fit(*IRIS)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_bad_features_are_refused(bad):
    X = IRIS[0].copy()
    X[3, 1] = bad
    with pytest.raises(ValueError, match=r"NaN|infinity"):
        KernelSVC().fit(X, IRIS[1])
    with pytest.raises(ValueError, match=r"NaN|infinity"):
        KernelSVC().fit(*IRIS).predict(X)


def test_one_class_and_no_rows_are_refused():
    with pytest.raises(ValueError, match="at least two classes; got 1 class"):
        KernelSVC().fit(IRIS[0], np.zeros(150))
    with pytest.raises(ValueError, match="minimum of 1 is required"):
        KernelSVC().fit(np.zeros((0, 3)), [])


@pytest.mark.parametrize(
    ("weight", "message"),
    [([1.0], "one value per row"), (-np.ones(150), "not negative"), (np.zeros(150), "all are zero")],
)
def test_bad_weights_are_refused(weight, message):
    with pytest.raises(ValueError, match=message):
        KernelSVC().fit(*IRIS, sample_weight=weight)


def test_the_iteration_limit_warns():
    with pytest.warns(ConvergenceWarning, match="limit of 2 iterations"):
        KernelSVC(max_iter=2).fit(*CANCER)


def test_results_do_not_depend_on_threads_or_memory():
    X, y = CANCER
    reference = KernelSVC(C=10.0, random_state=0, n_jobs=1).fit(X, y)
    for other in (KernelSVC(C=10.0, random_state=0, n_jobs=4), KernelSVC(C=10.0, random_state=0, cache_size=0.5)):
        other.fit(X, y)
        np.testing.assert_array_equal(other.dual_coef_, reference.dual_coef_)
        np.testing.assert_array_equal(other.predict_proba(X), reference.predict_proba(X))


def test_probabilities_are_as_good_as_those_of_scikit_learn():
    X, Z, y, t = train_test_split(*CANCER, test_size=0.4, random_state=0)
    ours = KernelSVC(sigma=5.0).fit(X, y).predict_proba(Z)
    theirs = CalibratedClassifierCV(SVC(gamma=0.02), ensemble=False).fit(X, y).predict_proba(Z)
    assert log_loss(t, ours) < log_loss(t, theirs) + 0.01


def test_a_class_with_one_row_still_gets_probabilities():
    X, y = np.array([[0.0], [0.1], [0.2], [5.0]]), np.array(["a", "a", "a", "b"])
    p = KernelSVC(sigma=1.0).fit(X, y).predict_proba(X)
    assert np.isfinite(p).all()
    assert p[3, 1] > p[0, 1]


def test_the_seed_only_deals_the_folds():
    X, y = CANCER
    models = [KernelSVC(random_state=seed).fit(X, y) for seed in (None, 0, 0, 1)]
    decisions = [m.decision_function(X) for m in models]
    assert all((d == decisions[0]).all() for d in decisions)
    p = [m.predict_proba(X) for m in models]
    assert (p[1] == p[2]).all()
    assert (p[1] != p[3]).any()


def test_it_is_an_ordinary_estimator():
    X, y = IRIS
    fitted = KernelSVC(C=2.0).fit(X, y)
    assert clone(fitted).get_params()["C"] == 2.0
    again = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(again.predict_proba(X), fitted.predict_proba(X))
    search = GridSearchCV(KernelSVC(), {"sigma": [0.5, 2.0]}, cv=3).fit(X, y)
    assert search.best_score_ > 0.9


def test_what_was_learned_on_a_device_predicts_without_one(monkeypatch):
    X, y = load_iris(return_X_y=True)
    svc = KernelSVC(engine="cpu").fit(X, y)
    expected = svc.predict_proba(X)
    svc.engine = "cuda"  # as it comes from a file that was written on another machine
    monkeypatch.setattr(engines, "missing", lambda: "CuPy finds no CUDA device.")
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(svc)).predict_proba(X), expected)


@pytest.mark.parametrize("where", ["indices", "indptr"])
def test_broken_sparse_rows_are_refused(where):
    X = sparse.random_array((40, 300), density=0.05, rng=np.random.default_rng(0), format="csr")
    y = np.arange(40) % 2
    model, broken = KernelSVC().fit(X, y), X.copy()
    getattr(broken, where)[5] = 2**30
    for call in (lambda: KernelSVC().fit(broken, y), lambda: model.predict(broken)):
        with pytest.raises(ValueError, match=f"{where} of `X`|`{where}` of `X`"):
            call()
