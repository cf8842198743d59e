import pytest

from bncc import learn_network
from bncc.analysis.figures import network_panels, save_figure
from bncc.datasets import make_scenes


def test_each_network_has_a_panel_under_its_name(tmp_path):
    Y = make_scenes(200).Y
    networks = {f"n = {limit}": learn_network(Y, max_children=limit) for limit in (1, 2, 5)}
    figure = network_panels(networks)
    assert [axes.get_title() for axes in figure.axes] == list(networks)
    assert [len(axes.patches) for axes in figure.axes] == [len(net.edges) for net in networks.values()]
    save_figure(figure, tmp_path / "panels.svg")


def test_nothing_to_draw_is_said():
    with pytest.raises(ValueError, match="nothing to draw"):
        network_panels({})
