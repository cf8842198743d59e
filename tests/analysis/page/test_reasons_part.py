import json
from dataclasses import asdict, dataclass

import pytest

from bncc._records import revive
from bncc.analysis.page.reasons_part import (
    ImportancePart,
    LabelReasonsPart,
    ReasonPart,
    RowReasonsPart,
    keep_importance,
    keep_reasons,
)


@dataclass(frozen=True)
class Told:
    """A reason of somebody else's tool, with a field more."""

    name: str
    kind: str
    value: float
    shown: str = ""
    standard_error: float = 0.0
    unit: str = "bits"


def explained(n_reasons=12, predicted=True, row=0):
    reasons = tuple(Told(f"x{i}", "feature", (-1) ** i * (i + 1.0)) for i in range(n_reasons))
    total = 0.25 + sum(reason.value for reason in reasons)
    return RowReasonsPart(row, (LabelReasonsPart(1, predicted, total, 0.25, reasons),), "bncc", "a text")


def test_the_strongest_are_kept_and_all_add_up():
    (row,) = keep_reasons([explained()])
    (label,) = row.labels
    assert [reason.name for reason in label.reasons] == [f"x{i}" for i in range(11, 3, -1)]
    assert all(type(reason) is ReasonPart for reason in label.reasons)
    assert label.base + sum(reason.value for reason in label.reasons) + label.rest == pytest.approx(label.score)


def test_pages_stay_small():
    many = RowReasonsPart(0, tuple(LabelReasonsPart(i, i > 17, 0.0, 0.0, ()) for i in range(20)))
    rows = keep_reasons([many] * 80)
    assert len(rows) == 50
    assert [label.label for label in rows[0].labels[:3]] == [18, 19, 0]
    assert len(rows[0].labels) == 12


def test_importance_keeps_the_first_of_each_label():
    entries = [ImportancePart(f"x{i:02}", "feature", label, i / 10) for label in (2, None) for i in range(40)]
    kept = keep_importance(entries)
    assert [entry.label for entry in kept] == [None] * 30 + [2] * 10
    assert kept[0].name == "x39"
    assert len(keep_importance([ImportancePart("a", "feature", label, 1.0) for label in range(5000)])) == 4000


def test_json_keeps_them():
    (row,) = keep_reasons([explained()])
    assert revive(RowReasonsPart, json.loads(json.dumps(asdict(row))), "row") == row
    with pytest.raises(ValueError, match="must be one of 'feature', 'label'"):
        revive(ReasonPart, {"name": "a", "kind": "word", "value": 1.0}, "reason")
