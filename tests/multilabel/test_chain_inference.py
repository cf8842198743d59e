"""Chains that predict by beam, enumeration and sampling, on both kinds of links."""

import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import check_estimator

from bncc.datasets import make_scenes
from bncc.metrics import example_f1, hamming_loss, subset_accuracy
from bncc.multilabel import BNCC, ClassifierChain
from bncc.multilabel.calibration import apply_slopes
from bncc.svm import KernelSVC
from oracles.decode import all_sets, expected_f1

DATA = make_scenes(260, noise=2.0, random_state=3)
X, Y = DATA.X, DATA.Y.toarray() if sparse.issparse(DATA.Y) else np.asarray(DATA.Y)
TRAIN, TEST = slice(0, 200), slice(200, 260)
M = 5
BASES = [LogisticRegression(), KernelSVC(C=2.0)]


def chain(base, **options):
    return ClassifierChain(clone(base), order=[3, 0, 4, 1, 2], random_state=0, **options).fit(X[TRAIN], Y[TRAIN, :M])


def joint_of(fitted, rows):
    """P(y | x) of every label set, one link's answer at a time."""
    sets = all_sets(M)
    out = np.ones((len(rows), len(sets)))
    for place, label in enumerate(fitted.order_):
        for i, labels in enumerate(sets):
            known = np.zeros((len(rows), M), np.int8)
            known[:, list(fitted.order_[:place])] = labels[list(fitted.order_[:place])]
            if fitted._backend().rates == "scores":
                slopes = fitted._link_calibration.slopes[[place]]
                p = apply_slopes(fitted._solved.answer(place, rows, known)[:, None], slopes)[:, 0]
            else:
                p = fitted._solved.answer(place, rows, known, "probability")
            out[:, i] *= p if labels[label] else 1 - p
    return sets, out


@pytest.mark.parametrize("base", BASES)
def test_exhaustive_and_wide_beam_equal_enumeration(base):
    fitted = chain(base, inference="exhaustive")
    sets, joint = joint_of(fitted, X[TEST])
    np.testing.assert_allclose(joint.sum(axis=1), 1)
    for inference in ("exhaustive", "beam"):
        fitted.set_params(inference=inference, beam_width=2**M)
        np.testing.assert_allclose(fitted.predict_proba(X[TEST]), joint @ sets, atol=1e-6)
        fitted.set_params(optimise="joint")
        np.testing.assert_array_equal(fitted.predict(X[TEST]), sets[joint.argmax(axis=1)])
        fitted.set_params(optimise="hamming")
        np.testing.assert_array_equal(fitted.predict(X[TEST]), joint @ sets > 0.5)
        fitted.set_params(optimise="f1")
        for probability, chosen in zip(joint[:10], fitted.predict(X[TEST][:10]), strict=True):
            best = max(expected_f1(sets, probability, guess) for guess in sets)
            assert expected_f1(sets, probability, chosen) == pytest.approx(best, abs=1e-6)


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("optimise", ["joint", "hamming", "f1"])
@pytest.mark.parametrize("inference", ["beam", "exhaustive", "monte_carlo"])
def test_decisions_agree_with_predictions(base, optimise, inference):
    fitted = chain(base, inference=inference, optimise=optimise)
    predicted = fitted.predict(X[TEST])
    np.testing.assert_array_equal(fitted.decision_function(X[TEST]) > 0, predicted)
    rates = fitted.predict_proba(X[TEST])
    assert ((rates >= 0) & (rates <= 1 + 1e-12)).all()
    np.testing.assert_array_equal(fitted.predict(X[TEST][7:9]), predicted[7:9])


@pytest.mark.parametrize("base", BASES)
def test_sampling_converges_to_enumeration_and_is_seeded(base):
    exact = chain(base, inference="exhaustive").predict_proba(X[TEST])
    few, many = (chain(base, inference="monte_carlo", n_samples=n).predict_proba(X[TEST]) for n in (20, 3000))
    assert np.abs(many - exact).max() < 0.03
    assert np.abs(many - exact).mean() < np.abs(few - exact).mean()
    np.testing.assert_array_equal(few, chain(base, inference="monte_carlo", n_samples=20).predict_proba(X[TEST]))


def test_beam_of_one_is_greedy():
    greedy = chain(LogisticRegression())
    narrow = chain(LogisticRegression(), inference="beam", beam_width=1)
    np.testing.assert_array_equal(greedy.predict(X), narrow.predict(X))


def test_blocks_do_not_matter(monkeypatch):
    fitted = chain(LogisticRegression(), inference="monte_carlo", optimise="f1")
    whole = fitted.decision_function(X)
    monkeypatch.setattr("bncc.multilabel.chain_inference._BLOCK", 7 * 101 * M)
    np.testing.assert_allclose(fitted.decision_function(X), whole, atol=1e-12)


