import numpy as np
import pytest
from sklearn.datasets import make_classification, make_multilabel_classification
from sklearn.model_selection import GroupKFold, KFold

from bncc.multilabel import BinaryRelevance, TunedThresholds
from bncc.selection import BatchSearchCV
from bncc.selection.screening import draw_sample, worth_trying
from bncc.svm import KernelSVC

GRID = {"sigma": [0.01, 1.0, 2.0, 4.0, 100.0], "C": [1.0, 10.0]}


@pytest.fixture(scope="module")
def data():
    X, Y = make_multilabel_classification(1200, 10, n_classes=4, random_state=0)
    return (X - X.mean(axis=0)) / X.std(axis=0), Y


def test_what_is_tried_on_all_rows_has_the_scores_of_the_whole_search(data):
    whole, quick = (
        BatchSearchCV(BinaryRelevance(KernelSVC(tol=1e-5)), GRID, scoring="f1_micro", cv=4, screen=screen).fit(*data)
        for screen in (False, True)
    )
    tried = np.isfinite(quick.cv_results_["mean_test_score"])
    assert 1 <= tried.sum() < len(tried)
    for name in ("mean_test_score", "split3_test_score"):
        np.testing.assert_allclose(quick.cv_results_[name][tried], whole.cv_results_[name][tried], atol=2e-3)
    assert quick.best_params_ == whole.best_params_
    assert (quick.cv_results_["rank_test_score"][~tried] == tried.sum() + 1).all()
    assert np.isfinite(quick.cv_results_["mean_screening_score"]).all()
    assert "mean_screening_score" not in whole.cv_results_
    np.testing.assert_array_equal(quick.predict(data[0][:50]), whole.predict(data[0][:50]))


def test_few_rows_are_not_thinned(data):
    X, Y = data
    few = BatchSearchCV(BinaryRelevance(KernelSVC()), GRID, scoring="f1_micro", screen=True).fit(X[:300], Y[:300])
    assert np.isfinite(few.cv_results_["mean_test_score"]).all()


def test_every_scorer_keeps_its_best(data):
    scoring = {"micro": "f1_micro", "inverse": lambda model, X, y: -float((model.predict(X) == y).mean())}
    search = BatchSearchCV(BinaryRelevance(KernelSVC()), GRID, scoring=scoring, refit=False, screen=True).fit(*data)
    for name in scoring:
        best = search.cv_results_[f"mean_screening_{name}"].argmax()
        assert np.isfinite(search.cv_results_[f"mean_test_{name}"][best])


def test_weights_and_groups_are_those_of_the_rows(data):
    X, Y = data
    X = np.hstack([np.linspace(0.1, 1.0, 1200)[:, None], X])
    seen = []

    class Watched(KernelSVC):
        def search_task(self, X, y, folds, sample_weight=None):
            seen.append((np.asarray(X)[:, 0], sample_weight, folds))
            return super().search_task(X, y, folds, sample_weight)

    groups = np.arange(1200) // 10
    search = BatchSearchCV(Watched(), {"sigma": [1.0, 2.0]}, cv=GroupKFold(4), screen=True)
    search.fit(X, Y[:, 0], sample_weight=X[:, 0], groups=groups)
    assert len(seen) == 2
    first_column, weight, folds = seen[0]
    assert len(first_column) == 400
    np.testing.assert_array_equal(weight, first_column)
    kept_groups = groups[np.searchsorted(X[:, 0], first_column)]
    for train, test in folds:
        assert not set(kept_groups[train]) & set(kept_groups[test])


def test_thresholds_are_searched_with_groups(data):
    groups = np.arange(1200) // 10
    search = BatchSearchCV(TunedThresholds(BinaryRelevance(KernelSVC())), GRID, cv=GroupKFold(3), screen=True)
    assert search.fit(*data, groups=groups).best_params_["sigma"] in (1.0, 2.0, 4.0)


def test_a_sample_without_some_class_drops_nothing():
    X, _ = make_classification(1200, random_state=0)
    sampled = draw_sample(list(KFold(4).split(X)), 1200).rows
    y = np.zeros(1200, int)
    y[np.setdiff1d(np.arange(1200), sampled)[::40]] = 1
    search = BatchSearchCV(KernelSVC(), {"sigma": [1.0, 4.0]}, cv=KFold(4), screen=True).fit(X, y)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    assert "mean_screening_score" not in search.cv_results_


def test_a_sample_keeps_the_division_of_the_folds():
    folds = list(KFold(5, shuffle=True, random_state=1).split(np.zeros(1000)))
    sample = draw_sample(folds, 1000)
    assert len(sample.folds) == 3
    for (train, test), (all_train, all_test) in zip(sample.folds, folds, strict=False):
        assert set(sample.rows[train]) == set(all_train) & set(sample.rows)
        assert set(sample.rows[test]) == set(all_test) & set(sample.rows)
    assert draw_sample(folds, 800) is None


@pytest.mark.parametrize(
    ("table", "kept"),
    [
        ([[0.5, 0.5], [0.9, 0.9], [0.81, 0.81], [0.79, 0.79]], [0, 1, 1, 0]),
        ([[0.5, 0.5], [0.5, 0.5]], [1, 1]),
        ([[0.9, 0.9, 0.9], [0.9, 0.2, 0.9], [0.1, 0.1, 0.1]], [1, 1, 0]),  # behind in one fold of three: noise
        ([[0.9, 0.9], [np.nan, 0.1]], [1, 1]),
        ([[0.9], [0.1]], [1, 1]),  # one fold knows no error
    ],
)
def test_only_what_is_far_behind_is_dropped(table, kept):
    assert worth_trying([np.array(table)]).tolist() == [bool(each) for each in kept]
