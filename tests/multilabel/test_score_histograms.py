import numpy as np
import pytest

from bncc.multilabel.calibration import apply_slopes, fit_slopes
from bncc.multilabel.score_histograms import ScoreHistograms


def draw(seed=0, scale=1.0):
    random = np.random.default_rng(seed)
    truth = random.random((3000, 4)) < [0.02, 0.1, 0.4, 0.0]
    scores = scale * (truth * 1.6 + random.normal(scale=0.6, size=truth.shape) - 1)
    scores[:5] = 0.0
    return scores, truth, random.uniform(0, 2, len(truth)).round(1)


def exact(scores, truth, weight, known):
    return np.array([fit_slopes(scores[at, k], truth[at, k], weight[at]) for k, at in enumerate(known.T)])


@pytest.mark.parametrize("scale", [1e-2, 1.0, 30.0])
def test_slopes_are_nearly_those_of_the_scores(scale):
    scores, truth, weight = draw(scale=scale)
    known = np.random.default_rng(1).random(scores.shape) < 0.9
    histograms = ScoreHistograms(4)
    for rows in np.array_split(np.arange(len(scores)), 6):
        histograms.add(scores[rows], truth[rows], known[rows], weight[rows])
    found, wanted = histograms.slopes(), exact(scores, truth, weight, known)
    np.testing.assert_allclose(found, wanted, rtol=5e-3)
    assert np.abs(apply_slopes(scores, found) - apply_slopes(scores, wanted)).max() < 1e-3


def test_blocks_do_not_matter_and_weights_of_one_are_none():
    scores, truth, _ = draw()
    whole, parts = ScoreHistograms(4), ScoreHistograms(4)
    whole.add(scores, truth)
    for rows in np.array_split(np.arange(len(scores)), 3):
        parts.add(scores[rows], truth[rows], np.ones((len(rows), 4), bool), np.ones(len(rows)))
    np.testing.assert_allclose(whole.slopes(), parts.slopes(), rtol=1e-9)


def test_shared_slopes():
    scores, truth, weight = draw()
    histograms = ScoreHistograms(4)
    histograms.add(scores, truth, None, weight)
    found = histograms.shared_slopes()
    wanted = fit_slopes(scores.ravel(), truth.ravel(), np.repeat(weight, 4))
    assert found.shape == (4, 2)
    np.testing.assert_allclose(found, np.tile(wanted, (4, 1)), rtol=5e-3)


def test_scores_beyond_the_bins_are_counted():
    histograms = ScoreHistograms(1)
    scores = np.array([[-1e9], [-1e-9], [1e-9], [1e9], [0.0]])
    histograms.add(scores, np.array([[0], [0], [1], [1], [0]], bool))
    assert (histograms.slopes() > 0).all()
    assert histograms._weights.sum() == 3
