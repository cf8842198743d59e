import re
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest

from bncc import learn_network
from bncc.datasets import SCENES, make_scenes
from bncc.structure import from_json, network_svg, to_dot, to_graphml, to_json
from bncc.structure.draw import cut_name, edge_colour, edge_opacities
from bncc.structure.layout import label_widths, layered_layout

NET = learn_network(SCENES.sample(500, random_state=0), label_names=SCENES.label_names, max_children=None)
SVG = "{http://www.w3.org/2000/svg}"


def test_every_label_and_edge_is_drawn():
    root = ET.fromstring(network_svg(NET))
    assert [title.text for title in root.iter(f"{SVG}title")] == list(SCENES.label_names)
    assert len(list(root.iter(f"{SVG}path"))) == len(NET.edges)


def test_negative_relations_are_dashed():
    dashed = [path for path in ET.fromstring(network_svg(NET)).iter(f"{SVG}path") if path.get("stroke-dasharray")]
    shares = NET.counts.positives / NET.counts.n_rows
    together = NET.counts.pairs.toarray() / NET.counts.n_rows
    negative = [edge for edge in NET.edges if together[edge[1], edge[0]] < shares[edge[1]] * shares[edge[0]]]
    assert len(dashed) == len(negative) > 0


def test_children_lie_below_their_parents():
    rects = list(ET.fromstring(network_svg(NET)).iter(f"{SVG}rect"))
    assert all(float(rects[child].get("y")) > float(rects[parent].get("y")) for parent, child in NET.edges)


def test_edges_lead_past_labels_not_behind_them():
    """Wherever an edge crosses a row of labels it goes straight down between them."""
    labels = SCENES.sample(300, random_state=3)
    root = ET.fromstring(network_svg(learn_network(labels, max_children=None, score="aic")))
    boxes = [tuple(float(rect.get(key)) for key in ("x", "y", "width")) for rect in root.iter(f"{SVG}rect")]
    crossings = 0
    for path in root.iter(f"{SVG}path"):
        for x, y in re.findall(r"L(\d+) (\d+)", path.get("d")):  # the lower end of a straight piece
            crossings += 1
            row = [box for box in boxes if box[1] == float(y) - 26]
            assert all(not left - 1 <= float(x) <= left + width + 1 for left, _, width in row)
            assert row
    assert crossings > 3


def test_hostile_names_are_escaped():
    net = learn_network([[1, 0], [0, 1]], label_names=["<script>alert(1)</script>", 'a"b&c'])
    for text in (network_svg(net), net._repr_html_()):
        assert "<script" not in text
    ET.fromstring(network_svg(net))


def test_a_network_from_a_file_and_a_large_one():
    ET.fromstring(network_svg(from_json(to_json(NET))))
    wide = learn_network(np.eye(101, dtype=int))
    with pytest.raises(ValueError, match="up to 100 labels; got 101"):
        network_svg(wide)
    assert "<svg" not in wide._repr_html_()
    assert "..." in wide._repr_html_()
    dense = learn_network(np.eye(40, dtype=int), search=[tuple(range(label)) for label in range(40)])
    assert "<svg" not in dense._repr_html_()
    assert "<svg" in NET._repr_html_()


def test_the_picture_in_the_readme_is_what_the_readme_draws():
    data = make_scenes(1000)
    net = learn_network(data.Y, label_names=data.label_names, max_children=None)
    picture = Path(__file__).parents[2] / "docs" / "pictures" / "scenes-network.svg"
    assert picture.read_text() == network_svg(net)


def test_places_are_those_of_the_layout():
    rects = list(ET.fromstring(network_svg(NET)).iter(f"{SVG}rect"))
    layout = layered_layout(NET.n_labels, NET.edges, label_widths(NET.label_names))
    centres = [float(rect.get("x")) + float(rect.get("width")) / 2 for rect in rects]
    assert centres == pytest.approx(layout.x, abs=1.1)


def test_long_names_keep_both_ends():
    assert cut_name("a" * 24) == "a" * 24
    assert cut_name("photographs of the countryside/7") == "photographs of…tryside/7"
    assert len(cut_name("x" * 99)) == 24


def test_colours_tell_the_signs_apart():
    assert len({edge_colour(sign) for sign in (-1, 0, 1)}) == 3


def test_edges_of_chance_are_pale():
    random = np.random.default_rng(0)
    first = random.integers(0, 2, (300, 1))
    net = learn_network(np.hstack([first, first, random.integers(0, 2, (300, 3))]), max_children=None)
    sure = [opacity == 1 for opacity in edge_opacities(net)]
    assert [set(edge) == {0, 1} for edge in net.edges] == sure
    assert network_svg(net).count("stroke-opacity") == sure.count(False)
    assert "stroke-opacity" not in network_svg(net.pruned())
    assert edge_opacities(from_json(to_json(net))) == [1.0] * len(net.edges)


def test_any_name_can_be_drawn():
    names = ["a\x00", "b\x1b", "c\x0b", "d\ud800"]
    net = learn_network([[1, 1, 0, 0], [0, 0, 1, 1]] * 10, label_names=names)
    for text in (network_svg(net), to_graphml(net)):
        ET.fromstring(text)
    to_dot(net).encode()
