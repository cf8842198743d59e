import numpy as np
import pytest

from bncc.metrics import METRICS, get_metric
from bncc.multilabel.blending.selection_score import score_rates

RNG = np.random.default_rng(0)
TRUTH = RNG.random((80, 4)) < 0.3


@pytest.mark.parametrize("name", METRICS)
def test_the_truth_scores_best_for_every_metric(name):
    metric = get_metric(name)
    right, wrong = np.where(TRUTH, 0.4, -0.4), np.where(TRUTH, -0.4, 0.4)
    assert score_rates(metric, right, TRUTH) > score_rates(metric, wrong, TRUTH) - 1e-12
    noise = RNG.random(TRUTH.shape) - 0.5
    assert score_rates(metric, right, TRUTH) >= score_rates(metric, noise, TRUTH)


def test_unknown_labels_count_nowhere():
    known = RNG.random(TRUTH.shape) < 0.7
    other = np.where(known, TRUTH, ~TRUTH)
    scores = RNG.random(TRUTH.shape) - 0.5
    for name in ("example_f1", "macro_auc", "hamming_loss", "ranking_loss"):
        kept = TRUTH & known
        assert score_rates(get_metric(name), scores, kept, known) == pytest.approx(
            score_rates(get_metric(name), scores, other & known, known)
        )


def test_one_label_has_no_ranking_and_one_class_no_curve():
    one = TRUTH[:, :1]
    assert score_rates(get_metric("ranking_loss"), np.where(one, 0.4, -0.4), one) == 1.0
    assert score_rates(get_metric("macro_auc"), np.zeros((5, 1)), np.zeros((5, 1), bool)) == 0.0


def test_exact_matches_count_the_most_probable_set_that_occurs():
    truth = np.array([[1, 1, 0], [0, 0, 1]] * 4, bool)
    rates = np.where(truth, 0.6, 0.4)
    rates[:, 0] = np.where(truth[:, 0], 0.45, 0.4)  # just below one half
    metric, sets = get_metric("subset_accuracy"), np.unique(truth, axis=0)
    assert score_rates(metric, rates - 0.5, truth) == 0.5
    assert score_rates(metric, rates - 0.5, truth, sets=sets) == 1.0
