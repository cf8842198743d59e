"""By how much the best method leads: the interval holds as often as it says, and knows how many were compared."""

import math

import numpy as np
import pytest

from bncc.analysis.leads import lead_over_folds, lead_over_rows
from bncc.analysis.significance import resampled_t
from bncc.evaluation.records import WHOLE, Record
from bncc.evaluation.tested_rows import Answers


def made_records(scores, metric="micro_f1", repeat=0):
    return [
        Record("d", method, repeat, fold, {metric: float(score)})
        for method, row in scores.items()
        for fold, score in enumerate(row)
    ]


def test_the_interval_is_that_of_the_corrected_test():
    first, second = np.array([0.71, 0.74, 0.70, 0.75, 0.73]), np.array([0.70, 0.71, 0.70, 0.71, 0.71])
    lead = lead_over_folds(made_records({"b": second, "a": first}), "micro_f1")
    test = resampled_t(first - second, 5)
    assert (lead.first, lead.second, lead.n_folds, lead.n_rivals) == ("a", "b", 5, 1)
    assert lead.difference == pytest.approx(0.02)
    assert lead.is_sure == (test.p_value < 0.05)
    at = lead_over_folds(made_records({"b": second, "a": first}), "micro_f1", confidence=1 - test.p_value)
    assert at.low == pytest.approx(0, abs=1e-12)


def test_lower_is_better_where_the_metric_says_so():
    lead = lead_over_folds(made_records({"a": [0.3, 0.4], "b": [0.2, 0.25]}, "hamming_loss"), "hamming_loss")
    assert (lead.first, lead.second) == ("b", "a")
    assert lead.difference == pytest.approx(0.125)


def test_more_rivals_make_a_wider_interval():
    few = {"a": [0.7, 0.75, 0.72], "b": [0.6, 0.66, 0.61]}
    many = few | {name: [0.1, 0.12, 0.1] for name in "cdef"}
    narrow, wide = (lead_over_folds(made_records(scores), "micro_f1") for scores in (few, many))
    assert wide.n_rivals == 5
    assert wide.low < narrow.low < narrow.difference == wide.difference


def test_what_cannot_be_compared_has_no_lead():
    assert lead_over_folds([], "micro_f1") is None
    assert lead_over_folds(made_records({"a": [0.5, 0.6]}), "micro_f1") is None
    assert lead_over_folds(made_records({"a": [0.5], "b": [0.6]}), "micro_f1") is None
    assert lead_over_folds(made_records({"a": [0.5, math.nan], "b": [0.6, 0.7]}), "micro_f1") is None
    pooled = [Record("d", method, 0, WHOLE, {"micro_f1": 0.5}) for method in "ab"]
    assert lead_over_folds(pooled, "micro_f1") is None
    assert lead_over_rows("d", {"a": answers([[1, 0]])}, [[1, 0]], "micro_f1") is None


def test_equal_methods_lead_by_nothing():
    same = lead_over_folds(made_records({"a": [0.5, 0.6], "b": [0.5, 0.6]}), "micro_f1")
    assert (same.difference, same.low, same.high, same.is_sure) == (0, 0, 0, False)
    crossed = lead_over_folds(made_records({"a": [0.5, 0.7], "b": [0.7, 0.5]}), "micro_f1")
    assert crossed.difference == pytest.approx(0)
    assert crossed.low < -0.1 < 0.1 < crossed.high
    assert str(crossed).endswith("(95 %, over 2 folds, 1 rival): they may be alike.")


def test_repeats_count_all_their_folds():
    records = made_records({"a": [0.7, 0.8], "b": [0.6, 0.65]}) + made_records(
        {"a": [0.7, 0.8], "b": [0.6, 0.7]}, repeat=1
    )
    assert lead_over_folds(records, "micro_f1").n_folds == 4


def answers(predicted, rows=None):
    predicted = np.asarray(predicted, dtype=bool)
    return Answers(np.arange(len(predicted)) if rows is None else rows, predicted, None, None)


def noisy(truth, rate, random):
    return truth ^ (random.random(truth.shape) < rate)


def test_over_rows_the_interval_holds_the_true_difference_as_often_as_it_says():
    held = 0
    for seed in range(60):
        random = np.random.default_rng(seed)
        truth = random.random((250, 4)) < 0.4
        found = {"a": answers(noisy(truth, 0.10, random)), "b": answers(noisy(truth, 0.16, random))}
        lead = lead_over_rows("d", found, truth.astype(int), "hamming_loss", random_state=seed)
        true = 0.06 if lead.first == "a" else -0.06
        held += lead.low <= true <= lead.high
    assert 52 <= held <= 60  # 57 expected


def test_rows_are_those_that_were_tested():
    truth = np.array([[1, 0], [0, 1], [1, 1], [0, 0]] * 20)
    rows = np.arange(40, 80)
    found = {"right": answers(truth[rows], rows), "wrong": answers(1 - truth[rows], rows)}
    lead = lead_over_rows("d", found, truth, "hamming_loss")
    assert (lead.first, lead.difference, lead.n_folds) == ("right", 1.0, 0)
    assert lead.is_sure
    assert "rows drawn anew" in str(lead)
