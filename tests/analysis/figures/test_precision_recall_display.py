import numpy as np

from bncc.analysis.figures import LabelPrecisionRecallDisplay
from quality_examples import made_scores


def test_curves_pass_through_the_threshold_in_use():
    display = LabelPrecisionRecallDisplay.from_predictions(*made_scores())
    labels = display.summary.methods[0].labels
    dots = [line for line in display.ax_.get_lines() if line.get_marker() == "o"]
    assert len(dots) == 6
    found = {(round(float(dot.get_xdata()[0]), 6), round(float(dot.get_ydata()[0]), 6)) for dot in dots}
    every = {(round(label.recall.value, 6), round(label.precision.value, 6)) for label in labels}
    assert found <= every
    for line in display.ax_.get_lines():
        if line.get_marker() != "o":
            assert np.nanmax(line.get_xdata()) == 1
