import json
import time
from dataclasses import asdict

import numpy as np
import pandas as pd
import pytest

from bncc.analysis.quality import read_predictions, summarise_methods, summarise_quality
from quality_examples import made_scores


def test_one_summary_holds_all_parts():
    Y, S = made_scores()
    summary = summarise_quality(pd.DataFrame(Y, columns=list("abcdefg")), S, method="mine")
    (quality,) = summary.methods
    assert summary.label_names == tuple("abcdefg")
    assert quality.method == "mine"
    assert [label.name for label in quality.labels] == list("abcdefg")
    assert len(quality.curves) == len(quality.label_calibration) == 7
    assert quality.worst.label != quality.best.label
    assert quality.confused
    assert quality.rows
    assert summary.strengths == ()
    json.dumps(asdict(summary), allow_nan=False)
    for label, curve in zip(quality.labels, quality.curves, strict=True):
        assert label.best_f1 >= label.f1.value
        assert label.best_threshold == curve.thresholds[curve.best]


def test_labels_without_rows_and_predictions_without_scores():
    Y = np.array([[1, 0], [0, 0], [1, 0]])
    (quality,) = summarise_quality(Y, [[0.9, 0.1], [0.2, 0.1], [0.4, 0.3]]).methods
    assert quality.labels[1].best_f1 is None
    (hard,) = summarise_quality(Y, Y_pred=Y).methods
    assert hard.curves == ()
    assert hard.calibration is None
    json.dumps(asdict(summarise_quality(Y, Y_pred=Y)), allow_nan=False)


def test_the_confidence_is_that_asked_for():
    Y, S = made_scores()
    wide, narrow = (summarise_quality(Y, S, confidence=level).methods[0].labels[0].f1 for level in (0.99, 0.8))
    assert wide.low < narrow.low < narrow.high < wide.high
    with pytest.raises(ValueError, match="`confidence` must lie within"):
        summarise_quality(Y, S, confidence=95)


def test_methods_must_share_their_rows():
    Y, S = made_scores()
    first, other = read_predictions(Y, S), read_predictions(1 - Y, S)
    with pytest.raises(ValueError, match="those of 'b' are not"):
        summarise_methods({"a": first, "b": other}, list("abcdefg"))
    with pytest.raises(ValueError, match="at least one method"):
        summarise_methods({}, [])
    both = summarise_methods({"a": first, "b": first}, list("abcdefg"))
    assert [strength.method for strength in both.strengths] == ["a", "b"]


@pytest.mark.slow
def test_five_thousand_rows_and_four_hundred_labels_take_seconds():
    Y, S = made_scores(5000, 400)
    start = time.process_time()
    summarise_quality(Y, S)
    assert time.process_time() - start < 10
