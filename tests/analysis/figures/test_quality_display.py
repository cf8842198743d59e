import numpy as np
import pytest
from matplotlib.figure import Figure
from sklearn.linear_model import LogisticRegression
from sklearn.multioutput import MultiOutputClassifier

from bncc.analysis.figures import (
    ConfusedLabelsDisplay,
    LabelCalibrationDisplay,
    LabelPrecisionRecallDisplay,
    LabelQualityDisplay,
    LabelThresholdDisplay,
    save_figure,
)
from bncc.analysis.quality import read_predictions, summarise_methods
from bncc.datasets import make_scenes
from quality_examples import made_predictions, made_scores

DISPLAYS = [
    ConfusedLabelsDisplay,
    LabelCalibrationDisplay,
    LabelPrecisionRecallDisplay,
    LabelQualityDisplay,
    LabelThresholdDisplay,
]
Y, S = made_scores()


@pytest.mark.parametrize("display", DISPLAYS)
def test_displays_are_made_as_those_of_scikit_learn(display, tmp_path):
    data = make_scenes(150)
    model = MultiOutputClassifier(LogisticRegression()).fit(data.X[:100], data.Y[:100])
    fitted = display.from_estimator(model, data.X[100:], data.Y[100:], label_names=data.label_names)
    assert fitted.summary.n_rows == 50
    folds = display.from_estimator(model, data.X, data.Y, cv=2)
    assert folds.summary.n_rows == 150
    given = display.from_predictions(Y, S)
    assert given.figure_ is given.ax_.figure
    assert save_figure(given.figure_, tmp_path / "a.png").stat().st_size > 5000


@pytest.mark.parametrize("display", DISPLAYS)
def test_they_draw_upon_axes_that_are_given(display):
    axes = Figure().add_subplot()
    made = display.from_predictions(Y, S, ax=axes)
    assert made.ax_ is axes
    assert made.figure_ is axes.figure
    assert axes.get_title().startswith("model")


def test_a_method_is_chosen_by_name():
    summary = summarise_methods({"a": made_predictions(), "b": read_predictions(Y, 1 - S)}, list("abcdefg"))
    assert LabelQualityDisplay(summary, "b").plot().ax_.get_title().startswith("b: ")
    with pytest.raises(ValueError, match="`method` must be one of a, b; got 'c'"):
        LabelQualityDisplay(summary, "c").plot()


def test_labels_are_chosen_by_name_or_position():
    summary = summarise_methods({"a": made_predictions()}, list("abcdefg"))
    lines = LabelPrecisionRecallDisplay(summary, labels=["c", 0]).plot().ax_.get_legend().get_texts()
    assert [line.get_text()[0] for line in lines] == ["c", "a"]
    with pytest.raises(ValueError, match="There is no label 'x'; known: a, b"):
        LabelPrecisionRecallDisplay(summary, labels=["x"]).plot()
    with pytest.raises(ValueError, match="positions below 7; got 7"):
        LabelPrecisionRecallDisplay(summary, labels=[7]).plot()


@pytest.mark.parametrize("display", [LabelPrecisionRecallDisplay, LabelThresholdDisplay, LabelCalibrationDisplay])
def test_what_is_not_there_cannot_be_drawn(display):
    with pytest.raises(ValueError, match="need"):
        display.from_predictions(Y, Y_pred=S > 0.5)


@pytest.mark.parametrize("display", DISPLAYS)
def test_many_labels_fit_a_figure(display):
    rng = np.random.default_rng(0)
    many = rng.random((200, 120))
    made = display.from_predictions(rng.random(many.shape) < many / 3, many)
    assert made.figure_.get_figheight() < 12
