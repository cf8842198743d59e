"""What searches, thresholds and calibration promise of the estimators that they copy and the rows that they keep."""

import gc
import weakref

import numpy as np
import pytest
from scipy.special import expit
from sklearn.ensemble import RandomForestClassifier
from sklearn.naive_bayes import GaussianNB

from bncc import (
    BNCC,
    BatchSearchCV,
    BinaryRelevance,
    BlockPowerset,
    CalibratedLabelRanking,
    ClassifierChain,
    EnsembleClassifierChain,
    KernelSVC,
    LabelPowerset,
    MonteCarloChain,
    RandomKLabelsets,
    TunedThresholds,
)
from bncc.datasets import make_scenes
from bncc.multilabel import crossval, register_backend
from bncc.svm import distances
from centroid_backend import CentroidBackend, CentroidLinks, Centroids

DATA = make_scenes(90, noise=2.0)
X, Y = np.asarray(DATA.X, float), np.asarray(DATA.Y)[:, :4]
SVC = KernelSVC(sigma=1.0)


@pytest.mark.parametrize(
    "chain",
    [
        ClassifierChain(SVC, order=None),
        ClassifierChain(SVC, order=None, inference="beam"),
        ClassifierChain(SVC, order=None, inference="exhaustive", optimise="hamming"),
        MonteCarloChain(SVC, n_swaps=2, n_samples=10, random_state=0),
        BlockPowerset(SVC, max_size=2),
    ],
    ids=lambda chain: getattr(chain, "inference", type(chain).__name__),
)
def test_thresholds_after_a_search_are_those_of_fit(chain):
    search = BatchSearchCV(TunedThresholds(chain, cv=3), {"C": [1.0]}, cv=2).fit(X, Y)
    expected = TunedThresholds(chain, cv=3).fit(X, Y)
    np.testing.assert_allclose(search.best_estimator_.thresholds_, expected.thresholds_, atol=1e-9)
    np.testing.assert_array_equal(search.predict(X), expected.predict(X))


@pytest.mark.parametrize("inference", ["greedy", "beam"])
def test_fitting_again_lets_earlier_rows_go(inference):
    model, held = ClassifierChain(SVC, order=None, inference=inference), []
    for _ in range(3):
        rows = X.copy()
        held.append(weakref.ref(rows))
        model.fit(rows, Y)
        del rows
    gc.collect()
    assert [reference() is None for reference in held] == [True, True, False]
    model.predict_proba(X)
    gc.collect()
    assert held[2]() is None  # settled: nothing is kept any longer


def test_a_part_of_a_large_array_does_not_keep_the_whole():
    whole = np.zeros((90, 4000))
    whole[:, : X.shape[1]] = X
    reference = weakref.ref(whole)
    model = BinaryRelevance(SVC).fit(whole[:, : X.shape[1]], Y)
    del whole
    gc.collect()
    assert reference() is None
    assert model.predict_proba(X).shape == Y.shape


@pytest.mark.parametrize("inference", ["greedy", "beam"])
def test_parameters_changed_after_fit_do_not_reach_the_calibration(inference):
    first, second = (ClassifierChain(KernelSVC(sigma=1.0), order=None, inference=inference).fit(X, Y) for _ in "ab")
    second.estimator.set_params(C=1000.0, sigma=0.1)
    np.testing.assert_array_equal(first.predict_proba(X), second.predict_proba(X))


def test_a_random_state_is_copied_as_by_clone():
    state = np.random.RandomState(3)
    model = EnsembleClassifierChain(SVC, n_chains=3, random_state=state).fit(X, Y)
    other = EnsembleClassifierChain(SVC, n_chains=3, random_state=np.random.RandomState(3)).fit(X, Y)
    state.random_sample(1000)
    np.testing.assert_array_equal(model.predict_proba(X), other.predict_proba(X))
    forest = RandomForestClassifier(5, random_state=np.random.RandomState(0))
    search = BatchSearchCV(BinaryRelevance(forest), {"max_depth": [3, 3]}, cv=2, refit=False).fit(X, Y)
    assert len(set(search.cv_results_["mean_test_score"])) == 1


class Counted(CentroidBackend):
    fits = 0

    def fit(self, *given, **named):
        Counted.fits += 1
        return super().fit(*given, **named)


class CountedCentroids(Centroids):
    pass


register_backend(CountedCentroids, Counted)


