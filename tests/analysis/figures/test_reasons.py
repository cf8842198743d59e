import pytest

from bncc.analysis import Importance, ImportanceSummary
from bncc.analysis.figures import importance_figure, reasons_figure, save_figure
from bncc.multilabel import LabelReasons, Reason

FOUND = LabelReasons(
    0,
    1.4,
    -0.4,
    (
        Reason("word 'money'", "feature", 1.2, "", 0.1),
        Reason("billing", "label", 0.8, "predicted"),
        Reason("a column whose name goes on and on without an end", "feature", -0.2, "4"),
    ),
    0.0,
    0.1,
    "refund",
    True,
)


def test_a_bar_per_reason_with_its_sign_and_error(tmp_path):
    figure = reasons_figure(FOUND)
    axes = figure.axes[0]
    assert [round(bar.get_width(), 3) for bar in axes.patches] == [1.2, 0.8, -0.2]
    names = [tick.get_text() for tick in axes.get_yticklabels()]
    assert names[:2] == ["word 'money'", "billing (predicted)"]
    assert names[2].endswith("…")
    assert [tick.get_fontweight() for tick in axes.get_yticklabels()] == ["normal", "bold", "normal"]
    assert len(axes.collections) == 1
    assert axes.get_title() == "refund: predicted"
    assert "from -0.40 to +1.40" in axes.get_xlabel()
    save_figure(figure, tmp_path / "a.svg")


def test_what_is_left_out_is_a_bar_too(tmp_path):
    axes = reasons_figure(FOUND, most=1).axes[0]
    assert [tick.get_text() for tick in axes.get_yticklabels()] == ["word 'money'", "all others"]
    assert axes.patches[1].get_width() == pytest.approx(0.6)
    save_figure(reasons_figure(LabelReasons(3, 0.0, 0.0, ())), tmp_path / "none.png")


def test_columns_that_matter_most_with_intervals():
    entries = (
        Importance("body", "feature", None, 0.4, 0.3, 0.5),
        Importance("age", "feature", None, -0.01, -0.02, 0.01),
        Importance("body", "feature", 0, 0.6),
    )
    summary = ImportanceSummary("example_f1", "macro_f1", entries, ("refund",), 5, 3, 0.95)
    axes = importance_figure(summary).axes[0]
    assert [tick.get_text() for tick in axes.get_yticklabels()] == ["body", "age"]
    assert len(axes.collections) == 2
    assert axes.get_title() == "Columns that matter"
    one = importance_figure(summary, "refund").axes[0]
    assert one.get_title() == "Columns that matter to refund"
    assert "macro_f1" in one.get_xlabel()
    assert importance_figure(summary, 0, most=1).axes[0].get_title() == "Columns that matter to refund"
