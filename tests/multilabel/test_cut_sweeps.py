"""All thresholds of a label at once against one after the other."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bncc.metrics import METRICS, compare, hamming_loss
from bncc.multilabel.cut_sweeps import LabelColumn, values_of_cuts
from bncc.multilabel.thresholds import Objective, _values_of_cuts, best_thresholds

ON_LABELS = [name for name, metric in METRICS.items() if metric.needs == "labels"]
AVERAGES = [name for name in ON_LABELS if name.partition("_")[0] in ("example", "macro", "micro", "weighted")]
AVERAGES.remove("example_f1_of_means")


def drawn(seed, n_rows=30, n_labels=4):
    """Truth, scores with ties, infinities and a NaN, what is known, and weights of which one is 0."""
    random = np.random.default_rng(seed)
    truth = random.random((n_rows, n_labels)) < random.uniform(0.0, 0.6, n_labels)
    scores = np.round(truth + random.normal(size=truth.shape), 1)
    scores[random.integers(n_rows), 0], scores[random.integers(n_rows), 0] = np.nan, np.inf
    scores[random.random(truth.shape) < 0.1] = -np.inf
    weight = random.uniform(0.0, 2.0, n_rows) * (np.arange(n_rows) > 0)
    return truth, scores, random.random(truth.shape) < 0.8, weight


def one_by_one(objective, predicted, label, column, cuts):
    values = []
    for cut in cuts:
        changed = predicted.copy()
        changed[:, label] = column > cut
        values.append(objective(changed))
    return np.array(values)


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(ON_LABELS), st.booleans(), st.booleans(), st.integers(0, 3))
def test_all_at_once_is_one_after_the_other(seed, metric, weighted, masked, label):
    truth, scores, known, weight = drawn(seed)
    objective = Objective(metric, truth & known if masked else truth, weight if weighted else None,
                          known if masked else None)  # fmt: skip
    predicted = scores > 0
    cuts = np.unique(np.concatenate([[-9.0, 0.05], scores[np.isfinite(scores[:, label]), label]]))
    found = _values_of_cuts(objective, predicted, label, scores[:, label], cuts)
    assert np.allclose(found, one_by_one(objective, predicted, label, scores[:, label], cuts), atol=1e-12, rtol=0)


@pytest.mark.parametrize("metric", AVERAGES)
def test_averages_need_no_second_look(metric):
    truth, scores, _, _ = drawn(1)
    column = LabelColumn(2, scores[:, 2], truth[:, 2], scores[:, 2] > 0, slice(None))
    assert values_of_cuts(METRICS[metric].function, compare(truth, scores > 0), column, np.zeros(1)) is not None


def test_other_metrics_and_rows_without_weight_are_left_to_others():
    truth, scores, _, weight = drawn(2)
    column = LabelColumn(0, scores[:, 0], truth[:, 0], scores[:, 0] > 0, slice(None))
    assert values_of_cuts(hamming_loss, compare(truth, scores > 0), column, np.zeros(1)) is None
    nothing = compare(truth, scores > 0, sample_weight=weight)
    nothing.row_weight[:] = 0.0
    assert values_of_cuts(METRICS["macro_f1"].function, nothing, column, np.zeros(1)) is None


@pytest.mark.parametrize("metric", ["example_f1", "macro_f1", "micro_f1", "weighted_jaccard"])
def test_the_same_thresholds_are_chosen(metric, monkeypatch):
    truth, scores, known, weight = drawn(3, 200, 6)
    objective = Objective(metric, truth & known, weight, known)
    quick = best_thresholds(scores, objective, 0.0)
    monkeypatch.setattr("bncc.multilabel.thresholds.values_of_cuts", lambda *_: None)
    assert quick.tolist() == best_thresholds(scores, objective, 0.0).tolist()
