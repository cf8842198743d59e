"""Fit and predict, fold by fold; batches of all folds are held against it in test_trial.py."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.tree import DecisionTreeClassifier

from bncc import BNCC, BinaryRelevance, MLkNN, TunedThresholds
from bncc.datasets import make_scenes
from bncc.evaluation.folds import deal
from bncc.experiment.features import Features
from bncc.experiment.solving import Clock, fit_folds, has_kernel
from bncc.svm import squared_distances


@pytest.mark.parametrize(
    ("estimator", "expected"),
    [
        (BNCC(), True),
        (TunedThresholds(BinaryRelevance()), True),
        (MLkNN(), False),
        (BNCC(DecisionTreeClassifier()), False),
        (TunedThresholds(MLkNN()), False),
        (DecisionTreeClassifier(), False),
    ],
    ids=repr,
)
def test_sigma_and_cost_mean_something_to_kernels_alone(estimator, expected):
    assert has_kernel(estimator) is expected


@pytest.fixture
def study():
    data = make_scenes(60, random_state=0)
    X, Y = np.asarray(data.X), np.asarray(data.Y)
    return X, Y, deal(Y, 3, stratified=True, seed=0)


@pytest.mark.parametrize(("estimator", "pair"), [(MLkNN(k=3), None), (BinaryRelevance(), (2.0, 5.0))])
def test_folds_are_fitted_on_their_training_rows(study, estimator, pair):
    X, Y, folds = study
    clock, told = Clock(), []
    tested = list(fit_folds(estimator, make_features(X), Y, folds, pair, clock=clock, pulse=told.append))
    assert [one.fold for one in tested] == [0, 1, 2]
    assert told == [1, 2, 3]
    for one, (train, rows) in zip(tested, folds, strict=True):
        model = fresh(estimator, pair).fit(X[train], Y[train])
        assert one.pair == pair
        np.testing.assert_array_equal(one.labels, model.predict(X[rows]))
        assert one.scores.shape == (len(rows), Y.shape[1])
    assert clock.train > 0
    assert clock.test > 0


def test_the_estimator_that_is_given_stays_unfitted(study):
    X, Y, folds = study
    estimator = BinaryRelevance()
    before = repr(estimator.get_params(deep=True))
    list(fit_folds(estimator, make_features(X), Y, folds, (2.0, 5.0), clock=Clock(), pulse=lambda done: None))
    assert repr(estimator.get_params(deep=True)) == before
    assert not hasattr(estimator, "n_features_in_")


def fresh(estimator, pair):
    model = clone(estimator)
    if pair is not None:
        model.set_base_params(sigma=pair[0], C=pair[1])
    return model


def make_features(X):
    return Features(X, squared_distances(X))
