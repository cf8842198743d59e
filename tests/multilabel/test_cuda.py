"""Every method of the paper on the CUDA engine, its device code emulated on the CPU."""

import shutil

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

from bncc import (
    BNCC,
    BinaryRelevance,
    CalibratedLabelRanking,
    ClassifierChain,
    EnsembleClassifierChain,
    GroupSensitiveChain,
    KernelSVC,
)
from bncc.selection import BatchOptions
from bncc.svm import KernelSearchCV
from bncc.svm.cuda import device
from emulator import EmulatedDevice

pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="the emulated device needs g++")
rng = np.random.default_rng(0)
X = rng.normal(size=(90, 4))
Y = (X @ rng.normal(size=(4, 4)) + 0.5 * rng.normal(size=(90, 4)) > 0.2).astype(int)
FOLDS = [(np.flatnonzero(np.arange(90) % 3 != k), np.flatnonzero(np.arange(90) % 3 == k)) for k in range(3)]
METHODS = {
    "BR": BinaryRelevance,
    "CC": lambda svc: ClassifierChain(svc, random_state=0),
    "BNCC": BNCC,
    "ECC": lambda svc: EnsembleClassifierChain(svc, n_chains=3, random_state=0),
    "CLR": CalibratedLabelRanking,
    "GCC": lambda svc: GroupSensitiveChain(svc, n_groups=2, random_state=0),
}


@pytest.fixture(autouse=True)
def emulated(monkeypatch):
    monkeypatch.setattr(device, "_device", EmulatedDevice())


def scores_of(task, engine):
    candidates = [{"gamma": 0.05, "C": 5.0}, {"gamma": 0.3, "C": 5.0}]
    (solved,) = task.solve(candidates, BatchOptions(engine=engine))
    parts = {(answer.candidate, answer.fold): answer.decided.decisions for answer in solved.answers}
    assert (solved.engine.name == "cuda") == (engine == "cuda")
    return np.array([[parts[g, fold] for fold in range(len(FOLDS))] for g in (0, 1)])


@pytest.mark.parametrize("name", METHODS)
def test_folds_are_decided_as_on_the_cpu(name):
    task = METHODS[name](KernelSVC(tol=1e-4)).search_task(X, Y, FOLDS)
    found, expected = scores_of(task, "cuda"), scores_of(task, "cpu")
    assert ((found > 0) == (expected > 0)).mean() > 0.998
    assert np.median(np.abs(found - expected)) < 2e-3


@pytest.mark.parametrize("name", METHODS)
def test_fits_and_predictions_are_those_of_the_cpu(name):
    found, expected = (METHODS[name](KernelSVC(C=5.0, sigma=1.5, engine=e)).fit(X, Y) for e in ("cuda", "cpu"))
    assert (found.predict(X) == expected.predict(X)).mean() > 0.998
    np.testing.assert_allclose(found.predict_proba(X), expected.predict_proba(X), atol=0.02)


@pytest.mark.parametrize("inference", ["beam", "exhaustive"])
def test_conditional_probabilities_are_those_of_the_cpu(inference, monkeypatch):
    found, expected = (
        BNCC(KernelSVC(C=5.0, sigma=1.5, tol=1e-4, engine=e), inference=inference).fit(X, Y) for e in ("cuda", "cpu")
    )
    np.testing.assert_allclose(found.predict_proba(X), expected.predict_proba(X), atol=5e-3)
    monkeypatch.setattr("bncc.svm.cuda.engine._SHARE", 0.0)  # no room for the distances: on the CPU
    np.testing.assert_allclose(found.predict_proba(X), expected.predict_proba(X), atol=5e-3)


def test_a_search_chooses_the_same_sigma():
    grid = {"sigma": [0.3, 1.5, 5.0]}
    found, expected = (KernelSearchCV(BNCC(KernelSVC(engine=e)), grid, cv=FOLDS).fit(X, Y) for e in ("cuda", "cpu"))
    assert found.best_params_ == expected.best_params_


def test_a_search_can_be_told_the_engine():
    search = KernelSearchCV(BNCC(), {"sigma": [1.0]}, cv=FOLDS, engine="cuda").fit(X, Y)
    assert search.engine_.name == search.best_estimator_.engine_.name == "cuda"
    search = KernelSearchCV(KernelSVC(), {"sigma": [1.0]}, cv=FOLDS, engine="cuda").fit(X, Y[:, 0])
    assert search.engine_.name == search.best_estimator_.engine_.name == "cuda"


def test_estimators_and_searches_say_which_engine_they_used(capsys):
    for engine, name in (("cuda", "cuda"), ("numpy", "numpy")):
        model = BNCC(KernelSVC(engine=engine), verbose=1).fit(X, Y)
        search = KernelSearchCV(BNCC(KernelSVC(engine=engine)), {"sigma": [1.0]}, cv=FOLDS).fit(X, Y)
        assert model.engine_.name == search.engine_.name == name
        assert f"engine {name}: asked for" in capsys.readouterr().err
    assert "little work" in BNCC().fit(X, Y).engine_.reason
    assert BNCC(GaussianNB()).fit(X, Y).engine_ is None


def test_a_plain_classifier_says_which_engine_it_used():
    y = Y[:, 0] + Y[:, 1]
    found = KernelSVC(engine="cuda").fit(X, y)
    assert found.engine_.name == "cuda"
    expected = KernelSVC(engine="cpu").fit(X, y)
    assert expected.engine_.name in ("native", "numpy")
    np.testing.assert_allclose(found.decision_function(X), expected.decision_function(X), atol=5e-3)
    np.testing.assert_allclose(found.predict_proba(X), expected.predict_proba(X), atol=0.02)
