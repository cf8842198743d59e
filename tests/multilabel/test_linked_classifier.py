"""What classifiers made of links do with their base: its classifiers, probabilities, failures and searches."""

import re

import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.svm import LinearSVC

from bncc.multilabel import BNCC, BinaryRelevance
from bncc.selection import BatchSearchCV
from bncc.svm import KernelSearchCV, KernelSVC
from link_kinds import BASES, DATA, KINDS, LOGISTIC, X, Y

each_kind = pytest.mark.parametrize("kind", KINDS)


@each_kind
def test_fitted_classifiers_of_the_links(kind):
    y = Y.copy()
    y[:, 4] = 1
    model = KINDS[kind](LOGISTIC).fit(X, y)
    assert len(model.estimators_) == (30 if kind == "ECC" else 10)
    constant = [each for each in model.estimators_ if not isinstance(each, LogisticRegression)]
    assert len(constant) == (3 if kind == "ECC" else 1)
    assert constant[0].predict(X).tolist() == [1] * len(X)
    assert constant[0].predict_proba(X).tolist() == [[1.0]] * len(X)
    assert constant[0].classes_.tolist() == [1]
    with pytest.raises(AttributeError, match="no `estimators_`: all links of a KernelSVC are solved in one call"):
        _ = KINDS[kind]().fit(X, Y).estimators_
    with pytest.raises(NotFittedError):
        _ = KINDS[kind](LOGISTIC).estimators_


def test_logarithms_of_probabilities():
    y = Y.copy()
    y[:, 0] = 0
    model = BNCC(LOGISTIC).fit(X, y)
    np.testing.assert_array_equal(model.predict_log_proba(X)[:, 1:], np.log(model.predict_proba(X)[:, 1:]))
    assert (model.predict_log_proba(X)[:, 0] == -np.inf).all()
    with pytest.raises(AttributeError, match="no attribute 'predict_log_proba'"):
        _ = BNCC(LinearSVC()).predict_log_proba


def test_a_base_that_gives_probabilities_once_it_is_fitted():
    search = GridSearchCV(SGDClassifier(random_state=0), {"loss": ["log_loss"]}, cv=2)
    model = BinaryRelevance(search)
    assert not hasattr(model, "predict_proba")
    assert model.fit(X, Y).predict_proba(X).shape == Y.shape
    with pytest.raises(AttributeError) as told:
        _ = BinaryRelevance(LinearSVC()).predict_proba
    assert "'LinearSVC' object has no attribute 'predict_proba'" in str(told.value.__cause__)


def test_missing_features_pass_where_the_base_takes_them():
    holes = X.copy()
    holes[::3, 0] = np.nan
    model = BNCC(HistGradientBoostingClassifier(max_iter=5)).fit(holes, Y[:, :3])
    assert model.predict(holes).shape == (len(X), 3)
    with pytest.raises(ValueError, match="NaN"):
        BNCC(LOGISTIC).fit(holes, Y)


def test_a_base_without_probabilities():
    model = BinaryRelevance(LinearSVC()).fit(X, Y)
    assert not hasattr(model, "predict_proba")
    assert model.predict(X).shape == Y.shape


def test_a_failing_link_names_its_label():
    class Fussy(LogisticRegression):
        def fit(self, X, y, sample_weight=None):
            if y.mean() < 0.2:
                raise ValueError("too few positives")
            return super().fit(X, y, sample_weight)

    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(Y, columns=list(DATA.label_names))
    with pytest.raises(ValueError, match="The link for label 'Cattle' failed: too few positives"):
        BinaryRelevance(Fussy()).fit(X, frame)


def test_progress_goes_to_standard_error(capsys):
    for base in BASES.values():
        BinaryRelevance(base, verbose=1).fit(X, Y)
        shown = capsys.readouterr()
        assert re.search(r"links( on (native|numpy))?: 10 of 10", shown.err)
        assert shown.out == ""


@each_kind
def test_kernel_search_agrees_with_grid_search(kind):
    """The batch on shared distances scores what scikit-learn's search scores, fold by fold."""
    grid = {"sigma": [1.0, 4.0], "C": [1.0, 100.0]}
    model = KINDS[kind](KernelSVC())
    fast = KernelSearchCV(model, grid, cv=3).fit(X, Y)
    slow = GridSearchCV(model, {f"estimator__{name}": values for name, values in grid.items()}, cv=3).fit(X, Y)
    for fold in range(3):
        ours, theirs = (s.cv_results_[f"split{fold}_test_score"] for s in (fast, slow))
        assert ours == pytest.approx(theirs, abs=0.02)  # a row may lie within the tolerance of the boundary
    assert fast.best_estimator_.predict(X).shape == Y.shape
    with pytest.raises(ValueError, match=r"got \['sigma'\]"):
        KernelSearchCV(KINDS[kind](LOGISTIC), grid).fit(X, Y)


@pytest.mark.parametrize("kind", ["BR", "CC", "BNCC", "ECC"])
def test_a_search_over_clones_is_grid_search(kind):
    grid = {"C": [0.01, 1.0], "class_weight": [None, "balanced"]}
    model = KINDS[kind](LogisticRegression())
    ours = BatchSearchCV(model, grid, cv=3, scoring="f1_micro").fit(X, Y)
    theirs = {f"estimator__{name}": values for name, values in grid.items()}
    theirs = GridSearchCV(model, theirs, cv=3, scoring="f1_micro").fit(X, Y)
    for fold in range(3):
        name = f"split{fold}_test_score"
        np.testing.assert_allclose(ours.cv_results_[name], theirs.cv_results_[name], atol=1e-12)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    assert ours.engine_ is None


@pytest.mark.parametrize("wrong", ["svc", LogisticRegression, 3])
def test_a_base_that_is_no_classifier(wrong):
    with pytest.raises(TypeError, match="`estimator` must be a scikit-learn classifier or None; got"):
        BNCC(wrong).fit(X, Y)
