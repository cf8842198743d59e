import numpy as np
import pytest

from bncc.analysis.figures import LabelThresholdDisplay
from quality_examples import made_scores


def test_lines_are_those_of_the_worst_label_or_the_one_asked_for():
    display = LabelThresholdDisplay.from_predictions(*made_scores())
    quality = display.summary.methods[0]
    for label in (None, 3):
        shown = LabelThresholdDisplay(display.summary, label=label).plot()
        curve = quality.curves[quality.worst.label if label is None else label]
        lines = {line.get_label(): line for line in shown.ax_.get_lines()}
        assert lines["F1"].get_ydata() == pytest.approx(curve.f1(), nan_ok=True)
        assert lines["recall"].get_ydata() == pytest.approx(curve.recall())
        assert list(lines["in use"].get_xdata()) == [0.5, 0.5]
        assert f"highest F1, {np.nanmax(curve.f1()):.2f}" in lines
