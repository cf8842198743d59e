import pickle
import sys
import time
import warnings
from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV

from bncc.datasets import make_scenes
from bncc.linear import LinearSVC, LogisticRegression
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
    NetworkDecoder,
    RandomKLabelsets,
    StackedBinaryRelevance,
    TunedThresholds,
    backends,
    crossval,
    linear,
    load_model,
    save_model,
)
from bncc.multilabel.backend import FitOptions, TrainingRows
from bncc.multilabel.clones import CloneBackend
from bncc.multilabel.crossval import deal_folds
from bncc.multilabel.linear import LinearBackend, _compact
from bncc.multilabel.links import label_columns, links_of_chains
from bncc.multilabel.targets import read_targets
from bncc.selection import BatchSearchCV
from multilabel_behaviour import assert_passes_checks, assert_sensible
from peak_memory import printed_alone

DATA = make_scenes(220, noise=2.0, random_state=1)
X, Y = DATA.X, DATA.Y
METHODS = {
    "BR": lambda base: BinaryRelevance(base),
    "CC": lambda base: ClassifierChain(base, random_state=0),
    "BNCC": lambda base: BNCC(base),
    "BNCC of parents": lambda base: BNCC(base, context="parents"),
    "ECC on some rows": lambda base: EnsembleClassifierChain(base, n_chains=3, max_samples=0.7, random_state=0),
    "EBNCC": lambda base: EnsembleBNCC(base, n_chains=3, random_state=0),
    "CLR": lambda base: CalibratedLabelRanking(base, aggregate="decisions"),
    "GCC": lambda base: GroupSensitiveChain(base, n_groups=2, random_state=0),
    "LP": lambda base: LabelPowerset(base),
    "RAkEL": lambda base: RandomKLabelsets(base, n_sets=6, random_state=0),
    "RAkEL of families": lambda base: RandomKLabelsets(base, labelsets="network"),
    "blocks": lambda base: BlockPowerset(base, max_size=2),
    "CLR of edges": lambda base: CalibratedLabelRanking(base, aggregate="decisions", pairs="network"),
    "BCC": lambda base: BayesianChain(base, n_roots=3, random_state=0),
    "kmCC": lambda base: KMeansChain(base, random_state=0),
    "2BR": lambda base: StackedBinaryRelevance(base),
}
# Those that want probabilities, or have the links of a method below them.
OTHERS = {
    "M2CC": lambda base: MonteCarloChain(base, n_swaps=4, random_state=0),
    "tuned": lambda base: TunedThresholds(BNCC(base)),
    "decoder": lambda base: NetworkDecoder(BinaryRelevance(base), optimise="hamming"),
}


def hard_labels():
    """Unknown entries, a label that nobody has, one that all have, and one of which nothing is known."""
    out = Y[:, :7].astype(float)
    out[np.random.default_rng(0).random(out.shape) < 0.05] = np.nan
    out[:, 2], out[:, 3], out[:, 4] = 0, 1, np.nan
    return out


@pytest.fixture
def link_by_link(monkeypatch):
    """Let clones of the linear classifiers learn the links, one by one."""

    def fit(model, *args, **kwargs):
        with monkeypatch.context() as patch:
            patch.setitem(backends._BACKENDS, LinearSVC, CloneBackend)
            patch.setitem(backends._BACKENDS, LogisticRegression, CloneBackend)
            return clone(model).fit(*args, **kwargs)

    return fit


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("base", "weighted"),
    [
        (LinearSVC(tol=1e-7), False),
        (LinearSVC(C=0.02, loss="hinge", tol=1e-7, max_iter=10**5), False),
        (LogisticRegression(tol=1e-7, class_weight="balanced"), True),
    ],
    ids=["svc", "hinge", "balanced logistic with weights"],
)
def test_one_batch_answers_as_clones_do(method, base, weighted, link_by_link):
    features = sparse.csr_array(np.where(np.abs(X) > 0.5, X, 0.0)) if weighted else X
    weight = np.random.default_rng(1).random(len(X)).round(1) if weighted else None
    model, labels = METHODS[method](base), hard_labels()
    if method in ("LP", "RAkEL", "RAkEL of families"):
        labels = labels[:, :4]
    batch = clone(model).fit(features, labels, sample_weight=weight)
    clones = link_by_link(model, features, labels, sample_weight=weight)
    assert batch.engine_ is not None
    assert clones.engine_ is None
    scores, expected = batch.decision_function(features), clones._scores(features)
    assert ((scores > 0) == (expected > 0)).mean() > 0.998
    np.testing.assert_allclose(scores, expected, atol=0.01)
    if isinstance(base, LogisticRegression):
        assert batch.predict_proba(features).min() >= 0
        assert batch.predict_proba(features).max() <= 1


