import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import expit

from bncc.svm import sigmoids


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.integers(3, 60), st.floats(-3, 3))
def test_the_sigmoid_is_the_best_for_platts_targets(seed, n, shift):
    rng = np.random.default_rng(seed)
    decisions = rng.normal(size=n) * 2
    positive = rng.uniform(size=n) < expit(decisions + shift)
    weights = rng.uniform(0.5, 2.0, n)
    slope, offset = sigmoids.fit_sigmoid(decisions, positive, weights)
    plus, minus = weights[positive].sum(), weights[~positive].sum()
    target = np.where(positive, (plus + 1) / (plus + 2), 1 / (minus + 2))

    def loss(beta):
        z = beta[0] * decisions + beta[1]
        return (weights * (np.logaddexp(0, z) - target * z)).sum()

    best = minimize(loss, [0.0, 0.0], method="BFGS")
    assert loss([slope, offset]) <= best.fun + 1e-6


def test_one_class_gives_no_certainty():
    slope, offset = sigmoids.fit_sigmoid(np.ones(8), np.ones(8, bool))
    assert 0.85 < expit(slope + offset) < 1.0


def test_coupling_returns_consistent_probabilities():
    rng = np.random.default_rng(0)
    p = rng.dirichlet(np.ones(4), 50)
    pairs = [(a, b) for a in range(4) for b in range(a + 1, 4)]
    pairwise = np.stack([p[:, b] / (p[:, a] + p[:, b]) for a, b in pairs], axis=1)
    np.testing.assert_allclose(sigmoids.couple_pairs(pairwise, 4), p, atol=1e-9)
    sure = sigmoids.couple_pairs(np.array([[0.0, 1.0, 1.0]]), 3)
    assert np.isfinite(sure).all()


@pytest.mark.parametrize("random", [None, np.random.RandomState(0)])
def test_folds_are_stratified_and_cover_every_row_once(random):
    codes = np.array([0] * 7 + [1] * 13)
    folds = sigmoids.spread_folds(codes, 4, random)
    assert sorted(np.concatenate([test for _, test in folds]).tolist()) == list(range(20))
    for train, test in folds:
        assert set(train) | set(test) == set(range(20))
        assert 1 <= (codes[test] == 0).sum() <= 2


@pytest.mark.parametrize("scale", [1e-250, 1e-12, 1e12, 1e250])
def test_decisions_of_any_size_have_the_same_sigmoid(scale):
    random = np.random.default_rng(0)
    decisions, positive = random.normal(size=60), random.random(60) < 0.5
    decisions[positive] += 1.0
    slope, offset = sigmoids.fit_sigmoid(decisions, positive)
    scaled = sigmoids.fit_sigmoid(decisions * scale, positive)
    assert scaled[0] * scale == pytest.approx(slope, rel=1e-3)
    assert scaled[1] == pytest.approx(offset, rel=1e-3, abs=1e-4)
