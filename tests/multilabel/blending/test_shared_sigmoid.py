import numpy as np
import pytest
from scipy.special import expit
from sklearn.linear_model import LogisticRegression

from bncc.multilabel.blending.shared_sigmoid import fit_shared_sigmoid

RNG = np.random.default_rng(0)


def test_it_is_logistic_regression_on_all_cells():
    scores = RNG.normal(size=(60, 50))
    truth = RNG.random(scores.shape) < expit(2.0 * scores - 1.0)
    counted = RNG.integers(0, 3, scores.shape).astype(float)
    slope, offset = fit_shared_sigmoid(scores, truth, counted)
    plain = LogisticRegression(C=1e9, tol=1e-10).fit(scores.reshape(-1, 1), truth.ravel(), counted.ravel())
    assert slope == pytest.approx(plain.coef_[0, 0], rel=0.01)
    assert offset == pytest.approx(plain.intercept_[0], rel=0.01)


def test_rare_cells_far_from_scores_that_lie_close_together():
    # As of support vector machines of thousands of labels: nearly all scores are next to -1.
    scores = -1.0 + 0.01 * RNG.normal(size=(200, 1500))
    truth = RNG.random(scores.shape) < 0.0005
    scores[truth] += RNG.random(int(truth.sum())) * 0.5
    slope, offset = fit_shared_sigmoid(scores, truth, np.ones(scores.shape))
    assert expit(slope * scores + offset).sum() == pytest.approx(truth.sum(), rel=0.05)


@pytest.mark.parametrize("truth", [np.zeros((5, 3), bool), np.ones((5, 3), bool)])
@pytest.mark.parametrize("weight", [0.0, 1.0])
def test_labels_of_one_value_and_scores_of_one_value_have_an_answer(truth, weight):
    for scores in (np.zeros(truth.shape), RNG.normal(size=truth.shape)):
        slope, offset = fit_shared_sigmoid(scores, truth, np.full(truth.shape, weight))
        assert slope > 0
        assert np.isfinite([slope, offset]).all()


def test_scores_that_rank_the_wrong_way_keep_their_ranks():
    scores = RNG.normal(size=(100, 3))
    assert 0 < fit_shared_sigmoid(scores, scores < 0, np.ones(scores.shape))[0] < 1e-3
