from dataclasses import dataclass

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris, make_multilabel_classification
from sklearn.metrics import f1_score, make_scorer
from sklearn.model_selection import GridSearchCV, KFold, RepeatedKFold, ShuffleSplit, StratifiedKFold
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from bncc.linear import LinearSVC
from bncc.metrics import get_scorer
from bncc.multilabel import BNCC, BinaryRelevance, KMeansChain, LabelPowerset
from bncc.selection import BatchSearchCV, Decided, FoldAnswer, SolvedFolds
from bncc.svm import (
    KernelSearchCV,
    KernelSVC,
    chain_links,
    decide_candidates,
    fold_problems,
    pack_labels,
    squared_distances,
)

IRIS = load_iris(return_X_y=True)
CANCER = load_breast_cancer(return_X_y=True)
CANCER = (StandardScaler().fit_transform(CANCER[0]), CANCER[1])
# No sigma so wide that every row ends at its bound: the bias is then free within an interval.
GRID = {"sigma": [0.5, 2.0, 6.0], "C": [1.0, 30.0]}


@pytest.mark.parametrize("data", [IRIS, CANCER], ids=["iris", "cancer"])
@pytest.mark.parametrize("class_weight", [None, "balanced"])
def test_scores_are_those_of_grid_search(data, class_weight):
    X, y = data
    cv = StratifiedKFold(4, shuffle=True, random_state=0)
    ours = KernelSearchCV(KernelSVC(class_weight=class_weight), GRID, cv=cv, scoring="balanced_accuracy").fit(X, y)
    svc = {"gamma": [1 / (2 * s * s) for s in GRID["sigma"]], "C": GRID["C"]}
    theirs = GridSearchCV(SVC(class_weight=class_weight), svc, cv=cv, scoring="balanced_accuracy").fit(X, y)
    for candidate, params in enumerate(ours.cv_results_["params"]):
        same = [
            k
            for k, p in enumerate(theirs.cv_results_["params"])
            if p["C"] == params["C"] and np.isclose(p["gamma"], 1 / (2 * params["sigma"] ** 2))
        ]
        for fold in range(4):
            key = f"split{fold}_test_score"
            assert ours.cv_results_[key][candidate] == pytest.approx(theirs.cv_results_[key][same[0]], abs=0.01)
    assert ours.best_score_ == pytest.approx(theirs.best_score_, abs=0.005)


def test_results_are_laid_out_as_in_grid_search():
    search = KernelSearchCV(KernelSVC(), [{"sigma": [1.0, "auto"]}, {"gamma": [0.2], "C": [5.0]}], cv=KFold(3)).fit(
        *CANCER
    )
    results = search.cv_results_
    assert [dict(p) for p in results["params"]] == [{"sigma": 1.0}, {"sigma": "auto"}, {"C": 5.0, "gamma": 0.2}]
    assert results["param_C"].mask.tolist() == [True, True, False]
    assert results["rank_test_score"].min() == 1
    table = np.stack([results[f"split{k}_test_score"] for k in range(3)])
    np.testing.assert_allclose(results["mean_test_score"], table.mean(axis=0))
    np.testing.assert_allclose(results["std_test_score"], table.std(axis=0))
    assert search.best_params_ == results["params"][search.best_index_]
    assert search.n_splits_ == 3
    assert search.search_time_ > 0


def test_the_best_is_refitted_and_speaks_for_the_search():
    X, y = IRIS
    search = KernelSearchCV(KernelSVC(tol=1e-4), GRID).fit(sparse.csr_array(X), y)
    best = KernelSVC(tol=1e-4, **search.best_params_).fit(X, y)
    np.testing.assert_array_equal(search.predict(X), best.predict(X))
    np.testing.assert_allclose(search.predict_proba(X), best.predict_proba(X), atol=1e-5)
    np.testing.assert_allclose(search.decision_function(X), best.decision_function(X), atol=1e-5)
    assert search.score(X, y) == best.score(X, y)
    assert (search.classes_ == best.classes_).all()
    assert search.n_features_in_ == 4
    lean = KernelSearchCV(KernelSVC(), GRID, refit=False).fit(X, y)
    assert not hasattr(lean, "best_estimator_")
    assert lean.best_params_ in lean.cv_results_["params"]


