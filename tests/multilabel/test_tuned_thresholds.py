"""Thresholds on any estimator: both ways to held-out scores, all forms of data, scikit-learn's tools."""

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import MultiOutputClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.utils.estimator_checks import check_estimator

from bncc import linear
from bncc.datasets import make_scenes
from bncc.metrics import example_f1, get_scorer, macro_f1
from bncc.multilabel import (
    BNCC,
    BinaryRelevance,
    ClassifierChain,
    EnsembleClassifierChain,
    TunedThresholds,
    crossval,
    linked_classifier,
)
from bncc.multilabel.crossval import deal_folds
from bncc.multilabel.targets import read_targets
from bncc.svm import KernelSearchCV, KernelSVC

DATA = make_scenes(500, noise=2.5, random_state=5)
X, Y = DATA.X, np.asarray(DATA.Y.toarray() if sparse.issparse(DATA.Y) else DATA.Y)
TRAIN, TEST = slice(0, 250), slice(250, 500)


@pytest.mark.parametrize("how", ["global", "per_label"])
@pytest.mark.parametrize("base", [KernelSVC(), LogisticRegression()])
def test_the_metric_gains_on_new_rows(base, how):
    plain = BinaryRelevance(base).fit(X[TRAIN], Y[TRAIN])
    tuned = TunedThresholds(BinaryRelevance(base), how=how).fit(X[TRAIN], Y[TRAIN])
    assert example_f1(Y[TEST], tuned.predict(X[TEST])) > example_f1(Y[TEST], plain.predict(X[TEST])) + 0.01


def test_decisions_are_shifted():
    tuned = TunedThresholds(BinaryRelevance(), how="per_label").fit(X[TRAIN], Y[TRAIN])
    scores = tuned.estimator_.decision_function(X[TEST])
    np.testing.assert_array_equal(tuned.decision_function(X[TEST]), scores - tuned.thresholds_)
    np.testing.assert_array_equal(tuned.predict(X[TEST]), scores > tuned.thresholds_)
    assert len(set(tuned.thresholds_)) > 1


@pytest.mark.parametrize("kind", [BinaryRelevance, ClassifierChain, BNCC, EnsembleClassifierChain])
def test_the_engine_gives_the_thresholds_of_fold_by_fold_fitting(kind):
    """One call for all folds is a shortcut, not another method; scikit-learn's SVC takes the long way."""
    options = {"random_state": 0} if kind is not BNCC else {}
    short = TunedThresholds(kind(KernelSVC(C=3.0, gamma=0.05, tol=1e-6), **options))
    long = TunedThresholds(kind(SVC(C=3.0, gamma=0.05, tol=1e-6), **options))
    fitted = [model.fit(X[:150], Y[:150, :4]) for model in (short, long)]
    np.testing.assert_allclose(fitted[0].thresholds_, fitted[1].thresholds_, atol=1e-3)


def test_counts_match_the_training_rows():
    tuned = TunedThresholds(BinaryRelevance(LogisticRegression()), how="counts").fit(X[TRAIN], Y[TRAIN])
    assert np.ptp(tuned.thresholds_) == 0
    held_out = np.zeros((250, 10))
    for train, test in deal_folds(read_targets(Y[TRAIN])):
        held_out[test] = BinaryRelevance(LogisticRegression()).fit(X[train], Y[train]).decision_function(X[test])
    assert (held_out > tuned.thresholds_).sum() == Y[TRAIN].sum()
    assert tuned.predict(X[TEST]).mean() == pytest.approx(Y[TEST].mean(), abs=0.03)


@pytest.mark.parametrize(
    "estimator",
    [
        MultiOutputClassifier(LogisticRegression()),
        OneVsRestClassifier(LinearSVC()),
        RandomForestClassifier(20, random_state=0),
        make_pipeline(StandardScaler(), BinaryRelevance()),
        ClassifierChain(LogisticRegression(), order=None, inference="beam", optimise="hamming"),
        BinaryRelevance(KernelSVC(class_weight="balanced")),
    ],
)
def test_estimators_of_all_kinds(estimator):
    tuned = TunedThresholds(estimator, cv=3).fit(X[:120], Y[:120, :4])
    assert tuned.predict(X[TEST]).shape == (250, 4)
    np.testing.assert_array_equal(tuned.decision_function(X[TEST]) > 0, tuned.predict(X[TEST]))


