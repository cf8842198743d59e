import numpy as np
import pytest

from bncc.analysis.figures import front_figure, save_figure
from bncc.datasets import make_scenes
from bncc.structure import network_front


@pytest.mark.parametrize("options", [{}, {"explains": "held_out", "simplicity": "parameters"}])
def test_the_front_its_ends_and_its_knee_are_shown(tmp_path, options):
    front = network_front(make_scenes(200).Y, **options)
    figure = front_figure(front)
    curve, *networks = figure.axes
    assert np.array_equal(curve.lines[0].get_xdata(), front.cost)
    assert np.array_equal(curve.lines[0].get_ydata(), front.explained)
    drawn = [front[0], front.knee(), front[-1]]
    assert [len(axes.patches) for axes in networks] == [len(net.edges) for net in drawn]
    assert [axes.get_title().split(":")[0] for axes in networks] == ["simplest", "knee", "explains most"]
    save_figure(figure, tmp_path / "front.svg")


def test_a_front_of_one_network_is_drawn(tmp_path):
    figure = front_figure(network_front([[1, 0], [1, 0]]))
    assert len(figure.axes) == 2
    save_figure(figure, tmp_path / "front.png")