def test_several_scorers():
    scoring = {"accuracy": "accuracy", "f1": make_scorer(f1_score), "auc": "roc_auc"}
    search = KernelSearchCV(KernelSVC(), GRID, scoring=scoring, refit="auc").fit(*CANCER)
    assert search.best_index_ == np.argmin(search.cv_results_["rank_test_auc"])
    assert 0.9 < search.score(*CANCER) <= 1.0
    with pytest.raises(ValueError, match=r"name one of \['accuracy', 'auc', 'f1'\]"):
        KernelSearchCV(KernelSVC(), GRID, scoring=scoring).fit(*CANCER)


def plain_accuracy(model, X, y):
    """A scorer that takes no weights."""
    return np.mean(model.predict(X) == y)


def test_sample_weights_reach_every_fold():
    X, y = CANCER
    weight = np.where(y == 1, 1e-9, 1.0)
    search = KernelSearchCV(KernelSVC(), {"sigma": [3.0]}, cv=3, scoring=plain_accuracy).fit(X, y, sample_weight=weight)
    assert search.best_score_ < 0.5
    assert (search.predict(X) == 0).all()


@pytest.mark.parametrize(
    ("grid", "message"),
    [({"tol": [1e-3]}, r"got \['tol'\]"), ({"sigma": [-1.0]}, "`sigma` must be"), ([], "at least one")],
)
def test_bad_grids_are_refused(grid, message):
    with pytest.raises(ValueError, match=message):
        KernelSearchCV(KernelSVC(), grid).fit(*IRIS)


def test_other_estimators_are_refused():
    with pytest.raises(TypeError, match="got DecisionTreeClassifier"):
        KernelSearchCV(DecisionTreeClassifier(), GRID).fit(*IRIS)


class TinyChain(KernelSVC):
    """The least an estimator on the kernel engine must offer to be searched."""

    def search_task(self, X, y, folds, sample_weight=None):
        return TinyTask(self, X, y, folds)


@dataclass
class TinyTask:
    svc: KernelSVC
    X: np.ndarray
    y: np.ndarray
    folds: list
    exact: bool = True
    rough_tol: float | None = None

    def solve(self, candidates, options):
        n_labels = self.y.shape[1]
        orders = [np.roll(np.arange(n_labels), k) for k in range(len(self.folds))]
        links = [chain_links(order, n_labels) for order in orders]
        signs = np.where(self.y.T > 0, 1, -1).astype(np.int8)
        problems = fold_problems(squared_distances(self.X), signs, links, self.folds, words=pack_labels(self.y))
        pairs = [self.svc.gamma_and_cost(candidate, self.X) for candidate in candidates]
        for part in decide_candidates(problems, pairs, self.svc.settings(options)):
            answers = []
            for candidate, decisions in part.decisions.items():
                for fold, (_, test) in enumerate(self.folds):
                    out = np.empty_like(decisions[test])
                    out[:, orders[fold]] = decisions[test]
                    decided = Decided([np.array([0, 1])] * n_labels, out, (out > 0).astype(int))
                    answers.append(FoldAnswer(candidate, fold, decided, self.svc))
            yield SolvedFolds(answers, part.train_seconds, part.test_seconds, part.engine)


