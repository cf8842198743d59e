"""The searched order and the sampled prediction of M2CC."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import SVC, LinearSVC
from sklearn.utils.estimator_checks import check_estimator

from bncc.datasets import make_scenes
from bncc.multilabel import ClassifierChain, MonteCarloChain
from bncc.multilabel.crossval import deal_folds
from bncc.multilabel.targets import read_targets
from bncc.svm import KernelSVC

DATA = make_scenes(240, noise=2.0, random_state=4)
X, Y = DATA.X, np.asarray(DATA.Y.toarray() if sparse.issparse(DATA.Y) else DATA.Y)[:, :6]


@pytest.mark.parametrize("payoff", ["likelihood", "exact_match"])
@pytest.mark.parametrize("base", [None, GaussianNB()])
def test_payoffs_never_fall_and_seeds_settle_the_order(base, payoff):
    first, again = (MonteCarloChain(base, n_swaps=10, payoff=payoff, random_state=1).fit(X, Y) for _ in range(2))
    assert first.order_ == again.order_
    assert sorted(first.order_) == list(range(6))
    assert first.payoffs_.shape == (11,)
    assert (np.diff(first.payoffs_) >= 0).all()
    if payoff == "likelihood":
        assert first.payoffs_[-1] > first.payoffs_[0]
    np.testing.assert_array_equal(first.predict(X), again.predict(X))


def test_the_likelihood_is_that_of_the_definition():
    """Links fitted one by one on the rows that are not held out, and the log-probability of the others' true labels."""
    chain = MonteCarloChain(LogisticRegression(), n_swaps=3, random_state=0).fit(X, Y)
    train, held = deal_folds(read_targets(Y), 3)[0]
    total = 0.0
    for place, label in enumerate(chain.order_):
        seen = list(chain.order_[:place])
        link = LogisticRegression().fit(np.hstack([X, Y[:, seen]])[train], Y[train, label])
        rates = link.predict_proba(np.hstack([X, Y[:, seen]])[held])
        total += np.log(rates[np.arange(len(held)), Y[held, label]]).mean()
    assert chain.payoffs_[-1] == pytest.approx(total, abs=1e-4)


def test_exact_match_is_that_of_the_definition():
    chain = MonteCarloChain(LogisticRegression(), n_swaps=3, payoff="exact_match", random_state=0).fit(X, Y)
    train, held = deal_folds(read_targets(Y), 3)[0]
    greedy = ClassifierChain(LogisticRegression(), order=chain.order_).fit(X[train], Y[train])
    assert chain.payoffs_[-1] == pytest.approx((greedy.predict(X[held]) == Y[held]).all(axis=1).mean())


def test_it_predicts_as_a_chain_in_its_order_that_samples():
    found = MonteCarloChain(LogisticRegression(), n_swaps=4, n_samples=30, random_state=0).fit(X, Y)
    chain = ClassifierChain(LogisticRegression(), order=found.order_, inference="monte_carlo", n_samples=4000)
    marginals = chain.set_params(random_state=0).fit(X, Y).predict_proba(X)
    assert np.abs(found.set_params(n_samples=4000, optimise="hamming").predict_proba(X) - marginals).max() < 0.03


def test_an_order_on_the_engine_is_worth_what_it_is_with_another_svm():
    ours = MonteCarloChain(KernelSVC(C=2.0, gamma=0.05), n_swaps=5, payoff="exact_match", random_state=2).fit(X, Y)
    train, held = deal_folds(read_targets(Y), 3)[0]
    chain = ClassifierChain(SVC(C=2.0, gamma=0.05), order=ours.order_).fit(X[train], Y[train])
    assert ours.payoffs_[-1] == pytest.approx((chain.predict(X[held]) == Y[held]).all(axis=1).mean(), abs=0.02)


def test_unknown_labels_one_label_and_few_rows():
    unknown = Y.astype(float)
    unknown[::4, 1] = np.nan
    for base in (None, LogisticRegression()):
        assert MonteCarloChain(base, n_swaps=3, random_state=0).fit(X, unknown).predict(X).shape == Y.shape
    single = MonteCarloChain(random_state=0).fit(X, Y[:, 0])
    assert single.order_ == (0,)
    assert single.predict(X).shape == (240,)
    assert MonteCarloChain(LogisticRegression(), random_state=0).fit(X[:2], Y[:2]).predict(X[:2]).shape == (2, 6)


def test_marginals_are_offered_where_they_are_what_is_predicted():
    chain = MonteCarloChain(LogisticRegression(), n_swaps=0, random_state=0).fit(X, Y)
    with pytest.raises(AttributeError, match="predict_proba"):
        chain.predict_proba(X)
    chain.set_params(optimise="hamming")
    np.testing.assert_array_equal(chain.predict_proba(X) > 0.5, chain.predict(X))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_swaps": -1}, "`n_swaps` must be a whole number"),
        ({"payoff": "f1"}, "`payoff` must be 'likelihood' or 'exact_match'; got 'f1'"),
        ({"estimator": LinearSVC()}, "needs probabilities, which LinearSVC does not give"),
    ],
)
def test_errors(options, message):
    with pytest.raises(ValueError, match=message):
        MonteCarloChain(**options).fit(X, Y)


@pytest.mark.parametrize("base", [None, LogisticRegression()])
def test_scikit_learn_checks(base):
    weights = [f"check_sample_weight_equivalence_on_{kind}_data" for kind in ("dense", "sparse")]
    check_estimator(
        MonteCarloChain(base, n_swaps=2, random_state=0),
        expected_failed_checks=dict.fromkeys(weights, "held-out rows see repeated rows apart from weighted ones"),
        on_skip=None,
    )