def test_probabilities_are_those_of_clones_and_certain_for_constant_labels(link_by_link):
    model, labels = ClassifierChain(LogisticRegression(tol=1e-8), order=None), hard_labels()
    batch, clones = model.fit(X, labels), link_by_link(model, X, labels)
    rates = batch.predict_proba(X)
    np.testing.assert_allclose(rates, clones._rates(X), atol=1e-5)
    assert (rates[:, 2] == 0).all()
    assert (rates[:, 3] == 1).all()
    assert (rates[:, 4] == 0).all()


@pytest.mark.parametrize("inference", ["beam", "exhaustive", "monte_carlo"])
def test_inference_follows_the_links(inference, link_by_link):
    model = ClassifierChain(LogisticRegression(tol=1e-8), order=None, inference=inference, random_state=0)
    batch, clones = clone(model).fit(X, Y[:, :5]), link_by_link(model, X, Y[:, :5])
    assert (batch.predict(X) == (clones._scores(X) > 0)).mean() > 0.998
    np.testing.assert_allclose(batch.predict_proba(X), clones._rates(X), atol=0.02)
    calibrated = clone(model).set_params(estimator=LinearSVC()).fit(X, Y[:, :5])
    assert (calibrated.predict(X) == Y[:, :5]).mean() > 0.7


def test_held_out_scores_of_all_folds_are_those_of_fits(link_by_link):
    for model in (EnsembleClassifierChain(LinearSVC(tol=1e-7), n_chains=2, random_state=0), BNCC(LinearSVC(tol=1e-7))):
        folds = deal_folds(read_targets(Y), 3)
        scores = model.search_task(X, Y, folds).scores()
        for train, test in folds:
            alone = clone(model).fit(X[train], Y[train])
            np.testing.assert_allclose(scores[test], alone.decision_function(X[test]), atol=0.01)


def test_held_out_decisions_given_the_truth_are_those_of_fits():
    targets = read_targets(hard_labels())
    rows = TrainingRows(X, targets, np.linspace(0.5, 1.5, len(X)))
    links = links_of_chains(label_columns(targets), [str(label) for label in range(7)], [tuple(range(7))])
    folds, options = deal_folds(targets, 3), FitOptions()
    backend = LinearBackend(LinearSVC(tol=1e-7))
    together = backend.decide_given_truth(links, rows, folds, options)
    one_by_one = super(LinearBackend, backend).decide_given_truth(links, rows, folds, options)
    np.testing.assert_allclose(together, one_by_one, atol=0.01)


def test_results_do_not_depend_on_threads_or_on_the_form_of_x():
    models = [BNCC(LinearSVC(), n_jobs=n_jobs).fit(X, Y) for n_jobs in (1, 2, None)]
    for model in models[1:]:
        np.testing.assert_array_equal(model.decision_function(X), models[0].decision_function(X))
    wide = sparse.csr_array(X)
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    for form in (sparse.csr_array(X), sparse.csc_matrix(X), wide, X.astype(np.float32)):
        assert (BNCC(LinearSVC()).fit(form, Y).predict(form) == models[0].predict(X)).mean() > 0.995


def test_calibration_and_thresholds():
    model = BinaryRelevance(LinearSVC()).fit(X[:150], Y[:150])
    rates = model.predict_proba(X[150:])
    assert rates.min() >= 0
    assert rates.max() <= 1
    brier = ((rates - Y[150:]) ** 2).mean()
    assert brier < ((Y[:150].mean(axis=0) - Y[150:]) ** 2).mean()
    tuned = TunedThresholds(BinaryRelevance(LinearSVC()), "micro_f1").fit(X[:150], Y[:150])
    assert np.ptp(tuned.thresholds_) == 0
    assert tuned.thresholds_[0] != 0


def test_what_the_engine_cannot_do_goes_to_clones():
    few = EnsembleClassifierChain(LinearSVC(), n_chains=2, max_features=0.5, random_state=0).fit(X, Y)
    assert few.engine_ is None
    handed = ClassifierChain(LinearSVC(), chain_method="decision_function", order=None).fit(X, Y)
    assert handed.engine_ is None
    several = BinaryRelevance(LinearSVC()).fit(X, Y[:, :2] + Y[:, 2:4])
    assert not hasattr(several, "predict_proba")
    rated = BinaryRelevance(LogisticRegression()).fit(X, Y[:, :2] + Y[:, 2:4])
    assert rated.engine_ is not None
    assert [part.shape for part in rated.predict_proba(X)] == [(220, 3), (220, 3)]
    assert (rated.predict(X) == several.predict(X)).mean() > 0.9