def test_an_estimator_with_links_of_its_own_per_fold_is_searched():
    from sklearn.multioutput import ClassifierChain

    X, Y = make_multilabel_classification(150, 8, n_classes=4, random_state=0)
    X = StandardScaler().fit_transform(X)
    folds = list(KFold(4).split(X))
    search = KernelSearchCV(TinyChain(C=5.0), {"sigma": [2.0, 6.0]}, cv=folds, refit=False, scoring="f1_micro").fit(
        X, Y
    )
    for place, sigma in enumerate([2.0, 6.0]):
        for fold, (train, test) in enumerate(folds):
            chain = ClassifierChain(SVC(C=5.0, gamma=1 / (2 * sigma**2)), order=np.roll(np.arange(4), fold))
            expected = f1_score(Y[test], chain.fit(X[train], Y[train]).predict(X[test]), average="micro")
            got = search.cv_results_[f"split{fold}_test_score"][place]
            assert got == pytest.approx(expected, abs=0.02)


def test_the_older_name_is_the_same_search():
    assert KernelSearchCV is BatchSearchCV


def bootstrap(n_rows):
    """Folds whose training rows are drawn with replacement; what was never drawn is tested."""
    draws = np.random.default_rng(0).integers(n_rows, size=(4, n_rows))
    return [(train, np.setdiff1d(np.arange(n_rows), train)) for train in draws]


def in_bytes(folds):
    """The same folds, with row numbers from the end where they are odd, and as few bytes as hold them."""
    return [tuple(np.where(rows % 2, rows - 150, rows).astype(np.int16) for rows in fold) for fold in folds]


@pytest.mark.parametrize("base", [KernelSVC(sigma=2.0, tol=1e-6), LinearSVC(tol=1e-12)], ids=["kernel", "linear"])
@pytest.mark.parametrize("scoring", ["f1_micro", "accuracy", None, get_scorer("example_f1"), ["f1_micro", "f1_macro"]])
def test_weights_count_in_scores(base, scoring):
    X, Y = make_multilabel_classification(150, 8, n_classes=4, random_state=0)
    X, weight = StandardScaler().fit_transform(X), np.random.default_rng(0).exponential(size=150)
    options = {"scoring": scoring, "cv": KFold(3), "refit": False}
    model, grid = BinaryRelevance(base), {"estimator__C": [0.1, 10.0]}
    search = BatchSearchCV(model, grid, **options).fit(X, Y, sample_weight=weight)
    reference = GridSearchCV(model, grid, **options).fit(X, Y, sample_weight=weight)
    unweighted = BatchSearchCV(model, grid, **options).fit(X, Y)
    names = [name for name in search.cv_results_ if name.startswith("split")]
    for name in names:
        np.testing.assert_allclose(search.cv_results_[name], reference.cv_results_[name], atol=1e-9)
    assert any((search.cv_results_[name] != unweighted.cv_results_[name]).any() for name in names)


def test_a_fold_that_weighs_nothing_is_scored_all_the_same():
    weight = np.ones(150)
    folds = list(StratifiedKFold(3).split(*IRIS))
    weight[folds[0][1]] = 0.0
    search = BatchSearchCV(KernelSVC(), {"C": [1.0]}, cv=folds, refit=False).fit(*IRIS, sample_weight=weight)
    assert search.cv_results_["split0_test_score"][0] > 0.8


def some_unknown():
    X, Y = make_multilabel_classification(120, 8, n_classes=3, random_state=0)
    Y = Y.astype(float)
    Y[::7, 0] = Y[::11, 2] = np.nan
    return StandardScaler().fit_transform(X), Y