def test_each_rule_is_best_at_what_it_optimises():
    """On rows drawn from the model itself, no rule beats the one made for a metric."""
    fitted = chain(LogisticRegression(C=0.1), inference="exhaustive")
    sets, joint = joint_of(fitted, X)
    random = np.random.default_rng(0)
    draws = np.stack([sets[random.choice(len(sets), 40, p=p / p.sum())] for p in joint]).reshape(-1, M)
    values = {}
    for rule in ("joint", "hamming", "f1"):
        guess = np.repeat(fitted.set_params(optimise=rule).predict(X), 40, axis=0)
        values[rule] = (subset_accuracy(draws, guess), -hamming_loss(draws, guess), example_f1(draws, guess))
    for place, rule in enumerate(("joint", "hamming", "f1")):
        assert max(values, key=lambda name: values[name][place]) == rule


@pytest.mark.parametrize("context", ["predecessors", "parents"])
def test_network_chains_infer_too(context):
    greedy = BNCC(LogisticRegression(), context=context).fit(X[TRAIN], Y[TRAIN])
    beam = BNCC(LogisticRegression(), context=context, inference="beam", beam_width=1).fit(X[TRAIN], Y[TRAIN])
    np.testing.assert_array_equal(greedy.predict(X[TEST]), beam.predict(X[TEST]))
    sampled = beam.set_params(inference="monte_carlo", optimise="hamming")
    exact = clone(sampled).set_params(inference="exhaustive").fit(X[TRAIN], Y[TRAIN])
    assert np.abs(sampled.predict_proba(X[TEST]) - exact.predict_proba(X[TEST])).max() < 0.15


def test_sparse_rows_and_unknown_labels():
    unknown = Y[TRAIN, :M].astype(float)
    unknown[::7, 2] = np.nan
    for base in BASES:
        fitted = ClassifierChain(base, inference="beam", optimise="f1", random_state=0).fit(X[TRAIN], unknown)
        as_sparse = clone(fitted).fit(sparse.csr_array(X[TRAIN]), unknown)
        same = fitted.predict(X[TEST]) == as_sparse.predict(sparse.csr_array(X[TEST]))
        assert same.mean() > 0.98


def test_a_pickled_chain_answers_the_same():
    fitted = chain(KernelSVC(), inference="beam")
    again = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(fitted.predict_proba(X[TEST]), again.predict_proba(X[TEST]))


@pytest.mark.parametrize("base", BASES)
def test_constant_labels(base):
    constant = Y[TRAIN, :M].copy()
    constant[:, 1], constant[:, 3] = 0, 1
    for inference in ("beam", "exhaustive", "monte_carlo"):
        fitted = ClassifierChain(clone(base), order=None, inference=inference, random_state=0).fit(X[TRAIN], constant)
        predicted = fitted.predict(X[TEST])
        assert not predicted[:, 1].any()
        assert predicted[:, 3].all()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"inference": "viterbi"}, "`inference` must be one of greedy, beam"),
        ({"inference": "beam", "optimise": "auc"}, "`optimise` must be one of joint, hamming, f1; got 'auc'"),
        ({"optimise": "f1"}, "Greedy inference follows one path and cannot optimise 'f1'"),
        ({"inference": "beam", "beam_width": 0}, "`beam_width` must be a whole number"),
        ({"inference": "monte_carlo", "n_samples": 2.5}, "`n_samples` must be a whole number"),
        ({"inference": "beam", "estimator": LinearSVC()}, "needs probabilities, which LinearSVC does not give"),
    ],
)
def test_errors(options, message):
    with pytest.raises(ValueError, match=message):
        ClassifierChain(**options).fit(X[TRAIN], Y[TRAIN])


def test_exhaustive_has_a_limit():
    many = np.hstack([Y[TRAIN], Y[TRAIN]])
    with pytest.raises(ValueError, match="limited to 15 labels"):
        ClassifierChain(LogisticRegression(), inference="exhaustive").fit(X[TRAIN], many)


def test_kernel_chains_fitted_for_greedy_inference_say_so():
    with pytest.raises(ValueError, match="fitted for greedy inference"):
        chain(KernelSVC()).set_params(inference="beam").predict(X)
    with pytest.raises(ValueError, match="not fitted for greedy inference"):
        chain(KernelSVC(), inference="beam").set_params(inference="greedy").predict_proba(X)


@pytest.mark.parametrize("inference", ["beam", "monte_carlo"])
@pytest.mark.parametrize("base", [None, LogisticRegression()])
def test_scikit_learn_checks(base, inference):
    # They ask for predictions that are rounded probabilities: for marginals, that is what Hamming loss asks for.
    estimator = ClassifierChain(base, inference=inference, optimise="hamming", random_state=0)
    weights = [f"check_sample_weight_equivalence_on_{kind}_data" for kind in ("dense", "sparse")]
    check_estimator(
        estimator, expected_failed_checks=dict.fromkeys(weights, "SVM") if base is None else {}, on_skip=None
    )