def test_a_label_that_is_constant_in_a_forest():
    constant = Y[:120, :3].copy()
    constant[:, 1] = 1
    tuned = TunedThresholds(RandomForestClassifier(10, random_state=0), cv=3).fit(X[:120], constant)
    assert tuned.predict(X[:5]).shape == (5, 3)


def test_other_metrics_and_functions():
    by_name = TunedThresholds(BinaryRelevance(), "macro_f1", how="per_label", shrinkage=0).fit(X[TRAIN], Y[TRAIN])
    by_call = TunedThresholds(BinaryRelevance(), macro_f1, how="per_label", shrinkage=0).fit(X[TRAIN], Y[TRAIN])
    np.testing.assert_allclose(by_name.thresholds_, by_call.thresholds_)
    plain = by_name.estimator_.predict(X[TEST])
    assert macro_f1(Y[TEST], by_name.predict(X[TEST])) > macro_f1(Y[TEST], plain)


def test_data_of_all_forms():
    tuned = TunedThresholds(BinaryRelevance(LogisticRegression()), cv=3)
    dense = clone(tuned).fit(X[TRAIN], Y[TRAIN]).thresholds_
    frame = pd.DataFrame(Y[TRAIN], columns=list(DATA.label_names))
    named = clone(tuned).fit(pd.DataFrame(X[TRAIN]).add_prefix("x"), frame)
    assert named.label_names_ == tuple(DATA.label_names)
    assert named.feature_names_in_[0] == "x0"
    assert list(named.set_output(predict="pandas").predict(pd.DataFrame(X).add_prefix("x"))) == list(DATA.label_names)
    thin = clone(tuned).fit(sparse.csr_array(X[TRAIN]), sparse.csc_array(Y[TRAIN]))
    for other in (named.thresholds_, thin.thresholds_):
        np.testing.assert_allclose(other, dense, atol=1e-3)
    predicted = thin.predict(sparse.csr_array(X[TEST]))
    assert type(predicted) is sparse.csr_array
    assert np.array_equal(predicted.toarray(), thin.decision_function(sparse.csr_array(X[TEST])) > 0)


@pytest.mark.parametrize("base", [None, LogisticRegression()])
def test_one_dimensional_targets(base):
    y = np.where(Y[:, 0] == 1, "yes", "no")
    tuned = TunedThresholds(BinaryRelevance(base)).fit(X[TRAIN], y[TRAIN])
    assert set(tuned.predict(X[TEST])) == {"yes", "no"}
    assert tuned.decision_function(X[TEST]).shape == (250,)
    assert tuned.score(X[TEST], y[TEST]) > 0.6


def test_unknown_labels_do_not_move_the_counts():
    unknown = Y[TRAIN].astype(float)
    unknown[::3, 2] = np.nan
    for how in ("global", "per_label", "counts"):
        tuned = TunedThresholds(BinaryRelevance(), how=how).fit(X[TRAIN], unknown)
        assert np.isfinite(tuned.thresholds_).all()


def test_sample_weight_counts():
    weight = np.where(np.arange(250) < 125, 1.0, 1e-6)
    for base in (None, LogisticRegression()):
        weighted = TunedThresholds(BinaryRelevance(base)).fit(X[TRAIN], Y[TRAIN], sample_weight=weight)
        plain = TunedThresholds(BinaryRelevance(base)).fit(X[TRAIN], Y[TRAIN])
        assert weighted.thresholds_[0] != plain.thresholds_[0]


def test_inside_scikit_learn():
    tuned = TunedThresholds(BinaryRelevance(LogisticRegression()), cv=3)
    pipe = make_pipeline(StandardScaler(), tuned)
    grid = GridSearchCV(
        pipe, {"tunedthresholds__how": ["global", "counts"]}, scoring=get_scorer("example_f1"), cv=KFold(2)
    ).fit(X[TRAIN], Y[TRAIN])
    assert grid.best_params_ == {"tunedthresholds__how": "global"}
    custom = clone(tuned).set_params(cv=KFold(3)).fit(X[TRAIN], Y[TRAIN])
    assert custom.predict(X[TEST]).shape == (250, 10)


