import numpy as np
import pytest
from sklearn.datasets import make_classification, make_multilabel_classification
from sklearn.model_selection import GroupKFold, KFold

from bncc.linear import LinearSVC
from bncc.metrics import get_scorer
from bncc.multilabel import BinaryRelevance, ClassifierChain, TunedThresholds
from bncc.selection import BatchSearchCV
from bncc.selection.screening import ROUGHLY, SOME_ROWS, draw_sample, sees_labels_alone, worth_trying
from bncc.svm import KernelSVC

GRID = {"sigma": [0.01, 1.0, 2.0, 4.0, 100.0], "C": [1.0, 10.0]}


@pytest.fixture(scope="module")
def data():
    X, Y = make_multilabel_classification(1200, 10, n_classes=4, random_state=0)
    return (X - X.mean(axis=0)) / X.std(axis=0), Y


@pytest.mark.parametrize("scoring", ["f1_micro", get_scorer("macro_auc")], ids=["roughly", "some rows"])
def test_what_is_tried_in_full_has_the_scores_of_the_whole_search(data, scoring):
    whole, quick = (
        BatchSearchCV(BinaryRelevance(KernelSVC(tol=1e-5)), GRID, scoring=scoring, cv=4, screen=screen).fit(*data)
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


def watched(estimator):
    """The estimator, and a list that fills with (rows, folds, tolerance) of all that is solved in a search."""
    solved = []

    class Watched(type(estimator)):
        def search_task(self, X, y, folds, sample_weight=None):
            task, own = super().search_task(X, y, folds, sample_weight), self

            class WatchedTask(type(task)):
                def solve(self, candidates, options):
                    solved.append((len(X), len(folds), own.settings(options).tol))
                    return super().solve(candidates, options)

            return WatchedTask(**vars(task))

    return Watched(**estimator.get_params(deep=False)), solved


@pytest.mark.parametrize(
    ("tol", "scoring", "n_folds", "expected"),
    [
        (1e-3, "f1", 3, [(1200, 2, 0.1), (1200, 3, 1e-3)]),
        (1e-3, "f1", 10, [(1200, 5, 0.1), (1200, 10, 1e-3)]),
        (1e-3, "roc_auc", 4, [(400, 3, 1e-3), (1200, 4, 1e-3)]),  # decisions are not known as soon as labels
        (0.05, "f1", 4, [(400, 3, 0.05), (1200, 4, 0.05)]),  # as rough as it gets
    ],
)
def test_labels_are_screened_roughly_and_decisions_on_some_rows(data, tol, scoring, n_folds, expected):
    estimator, solved = watched(KernelSVC(tol=tol))
    search = BatchSearchCV(estimator, {"sigma": [1.0, 100.0]}, scoring=scoring, cv=n_folds, refit=False, screen=True)
    search.fit(data[0], data[1][:, 0])
    assert solved == expected


@pytest.mark.parametrize(("n_rows", "scoring", "dropped"), [
    (499, "f1_micro", False), (500, "f1_micro", True), (500, get_scorer("macro_auc"), False)])  # fmt: skip
def test_few_rows_are_not_screened(data, n_rows, scoring, dropped):
    X, Y = data[0][:n_rows], data[1][:n_rows]
    search = BatchSearchCV(BinaryRelevance(KernelSVC()), GRID, scoring=scoring, screen=True).fit(X, Y)
    assert ("mean_screening_score" in search.cv_results_) == dropped
    assert np.isnan(search.cv_results_["mean_test_score"]).any() == dropped


def test_other_bases_are_screened_on_some_rows(data):
    search = BatchSearchCV(BinaryRelevance(LinearSVC()), {"C": [1e-6, 1.0]}, scoring="f1_micro", screen=True).fit(*data)
    assert np.isfinite(search.cv_results_["mean_screening_score"]).all()
    assert search.best_params_ == {"C": 1.0}


@pytest.mark.parametrize(
    ("scorer", "alone"),
    [("example_f1", True), ("subset_accuracy", True), ("macro_auc", False), ("ranking_loss", False)],
)
def test_what_a_scorer_sees(data, scorer, alone):
    assert sees_labels_alone(get_scorer(scorer), *data) == alone


def looks_when_wrong(model, X, y):
    wrong = model.predict(X) != y
    return -float(np.abs(model.decision_function(X)[wrong]).sum()) if wrong.any() else 0.0


def looks_if_it_can(model, X, y):
    try:
        return float(((model.decision_function(X) > 0) == y).mean())
    except Exception:
        return float((model.predict(X) == y).mean())


@pytest.mark.parametrize("scorer", [looks_when_wrong, looks_if_it_can])
def test_scorers_that_look_at_decisions_at_last_are_not_screened_roughly(data, scorer):
    estimator, solved = watched(KernelSVC())
    BatchSearchCV(estimator, GRID, scoring=scorer, cv=3, refit=False, screen=True).fit(data[0], data[1][:, 0])
    assert solved[-2:] == [(400, 3, 1e-3), (1200, 3, 1e-3)]


def test_labels_that_are_not_known_do_not_hide_what_a_scorer_sees(data):
    truth = data[1].astype(float)
    truth[::7, 1] = np.nan
    assert sees_labels_alone(get_scorer("macro_f1"), data[0], truth)


def test_the_largest_of_several_decisions_is_not_known_as_soon_as_signs():
    X, y = make_classification(600, n_informative=5, n_classes=4, random_state=0)
    one_of_many, several = BinaryRelevance(KernelSVC()), BinaryRelevance(KernelSVC())
    folds = list(KFold(3).split(X))
    assert one_of_many.search_task(X, y, folds).rough_tol is None
    assert several.search_task(X, np.eye(4)[y], folds).rough_tol == 0.1


@pytest.mark.parametrize("tol", [None, "a", -1.0])
def test_a_bad_tolerance_is_told_with_screening_too(data, tol):
    with pytest.raises(ValueError, match="`tol` must be"):
        BatchSearchCV(KernelSVC(tol=tol), GRID, screen=True).fit(data[0], data[1][:, 0])


def test_one_fold_drops_nothing(data):
    search = BatchSearchCV(KernelSVC(), GRID, cv=[(np.arange(800), np.arange(800, 1200))], screen=True)
    assert np.isfinite(search.fit(data[0], data[1][:, 0]).cv_results_["mean_test_score"]).all()


def test_a_scorer_that_fails_is_left_to_the_search(data):
    def fails(model, X, y):
        raise RuntimeError("of the scorer")

    assert not sees_labels_alone(fails, *data)
    with pytest.raises(RuntimeError, match="of the scorer"):
        BatchSearchCV(KernelSVC(), GRID, scoring=fails, screen=True).fit(data[0], data[1][:, 0])


@pytest.mark.parametrize("seed", range(4))
def test_chains_choose_as_without_screening(seed):
    X, Y = make_multilabel_classification(600, 12, n_classes=5, random_state=seed)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    grid = {"sigma": [0.3, 1.0, 2.0, 4.0, 16.0], "C": [1.0, 100.0]}
    chain = ClassifierChain(KernelSVC(), random_state=0)
    whole, quick = (
        BatchSearchCV(chain, grid, scoring=get_scorer("example_f1"), refit=False, screen=screen).fit(X, Y)
        for screen in (False, True)
    )
    assert quick.best_params_ == whole.best_params_
    assert np.isnan(quick.cv_results_["mean_test_score"]).any()


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
    search = BatchSearchCV(Watched(), {"sigma": [1.0, 2.0]}, scoring="roc_auc", cv=GroupKFold(4), screen=True)
    search.fit(X, Y[:, 0], sample_weight=X[:, 0], groups=groups)
    (first_column, weight, folds), _ = sorted(seen, key=lambda task: len(task[0]))
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
    search = BatchSearchCV(KernelSVC(), {"sigma": [1.0, 4.0]}, scoring="roc_auc", cv=KFold(4), screen=True).fit(X, y)
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
        # One row behind in every fold is no certainty, where others differ from fold to fold.
        ([[0.85, 0.825, 0.9], [0.6, 0.575, 0.65], [0.3, 0.7, 0.2], [0.0, 0.4, 0.5]], [1, 1, 1, 0]),
    ],
)
def test_only_what_is_far_behind_is_dropped(table, kept):
    assert worth_trying([np.array(table)], SOME_ROWS).tolist() == [bool(each) for each in kept]


def test_the_margin_is_narrower_where_rows_are_the_same():
    table = np.array([[0.5, 0.5], [0.9, 0.9], [0.82, 0.82], [0.87, 0.87]])
    assert worth_trying([table], SOME_ROWS).tolist() == [False, True, True, True]
    assert worth_trying([table], ROUGHLY).tolist() == [False, True, False, True]
