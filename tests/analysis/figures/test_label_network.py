import numpy as np
import pytest

from bncc import learn_network
from bncc.analysis.figures import network_figure, save_figure, save_network
from bncc.structure import network_svg
from bncc.structure.layout import label_widths, layered_layout


def network(n_labels, **options):
    random = np.random.default_rng(0)
    Y = (random.random((400, n_labels)) < 0.3).astype(int)
    Y[:, 1::2] |= Y[:, 0::2][:, : Y[:, 1::2].shape[1]]
    return learn_network(Y, max_children=2, **options)


def test_every_label_and_edge_of_a_small_network_is_drawn():
    net = network(6, label_names=["a", "b", "c", "d", "e", "a very long name that must be cut short"])
    axes = network_figure(net).axes[0]
    position_of = {label: position for position, label in enumerate(net.order, 1)}
    texts = {text.get_text() for text in axes.texts}
    assert f"{position_of[0]}  a" in texts
    assert any("…" in text for text in texts)
    assert len(texts) == 6
    assert len(axes.patches) == len(net.edges)


def test_parents_stand_above_their_children():
    net = network(8)
    heights = {text.get_text().split()[1]: text.get_position()[1] for text in network_figure(net).axes[0].texts}
    for parent, child in net.edges:
        assert heights[net.label_names[parent]] > heights[net.label_names[child]]


def test_large_networks_name_hubs_alone(tmp_path):
    net = network(374)
    figure = network_figure(net)
    assert 1 <= len(figure.axes[0].texts) <= 24
    save_figure(figure, tmp_path / "a.png")


def test_suffix_decides_the_writer(tmp_path):
    net = network(6)
    assert save_network(net, tmp_path / "a.svg").read_text(encoding="utf-8") == network_svg(net)
    assert save_network(net, tmp_path / "a.pdf").read_bytes().startswith(b"%PDF")
    assert save_network(network(120), tmp_path / "b.svg").read_text(encoding="utf-8").startswith("<?xml")
    with pytest.raises(ValueError, match=r"got 'a\.bmp'"):
        save_network(net, tmp_path / "a.bmp")


@pytest.mark.parametrize("n_labels", [8, 120])
def test_places_are_those_of_the_layout(n_labels):
    net = network(n_labels)
    layout = layered_layout(n_labels, net.edges, label_widths(net.label_names))
    axes = network_figure(net).axes[0]
    labels = {int(text.get_text().split()[1].removeprefix("label")): text.get_position() for text in axes.texts}
    assert len(labels) == n_labels or layout.wrapped
    assert all(centre == (layout.x[label], -layout.y[label]) for label, centre in labels.items())


def test_names_of_hubs_do_not_cover_each_other(tmp_path):
    figure = network_figure(network(374))
    save_figure(figure, tmp_path / "a.png")
    boxes = [text.get_window_extent() for text in figure.axes[0].texts]
    assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])