@pytest.mark.parametrize(
    "base", [KernelSVC(sigma=2.0, tol=1e-6), LinearSVC(tol=1e-12), DecisionTreeClassifier(random_state=0)]
)
@pytest.mark.parametrize(("scoring", "metric"), [(None, "subset_accuracy"), ("macro_f1", "macro_f1")])
def test_labels_that_nobody_knows_count_in_no_score(base, scoring, metric):
    X, Y = some_unknown()
    grid = {"max_depth": [1, 4]} if isinstance(base, DecisionTreeClassifier) else {"C": [0.1, 1.0]}
    search = BatchSearchCV(BNCC(base, random_state=0), grid, scoring=scoring, cv=KFold(3)).fit(X, Y)
    (name, values), scorer = next(iter(grid.items())), get_scorer(metric)
    for fold, (train, test) in enumerate(KFold(3).split(X)):
        for place, value in enumerate(values):
            model = BNCC(clone(base).set_params(**{name: value}), random_state=0).fit(X[train], Y[train])
            expected = scorer(model, X[test], Y[test])
            assert search.cv_results_[f"split{fold}_test_score"][place] == pytest.approx(expected)
    assert np.array_equal(
        search.predict(X), BNCC(clone(base).set_params(**search.best_params_), random_state=0).fit(X, Y).predict(X)
    )


@pytest.mark.filterwarnings(
    "ignore:invalid value encountered in cast:RuntimeWarning"
)  # scikit-learn, before it says so
@pytest.mark.parametrize("scoring", ["accuracy", make_scorer(f1_score, average="macro")])
def test_scorers_that_take_no_unknown_labels_are_told_with_others(scoring):
    with pytest.raises(ValueError, match=r"takes no unknown labels \(NaN in y\).* scoring=\"subset_accuracy\""):
        BatchSearchCV(BNCC(LinearSVC()), {"C": [1.0, 2.0]}, scoring=scoring).fit(*some_unknown())


@pytest.mark.parametrize("screen", [False, True])
@pytest.mark.parametrize("cv", [3, None])
def test_folds_are_dealt_of_labels_that_nobody_knows(cv, screen):
    search = BatchSearchCV(BNCC(LinearSVC()), {"C": [0.1, 1.0]}, cv=cv, screen=screen).fit(*some_unknown())
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()


OVERLAPPING = {
    "repeated": RepeatedKFold(n_splits=2, n_repeats=2, random_state=0),
    "shuffled": ShuffleSplit(4, test_size=0.3, random_state=0),
    "bootstrap": bootstrap(150),
    "bootstrap in bytes": in_bytes(bootstrap(150)),
}


@pytest.mark.parametrize("cv", OVERLAPPING.values(), ids=OVERLAPPING)
def test_folds_that_test_the_same_rows_are_scored_each_by_itself(cv):
    search = BatchSearchCV(KernelSVC(), {"sigma": [0.3, 1.0, 3.0]}, cv=cv, refit=False).fit(*IRIS)
    reference = GridSearchCV(KernelSVC(), {"sigma": [0.3, 1.0, 3.0]}, cv=cv, refit=False).fit(*IRIS)
    for fold in range(4):
        name = f"split{fold}_test_score"
        np.testing.assert_allclose(search.cv_results_[name], reference.cv_results_[name], atol=1e-9)


@pytest.mark.parametrize("cv", OVERLAPPING.values(), ids=OVERLAPPING)
@pytest.mark.parametrize("base", [KernelSVC(sigma=2.0, tol=1e-5), LinearSVC(tol=1e-12)], ids=["kernel", "linear"])
@pytest.mark.parametrize("method", [BNCC, KMeansChain, LabelPowerset, BinaryRelevance])
def test_structures_of_folds_that_test_the_same_rows_are_not_mixed(method, base, cv):
    X, Y = make_multilabel_classification(150, 8, n_classes=4, random_state=0)
    X = StandardScaler().fit_transform(X)
    model, grid = method(base, random_state=0), {"estimator__C": [0.1, 10.0]}
    search = BatchSearchCV(model, grid, scoring="f1_micro", cv=cv, refit=False).fit(X, Y)
    reference = GridSearchCV(model, grid, scoring="f1_micro", cv=cv, refit=False).fit(X, Y)
    for fold in range(4):
        name = f"split{fold}_test_score"
        np.testing.assert_allclose(search.cv_results_[name], reference.cv_results_[name], atol=1e-9)


