from __future__ import annotations

import inspect
import re

import numpy as np
import pytest
from scipy import sparse

import bncc.metrics as metrics
from bncc.metrics import METRICS, PAPER_METRICS, Metric, evaluate, get_metric

TRUE = np.array([[1, 1, 0], [0, 1, 1], [1, 0, 0]])
PRED = np.array([[1, 0, 0], [0, 1, 1], [0, 1, 0]])
SCORE = np.array([[0.9, 0.4, 0.1], [0.2, 0.8, 0.6], [0.3, 0.7, 0.2]])
WIDE = np.array([[1, 1, 0, 0, 0, 1, 0, 0], [0, 1, 1, 0, 1, 0, 0, 1], [1, 0, 0, 1, 0, 0, 1, 0]])  # more than 5 labels


@pytest.mark.parametrize("name", METRICS)
def test_every_record_tells_the_truth(name):
    metric = METRICS[name]
    assert metric.name == name == metric.function.__name__
    assert metric.function is getattr(metrics, name)
    assert metric.description
    assert "sample_weight" in inspect.signature(metric.function).parameters
    # The direction: a perfect answer is at least as good as an inverted one, by what the record says.
    perfect, inverted = (metric.function(WIDE, Y) for Y in (WIDE, 1 - WIDE))
    assert perfect > inverted if metric.greater_is_better else perfect < inverted
    # The kind: only metrics on scores accept what is no 0/1 matrix, and only those of any scale what exceeds 1.
    if metric.needs == "scores":
        metric.function(TRUE, SCORE)
    elif metric.needs == "probabilities":
        metric.function(TRUE, SCORE)
        with pytest.raises(ValueError, match="between 0 and 1"):
            metric.function(TRUE, SCORE + 1.0)
    else:
        with pytest.raises(ValueError, match="0/1"):
            metric.function(TRUE, SCORE)


def test_every_metric_of_the_package_is_registered():
    functions = {name for name in metrics.__all__ if name.startswith(("example_", "macro_", "micro_", "weighted_"))} | {
        "hamming_loss",
        "subset_accuracy",
        "ranking_loss",
        "coverage_error",
        "one_error",
        "label_ranking_average_precision",
        "log_loss",
        "brier_score",
        *(name for name in metrics.__all__ if re.search("_at_[0-9]+$", name)),
    }
    assert functions == set(METRICS)


def test_the_papers_names():
    assert list(PAPER_METRICS) == ["HammingLoss", "Fscore", "MacF", "MicF"]
    assert set(PAPER_METRICS.values()) <= set(METRICS)


def test_registries_cannot_be_changed():
    with pytest.raises(TypeError):
        METRICS["mine"] = METRICS["macro_f1"]


def test_get_metric():
    record = get_metric("macro_f1")
    assert get_metric(record) is record
    with pytest.raises(ValueError, match=r"no metric 'macrof1'\. Did you mean 'macro_f1'"):
        get_metric("macrof1")
    with pytest.raises(ValueError, match="Known metrics: hamming_loss"):
        get_metric("???")


@pytest.mark.parametrize(
    ("part", "meant"),
    [
        ("f1", "'example_f1' or 'macro_f1' or 'micro_f1'"),
        ("F1", "'example_f1'"),
        ("AUC", "'macro_auc' or 'micro_auc'"),
        ("accuracy", "'subset_accuracy'"),
        ("average precision", "'label_ranking_average_precision'"),
    ],
)
def test_part_of_a_name_suggests_those_that_have_it(part, meant):
    with pytest.raises(ValueError, match=rf"no metric {part!r}\. Did you mean {meant}") as told:
        get_metric(part)
    assert "Known metrics" not in str(told.value)


def test_evaluate_equals_the_functions():
    weight = [1.0, 2.0, 0.5]
    values = evaluate(TRUE, PRED, SCORE, SCORE, sample_weight=weight, zero_division=1.0)
    assert list(values) == list(METRICS)
    for name, metric in METRICS.items():
        options = {"zero_division": 1.0} if metric.takes_zero_division else {}
        second = PRED if metric.needs == "labels" else SCORE
        assert values[name] == metric.function(TRUE, second, sample_weight=weight, **options)


def test_evaluate_takes_what_is_there():
    assert set(evaluate(TRUE, PRED)) == {name for name, m in METRICS.items() if m.needs == "labels"}
    assert set(evaluate(TRUE, Y_score=SCORE)) == {name for name, m in METRICS.items() if m.needs == "scores"}
    assert list(evaluate(TRUE, PRED, metrics=["micro_f1", "hamming_loss"])) == ["micro_f1", "hamming_loss"]
    assert list(evaluate(TRUE, PRED, metrics="micro_f1")) == ["micro_f1"]


def test_evaluate_leaves_out_what_unknown_labels_do_not_allow():
    partly = TRUE.astype(float)
    partly[0, 1] = np.nan
    values = evaluate(partly, PRED, SCORE, SCORE)
    assert set(METRICS) - set(values) == {name for name in METRICS if name.startswith("ps_")}
    for name in values:
        second = PRED if METRICS[name].needs == "labels" else SCORE
        assert values[name] == METRICS[name].function(partly, second)
    with pytest.raises(ValueError, match=r"`Y_true` has labels that are not known .*`propensities=label_propensities"):
        evaluate(partly, Y_score=SCORE, metrics=["ps_ndcg_at_3"])


def test_evaluate_leaves_out_what_sparse_scores_do_not_allow():
    assert set(evaluate(TRUE, Y_score=sparse.csr_array(SCORE))) == {name for name in METRICS if "_at_" in name}
    with pytest.raises(ValueError, match="`Y_score` must be dense"):
        evaluate(TRUE, Y_score=sparse.csr_array(SCORE), metrics=["one_error"])


def test_evaluate_takes_a_users_metric():
    n_wrong = Metric("n_wrong", lambda true, pred: float((true != pred).sum()), False, "labels", "Wrong cells")
    assert evaluate(TRUE, PRED, metrics=[n_wrong]) == {"n_wrong": 3.0}


def test_undefined_is_nan_and_the_rest_is_there():
    values = evaluate([[1, 1]], Y_score=[[0.2, 0.3]], metrics=["macro_auc", "one_error"])
    assert np.isnan(values["macro_auc"])
    assert values["one_error"] == 0.0


def test_errors():
    with pytest.raises(ValueError, match="`Y_score` is needed for macro_auc"):
        evaluate(TRUE, PRED, metrics=["macro_auc", "macro_f1"])
    with pytest.raises(ValueError, match="`Y_pred` is needed for macro_f1"):
        evaluate(TRUE, Y_score=SCORE, metrics=["macro_auc", "macro_f1"])
    with pytest.raises(ValueError, match="Nothing to evaluate"):
        evaluate(TRUE)


def test_the_papers_names_are_taken():
    for name, own in PAPER_METRICS.items():
        assert get_metric(name) is METRICS[own]
    assert evaluate(TRUE, PRED, metrics=["MacF"]) == evaluate(TRUE, PRED, metrics=["macro_f1"])
    with pytest.raises(ValueError, match="Did you mean 'MacF'"):
        get_metric("MaccF")


def test_predictions_that_no_chosen_metric_needs_are_not_looked_at():
    values = evaluate(TRUE, SCORE, SCORE, metrics=["macro_auc"])
    assert values == evaluate(TRUE, None, SCORE, metrics=["macro_auc"])
