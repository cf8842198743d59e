import pickle
import warnings
from itertools import combinations

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_iris, make_classification
from sklearn.metrics import log_loss
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import check_estimator

from bncc.selection import BatchSearchCV
from bncc.svm import KernelSVC

X, Y2 = make_classification(400, 8, n_informative=5, flip_y=0.05, random_state=0)
IRIS = load_iris(return_X_y=True)


def near(**options):
    return KernelSVC(approximation="nystroem", **options)


@pytest.mark.slow
def test_scikit_learns_checks():
    reason = "a sum of C over repeated rows is the same problem, but its solution is only as exact as `tol`"
    expected = {f"check_sample_weight_equivalence_on_{kind}_data": reason for kind in ("dense", "sparse")}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the checks themselves warn about what they skip
        results = check_estimator(near(), expected_failed_checks=expected, on_skip=None, on_fail=None)
    assert [(r["check_name"], r["exception"]) for r in results if r["status"] == "failed"] == []


def test_two_classes_are_scikit_learns_linear_svc_on_the_same_features():
    model = near(C=2.0, n_components=50, tol=1e-6).fit(X, Y2)
    features = model._mapped.features.transform(X).astype(np.float64)
    peer = LinearSVC(C=2.0, tol=1e-10, max_iter=100_000, dual=True).fit(features, Y2)
    np.testing.assert_allclose(model.decision_function(X), peer.decision_function(features), atol=2e-3)
    assert model.landmarks_.shape == (50, 8)


def test_several_classes_are_taken_one_against_one():
    X, y = IRIS
    model = near(n_components=40).fit(X, y)
    pairs = model._pair_decisions(X)
    for column, (a, b) in enumerate(combinations(range(3), 2)):
        rows = np.flatnonzero((y == a) | (y == b))
        features = model._mapped.features.transform(X[rows]).astype(np.float64)
        alone = LinearSVC(tol=1e-10, max_iter=100_000, dual=True).fit(features, y[rows])
        np.testing.assert_allclose(pairs[rows, column], alone.decision_function(features), atol=0.05)
    assert model.score(X, y) > 0.95
    assert model.predict_proba(X).shape == (150, 3)


def test_it_comes_near_the_kernel():
    exact = KernelSVC(C=5.0).fit(X[:300], Y2[:300])
    few, many = (near(C=5.0, n_components=n).fit(X[:300], Y2[:300]) for n in (5, 300))
    agreement = [(model.predict(X) == exact.predict(X)).mean() for model in (few, many)]
    assert agreement[0] < agreement[1]
    assert agreement[1] > 0.96


def test_probabilities_are_calibrated():
    own, exact = (model.fit(X[:300], Y2[:300]) for model in (near(n_components=300), KernelSVC()))
    losses = [log_loss(Y2[300:], model.predict_proba(X[300:])) for model in (own, exact)]
    assert losses[0] == pytest.approx(losses[1], abs=0.1)
    assert losses[0] < 0.6


def test_sparse_single_precision_and_blocks_agree(monkeypatch):
    whole = near(n_components=30).fit(X, Y2).decision_function(X)
    for rows in (sparse.csr_array(X), X.astype(np.float32)):
        np.testing.assert_allclose(near(n_components=30).fit(rows, Y2).decision_function(rows), whole, atol=1e-2)
    monkeypatch.setattr("bncc.svm.approximation._BLOCK", 64)
    np.testing.assert_allclose(near(n_components=30).fit(X, Y2).decision_function(X), whole, atol=1e-12)


def test_weights_count():
    weight = np.where(np.arange(400) < 300, 1.0, 0.0)
    left_out = near(n_components=400, tol=1e-4).fit(X[:300], Y2[:300])
    weighted = near(n_components=400, gamma=left_out.gamma_, tol=1e-4).fit(X, Y2, sample_weight=weight)
    assert len(weighted.landmarks_) == 300
    np.testing.assert_allclose(weighted.decision_function(X), left_out.decision_function(X), atol=0.02)
    balanced = near(n_components=30, class_weight={0: 1.0, 1: 50.0}).fit(X, Y2)
    assert balanced.predict(X).mean() > near(n_components=30).fit(X, Y2).predict(X).mean()


def test_a_search_is_a_grid_search():
    grid = {"sigma": [0.5, 3.0], "C": [10.0, 0.1]}
    folds = StratifiedKFold(3)
    own = BatchSearchCV(near(n_components=25), grid, cv=folds).fit(X, Y2)
    peer = GridSearchCV(near(n_components=25), grid, cv=folds).fit(X, Y2)
    assert own.best_params_ == peer.best_params_
    np.testing.assert_allclose(own.cv_results_["mean_test_score"], peer.cv_results_["mean_test_score"], atol=0.011)
    np.testing.assert_allclose(own.decision_function(X), peer.decision_function(X), atol=1e-2)
    wide = BatchSearchCV(near(), {"n_components": [2, 60], "gamma": [0.05]}, cv=folds).fit(X, Y2)
    assert wide.best_params_ == {"gamma": 0.05, "n_components": 60}
    assert wide.best_estimator_.n_components == 60


def test_a_search_over_several_classes_takes_folds_that_lack_one():
    X, y = IRIS
    first, rest = np.flatnonzero(y < 2), np.flatnonzero(y == 2)
    own = BatchSearchCV(near(n_components=20), {"C": [1.0]}, cv=[(first, rest), (np.arange(150), first)]).fit(X, y)
    assert own.cv_results_["split0_test_score"][0] == 0.0


def test_engines_and_threads_agree():
    native, numpy = (near(n_components=20, engine=engine, tol=1e-5).fit(X, Y2) for engine in ("cpu", "numpy"))
    np.testing.assert_allclose(native.decision_function(X), numpy.decision_function(X), atol=2e-2)
    one, two = (near(n_components=20, n_jobs=n).fit(X, Y2).decision_function(X) for n in (1, 2))
    assert np.array_equal(one, two)


def test_copies_answer_the_same():
    model = near(n_components=20).fit(X, Y2)
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(again.decision_function(X), model.decision_function(X))
    assert clone(model).get_params() == model.get_params()
    exact = model.set_params(approximation=None).fit(X, Y2)
    np.testing.assert_array_equal(exact.decision_function(X), KernelSVC().fit(X, Y2).decision_function(X))


def test_old_states_have_no_approximation():
    model = KernelSVC().fit(X, Y2)
    state = {
        name: value for name, value in vars(model).items() if name not in ("approximation", "n_components", "_mapped")
    }
    old = KernelSVC.__new__(KernelSVC)
    old.__setstate__(state)
    assert old.approximation is None
    assert np.array_equal(old.decision_function(X), model.decision_function(X))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"approximation": "fourier"}, '`approximation` must be None or "nystroem"'),
        ({"kernel": "linear"}, 'with `kernel="rbf"`'),
        ({"n_components": 0}, "`n_components` must be a whole number"),
        ({"C": 0.0}, "`C` must be a positive number"),
    ],
)
def test_mistakes(options, message):
    with pytest.raises(ValueError, match=message):
        near().set_params(**options).fit(X, Y2)


def test_saved_models_answer_the_same(tmp_path):
    pytest.importorskip("skops")
    from bncc.multilabel.model_files import load_model, save_model

    for rows in (X, sparse.csr_array(X)):
        model = near(n_components=20).fit(rows, Y2)
        save_model(model, tmp_path / "a.skops")
        again = load_model(tmp_path / "a.skops")
        assert np.array_equal(again.decision_function(rows), model.decision_function(rows))
        assert np.array_equal(again.predict_proba(rows), model.predict_proba(rows))
