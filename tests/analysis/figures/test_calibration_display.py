import pytest

from bncc.analysis.figures import LabelCalibrationDisplay
from quality_examples import made_scores


def test_bins_are_those_of_the_summary():
    display = LabelCalibrationDisplay.from_predictions(*made_scores())
    quality = display.summary.methods[0]
    shown = LabelCalibrationDisplay(display.summary, labels=[2]).plot()
    texts = [text.get_text() for text in shown.ax_.get_legend().get_texts()]
    assert texts[0].startswith("all labels, error")
    assert texts[1] == f"2, error {quality.label_calibration[2].error:.3f}"
    dots = [container[0] for container in shown.ax_.containers]
    assert dots[0].get_ydata() == pytest.approx(quality.calibration.share)
    assert dots[1].get_xdata() == pytest.approx(quality.label_calibration[2].probability)
