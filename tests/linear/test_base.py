import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV

from bncc.linear import LinearSVC, LogisticRegression, base

IRIS = load_iris(return_X_y=True)
BOTH = pytest.mark.parametrize("classifier", [LinearSVC, LogisticRegression])


@BOTH
def test_it_is_an_ordinary_estimator(classifier):
    X, y = IRIS
    fitted = classifier(C=2.0).fit(X, y)
    assert clone(fitted).get_params()["C"] == 2.0
    again = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(again.decision_function(X), fitted.decision_function(X))
    assert GridSearchCV(classifier(), {"C": [0.1, 10.0]}, cv=3).fit(X, y).best_score_ > 0.9


@BOTH
def test_the_iteration_limit_warns(classifier):
    with pytest.warns(ConvergenceWarning, match="limit of 1 iterations"):
        classifier(max_iter=1, tol=1e-9, C=100.0).fit(*IRIS)


@BOTH
def test_one_class_is_refused(classifier):
    with pytest.raises(ValueError, match=f"{classifier.__name__} needs at least two classes; got 1 class"):
        classifier().fit(IRIS[0], np.zeros(150))
    with pytest.raises(ValueError, match="two classes with rows of positive weight; got 1"):
        classifier().fit(*IRIS, sample_weight=(IRIS[1] == 0).astype(float))


@BOTH
def test_class_weights_that_leave_no_two_classes_are_told(classifier):
    X, y = IRIS[0][:100], IRIS[1][:100]
    with pytest.raises(ValueError, match=r"got 1\. Give fewer classes a `class_weight` of 0; it is \{0: 1, 1: 0\}\.$"):
        classifier(class_weight={0: 1, 1: 0}).fit(X, y)
    with pytest.raises(ValueError, match=r"got 1\. Give fewer rows a `sample_weight` of 0\.$"):
        classifier(class_weight={0: 1, 1: 2}).fit(X, y, sample_weight=(y == 0).astype(float))
    classifier(class_weight={1: 0}).fit(*IRIS)  # two classes are left


@BOTH
@pytest.mark.parametrize("weight", [-1, np.inf, np.nan])
@pytest.mark.parametrize("rows", [100, 150])
def test_class_weights_are_finite_and_not_negative(classifier, weight, rows):
    with pytest.raises(ValueError, match=r"`class_weight` must be finite and not negative; got \{1: "):
        classifier(class_weight={1: weight}).fit(IRIS[0][:rows], IRIS[1][:rows])


@BOTH
@pytest.mark.parametrize(
    ("weight", "message"),
    [
        ([1.0], "one value per row"),
        (-np.ones(150), "not negative"),
        (np.zeros(150), "all are zero"),
        (np.full(150, np.nan), "finite"),
        ("a", "`sample_weight` must hold real numbers"),
        (np.full(150, 1j), "`sample_weight` must hold real numbers"),
    ],
)
def test_bad_weights_are_refused(classifier, weight, message):
    with pytest.raises(ValueError, match=message):
        classifier().fit(*IRIS, sample_weight=weight)


@BOTH
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_bad_features_are_refused(classifier, bad):
    X = IRIS[0].copy()
    X[3, 1] = bad
    for container in (np.asarray, sparse.csr_array):
        with pytest.raises(ValueError, match=r"NaN|infinity"):
            classifier().fit(container(X), IRIS[1])


@BOTH
def test_64_bit_indices_are_taken(classifier):
    X = sparse.csr_matrix(IRIS[0])
    wide = X.copy()
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    first, second = classifier().fit(X, IRIS[1]), classifier().fit(wide, IRIS[1])
    np.testing.assert_array_equal(first.coef_, second.coef_)
    np.testing.assert_array_equal(first.predict(X), second.predict(wide))


@BOTH
@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
def test_small_weights_can_be_dropped(classifier, container):
    X, y = container(IRIS[0]), IRIS[1]
    whole, small = classifier().fit(X, y), classifier(drop_below=0.2).fit(X, y)
    assert sparse.issparse(small.coef_)
    largest = np.abs(whole.coef_).max(axis=1, keepdims=True)
    kept = np.where(np.abs(whole.coef_) > 0.2 * largest, whole.coef_, 0.0)
    np.testing.assert_allclose(small.coef_.toarray(), kept)
    assert 0 < small.coef_.nnz < whole.coef_.size
    np.testing.assert_allclose(small.decision_function(X), IRIS[0] @ kept.T + whole.intercept_)
    for wrong in (1, "some"):
        with pytest.raises(ValueError, match=rf"`drop_below` must lie in \[0, 1\) or be None; got {wrong!r}"):
            classifier(drop_below=wrong).fit(X, y)


@BOTH
def test_auto_drops_weights_where_there_are_many_classes(classifier, monkeypatch):
    X, y = IRIS
    whole = classifier().fit(X, y)
    np.testing.assert_array_equal(classifier(drop_below="auto").fit(X, y).coef_, whole.coef_)
    monkeypatch.setattr(base, "AUTO_TARGETS", 3)
    monkeypatch.setattr(base, "AUTO_SHARE", 0.2)
    small = classifier(drop_below="auto").fit(X, y)
    assert sparse.issparse(small.coef_)
    assert 0 < small.coef_.nnz < whole.coef_.size
