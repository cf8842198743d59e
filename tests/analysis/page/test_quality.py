import json

import numpy as np
import pytest

from bncc.analysis.page import from_json, render_page, summarise_labels, summarise_quality_part, to_json
from bncc.analysis.page.quality import rounded
from bncc.analysis.page.reasons_part import ImportancePart, LabelReasonsPart, ReasonPart, RowReasonsPart
from bncc.analysis.page.summary import join_summaries
from bncc.analysis.quality import read_predictions
from bncc.analysis.quality.summary import summarise_methods, summarise_quality
from quality_examples import made_scores

Y, S = made_scores()
QUALITY = summarise_quality(Y, S)


def test_columns_hold_what_the_records_do():
    (part,) = summarise_quality_part(QUALITY).quality.methods
    (method,) = QUALITY.methods
    for name, columns in part.figures.items():
        for j, label in enumerate(method.labels):
            estimate = getattr(label, name)
            for end in ("value", "low", "high", "lowest", "highest"):
                assert getattr(columns, end)[j] == pytest.approx(getattr(estimate, end), rel=1e-4)
    assert part.support == tuple(label.support for label in method.labels)
    assert part.worst.label == method.worst.label
    assert [curve.tp for curve in part.curves] == [curve.tp for curve in method.curves]


def test_json_keeps_it_with_reasons_and_importance():
    found = LabelReasonsPart(2, True, 1.0, 0.25, (ReasonPart("word 'sun'", "feature", 0.75, "", 0.01),))
    summary = summarise_quality_part(
        QUALITY,
        reasons=[RowReasonsPart(4, (found,), "br", "a sunny day")],
        importance=[ImportancePart("word 'sun'", "feature", None, 0.1, 0.05, 0.2)],
    )
    again = from_json(to_json(summary))
    assert again == summary
    assert again.reasons[0].labels[0].reasons[0].name == "word 'sun'"


def test_without_scores_the_part_is_small_and_whole():
    summary = summarise_quality_part(summarise_quality(Y, Y_pred=S > 0.5))
    assert from_json(to_json(summary)) == summary
    assert summary.quality.methods[0].curves == ()


def test_numbers_are_rounded_and_nothing_else():
    assert rounded((1 / 3, 3, True, None, "0.33333333")) == (0.33333, 3, True, None, "0.33333333")


@pytest.mark.slow
def test_four_methods_on_five_thousand_rows_and_four_hundred_labels_take_less_than_three_megabytes():
    Y, _ = made_scores(5000, 400)
    names = [f"a label with a name {i}" for i in range(400)]
    found = {str(seed): read_predictions(Y, np.clip(made_scores(5000, 400)[1] + seed / 100, 0, 1)) for seed in range(4)}
    quality = summarise_quality_part(summarise_methods(found, names))
    page = render_page(join_summaries(summarise_labels(Y, label_names=names), quality))
    assert len(page.encode()) < 3_000_000
    json.loads(to_json(quality))