def test_the_last_fit_has_each_row_once_whatever_folds_draw():
    X, Y = make_multilabel_classification(150, 8, n_classes=4, random_state=0)
    search = BatchSearchCV(BinaryRelevance(KernelSVC(sigma=2.0)), {"C": [1.0]}, cv=bootstrap(150)).fit(X, Y)
    alone = BinaryRelevance(KernelSVC(sigma=2.0, C=1.0)).fit(X, Y)
    np.testing.assert_allclose(search.decision_function(X), alone.decision_function(X), atol=1e-6)
    assert search.best_estimator_.n_features_in_ == 8


def test_no_folds_are_told():
    with pytest.raises(ValueError, match="`cv` must give at least one fold; got none"):
        BatchSearchCV(KernelSVC(), GRID, cv=[]).fit(*IRIS)


def counted(model, X, y):
    """Several numbers from one callable."""
    return {"right": np.mean(model.predict(X) == y), "ones": np.mean(model.predict(X))}


def most_ones(results):
    return int(np.argmax(results["mean_test_ones"]))


@pytest.mark.parametrize("refit", ["right", most_ones, False])
@pytest.mark.parametrize("scoring", [counted, ["accuracy", "f1"]])
def test_choices_are_those_of_grid_search(scoring, refit):
    if scoring is not counted and refit:
        refit = "f1" if refit == "right" else lambda results: np.int64(results["mean_test_f1"].argmin())
    grid = {"sigma": [0.3, 3.0, 30.0]}
    search, reference = (
        kind(KernelSVC(), grid, scoring=scoring, refit=refit, cv=3).fit(*CANCER)
        for kind in (BatchSearchCV, GridSearchCV)
    )
    for name in ("best_index_", "best_params_", "best_score_", "multimetric_"):
        assert hasattr(search, name) == hasattr(reference, name)
        assert getattr(search, name, None) == pytest.approx(getattr(reference, name, None))
    for name in [name for name in reference.cv_results_ if name.endswith(("_right", "_ones", "_accuracy", "_f1"))]:
        np.testing.assert_allclose(search.cv_results_[name], reference.cv_results_[name])
    if isinstance(refit, str):
        assert search.score(*CANCER) == pytest.approx(reference.score(*CANCER))
    elif refit:
        with pytest.raises(ValueError, match="none of them chose"):
            search.score(*CANCER)


def test_a_callable_chooses_by_a_single_scorer_too():
    search = BatchSearchCV(KernelSVC(), {"C": [1.0, 10.0]}, cv=2, refit=lambda results: 1).fit(*CANCER)
    assert search.best_params_ == {"C": 10.0}
    assert search.best_estimator_.C == 10.0
    assert not hasattr(search, "best_score_")
    assert 0 < search.score(*CANCER) <= 1


@pytest.mark.parametrize(
    ("scoring", "refit", "error", "message"),
    [
        (None, "nonsense", ValueError, "`refit` must be True, False or a callable; got 'nonsense'"),
        ("accuracy", None, ValueError, "`refit` must be True, False or a callable; got None"),
        (plain_accuracy, "score", ValueError, "`refit` must be True, False or a callable; got 'score'"),
        (counted, True, ValueError, r"a callable or name one of \['ones', 'right'\]; got True"),
        (counted, "f1", ValueError, r"a callable or name one of \['ones', 'right'\]; got 'f1'"),
        (None, lambda results: 1.5, TypeError, "must return the number of a candidate; got 1.5"),
        (None, lambda results: 2, IndexError, "must return the number of a candidate, 0 to 1; got 2"),
    ],
)
def test_what_chooses_nothing_is_refused(scoring, refit, error, message):
    with pytest.raises(error, match=message):
        BatchSearchCV(KernelSVC(), {"C": [1.0, 10.0]}, cv=2, scoring=scoring, refit=refit).fit(*CANCER)
