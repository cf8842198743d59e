import numpy as np
import pytest
import sklearn
from sklearn.dummy import DummyClassifier
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.multioutput import ClassifierChain as ScikitChain

from bncc import BinaryRelevance, ClassifierChain, KernelSVC
from multilabel_behaviour import draw

X, Y = draw()
WEIGHT = np.random.default_rng(0).random(len(X))
LOGISTIC = LogisticRegression()
each_kind = pytest.mark.parametrize("kind", [BinaryRelevance, ClassifierChain])


class Recording(DummyClassifier):
    """Keeps what its `fit` was given."""

    def fit(self, X, y, sample_weight=None, costs=None, epochs=1):
        self.given = {"sample_weight": sample_weight, "costs": costs, "epochs": epochs}
        return super().fit(X, y, sample_weight)


@pytest.fixture
def routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


def test_parameters_reach_every_classifier_cut_to_its_rows():
    labels = Y.astype(float)
    labels[:7, 0] = np.nan
    costs = np.arange(len(X))
    model = BinaryRelevance(Recording()).fit(X, labels, sample_weight=WEIGHT, costs=costs, epochs=3)
    first, second = (each.given for each in model.estimators_[:2])
    np.testing.assert_array_equal(first["costs"], costs[7:])
    np.testing.assert_array_equal(second["costs"], costs)
    np.testing.assert_array_equal(second["sample_weight"], WEIGHT)
    assert first["epochs"] == second["epochs"] == 3


def test_a_chain_wants_routing_for_them():
    with pytest.raises(ValueError, match="Passing 'costs' to `fit` of ClassifierChain is only supported if"):
        ClassifierChain(Recording()).fit(X, Y, costs=WEIGHT)


@each_kind
def test_requested_parameters_are_routed(kind, routing):
    base = Recording().set_fit_request(costs=True, sample_weight="importance")
    model = kind(base).fit(X, Y, costs=WEIGHT, importance=2 * WEIGHT)
    for each in model.estimators_:
        np.testing.assert_array_equal(each.given["costs"], WEIGHT)
        np.testing.assert_array_equal(each.given["sample_weight"], 2 * WEIGHT)
    assert kind(base).fit(X, Y).estimators_[0].given["costs"] is None


@each_kind
def test_what_nobody_requested_is_an_error(kind, routing):
    with pytest.raises(UnsetMetadataPassedError):
        kind(LogisticRegression()).fit(X, Y, sample_weight=WEIGHT)
    with pytest.raises(TypeError, match="got unexpected argument"):
        kind(LogisticRegression().set_fit_request(sample_weight=False)).fit(X, Y, sample_weight=WEIGHT)


def scores_ask_for_weights():
    """Whether a search wants to know if `score` takes weights, of scikit-learn's own chain: releases differ."""
    theirs = ScikitChain(LogisticRegression().set_fit_request(sample_weight=True))
    try:
        GridSearchCV(theirs, {"order": [None]}, cv=2).fit(X, Y, sample_weight=WEIGHT)
    except UnsetMetadataPassedError:
        return True
    return False


@each_kind
@pytest.mark.parametrize("base", [LOGISTIC, KernelSVC(C=2.0)])
@pytest.mark.parametrize("who", ["base", "estimator"])
def test_weights_travel_through_a_search(kind, base, who, routing):
    base = sklearn.base.clone(base)
    if who == "base":
        base.set_fit_request(sample_weight=True)
    model = kind(base, random_state=0)
    if who == "estimator":
        model.set_fit_request(sample_weight=True).set_score_request(sample_weight=False)
    search = GridSearchCV(model, {"verbose": [0]}, cv=2)
    if who == "base" and scores_ask_for_weights():
        with pytest.raises(UnsetMetadataPassedError, match="score"):
            search.fit(X, Y, sample_weight=WEIGHT)
        return
    search.fit(X, Y, sample_weight=WEIGHT)
    with sklearn.config_context(enable_metadata_routing=False):
        direct = kind(base, random_state=0).fit(X, Y, sample_weight=WEIGHT)
    np.testing.assert_array_equal(search.best_estimator_.decision_function(X), direct.decision_function(X))


@each_kind
def test_labels_may_be_called_by_the_capital(kind):
    one, other = kind(LOGISTIC, random_state=0).fit(X, Y), kind(LOGISTIC, random_state=0).fit(X=X, Y=Y)
    np.testing.assert_array_equal(one.predict(X), other.predict(X))
    with pytest.raises(ValueError, match="requires y to be passed"):
        kind(LOGISTIC).fit(X)


def test_an_engine_takes_weights_alone():
    with pytest.raises(TypeError, match="`fit` of KernelSVC takes no 'costs'"):
        BinaryRelevance().fit(X, Y, costs=WEIGHT)


def test_what_the_base_does_not_know_fails_with_the_label():
    with pytest.raises(TypeError, match=r"The link for label 'label0' failed: .*unexpected keyword"):
        BinaryRelevance(SGDClassifier()).fit(X, Y, costs=WEIGHT)