def test_in_a_kernel_search():
    search = KernelSearchCV(
        TunedThresholds(BinaryRelevance()),
        {"sigma": [0.01, 5.0]},
        scoring=get_scorer("example_f1"),
        cv=KFold(3),
    ).fit(X[TRAIN], Y[TRAIN])
    assert search.best_params_ == {"sigma": 5.0}
    assert search.best_estimator_.estimator.estimator.sigma == 5.0
    # Cut by counts, the scores of the search are near those of the thresholds that are then chosen.
    found = example_f1(Y[TEST], search.predict(X[TEST]))
    assert search.best_score_ == pytest.approx(found, abs=0.05)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"how": "local"}, "`how` must be 'global', 'per_label' or 'counts'; got 'local'"),
        ({"shrinkage": -1}, "`shrinkage` must be a number of at least 0"),
        ({"metric": "example_f2"}, "There is no metric 'example_f2'. Did you mean"),
        ({"cv": 1}, "`cv` must be at least 2"),
    ],
)
def test_errors(options, message):
    with pytest.raises(ValueError, match=message):
        TunedThresholds(BinaryRelevance(LogisticRegression()), **options).fit(X[:50], Y[:50])


def test_an_estimator_without_scores():
    from sklearn.neighbors import RadiusNeighborsTransformer

    with pytest.raises(TypeError, match="RadiusNeighborsTransformer has none"):
        TunedThresholds(RadiusNeighborsTransformer()).fit(X, Y)


@pytest.mark.parametrize("how", ["global", "per_label", "counts"])
@pytest.mark.parametrize("base", [None, pytest.param(LogisticRegression(), marks=pytest.mark.slow)])
def test_scikit_learn_checks(base, how):
    weights = [f"check_sample_weight_equivalence_on_{kind}_data" for kind in ("dense", "sparse")]
    check_estimator(
        TunedThresholds(BinaryRelevance(base), how=how),
        expected_failed_checks=dict.fromkeys(weights, "folds see repeated rows apart from weighted ones"),
        on_skip=None,
    )


@pytest.mark.parametrize("kept_bytes", [0, 1 << 26])
def test_thresholds_and_calibration_share_the_scores_held_out(kept_bytes, monkeypatch):
    monkeypatch.setattr(crossval, "_KEPT_BYTES", kept_bytes)  # with larger features calibration is settled in `fit`
    descriptions = []
    describe = crossval.describe_folds
    for room in (crossval, linked_classifier):
        monkeypatch.setattr(room, "describe_folds", lambda *given: descriptions.append(1) or describe(*given))
    tuned = TunedThresholds(BNCC()).fit(X[TRAIN], Y[TRAIN])
    rates = tuned.estimator_.predict_proba(X[TEST])
    assert len(descriptions) == 1
    np.testing.assert_array_equal(rates, BNCC().fit(X[TRAIN], Y[TRAIN]).predict_proba(X[TEST]))
    other = TunedThresholds(BNCC(), cv=3).fit(X[TRAIN], Y[TRAIN]).estimator_.predict_proba(X[TEST])
    np.testing.assert_array_equal(rates, other)
    again = pickle.loads(pickle.dumps(tuned))
    np.testing.assert_array_equal(again.estimator_.predict_proba(X[TEST]), rates)


@pytest.mark.parametrize(
    "estimator",
    [
        RandomForestClassifier(20, random_state=0),
        make_pipeline(StandardScaler(), LogisticRegression()),
        BinaryRelevance(),
    ],
    ids=["forest", "pipeline", "ours"],
)
@pytest.mark.parametrize("how", ["global", "per_label", "counts"])
def test_unknown_labels_under_any_estimator(estimator, how):
    unknown = np.random.default_rng(0).random(Y[TRAIN].shape) < 0.3
    lost = np.where(unknown, np.nan, Y[TRAIN])
    tuned = TunedThresholds(estimator, how=how, cv=3).fit(X[TRAIN], lost)
    assert np.isfinite(tuned.thresholds_).all()
    assert example_f1(Y[TEST], tuned.predict(X[TEST])) > 0.3
    # What an unknown label stands for does not matter.
    thin = TunedThresholds(estimator, how=how, cv=3).fit(X[TRAIN], sparse.csr_array(lost))
    np.testing.assert_allclose(thin.thresholds_, tuned.thresholds_)