@pytest.mark.parametrize("limit", [1 << 26, 100])
def test_calibration_in_fit_costs_five_fits_and_no_more(limit, monkeypatch):
    monkeypatch.setattr(crossval, "_KEPT_BYTES", limit)
    Counted.fits = 0
    model = BinaryRelevance(CountedCentroids()).fit(X, Y)
    assert Counted.fits == (1 if limit > X.nbytes else 6)
    model.predict_proba(X)
    assert Counted.fits == 6


def test_large_features_are_not_kept(monkeypatch):
    monkeypatch.setattr(crossval, "_KEPT_BYTES", 100)
    rows = X.copy()
    reference = weakref.ref(rows)
    eager = BNCC(SVC).fit(rows, Y)
    del rows
    gc.collect()
    assert reference() is None
    monkeypatch.undo()
    np.testing.assert_allclose(eager.predict_proba(X), BNCC(SVC).fit(X, Y).predict_proba(X), atol=1e-12)


class Sure(CentroidLinks):
    def answer(self, link, X, known, response="decision"):
        decision = super().answer(link, X, known)
        return expit(decision) if response == "probability" else decision


class SureCentroids(Centroids):
    def predict_proba(self, X):
        raise AssertionError("the backend answers")


class SureBackend(CentroidBackend):
    rates = "links"

    def fit(self, *given, **named):
        solved = super().fit(*given, **named)
        return Sure(solved.means, solved.contexts, solved.writes, solved.n_labels)


register_backend(SureCentroids, SureBackend)


@pytest.mark.parametrize(
    "kind",
    [
        BinaryRelevance,
        ClassifierChain,
        EnsembleClassifierChain,
        LabelPowerset,
        BlockPowerset,
        RandomKLabelsets,
        CalibratedLabelRanking,
    ],
)
def test_links_that_give_probabilities_give_those_of_labels(kind):
    rates = kind(SureCentroids()).fit(X, Y).predict_proba(X)
    assert ((rates >= 0) & (rates <= 1)).all()
    assert np.corrcoef(rates.ravel(), Y.ravel())[0, 1] > 0.4


def test_decisions_are_not_taken_for_probabilities():
    model = BinaryRelevance(SVC).fit(X, Y).set_params(estimator=GaussianNB())
    with pytest.raises(ValueError, match="Fit the estimator again"):
        model.predict_proba(X)


@pytest.mark.parametrize("estimator", [KernelSVC(), BinaryRelevance(), TunedThresholds(BinaryRelevance())])
def test_threads_of_a_search_compute_its_distances(estimator, monkeypatch):
    told, compute = [], distances._distances
    monkeypatch.setattr(
        distances, "_distances", lambda left, right, jobs: told.append(jobs) or compute(left, right, jobs)
    )
    y = Y[:, 0] if isinstance(estimator, KernelSVC) else Y
    BatchSearchCV(estimator, {"sigma": [1.0]}, cv=2, n_jobs=1).fit(X, y)
    assert set(told) == {1}


@pytest.mark.parametrize("base", [KernelSVC(gamma=5.0)])
def test_a_searched_sigma_takes_the_place_of_a_gamma(base):
    plain = BatchSearchCV(base, {"sigma": [1.0]}, cv=2).fit(X, Y[:, 0])
    assert plain.best_estimator_.gamma_ == 0.5
    linked = BatchSearchCV(BinaryRelevance(base), {"sigma": [1.0]}, cv=2).fit(X, Y)
    np.testing.assert_array_equal(linked.predict(X), BinaryRelevance(KernelSVC(sigma=1.0)).fit(X, Y).predict(X))


def test_distances_and_labels_are_paid_once(monkeypatch):
    computed, compute = [], distances._distances

    def count(left, right, jobs):
        computed.append(left is right)
        return compute(left, right, jobs)

    monkeypatch.setattr(distances, "_distances", count)
    tuned = TunedThresholds(EnsembleClassifierChain(SVC, n_chains=2, random_state=0))
    BatchSearchCV(tuned, {"sigma": [0.5, 1.0], "C": [1.0, 10.0]}, cv=3).fit(X, Y)
    assert computed == [True]


def test_beam_inference_with_a_label_that_nobody_knows():
    unknown = Y.astype(float)
    unknown[:, 2] = np.nan
    rates = ClassifierChain(SVC, order=None, inference="beam").fit(X, unknown).predict_proba(X)
    assert np.isfinite(rates).all()
