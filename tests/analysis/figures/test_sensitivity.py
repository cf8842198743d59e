import numpy as np
import pytest

from bncc.analysis import sensitivity
from bncc.analysis.figures import save_figure, sensitivity_figure
from made_records import make_candidates


@pytest.mark.parametrize("kind", ["surface", "map"])
def test_a_panel_per_metric(kind, tmp_path):
    figure = sensitivity_figure(make_candidates(), "emotions", kind=kind)
    titles = [axes.get_title() for axes in figure.axes if axes.get_title()]
    assert titles == ["HammingLoss", "Fscore", "MacF", "MicF"]
    save_figure(figure, tmp_path / "a.png")


def test_the_best_candidate_is_marked_on_the_map():
    candidates = make_candidates()
    axes = sensitivity_figure(candidates, "emotions", metrics=["MicF"], kind="map").axes[0]
    grid = sensitivity(candidates, "MicF", "emotions", "BNCC")
    row, column = grid.best
    assert axes.lines[0].get_xydata().tolist() == [[np.log2(grid.Cs[column]), np.log2(grid.sigmas[row])]]


@pytest.mark.parametrize(("options", "label"), [({"Cs": [7]}, "log₂ σ"), ({"sigmas": [1]}, "log₂ C")])
def test_one_parameter_alone_gives_curves(options, label):
    axes = sensitivity_figure(make_candidates(**options), "emotions", metrics=["MacF"]).axes[0]
    assert axes.get_xlabel() == label
    curve, star = axes.lines
    assert star.get_ydata()[0] == max(curve.get_ydata())


def test_bad_requests_are_refused():
    with pytest.raises(ValueError, match="'surface' or 'map'; got 'cube'"):
        sensitivity_figure(make_candidates(), "emotions", kind="cube")
    with pytest.raises(ValueError, match="No candidate"):
        sensitivity_figure(make_candidates(), "yeast")
