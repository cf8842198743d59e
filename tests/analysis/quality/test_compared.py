from dataclasses import replace

import numpy as np
import pytest

from bncc.analysis.quality import KeptAnswers, best_method
from bncc.datasets import make_scenes
from bncc.evaluation import EvaluationPlan, Record, as_labelled, compare_methods

DATA = make_scenes(90)


def test_answers_are_kept_once_per_row_and_agree_with_the_records():
    kept = KeptAnswers()
    plan = EvaluationPlan(["br", "mlknn"], ["micro_f1"], folds=3, repeats=2, base="linear")
    records = compare_methods(DATA, plan, keep=kept)
    summary = kept.judge(DATA.Y, DATA.label_names)
    assert summary.n_rows == 90
    assert [quality.method for quality in summary.methods] == ["br", "mlknn"]
    for quality in summary.methods:
        folds = [r.scores["micro_f1"] for r in records if r.method == quality.method and r.repeat == 0]
        assert min(folds) <= quality.averages.micro_f1.value <= max(folds)
        assert quality.calibration is not None
    assert records == [
        replace(record, train_seconds=kept_record.train_seconds, test_seconds=kept_record.test_seconds)
        for record, kept_record in zip(compare_methods(DATA, plan), records, strict=True)
    ]


def test_a_split_of_its_own_judges_its_test_rows():
    data = replace(as_labelled(DATA), train=np.arange(60), test=np.arange(60, 90))
    kept = KeptAnswers()
    compare_methods(data, EvaluationPlan(["mlknn"], own_split=True), keep=kept)
    summary = kept.judge(data.Y, data.label_names)
    assert summary.n_rows == 30
    assert all(60 <= row.row < 90 for row in summary.methods[0].rows)


def test_the_best_method_is_that_of_the_metric():
    scores = {"a": {"hamming_loss": 0.1, "micro_f1": 0.5}, "b": {"hamming_loss": 0.2, "micro_f1": 0.6}}
    records = [Record("d", name, 0, 0, values) for name, values in scores.items()]
    assert best_method(records, "micro_f1") == "b"
    assert best_method(records, "example_f1") == "a"  # by the loss, which comes first
    with pytest.raises(IndexError):
        best_method([], "micro_f1")
