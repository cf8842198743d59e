from __future__ import annotations

import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator, clone
from sklearn.datasets import make_multilabel_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import RidgeClassifier
from sklearn.model_selection import GridSearchCV, KFold, cross_val_predict, cross_val_score, cross_validate
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import ClassifierChain
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

import bncc.metrics as metrics
from bncc import BinaryRelevance, LinearSVC
from bncc.metrics import METRICS, SCORERS, get_scorer

X, Y = make_multilabel_classification(120, n_features=6, n_classes=4, random_state=0)
BINARY_RELEVANCE = OneVsRestClassifier(RidgeClassifier())


@pytest.fixture(scope="module")
def fitted():
    return clone(BINARY_RELEVANCE).fit(X[:80], Y[:80])


@pytest.mark.parametrize("name", SCORERS)
def test_every_scorer_equals_its_metric(name, fitted):
    metric = METRICS[name]
    answer = fitted.predict(X[80:]) if metric.needs == "labels" else fitted.decision_function(X[80:])
    expected = metric.function(Y[80:], answer)
    assert SCORERS[name](fitted, X[80:], Y[80:]) == pytest.approx(expected if metric.greater_is_better else -expected)
    weight = np.arange(40) % 3
    weighted = metric.function(Y[80:], answer, sample_weight=weight)
    value = SCORERS[name](fitted, X[80:], Y[80:], sample_weight=weight)
    assert value == pytest.approx(weighted if metric.greater_is_better else -weighted)


def test_cross_val_score():
    values = cross_val_score(BINARY_RELEVANCE, X, Y, scoring=SCORERS["example_f1"], cv=3)
    predicted = cross_val_predict(BINARY_RELEVANCE, X, Y, cv=3)
    assert values.mean() == pytest.approx(metrics.example_f1(Y, predicted))  # folds of equal size


def test_sparse_truth_in_grid_search():
    def best(truth):
        grid = {"estimator__alpha": [1e4, 1.0]}
        return GridSearchCV(BINARY_RELEVANCE, grid, scoring=SCORERS["macro_f1"], cv=3).fit(X, truth)

    means = [best(truth).cv_results_["mean_test_score"] for truth in (Y, sparse.csr_matrix(Y))]
    np.testing.assert_allclose(*means)


def test_grid_search_over_all_metrics_in_parallel():
    search = GridSearchCV(
        OneVsRestClassifier(RidgeClassifier()),
        {"estimator__alpha": [1e5, 1.0]},
        scoring=dict(SCORERS),
        refit="hamming_loss",
        cv=3,
        n_jobs=2,
    ).fit(X, Y)
    assert search.best_params_ == {"estimator__alpha": 1.0}  # the lower loss, not the higher
    assert all(np.isfinite(search.cv_results_[f"mean_test_{name}"]).all() for name in SCORERS)


@pytest.mark.parametrize(
    "estimator",
    [RandomForestClassifier(5, random_state=0), KNeighborsClassifier(), ClassifierChain(GaussianNB())],
    ids=lambda e: type(e).__name__,
)
def test_whatever_predict_proba_looks_like(estimator):
    scores = cross_validate(estimator, X, Y, scoring=dict(SCORERS), cv=3, error_score="raise")
    assert (scores["test_macro_auc"] > 0.5).all()


def test_options_are_passed_on():
    class Nothing(BaseEstimator):
        def fit(self, X, y):
            return self

        def predict(self, X):
            return np.zeros((len(X), 2), int)

    empty = np.zeros((3, 2), int)
    assert get_scorer("example_f1")(Nothing(), empty, empty) == 1.0
    assert get_scorer("example_f1", zero_division=0.0)(Nothing(), empty, empty) == 0.0


def test_scorers_pickle_and_print(fitted):
    assert "micro_f1" in repr(SCORERS["micro_f1"])
    again = pickle.loads(pickle.dumps(SCORERS["micro_f1"]))
    assert again(fitted, X, Y) == SCORERS["micro_f1"](fitted, X, Y)


@pytest.mark.parametrize("scoring", ["example_f1", "macro_auc", "hamming_loss"])
@pytest.mark.parametrize(
    "make", [lambda: BinaryRelevance(LinearSVC()), lambda: make_pipeline(BinaryRelevance(LinearSVC()))]
)
def test_tags_are_brought_into_the_columns_of_the_estimator(scoring, make):
    X = np.random.default_rng(0).normal(size=(90, 3))
    names = ["wind", "rain", "snow"]
    tags = [[name for name, cell in zip(names, row, strict=True) if cell > 0] for row in X]
    tags[80].append("hail")  # learned by some folds, known to others alone
    found = cross_val_score(make(), X, tags, scoring=get_scorer(scoring), cv=KFold(3), error_score="raise")
    folds = KFold(3).split(X)
    for value, (train, test) in zip(found, folds, strict=True):
        model = make().fit(X[train], [tags[row] for row in train])
        learned = model[-1].label_names_ if hasattr(model, "steps") else model.label_names_
        truth = np.array([[int(name in tags[row]) for name in learned] for row in test])
        assert value == pytest.approx(get_scorer(scoring)(model, X[test], truth))
