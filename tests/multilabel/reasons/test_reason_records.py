import json

import pytest

from bncc._records import revive
from bncc.multilabel.reasons import Explanation, LabelReasons, Reason, RowReasons
from bncc.multilabel.reasons.reason_records import in_words

REASONS = (
    Reason("word 'money'", "feature", 1.2),
    Reason("billing", "label", 0.8, "predicted"),
    Reason("age", "feature", -0.25, "42", 0.01),
)
REFUND = LabelReasons(1, 1.35, -0.4, REASONS, 0.0, 0.01, "refund", True, 0.95, 0.8)
ROW = RowReasons(3, (REFUND,), "BNCC", "", "direct", False, 100, 5000)


def test_the_strongest_are_kept_and_the_others_are_the_rest():
    top = ROW.top(1).labels[0]
    assert [reason.name for reason in top.reasons] == ["word 'money'"]
    assert top.rest == pytest.approx(0.55)
    assert top.base + 1.2 + top.rest == pytest.approx(top.score)
    assert (top.from_features, top.from_labels) == (0.95, 0.8)
    assert REFUND.top(9) == REFUND


def test_reasons_in_words():
    assert str(REFUND) == "refund: word 'money' +1.2, billing (predicted) +0.8, age (42) -0.25 ± 0.01"
    assert in_words("x", LabelReasons(0, 0.0, 0.0, ())) == "x: no reason stands out"
    told = str(Explanation((ROW,)))
    assert "Row 3, compared with 100 rows (sampled, 5,000 rows asked; given the labels predicted before)" in told
    assert "predicted: score +1.35 = -0.4 before, features +0.95, labels +0.8" in told
    alone = RowReasons(0, (), effect="total", n_compared=1)
    assert "compared with one row (exactly; by features alone)" in str(alone)


def test_json_keeps_them():
    assert revive(RowReasons, json.loads(json.dumps(ROW.to_dict())), "row") == ROW


def test_an_explanation_is_a_sequence_of_rows():
    explanation = Explanation((ROW, ROW.top(1)))
    assert len(explanation) == 2
    assert explanation[1].labels[0].rest
    assert list(explanation) == [ROW, ROW.top(1)]
    assert list(ROW) == [REFUND]
