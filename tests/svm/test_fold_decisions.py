import numpy as np
import pytest
from sklearn.model_selection import KFold
from sklearn.multioutput import ClassifierChain
from sklearn.svm import SVC

from bncc.svm import (
    chain_links,
    cross_val_decisions,
    pack_labels,
    pair_links,
    plain_links,
    squared_distances,
)

rng = np.random.default_rng(0)
X = rng.normal(size=(120, 5))
Y = (X @ rng.normal(size=(5, 4)) + rng.normal(size=(120, 4)) > 0.2).astype(int)
TARGETS = np.where(Y.T > 0, 1, -1)
FOLDS = list(KFold(5, shuffle=True, random_state=0).split(X))


@pytest.mark.parametrize("cache_size", [2000.0, 0.02])
def test_chains_are_those_fitted_fold_by_fold(cache_size, engine):
    order = np.array([2, 0, 3, 1])
    got = cross_val_decisions(
        squared_distances(X, cache_size=cache_size),
        TARGETS,
        chain_links(order, 4),
        FOLDS,
        gamma=[0.05, 0.5],
        C=[1.0, 20.0],
        words=pack_labels(Y),
        tol=1e-4,
        cache_size=cache_size,
        engine=engine,
    )
    assert got.shape == (2, 2, 120, 4)
    for g, gamma in enumerate([0.05, 0.5]):
        for c, C in enumerate([1.0, 20.0]):
            for train, test in FOLDS:
                chain = ClassifierChain(SVC(C=C, gamma=gamma, tol=1e-4), order=order, chain_method="predict")
                expected = chain.fit(X[train], Y[train]).decision_function(X[test])
                agreed = np.abs(got[g, c][test] - expected[:, order]) < 5e-3
                assert agreed.mean() > 0.995  # a decision next to 0 may send a row down another path


def test_links_without_context_are_independent(engine):
    got = cross_val_decisions(
        squared_distances(X), TARGETS, plain_links(4), FOLDS, gamma=0.2, C=5.0, tol=1e-4, engine=engine
    )[0, 0]
    for train, test in FOLDS:
        reference = SVC(C=5.0, gamma=0.2, tol=1e-4).fit(X[train], Y[train, 1])
        np.testing.assert_allclose(got[test, 1], reference.decision_function(X[test]), atol=5e-3)


def test_links_keep_to_their_own_rows(engine):
    codes = np.arange(120) % 3
    links, targets = pair_links(codes, 3)
    got = cross_val_decisions(squared_distances(X), targets, links, FOLDS, gamma=0.2, C=5.0, tol=1e-4, engine=engine)[
        0, 0
    ]
    train, test = FOLDS[0]
    chosen = np.intersect1d(train, links.rows[1])
    reference = SVC(C=5.0, gamma=0.2, tol=1e-4).fit(X[chosen], targets[1, chosen])
    np.testing.assert_allclose(got[test, 1], reference.decision_function(X[test]), atol=5e-3)


def test_weights_may_differ_from_fold_to_fold(engine):
    weights = rng.uniform(0.2, 2.0, (5, 120))
    got = cross_val_decisions(
        squared_distances(X), TARGETS, plain_links(4), FOLDS, gamma=0.2, C=5.0, tol=1e-4, weights=weights, engine=engine
    )[0, 0]
    for fold, (train, test) in enumerate(FOLDS):
        reference = SVC(C=5.0, gamma=0.2, tol=1e-4).fit(X[train], Y[train, 2], sample_weight=weights[fold, train])
        np.testing.assert_allclose(got[test, 2], reference.decision_function(X[test]), atol=5e-3)


def test_rows_that_no_fold_tests_are_not_a_number(engine):
    got = cross_val_decisions(
        squared_distances(X), TARGETS, plain_links(4), FOLDS[:1], gamma=0.2, C=5.0, engine=engine
    )[0, 0]
    assert np.isfinite(got[FOLDS[0][1]]).all()
    assert np.isnan(got[FOLDS[0][0]]).all()


def test_links_with_context_need_labels(engine):
    with pytest.raises(ValueError, match=r"`writes` must lie in -1\.\.-1; got 0\.\.3"):
        cross_val_decisions(
            squared_distances(X), TARGETS, chain_links(range(4), 4), FOLDS, gamma=1.0, C=1.0, engine=engine
        )


@pytest.mark.parametrize("row", [-1, 120])
def test_tested_rows_must_be_rows(engine, row):
    folds = [*FOLDS[:4], (FOLDS[4][0], np.array([3, row]))]
    with pytest.raises(ValueError, match=r"`rows` must lie in 0\.\.119"):
        cross_val_decisions(squared_distances(X), TARGETS, plain_links(4), folds, gamma=1.0, C=1.0, engine=engine)


def test_results_do_not_depend_on_threads():
    arguments = (squared_distances(X), TARGETS, chain_links(range(4), 4), FOLDS)
    options = {"gamma": [0.1, 1.0], "C": 10.0, "words": pack_labels(Y)}
    one = cross_val_decisions(*arguments, **options, n_jobs=1)
    np.testing.assert_array_equal(one, cross_val_decisions(*arguments, **options, n_jobs=4))


def test_bad_links_and_weights_are_refused():
    arguments = (squared_distances(X), TARGETS)
    with pytest.raises(ValueError, match=r"one per fold \(5\)"):
        cross_val_decisions(*arguments, [plain_links(4)] * 2, FOLDS, gamma=1.0, C=1.0)
    with pytest.raises(ValueError, match=r"one per fold \(5\); got 2"):
        cross_val_decisions(*arguments, plain_links(4), FOLDS, gamma=1.0, C=1.0, weights=np.ones((2, 120)))