def test_contexts_by_cross_validation():
    model = ClassifierChain(LinearSVC(), order=None, cv=3).fit(X, Y)
    assert model.engine_ is not None
    assert (model.predict(X) == Y).mean() > 0.75


def test_a_progress_line_a_pulse_and_a_stop(capsys):
    BinaryRelevance(LinearSVC(), verbose=1).fit(X, Y)
    assert "links on" in capsys.readouterr().err
    targets = read_targets(Y)
    links = links_of_chains(label_columns(targets), [""] * 10, [tuple(range(10))])
    told = []
    LinearBackend(LinearSVC()).fit(links, TrainingRows(X, targets), FitOptions(pulse=told.append))
    assert told[-1] == 10

    def stop(done):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        LinearBackend(LinearSVC()).fit(links, TrainingRows(X, targets), FitOptions(pulse=stop))


def test_a_limit_of_passes_is_told_once():
    with pytest.warns(ConvergenceWarning, match=r"of 10 links stopped at the limit of 1 iterations. Scale") as told:
        BinaryRelevance(LinearSVC(max_iter=1, tol=1e-9, C=1000.0)).fit(X, Y)
    assert len(told) == 1


@pytest.mark.parametrize(
    ("base", "message"),
    [
        (LinearSVC(C=0.0), "`C` must be a positive number; got 0.0"),
        (LinearSVC(C="1"), "`C` must be a positive number; got '1'"),
        (LinearSVC(C=[1.0]), r"`C` must be a positive number; got \[1.0\]"),
        (LogisticRegression(C=True), "`C` must be a positive number; got True"),
        (LinearSVC(loss="log"), "`loss` must be"),
        (LinearSVC(intercept_scaling=0), "`intercept_scaling` must be a positive number"),
        (LinearSVC(intercept_scaling=True), "`intercept_scaling` must be a positive number; got True"),
        (LinearSVC(class_weight={1: np.nan}), "must leave every class some weight, a finite one"),
        (LinearSVC(class_weight={1: np.inf}), "must leave every class some weight, a finite one"),
        (LinearSVC(class_weight={0: 1.0, 1: 0.0}), "must leave every class some weight"),
        (LinearSVC(class_weight="even"), '`class_weight` must be "balanced", a dict .*, or None; got .even'),
        (LogisticRegression(fit_intercept="no"), "`fit_intercept` must be True or False; got 'no'"),
        (LinearSVC(engine="tpu"), "`engine` must be"),
    ],
)
def test_wrong_settings_are_told(base, message):
    with pytest.raises(ValueError, match=message):
        BinaryRelevance(base).fit(X, Y)


@pytest.mark.parametrize("number", [np.int64(2), np.float32(2.0)])
def test_numbers_of_numpy_are_numbers(number):
    made = BinaryRelevance(LinearSVC(number, intercept_scaling=number)).fit(X, Y)
    plain = BinaryRelevance(LinearSVC(2.0, intercept_scaling=2.0)).fit(X, Y)
    assert np.array_equal(made.decision_function(X), plain.decision_function(X))


@pytest.mark.parametrize("cost", [None, "1"])
def test_a_grid_of_costs_that_are_none_is_told(cost):
    with pytest.raises(ValueError, match=f"`C` must be a positive number; got {cost!r}"):
        BatchSearchCV(BinaryRelevance(LinearSVC()), {"C": [cost, 1.0]}, cv=2).fit(X, Y)


def test_the_cost_is_told_beforehand():
    targets = read_targets(Y)
    links = links_of_chains(label_columns(targets), [""] * 10, [tuple(range(10))])
    backend, options = LinearBackend(LinearSVC()), FitOptions()
    small = backend.seconds(links, TrainingRows(X, targets), options)
    assert 0 < small < 1
    double = TrainingRows(np.hstack([X, X]), targets)
    assert small < backend.seconds(links, double, options) <= 2 * small


@pytest.mark.parametrize("base", [LinearSVC(C=0.1), LogisticRegression(C=0.1)], ids=["svc", "logistic"])
@pytest.mark.parametrize("method", ["BR", "CC", "BNCC", "ECC on some rows", "LP"])
def test_behaviour(method, base):
    assert_sensible(METHODS[method](base))


@pytest.mark.slow
@pytest.mark.parametrize("base", [LinearSVC(), LogisticRegression()], ids=["svc", "logistic"])
@pytest.mark.parametrize("method", [*METHODS, *OTHERS])
def test_scikit_learn_checks(method, base):
    assert_passes_checks((METHODS | OTHERS)[method](base), weights_are_exact=False)


