from functools import partial

import numpy as np
import pytest

from bncc.datasets import make_scenes
from bncc.multilabel import (
    BNCC,
    BinaryRelevance,
    CalibratedLabelRanking,
    ClassifierChain,
    EnsembleClassifierChain,
    LabelPowerset,
    TunedThresholds,
)
from bncc.multilabel.backend import TrainingRows
from bncc.multilabel.crossval import deal_folds, fit_label_slopes, out_of_fold_scores, slopes_of_scores
from bncc.multilabel.targets import read_targets
from bncc.svm import KernelSVC
from bncc.svm.engine_native import NativeEngine

DATA = make_scenes(180, random_state=4)
X, Y = DATA.X, DATA.Y


@pytest.mark.parametrize(
    "kind", [BinaryRelevance, BNCC, lambda base: EnsembleClassifierChain(base, n_chains=2, random_state=0)]
)
def test_all_folds_in_one_call_equal_fold_by_fold_fitting(kind):
    """Orders included: each fold's network is learned from its training rows."""
    targets = read_targets(Y)
    folds = deal_folds(targets, 4)
    model = kind(KernelSVC(C=10.0, sigma=3.0, tol=1e-5))
    together = out_of_fold_scores(model, X, targets, folds, None)
    for train, test in folds:
        alone = kind(KernelSVC(C=10.0, sigma=3.0, tol=1e-5)).fit(X[train], Y[train])
        assert together[test] == pytest.approx(alone.decision_function(X[test]), abs=2e-3)


def test_folds_cover_all_rows_once():
    folds = deal_folds(read_targets(Y), 5)
    assert sorted(np.concatenate([test for _, test in folds]).tolist()) == list(range(len(Y)))
    assert all(set(train) | set(test) == set(range(len(Y))) for train, test in folds)
    assert len(deal_folds(read_targets(Y[:3]), 5)) == 3


def test_class_weights_count_in_every_fold():
    """Weights balance each link on the training rows of its fold."""
    targets = read_targets(Y)
    folds = deal_folds(targets, 3)
    weight = np.random.default_rng(0).random(len(X)) + 0.5
    make = partial(BNCC, KernelSVC(C=1.0, sigma=3.0, tol=1e-5, class_weight="balanced"))
    together = out_of_fold_scores(make(), X, targets, folds, weight)
    plain = out_of_fold_scores(BNCC(KernelSVC(C=1.0, sigma=3.0, tol=1e-5)), X, targets, folds, weight)
    assert not np.allclose(together, plain, atol=0.05)
    for train, test in folds:
        alone = make().fit(X[train], Y[train], sample_weight=weight[train])
        assert together[test] == pytest.approx(alone.decision_function(X[test]), abs=2e-3)


def test_groups_are_cut_with_the_rows_and_kept_together_in_calibration():
    some, targets = X[:60], read_targets(Y[:60])
    groups = np.repeat(np.arange(12), 5)
    rows = TrainingRows(some, targets, groups=groups)
    assert rows.take(np.array([0, 7, 59])).groups.tolist() == [0, 1, 11]
    model = BinaryRelevance(KernelSVC()).fit(some, Y[:60])
    folds = deal_folds(targets, groups=groups)
    assert all(not set(groups[train]) & set(groups[test]) for train, test in folds)
    expected = fit_label_slopes(out_of_fold_scores(model, some, targets, folds), rows)
    np.testing.assert_allclose(slopes_of_scores(model._unfitted(), rows), expected)
    assert not np.allclose(slopes_of_scores(model._unfitted(), TrainingRows(some, targets)), expected)


@pytest.mark.parametrize(
    "kind",
    [
        BinaryRelevance,
        BNCC,
        CalibratedLabelRanking,
        LabelPowerset,
        lambda base: EnsembleClassifierChain(base, n_chains=3, random_state=0),
        lambda base: ClassifierChain(base, random_state=1),
    ],
)
@pytest.mark.parametrize("class_weight", [None, "balanced"])
def test_a_fit_with_folds_is_the_fit_and_the_folds(kind, class_weight):
    labels = Y.astype(float)
    if kind is not LabelPowerset:
        labels[::7, 1] = np.nan
    estimator = kind(KernelSVC(C=10.0, sigma=3.0, tol=1e-5, class_weight=class_weight))
    weight = np.random.default_rng(0).random(len(X)) + 0.5
    rows = estimator._read_rows(X, labels, weight)
    folds = deal_folds(rows.targets, 4)
    model, task = estimator._unfitted(), estimator._unfitted()._task_on(rows, folds)
    scores = task.fit_and_score(model)
    assert scores == pytest.approx(task.scores(), abs=2e-3)
    alone = kind(KernelSVC(C=10.0, sigma=3.0, tol=1e-5, class_weight=class_weight)).fit(X, labels, sample_weight=weight)
    assert model.decision_function(X) == pytest.approx(alone.decision_function(X), abs=2e-3)
    assert model.predict_proba(X) == pytest.approx(alone.predict_proba(X), abs=2e-3)
    assert model.engine_.name == alone.engine_.name


def test_thresholds_solve_all_rows_once(monkeypatch):
    """Folds start from the fit to all rows, which then is the answer."""
    sizes = []
    solve = NativeEngine.solve

    def watched(self, batch, *args, **kwargs):
        sizes.extend((batch.sizes() == len(X)).nonzero()[0])
        return solve(self, batch, *args, **kwargs)

    monkeypatch.setattr(NativeEngine, "solve", watched)
    TunedThresholds(EnsembleClassifierChain(KernelSVC(engine="cpu"), n_chains=3, random_state=0)).fit(X, Y)
    assert len(sizes) == 3 * Y.shape[1]
