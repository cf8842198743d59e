"""What a fit that fails or is interrupted leaves: nothing that answers."""

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import SGDClassifier
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.validation import check_is_fitted

import bncc
from bncc._failed_fits import ForgetsFailedFits
from bncc.datasets import make_scenes
from bncc.multilabel import base as multilabel_base

DATA = make_scenes(60, random_state=0)
X, Y = np.asarray(DATA.X), np.asarray(DATA.Y)[:, :3]
GOOD, BAD = bncc.LinearSVC(), bncc.LinearSVC(C=-1)
TABLE = pd.DataFrame(X).add_prefix("c")
OTHER = pd.DataFrame(Y[:, :2], columns=["x", "y"])


class Stopping(DecisionTreeClassifier):
    """A base whose fit is interrupted."""

    def fit(self, X, y, sample_weight=None):
        raise KeyboardInterrupt


# An estimator that is fitted well, what then makes its fit fail, and the error.
CASES = {
    "LinearSVC": (GOOD, {"C": -1}, ValueError),
    "LogisticRegression": (bncc.LogisticRegression(), {"max_iter": -1}, ValueError),
    "KernelSVC": (bncc.KernelSVC(), {"C": -1}, ValueError),
    "AugmentedNaiveBayes": (bncc.AugmentedNaiveBayes(), {"smoothing": -1}, ValueError),
    "BinaryRelevance": (bncc.BinaryRelevance(GOOD), {"estimator": BAD}, ValueError),
    "interrupted": (bncc.BinaryRelevance(GOOD), {"estimator": Stopping()}, KeyboardInterrupt),
    "ClassifierChain": (bncc.ClassifierChain(GOOD), {"estimator": BAD}, ValueError),
    "BNCC": (bncc.BNCC(GOOD), {"estimator": Stopping()}, KeyboardInterrupt),
    "StackedBinaryRelevance": (bncc.StackedBinaryRelevance(GOOD), {"estimator": BAD}, ValueError),
    "MLkNN": (bncc.MLkNN(), {"k": -1}, ValueError),
    "TunedThresholds": (
        bncc.TunedThresholds(bncc.BinaryRelevance(GOOD)),
        {"estimator": bncc.BinaryRelevance(BAD)},
        ValueError,
    ),
    "NetworkDecoder": (bncc.NetworkDecoder(bncc.BinaryRelevance(GOOD)), {"estimator__estimator": BAD}, ValueError),
    "BatchSearchCV": (
        bncc.BatchSearchCV(bncc.BinaryRelevance(GOOD), {"C": [1.0]}, cv=2),
        {"param_grid": {"C": [-1.0]}},
        ValueError,
    ),
}


def targets_of(name):
    """Labels, or the first of them for classifiers of one column; then others of other names."""
    single = name in ("LinearSVC", "LogisticRegression", "KernelSVC", "AugmentedNaiveBayes")
    return (Y[:, 0], np.where(Y[:, 1] > 0, "yes", "no")) if single else (Y, OTHER)


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("first", [True, False])
def test_not_fitted_after_a_fit_that_failed(name, first):
    model, change, error = CASES[name]
    model, (y, other) = clone(model), targets_of(name)
    if not first:
        model.fit(TABLE, y)
    model.set_params(**change)
    with pytest.raises(error):
        model.fit(X, other)
    for answer in (model.predict, lambda rows: check_is_fitted(model)):
        with pytest.raises(NotFittedError):
            answer(X)
    assert not [held for held in vars(model) if held.endswith("_")]
    if first:
        assert sorted(vars(model)) == sorted(model.get_params(deep=False))
    good = clone(CASES[name][0])
    model.set_params(**good.get_params(deep=False))
    assert np.array_equal(model.fit(TABLE, y).predict(TABLE), clone(good).fit(TABLE, y).predict(TABLE))


def test_a_blend_is_not_fitted_after_a_fit_that_was_interrupted(monkeypatch):
    model = bncc.recommended()

    def stop(*given):
        raise KeyboardInterrupt

    monkeypatch.setattr(type(model), "_problem", stop)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, Y)
    with pytest.raises(NotFittedError):
        model.predict(X)


def test_settings_outlast_a_fit_that_failed():
    with sklearn.config_context(enable_metadata_routing=True):
        model = bncc.BinaryRelevance(GOOD).set_output(predict="pandas").set_fit_request(sample_weight=True)
    with pytest.raises(ValueError, match="NaN"):
        model.fit(np.full_like(X, np.nan), Y)
    assert list(model.fit(X, OTHER).predict(X).columns) == ["x", "y"]
    assert model._metadata_request.fit.requests["sample_weight"] is True


def test_what_others_left_for_the_time_of_a_fit_stays():
    """As scikit-learn's searches do, which take it away again."""
    model = clone(BAD)
    model._left_by_others = "here"
    with pytest.raises(ValueError, match="`C` must"):
        model.fit(X, Y[:, 0])
    assert model._left_by_others == "here"


def test_a_batch_that_is_refused_changes_nothing():
    model = bncc.BinaryRelevance(SGDClassifier(random_state=0))
    with pytest.raises(ValueError, match="inconsistent"):
        model.partial_fit(X[1:], Y)
    with pytest.raises(NotFittedError):
        model.predict(X)
    expected = model.partial_fit(X, Y).predict(X)
    with pytest.raises(ValueError, match="must have 3 label"):
        model.partial_fit(X, Y[:, :2])
    assert np.array_equal(model.predict(X), expected)


def test_signatures_and_words_are_those_of_the_fit():
    assert issubclass(multilabel_base.MultilabelClassifier, ForgetsFailedFits)
    assert bncc.LinearSVC.fit.__doc__.startswith("Learn from rows X")
    assert bncc.LinearSVC.fit.__qualname__ == "LinearClassifier.fit"