@pytest.mark.parametrize(
    ("method", "base"),
    [(method, LogisticRegression(tol=1e-7)) for method in OTHERS] + [("tuned", LinearSVC(tol=1e-7))],
)
def test_other_methods_answer_as_with_clones(method, base, link_by_link):
    model = OTHERS[method](base)
    batch, clones = clone(model).fit(X, Y), link_by_link(model, X, Y)
    assert getattr(batch, "estimator_", batch).engine_ is not None
    assert getattr(clones, "estimator_", clones).engine_ is None
    assert (batch.predict(X) == clones.predict(X)).mean() > 0.99


def test_many_links_are_quick_around_the_engine():
    """Ten thousand links cost no time by themselves: each is a few steps of Python."""
    random = np.random.default_rng(0)
    labels = sparse.random_array((300, 3000), density=0.01, rng=random, format="csr")
    labels.data[:] = 1
    features = sparse.random_array((300, 50), density=0.1, rng=random, format="csr")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        begin = time.process_time()
        ClassifierChain(LinearSVC(n_jobs=1, max_iter=1), order=None).fit(features, labels)
    assert time.process_time() - begin < 20


@pytest.mark.parametrize("model", [BinaryRelevance(LinearSVC(tol=1e-6)), BNCC(LogisticRegression(tol=1e-6))])
def test_a_search_scores_as_grid_search_does(model):
    grid = {"estimator__C": [10.0, 0.01, 0.3], "estimator__class_weight": [None, "balanced"]}
    folds = deal_folds(read_targets(Y), 3)
    ours = BatchSearchCV(model, grid, cv=folds, scoring="f1_macro").fit(X, Y)
    theirs = GridSearchCV(model, grid, cv=folds, scoring="f1_macro").fit(X, Y)
    assert ours.cv_results_["params"] == theirs.cv_results_["params"]
    for fold in range(3):
        key = f"split{fold}_test_score"
        np.testing.assert_allclose(ours.cv_results_[key], theirs.cv_results_[key], atol=0.005)
    assert ours.best_params_ == theirs.best_params_
    assert ours.best_params_["estimator__C"] == ours.best_estimator_.estimator.C
    assert (ours.predict(X) == theirs.predict(X)).mean() > 0.998
    assert ours.engine_.name == ours.best_estimator_.engine_.name


def test_a_search_tries_what_changes_links_and_says_what_it_may_hold():
    grid = {"loss": ["hinge", "squared_hinge"], "fit_intercept": [True, False], "C": [0.01]}
    search = BatchSearchCV(TunedThresholds(BinaryRelevance(LinearSVC())), grid, cv=2).fit(X, Y)
    assert len(np.unique(search.cv_results_["mean_test_score"])) > 1
    assert search.best_estimator_.estimator_.estimator.loss == search.best_params_["loss"]
    with pytest.raises(ValueError, match=r"may hold C, class_weight, .*; got \['estimator__sigma'\]"):
        BatchSearchCV(BinaryRelevance(LinearSVC()), {"estimator__sigma": [1.0]}).fit(X, Y)


def test_folds_one_by_one_answer_as_all_at_once(monkeypatch):
    search = BatchSearchCV(BNCC(LinearSVC(tol=1e-7)), {"C": [0.1, 1.0]}, cv=3)
    whole = clone(search).fit(X, Y).cv_results_["mean_test_score"]
    monkeypatch.setattr(linear, "_FOLD_BYTES", 0)
    monkeypatch.setattr(linear, "_TEST_ROWS", 7)
    np.testing.assert_allclose(search.fit(X, Y).cv_results_["mean_test_score"], whole, atol=0.01)


def test_weights_below_a_share_are_dropped_and_stored_sparse():
    whole = BNCC(LinearSVC()).fit(X, Y)
    small = BNCC(LinearSVC(drop_below=0.1)).fit(X, Y)
    kept, every = small._solved.solutions.weights, whole._solved.solutions.weights
    every = every.toarray() if sparse.issparse(every) else every
    assert sparse.issparse(kept)
    largest = np.abs(every).max(axis=1, keepdims=True)
    np.testing.assert_array_equal(kept.toarray(), np.where(np.abs(every) > 0.1 * largest, every, 0.0))
    link = small.estimators_[3]
    assert sparse.issparse(link.coef_)
    with pytest.raises(ValueError, match=r"`drop_below` must lie in \[0, 1\)"):
        BNCC(LinearSVC(drop_below=1.5)).fit(X, Y)


