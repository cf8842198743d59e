import numpy as np
import pytest
from scipy.special import expit

from bncc.multilabel.blending.rate_sigmoids import fit_sigmoids, log_odds


def drawn(n_rows, slopes, offsets, seed=0):
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=(n_rows, len(slopes))) * 2
    return scores, rng.random(scores.shape) < expit(scores * slopes + offsets)


def test_the_sigmoids_that_labels_were_drawn_from_are_found():
    scores, truth = drawn(20_000, np.array([1.0, 2.0]), np.array([-1.0, 0.5]))
    found = fit_sigmoids(scores, truth)
    np.testing.assert_allclose(found.slopes, [1.0, 2.0], rtol=0.1)
    np.testing.assert_allclose(found.offsets, [-1.0, 0.5], atol=0.15)


def test_rates_are_calibrated():
    scores, truth = drawn(5000, np.full(5, 0.7), np.linspace(-3, 0, 5))
    rates = fit_sigmoids(scores, truth)(scores)
    np.testing.assert_allclose(rates.mean(axis=0), truth.mean(axis=0), atol=0.01)
    high = rates > 0.6
    assert truth[high].mean() == pytest.approx(rates[high].mean(), abs=0.04)


def test_a_rare_label_stays_near_the_others_and_a_constant_one_is_finite():
    scores, truth = drawn(400, np.full(6, 1.0), np.full(6, 0.0))
    truth[:, 4] = False
    truth[:, 5] = False
    truth[0, 5] = True
    found = fit_sigmoids(scores, truth)
    assert np.isfinite(found.slopes).all()
    assert np.isfinite(found.offsets).all()
    assert (found.slopes > 0).all()
    assert found(scores)[:, 4].max() < 0.9


def test_unknown_labels_and_weights_count_as_they_should():
    scores, truth = drawn(600, np.ones(2), np.zeros(2))
    known = np.ones(truth.shape, bool)
    known[300:, 1] = False
    other = truth.copy()
    other[300:, 1] = ~other[300:, 1]
    first, second = (fit_sigmoids(scores, each, known) for each in (truth, other))
    np.testing.assert_allclose(first.slopes, second.slopes)
    weight = np.r_[np.ones(300), np.zeros(300)]
    weighted, half = fit_sigmoids(scores, truth, None, weight), fit_sigmoids(scores[:300], truth[:300])
    np.testing.assert_allclose(weighted.offsets, half.offsets, atol=0.05)


def test_log_odds_are_finite():
    assert np.isfinite(log_odds(np.array([0.0, 0.5, 1.0]))).all()


def test_many_labels_share_one_sigmoid_that_keeps_their_ranks():
    rng = np.random.default_rng(0)
    scores = -1.0 + 0.01 * rng.normal(size=(100, 1200))
    truth = rng.random(scores.shape) < 0.001
    scores[truth] += 0.3 * rng.random(int(truth.sum()))
    sigmoids = fit_sigmoids(scores, truth)
    assert np.unique(sigmoids.slopes).size == np.unique(sigmoids.offsets).size == 1
    assert abs(sigmoids(scores).sum() / truth.sum() - 1.0) < 0.1


def test_few_rows_that_are_told_apart_without_fault_make_nothing_certain():
    scores = np.repeat([[-1.0], [1.0]], [14, 6], axis=0)
    truth = scores > 0
    few = fit_sigmoids(scores, truth)(scores)
    assert 0.9 < few.max() < 0.98
    assert 0.005 < few.min() < 0.05
    assert few.mean() == pytest.approx(truth.mean(), abs=0.01)
    many = fit_sigmoids(np.repeat(scores, 20, axis=0), np.repeat(truth, 20, axis=0))(scores)
    assert many.max() > few.max()
    assert many.min() < few.min()
