import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, KFold

from bncc import KernelSVC
from bncc._cuda import missing
from bncc.datasets import make_scenes
from bncc.linear import LinearSVC
from bncc.metrics import get_scorer
from bncc.multilabel import (
    BNCC,
    BayesianChain,
    BinaryRelevance,
    BlockPowerset,
    CalibratedLabelRanking,
    ClassifierChain,
    EnsembleBNCC,
    EnsembleClassifierChain,
    GroupSensitiveChain,
    KMeansChain,
    LabelPowerset,
    MonteCarloChain,
    RandomKLabelsets,
    TunedThresholds,
    load_model,
    save_model,
)
from bncc.multilabel.nystroem import MappedLinks
from bncc.selection import BatchSearchCV
from bncc.svm import resolve_gamma
from bncc.svm.landmarks import learn_landmarks

DATA = make_scenes(220, noise=2.0, random_state=1)
X, Y = DATA.X, DATA.Y[:, :6]
METHODS = {
    "BR": lambda base: BinaryRelevance(base),
    "CC": lambda base: ClassifierChain(base, random_state=0),
    "BNCC": lambda base: BNCC(base),
    "BNCC of parents": lambda base: BNCC(base, context="parents"),
    "ECC on some rows": lambda base: EnsembleClassifierChain(base, n_chains=3, max_samples=0.7, random_state=0),
    "EBNCC": lambda base: EnsembleBNCC(base, n_chains=3, random_state=0),
    "CLR": lambda base: CalibratedLabelRanking(base, aggregate="decisions"),
    "CLR of edges": lambda base: CalibratedLabelRanking(base, aggregate="decisions", pairs="network"),
    "BCC": lambda base: BayesianChain(base, n_roots=3, random_state=0),
}
OTHERS = {
    "GCC": lambda base: GroupSensitiveChain(base, n_groups=2, random_state=0),
    "KMC": lambda base: KMeansChain(base, random_state=0),
    "LP": lambda base: LabelPowerset(base),
    "RAkEL": lambda base: RandomKLabelsets(base, n_sets=4, random_state=0),
    "blocks": lambda base: BlockPowerset(base, max_size=3),
    "MCC": lambda base: MonteCarloChain(base, n_swaps=2, random_state=0),
    "ECC on some features": lambda base: EnsembleClassifierChain(base, n_chains=2, max_features=0.5, random_state=0),
    "thresholds": lambda base: TunedThresholds(BNCC(base), cv=2),
}


def near(**options):
    return KernelSVC(approximation="nystroem", n_components=40, **options)


def mapped(rows):
    return learn_landmarks(X, resolve_gamma(X), 40).transform(rows)


@pytest.mark.parametrize("method", METHODS)
def test_links_are_linear_over_mapped_rows(method):
    labels = Y.astype(float)
    labels[np.random.default_rng(0).random(labels.shape) < 0.05] = np.nan
    weight = np.linspace(0.5, 2.0, len(X))
    own = METHODS[method](near(C=2.0)).fit(X, labels, sample_weight=weight)
    peer = METHODS[method](LinearSVC(C=2.0)).fit(mapped(X), labels, sample_weight=weight)
    np.testing.assert_allclose(own.decision_function(X), peer.decision_function(mapped(X)), atol=1e-6)
    assert np.array_equal(own.predict(X), peer.predict(mapped(X)))
    assert own.engine_.name == peer.engine_.name


def test_some_links_answer_as_each_does():
    solved, known = BNCC(near()).fit(X, Y)._solved, np.random.default_rng(0).integers(0, 2, Y.shape).astype(np.int8)
    for link, answer in zip([4, 0], solved.answer_some([4, 0], X, known), strict=True):
        np.testing.assert_allclose(answer, solved.answer(link, X, known), atol=1e-6)
    assert solved.answer_some([], X, known) == []


@pytest.mark.parametrize("method", OTHERS)
def test_every_other_method_takes_it(method):
    model = OTHERS[method](near()).fit(X, Y)
    assert (model.predict(X) == Y).mean() > 0.75


def test_it_comes_near_the_kernel():
    exact = BinaryRelevance(KernelSVC(C=2.0)).fit(X, Y).predict(X)
    own = BinaryRelevance(KernelSVC(C=2.0, approximation="nystroem")).fit(X, Y).predict(X)
    assert (own == exact).mean() > 0.97


def test_probabilities_are_calibrated_on_rows_held_out():
    rates = BNCC(near()).fit(X, Y).predict_proba(X)
    assert ((rates >= 0) & (rates <= 1)).all()
    assert np.abs(rates.mean(axis=0) - Y.mean(axis=0)).max() < 0.1
    beam = ClassifierChain(near(), order=None, inference="beam").fit(X, Y)
    assert (beam.predict(X) == Y).mean() > 0.75


@pytest.mark.parametrize("make", [BinaryRelevance, BNCC])
def test_a_search_is_a_grid_search(make):
    folds, scoring = KFold(3), get_scorer("micro_f1")
    own = BatchSearchCV(make(near()), {"sigma": [1.0, 6.0], "C": [10.0, 0.5]}, cv=folds, scoring=scoring).fit(X, Y)
    grid = {"estimator__sigma": [1.0, 6.0], "estimator__C": [10.0, 0.5]}
    peer = GridSearchCV(make(near()), grid, cv=folds, scoring=scoring).fit(X, Y)
    assert {f"estimator__{name}": value for name, value in own.best_params_.items()} == peer.best_params_
    best = own.best_score_, peer.best_score_
    assert best[0] == pytest.approx(best[1], abs=0.01)
    ours, theirs = (
        {tuple(sorted((key.split("__")[-1], value) for key, value in params.items())): score
         for params, score in zip(search.cv_results_["params"], search.cv_results_["mean_test_score"], strict=True)}
        for search in (own, peer)
    )  # fmt: skip
    assert ours == pytest.approx(theirs, abs=0.01)
    assert own.best_estimator_.estimator.approximation == "nystroem"


def test_the_number_of_landmarks_can_be_searched():
    search = BatchSearchCV(BinaryRelevance(near()), {"n_components": [2, 60]}, cv=2, scoring=get_scorer("micro_f1"))
    assert search.fit(X, Y).best_params_ == {"n_components": 60}


def test_sparse_rows_and_saved_models(tmp_path):
    rows = sparse.csr_array(np.where(np.abs(X) > 0.5, X, 0.0))
    model = BNCC(near()).fit(rows, Y)
    assert isinstance(model._solved, MappedLinks)
    save_model(model, tmp_path / "a.skops")
    again = load_model(tmp_path / "a.skops")
    assert np.array_equal(again.decision_function(rows), model.decision_function(rows))


def test_threads_and_seeds():
    one, two = (BNCC(near(n_jobs=n)).fit(X, Y).decision_function(X) for n in (1, 2))
    assert np.array_equal(one, two)
    other = BNCC(near(random_state=5)).fit(X, Y).decision_function(X)
    assert not np.array_equal(one, other)
    assert np.array_equal(other, clone(BNCC(near(random_state=5))).fit(X, Y).decision_function(X))


def test_the_engine_of_its_linear_links_can_be_said():
    if missing():
        with pytest.raises(ImportError, match="CUDA engine cannot run here"):
            BNCC(near(engine="cuda")).fit(X, Y)
    assert BNCC(near(engine="numpy")).fit(X, Y).engine_.name == "numpy"