def test_large_weights_come_back_sparse_and_answer_the_same(monkeypatch):
    whole = BNCC(LinearSVC()).fit(X, Y)
    monkeypatch.setattr(linear, "_DENSE_BYTES", 0)
    again = BNCC(LinearSVC()).fit(X, Y)
    assert sparse.issparse(again._solved.solutions.weights)
    np.testing.assert_allclose(again.decision_function(X), whole.decision_function(X), atol=1e-9)


def test_large_data_are_not_calibrated_by_the_way(monkeypatch):
    monkeypatch.setattr(crossval, "_KEPT_BYTES", 0)
    for model in (BinaryRelevance(LinearSVC()), BNCC(LinearSVC())):
        model.fit(X, Y)
        with pytest.raises(ValueError, match="Take LogisticRegression as base"):
            model.predict_proba(X)
        pickle.dumps(model)
    assert BinaryRelevance(LogisticRegression()).fit(X, Y).predict_proba(X).shape == Y.shape
    beam = ClassifierChain(LinearSVC(), order=None, inference="beam").fit(X, Y[:, :4])
    assert beam.predict_proba(X).max() <= 1


def test_saved_models_answer_the_same(tmp_path):
    pytest.importorskip("skops")
    for base in (LinearSVC(drop_below=0.05), LogisticRegression()):
        for model in (BNCC(base), LabelPowerset(base), TunedThresholds(BinaryRelevance(base))):
            model.fit(X, Y[:, :4])
            again = load_model(save_model(model, tmp_path / "model.skops"))
            np.testing.assert_array_equal(again.decision_function(X), model.decision_function(X))
            if hasattr(model, "predict_proba"):
                np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))


MEMORY = """
import sys, warnings
import numpy as np
from scipy import sparse
from bncc import BatchSearchCV, ClassifierChain, LinearSVC
from peak_memory import peak

n_rows, n_features, stored, n_labels, n_threads = 200_000, 2_000, 94, 32, 2
random = np.random.default_rng(0)
columns = (np.arange(n_rows * stored, dtype=np.int64) * 21 % n_features).astype(np.int32)
values, pointer = random.random(n_rows * stored, dtype=np.float32), np.arange(0, n_rows * stored + 1, stored)
X = sparse.csr_array((values, columns, pointer.astype(np.int32)), shape=(n_rows, n_features))
X.sort_indices()
Y = sparse.random_array((n_rows, n_labels), density=0.05, rng=random, format="csr")
Y = sparse.csr_array(Y > 0, dtype=np.int8)
warnings.simplefilter("ignore")
chain = ClassifierChain(LinearSVC(max_iter=2, n_jobs=n_threads), order=None)
models = {
    "chain": chain,
    "search": BatchSearchCV(chain, {"C": [0.1, 1.0]}, cv=5, scoring="f1_micro", refit=False),
}
models["chain"].fit(X[:200], Y[:200]).predict(X[:200])
before = peak()
models[sys.argv[1]].fit(X, Y)
grown = peak() - before
threads = n_threads * 64 * (n_features + n_labels + n_rows)
weights = 4 * n_labels * (n_features + n_labels) * (10 if sys.argv[1] == "search" else 1)
size = X.data.nbytes + X.indices.nbytes + X.indptr.nbytes
assert 150e6 < size < 152e6
print((grown - threads - weights) / size)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="peak memory is read from the resource module")
@pytest.mark.parametrize(("what", "most"), [("chain", 0.2), ("search", 1.0)])
def test_features_are_never_copied_per_link_or_fold(what, most):
    """Beyond the page's arithmetic for threads and weights, in units of X: a copy per fold would be 4 for a search."""
    assert float(printed_alone(MEMORY, what)) < most


@pytest.mark.parametrize("share", [0.0, 0.1, 1.0])
def test_weights_are_stored_sparse_where_few_are_not_zero(share):
    random = np.random.default_rng(0)
    dense = np.where(random.random((7, 30)) < share, random.normal(size=(7, 30)), 0.0).astype(np.float32)
    X, Y = random.normal(size=(8, 29)), np.repeat([[0], [1]], 4, axis=0) @ np.ones((1, 7), int)
    solved = BinaryRelevance(LinearSVC()).fit(X, Y)._solved.solutions
    kept = _compact(replace(solved, weights=dense)).weights
    assert sparse.issparse(kept) == (share < 0.4)
    if sparse.issparse(kept):
        assert kept.has_canonical_format
        kept = kept.toarray()
    np.testing.assert_array_equal(kept, dense)
