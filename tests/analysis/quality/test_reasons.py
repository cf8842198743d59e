import json
from dataclasses import asdict

import pytest

from bncc._records import revive
from bncc.analysis.quality import LabelReasons, Reason, RowReasons, make_label_reasons
from bncc.analysis.quality.reasons import in_words

REASONS = [Reason(f"x{i}", "feature", value) for i, value in enumerate((0.5, -2.0, 0.25, 1.0))]


def test_the_strongest_are_told_and_all_add_up():
    found = make_label_reasons(3, -0.15, 0.1, [*REASONS, Reason("sky", "label", 0.0)], standard_error=0.1, most=2)
    assert [reason.name for reason in found.reasons] == ["x1", "x3"]
    assert found.base + sum(reason.value for reason in found.reasons) + found.rest == pytest.approx(-0.15)


def test_ties_stay_in_their_order():
    alike = [Reason("b", "feature", 1.0), Reason("a", "feature", -1.0)]
    assert [reason.name for reason in make_label_reasons(0, 0.0, 0.0, alike).reasons] == ["b", "a"]


def test_json_keeps_them():
    row = RowReasons(4, (make_label_reasons(0, 1.0, 0.0, REASONS),), "bncc", "text: money back")
    assert revive(RowReasons, json.loads(json.dumps(asdict(row))), "row") == row
    with pytest.raises(ValueError, match="must be one of 'feature', 'label'"):
        revive(Reason, {"name": "a", "kind": "word", "value": 1.0}, "reason")


def test_a_label_without_reasons_has_words_too():
    assert in_words("sky", LabelReasons(0, 0.0, 0.0, ())) == "sky: no reason stands out"
