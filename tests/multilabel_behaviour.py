"""What every multi-label estimator must do, whatever its method; the test file of each estimator runs these."""

import pickle

import numpy as np
import pandas as pd
import pytest
from joblib import parallel_config
from scipy import sparse
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import check_estimator

from bncc.multilabel import BinaryRelevance
from bncc.multilabel.crossval import out_of_fold_scores
from bncc.multilabel.targets import read_targets

SAMPLE_WEIGHT = ("check_sample_weight_equivalence_on_dense_data", "check_sample_weight_equivalence_on_sparse_data")


def draw(n_rows=60, n_labels=5, seed=0, n_features=4):
    """Labels that depend on the features and on each other."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(n_rows, n_features))
    Y = (X @ random.normal(size=(n_features, n_labels)) + random.normal(size=(n_rows, n_labels)) > 0.3).astype(int)
    if n_labels > 1:
        Y[:, 1] |= Y[:, 0]
    return X, Y


def assert_passes_checks(estimator, *, weights_are_exact=True):
    """scikit-learn's own checks; only the equivalence of weights and repeated rows may fail, where that is said."""
    results = check_estimator(estimator, on_fail=None, on_skip=None)
    allowed = () if weights_are_exact else SAMPLE_WEIGHT
    failed = {r["check_name"]: r["exception"] for r in results if r["status"] == "failed"}
    assert set(failed) <= set(allowed), failed


def assert_sensible(estimator):
    """Inputs, hard labels, names, determinism and copies."""
    _assert_forms_of_input_agree(estimator)
    _assert_hard_labels_work(estimator)
    _assert_one_label_works(estimator)
    _assert_unknown_labels_work(estimator)
    _assert_deterministic(estimator)
    _assert_tools_take_it(estimator)


def _assert_forms_of_input_agree(estimator):
    X, Y = draw()
    dense = clone(estimator).fit(X, Y)
    expected = dense.predict(X)
    assert expected.shape == Y.shape
    assert expected.dtype == Y.dtype
    assert ((dense.decision_function(X) > 0) == (expected == 1)).all()
    of_sparse = clone(estimator).fit(X, sparse.csr_matrix(Y)).predict(X)
    assert isinstance(of_sparse, sparse.csr_matrix)
    np.testing.assert_array_equal(of_sparse.toarray(), expected)
    named = clone(estimator).fit(pd.DataFrame(X, columns=list("abcd")), pd.DataFrame(Y, columns=list("vwxyz")))
    assert named.label_names_ == tuple("vwxyz")
    frame = named.set_output(predict="pandas").predict(pd.DataFrame(X, columns=list("abcd")))
    assert list(frame) == list("vwxyz")
    np.testing.assert_array_equal(frame.to_numpy(), expected)
    if get_tags(estimator).input_tags.sparse:
        rough = np.where(np.abs(X) > 0.5, X, 0.0)
        one, other = (clone(estimator).fit(form(rough), Y) for form in (np.asarray, sparse.csr_array))
        wide = sparse.csr_array(rough)
        wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
        assert (one.predict(rough) == other.predict(wide)).mean() > 0.98
        np.testing.assert_array_equal(clone(estimator).fit(wide, Y).predict(wide), other.predict(wide))


def _assert_hard_labels_work(estimator):
    X, Y = draw(40, 7)
    Y[:, 2], Y[:, 3] = 0, 1  # constant
    Y[:, 4] = 0
    Y[5, 4] = 1  # one positive row
    Y[:, 6] = Y[:, 5]  # the same label twice
    Y[7] = 0  # no labels but the one that all rows have
    Y[:, 3] = 1
    fitted = clone(estimator).fit(X, Y)
    predicted = fitted.predict(X)
    assert (predicted[:, 2] == 0).all()
    assert (predicted[:, 3] == 1).all()
    assert np.isfinite(fitted.decision_function(X)).all()
    if hasattr(fitted, "predict_proba"):
        rates = fitted.predict_proba(X)
        assert rates.shape == Y.shape
        assert ((rates >= 0) & (rates <= 1)).all()
    nothing = clone(estimator).fit(X, np.zeros_like(Y))
    assert (nothing.predict(X) == 0).all()


def _assert_one_label_works(estimator):
    X, Y = draw(40, 1)
    column = clone(estimator).fit(X, Y).predict(X)
    assert column.shape == (40, 1)
    words = np.where(Y[:, 0] == 1, "yes", "no")
    flat = clone(estimator).fit(X, words)
    np.testing.assert_array_equal(flat.predict(X), np.where(column[:, 0] == 1, "yes", "no"))
    assert flat.classes_.tolist() == ["no", "yes"]
    assert flat.decision_function(X).shape == (40,)


def _assert_unknown_labels_work(estimator):
    X, Y = draw()
    lost = Y.astype(float)
    lost[:3, 0] = np.nan
    lost[10:12, 3] = np.nan
    predicted = clone(estimator).fit(X, lost).predict(X)
    assert set(np.unique(predicted)) <= {0, 1}
    lost[:, 2] = np.nan  # nothing is known of a label
    assert (clone(estimator).fit(X, lost).predict(X)[:, 2] == 0).all()


def _assert_deterministic(estimator):
    X, Y = draw()
    first = clone(estimator).set_params(random_state=3) if "random_state" in estimator.get_params() else estimator
    alone = clone(first).fit(X, Y)
    # Threads start faster than processes.
    with parallel_config(backend="threading"):
        other = clone(first).set_params(n_jobs=2).fit(X, Y)
    np.testing.assert_array_equal(alone.decision_function(X), other.decision_function(X))
    copy = pickle.loads(pickle.dumps(alone))
    np.testing.assert_array_equal(alone.decision_function(X), copy.decision_function(X))


def _assert_tools_take_it(estimator):
    X, Y = draw()
    pipe = make_pipeline(StandardScaler(), clone(estimator))
    assert cross_val_predict(pipe, X, Y, cv=2).shape == Y.shape
    search = GridSearchCV(clone(estimator), {"n_jobs": [None]}, cv=2).fit(X, Y)
    assert 0 <= search.best_score_ <= 1
    classes = np.arange(len(X)) % 3
    if isinstance(estimator, BinaryRelevance):  # one class against the rest
        assert clone(estimator).fit(X, classes).predict(X).shape == classes.shape
    else:
        with pytest.raises(ValueError, match="Only binary classification is supported"):
            clone(estimator).fit(X, classes)


def assert_folds_agree(estimator):
    """Out-of-fold scores of all folds in one call of the kernel engine are those of fitting each fold on its own."""
    X, Y = draw(80, 4)
    Y[:40, 3] = 0  # the second fold learns from rows that all lack a label, and has fewer label sets
    Y[40:, 3] |= Y[40:, 2]
    folds = [(np.arange(40, 80), np.arange(40)), (np.arange(40), np.arange(40, 80))]
    found = out_of_fold_scores(estimator, X, read_targets(Y), folds, None)
    for train, test in folds:
        alone = clone(estimator).fit(X[train], Y[train])
        np.testing.assert_allclose(found[test], alone.decision_function(X[test]), atol=1e-3)
    assert np.isnan(found).sum() == 0
