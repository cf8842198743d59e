"""Thresholds against sweeps over every possible cut."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bncc.metrics import METRICS, get_metric
from bncc.multilabel.thresholds import (
    Objective,
    _column_value,
    best_threshold,
    best_thresholds,
    counts_threshold,
    counts_thresholds,
    shrink,
)


def case(seed, n_rows=40, n_labels=4):
    random = np.random.default_rng(seed)
    truth = random.random((n_rows, n_labels)) < random.uniform(0.1, 0.6, n_labels)
    return truth, np.round(truth + random.normal(size=truth.shape), 2) - random.uniform(-1, 2)


def every_cut(scores):
    ranked = np.unique(scores)
    return np.concatenate([[ranked[0] - 1], ranked])


@pytest.mark.parametrize("metric", ["example_f1", "micro_f1", "macro_f1", "hamming_loss", "subset_accuracy"])
@pytest.mark.parametrize("seed", range(4))
def test_the_global_threshold_is_close_to_the_best_of_all(metric, seed):
    truth, scores = case(seed)
    objective = Objective(metric, truth)
    best = max(objective(scores > cut) for cut in every_cut(scores))
    found = objective(scores > best_threshold(scores, objective))
    assert best - 0.01 <= found <= best
    assert found >= objective(scores > 0)


def test_losses_are_made_small():
    truth, scores = case(0)
    cut = best_threshold(scores, Objective("hamming_loss", truth))
    assert get_metric("hamming_loss").function(truth, scores > cut) <= np.mean(truth)


def test_of_equal_thresholds_the_nearest_to_zero_is_taken():
    truth = np.array([[1, 0], [0, 1]], bool)
    assert best_threshold(np.where(truth, 1.0, -1.0), Objective("micro_f1", truth)) == 0.0


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([m for m in METRICS if METRICS[m].needs == "labels"]), st.booleans())
def test_changing_a_column_counts_as_starting_anew(seed, metric, weighted):
    truth, scores = case(seed, 15, 3)
    random = np.random.default_rng(seed)
    objective = Objective(metric, truth, random.uniform(0.1, 2, 15) if weighted else None)
    predicted = scores > 0
    column = random.random(15) < 0.5
    changed = predicted.copy()
    changed[:, 1] = column
    assert _column_value(objective, predicted, 1)(column) == pytest.approx(objective(changed), abs=1e-6)


def test_thresholds_per_label_reach_the_best_of_a_mean_over_labels():
    truth, scores = case(5, 60)
    objective = Objective("macro_f1", truth)
    cuts = best_thresholds(scores, objective, 0.0)
    f1 = get_metric("micro_f1").function
    best = np.mean([max(f1(truth[:, [l]], scores[:, [l]] > c) for c in every_cut(scores[:, l])) for l in range(4)])
    assert objective(scores > cuts) == pytest.approx(best, abs=0.01)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("metric", ["example_f1", "subset_accuracy", "hamming_loss"])
def test_thresholds_per_label_are_no_worse_than_the_start(metric, seed):
    truth, scores = case(seed)
    objective = Objective(metric, truth)
    start = best_threshold(scores, objective)
    assert objective(scores > best_thresholds(scores, objective, start)) >= objective(scores > start)


def test_a_function_is_an_objective_like_the_metric_it_computes():
    truth, scores = case(2)
    named = Objective("example_f1", truth)
    own = Objective(lambda true, made: get_metric("example_f1").function(true, made), truth)
    assert best_threshold(scores, own) == best_threshold(scores, named)
    np.testing.assert_allclose(best_thresholds(scores, own, 0.1), best_thresholds(scores, named, 0.1))


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6))
def test_counts(seed):
    random = np.random.default_rng(seed)
    scores = random.permutation(np.arange(12.0)).reshape(4, 3)
    for wanted in range(13):
        assert (scores > counts_threshold(scores, wanted)).sum() == wanted


def test_cells_that_are_never_predicted_do_not_count():
    scores = np.array([[1.0, -np.inf], [0.5, 0.2]])
    assert (scores > counts_threshold(scores, 3)).sum() == 3
    assert np.isfinite(counts_threshold(np.full((1, 1), -np.inf), 0))
    truth = np.array([[1, 0], [1, 1]], bool)
    assert np.isfinite(best_threshold(scores, Objective("micro_f1", truth)))


def test_shrinkage_lies_between():
    own, positive = np.array([-1.0, 0.5]), np.array([5, 50])
    np.testing.assert_array_equal(shrink(own, 0.2, positive, 0.0), own)
    np.testing.assert_allclose(shrink(own, 0.2, positive, 1e12), 0.2)
    np.testing.assert_array_equal(shrink(own, 0.2, np.array([0, 0]), 0.0), 0.2)


def test_metrics_of_rankings_are_refused():
    with pytest.raises(ValueError, match="'macro_auc' ranks scores and does not depend on thresholds"):
        Objective("macro_auc", np.ones((2, 2), bool))


def test_one_label_is_measured_as_a_label():
    truth, scores = case(1, 60, 1)
    cut = best_threshold(scores, Objective("example_f1", truth))
    assert cut == best_threshold(scores, Objective("macro_f1", truth))
    assert 0 < (scores > cut).mean() < 1


def test_several_counts_are_met_with_one_ranking():
    scores = np.random.default_rng(0).normal(size=(40, 3))
    wanted = np.array([0.0, 3.4, 60.0, 500.0])
    one_by_one = [counts_threshold(scores, each) for each in wanted]
    np.testing.assert_array_equal(counts_thresholds(scores, wanted), one_by_one)
    assert counts_thresholds(np.zeros((0, 3)), wanted).tolist() == [0.0] * 4
