import numpy as np
import pytest

from bncc.analysis.figures import LabelQualityDisplay
from bncc.analysis.quality.worst_label import rank_labels
from quality_examples import made_scores


def test_values_and_intervals_are_those_of_the_summary_worst_first():
    display = LabelQualityDisplay.from_predictions(*made_scores())
    labels = display.summary.methods[0].labels
    lines = display.ax_.get_lines()
    for row, label in enumerate(rank_labels(labels)):
        together, alone, value = lines[3 * row : 3 * row + 3]
        f1 = labels[label].f1
        assert together.get_xdata() == pytest.approx([f1.lowest, f1.highest])
        assert alone.get_xdata() == pytest.approx([f1.low, f1.high])
        assert value.get_xdata() == pytest.approx([f1.value])
        assert display.ax_.get_yticklabels()[row].get_text() == f"{label} ({labels[label].support})"
    values = [line.get_xdata()[0] for line in lines[2::3]]
    assert values == sorted(values)


def test_of_many_labels_the_ends_are_drawn():
    display = LabelQualityDisplay.from_predictions(*made_scores(400, 70))
    assert len(display.ax_.get_yticks()) == 40
    assert "the 20 worst and best of 70" in display.ax_.get_title()


def test_labels_that_never_hold_are_left_out():
    display = LabelQualityDisplay.from_predictions(np.array([[1, 0], [0, 0]]), [[0.9, 0.1], [0.1, 0.1]])
    assert len(display.ax_.get_yticks()) == 1