@pytest.mark.parametrize("how", ["global", "per_label", "counts"])
@pytest.mark.parametrize("base", [linear.LinearSVC(), KernelSVC()], ids=repr)
@pytest.mark.parametrize("method", [BinaryRelevance, BNCC])
def test_many_scores_are_looked_at_some_rows_at_a_time(method, base, how, monkeypatch):
    """The thresholds are the same; probabilities nearly so, where the folds calibrate them too."""
    unknown = np.where(np.random.default_rng(0).random(Y[TRAIN].shape) < 0.1, np.nan, Y[TRAIN])
    for y in (Y[TRAIN], unknown):
        wanted = TunedThresholds(method(base), "micro_f1", how=how, cv=5).fit(X[TRAIN], y)
        with monkeypatch.context() as patch:
            patch.setattr(crossval, "_MOST_SCORES", 0)
            patch.setattr(crossval, "_SCORES_AT_A_TIME", 100)
            patch.setattr(crossval, "_held_out", None)  # all scores at once are not asked for
            tuned = TunedThresholds(method(base), "micro_f1", how=how, cv=5).fit(X[TRAIN], y)
            rates = tuned.estimator_.predict_proba(X[TEST]) if method is BinaryRelevance else None
        np.testing.assert_allclose(tuned.thresholds_, wanted.thresholds_, rtol=1e-9, atol=1e-12)
        np.testing.assert_array_equal(tuned.predict(X[TEST]), wanted.predict(X[TEST]))
        if rates is not None:
            np.testing.assert_allclose(rates, wanted.estimator_.predict_proba(X[TEST]), atol=0.01)


def test_a_function_as_metric_gets_all_cells(monkeypatch):
    shapes = []

    def own(truth, predicted):
        shapes.append(predicted.shape)
        return example_f1(truth, predicted)

    wanted = TunedThresholds(BNCC(linear.LinearSVC())).fit(X[TRAIN], Y[TRAIN])
    monkeypatch.setattr(crossval, "_MOST_SCORES", 0)
    tuned = TunedThresholds(BNCC(linear.LinearSVC()), own).fit(X[TRAIN], Y[TRAIN])
    assert set(shapes) == {Y[TRAIN].shape}
    np.testing.assert_array_equal(tuned.thresholds_, wanted.thresholds_)


def test_weights_and_folds_of_ones_own_in_blocks(monkeypatch):
    weight = np.random.default_rng(0).uniform(0, 2, len(Y[TRAIN])).round(1)
    folds = [(np.arange(60, 150), np.arange(30)), (np.arange(30), np.arange(40, 90))]
    tuned = TunedThresholds(BinaryRelevance(linear.LinearSVC()), "macro_f1", how="per_label", cv=folds)
    wanted = clone(tuned).fit(X[TRAIN], Y[TRAIN], weight).thresholds_
    monkeypatch.setattr(crossval, "_MOST_SCORES", 0)
    np.testing.assert_allclose(tuned.fit(X[TRAIN], Y[TRAIN], weight).thresholds_, wanted, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("how", ["per_label", "global", "counts"])
@pytest.mark.parametrize(
    "estimator",
    [
        RandomForestClassifier(5, random_state=0),
        BinaryRelevance(RandomForestClassifier(3, random_state=0)),
        make_pipeline(StandardScaler(), ClassifierChain(LogisticRegression(), random_state=0)),
        BNCC(KernelSVC()),
    ],
    ids=["forest", "links of forests", "pipeline", "kernels"],
)
def test_tags_that_few_rows_have(estimator, how):
    """Folds without a tag, and rows that are lists of several lengths."""
    names = [f"t{label}" for label in range(Y.shape[1])]
    tags = [[names[label] for label in np.flatnonzero(row)] for row in Y[:100]]
    tags[7].append("xrare")
    tuned = TunedThresholds(estimator, how=how).fit(X[:100], tags)
    assert tuned.label_names_ == (*names, "xrare")
    assert tuned.predict(X[:9]).shape == (9, len(names) + 1)
    with_rare = np.hstack([Y[:100], np.arange(100)[:, None] == 7]).astype(int)
    same = TunedThresholds(estimator, how=how).fit(X[:100], with_rare)
    np.testing.assert_array_equal(tuned.predict(X), same.predict(X))
    np.testing.assert_array_equal(tuned.thresholds_, same.thresholds_)
