"""What any backend gets for nothing, shown by one of 40 lines."""

import inspect

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import NearestCentroid

import bncc
import centroid_backend
from bncc import BNCC, BatchSearchCV, BinaryRelevance, ClassifierChain, KernelSVC, TunedThresholds
from bncc.datasets import make_scenes
from bncc.multilabel.backend import FitOptions, TrainingRows
from bncc.multilabel.backends import backend_of
from bncc.multilabel.base import LinkedClassifier
from bncc.multilabel.crossval import deal_folds, out_of_fold_scores
from bncc.multilabel.links import label_links
from bncc.multilabel.targets import read_targets
from centroid_backend import CentroidBackend, Centroids

DATA = make_scenes(240, noise=1.5)
X, Y = np.asarray(DATA.X), np.asarray(DATA.Y)[:, :5]
METHODS = [
    kind
    for kind in vars(bncc).get("__all__")
    if isinstance(getattr(bncc, kind), type) and issubclass(getattr(bncc, kind), LinkedClassifier)
]


def test_a_backend_takes_less_than_forty_lines():
    source = inspect.getsource(centroid_backend)
    start = source.index("class Centroids(")
    assert len([line for line in source[start:].splitlines() if line.strip()]) < 40


@pytest.mark.parametrize("name", METHODS)
def test_every_method_takes_it(name):
    model = getattr(bncc, name)(Centroids())
    if "random_state" in model.get_params():
        model.set_params(random_state=0)
    model.fit(X[:160], Y[:160])
    assert type(model._solved).__name__ == "CentroidLinks"
    assert bncc.metrics.micro_f1(Y[160:], model.predict(X[160:])) > 0.45
    if hasattr(model, "predict_proba"):
        rates = model.predict_proba(X[160:])
        assert rates.shape == (80, 5)
        assert ((rates >= 0) & (rates <= 1)).all()


def test_links_are_those_of_the_classifier_itself():
    model = BinaryRelevance(Centroids()).fit(X, Y)
    for label in range(5):
        expected = NearestCentroid().fit(X, Y[:, label]).predict(X)
        np.testing.assert_array_equal(model.predict(X)[:, label], expected)
    chain = ClassifierChain(Centroids(), order=None).fit(X, Y)
    context = np.zeros((len(X), 0))
    for label in range(5):
        link = NearestCentroid().fit(np.hstack([X, Y[:, :label]]), Y[:, label])
        predicted = link.predict(np.hstack([X, context]))
        np.testing.assert_array_equal(chain.predict(X)[:, label], predicted)
        context = np.column_stack([context, predicted])


def test_held_out_scores_are_those_of_fits_without_the_rows():
    model, targets = BNCC(Centroids()), read_targets(Y)
    folds = deal_folds(targets, 3)
    scores = out_of_fold_scores(model, X, targets, folds)
    for train, test in folds:
        expected = clone(model).fit(X[train], Y[train]).decision_function(X[test])
        np.testing.assert_allclose(scores[test], expected, atol=1e-12)


def test_thresholds_calibration_and_search():
    tuned = TunedThresholds(BNCC(Centroids())).fit(X, Y)
    assert tuned.thresholds_.any()
    rates = BinaryRelevance(Centroids()).fit(X, Y).predict_proba(X)
    assert ((rates > 0.5) == (BinaryRelevance(Centroids()).fit(X, Y).predict(X) == 1)).all()
    search = BatchSearchCV(TunedThresholds(BNCC(Centroids())), {"shrinkage": [0.0, 0.5, 1.0]}, cv=3).fit(X, Y)
    assert search.best_estimator_.estimator.estimator.shrinkage == search.best_params_["shrinkage"]
    assert search.cv_results_["mean_test_score"][2] < search.best_score_  # full shrinkage knows nothing


@pytest.mark.parametrize("inference", ["beam", "exhaustive", "monte_carlo"])
def test_probabilistic_inference_calibrates_its_links(inference):
    chain = ClassifierChain(Centroids(), order=None, inference=inference, random_state=0).fit(X, Y)
    marginals = chain.predict_proba(X)
    assert marginals.shape == Y.shape
    assert np.corrcoef(marginals.ravel(), Y.ravel())[0, 1] > 0.4


@pytest.mark.parametrize("base", [Centroids(), KernelSVC(), LogisticRegression()])
def test_cost_is_said_beforehand_and_grows(base):
    backend = backend_of(base)

    def seconds(n, m):
        targets = read_targets(np.tile(Y, (n // 240 + 1, 1))[:n, :m])
        rows = TrainingRows(np.tile(X, (n // 240 + 1, 1))[:n], targets)
        columns = [targets.column(label) for label in range(m)]
        return backend.seconds(label_links(columns, [str(label) for label in range(m)]), rows, FitOptions())

    one = min(seconds(240, 1) for _ in range(3))
    assert 0 < one < 60
    assert min(seconds(240, 5) for _ in range(3)) > 2 * one
    assert seconds(24000, 5) >= 0.2 * one


def test_backends_that_share_nothing_say_so():
    with pytest.raises(TypeError, match="CentroidBackend shares nothing between folds"):
        CentroidBackend(Centroids()).decide_folds(None, [], FitOptions())
