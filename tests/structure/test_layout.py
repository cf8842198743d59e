import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bncc.structure.layout import _crossings, edge_curves, label_widths, layered_layout
from stopwatch import Stopwatch


@st.composite
def networks(draw, most=70):
    n = draw(st.integers(1, most))
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    order = random.permutation(n)
    pairs = np.argwhere(np.triu(random.random((n, n)) < min(1.0, draw(st.floats(0, 3)) / n), 1))
    return n, [(int(order[a]), int(order[b])) for a, b in pairs], random.uniform(40, 220, n).tolist()


@settings(max_examples=60, deadline=None)
@given(networks())
def test_parents_lie_above_and_labels_do_not_overlap(network):
    n, edges, widths = network
    layout = layered_layout(n, edges, widths)
    assert all(layout.y[parent] < layout.y[child] for parent, child in edges)
    for a in range(n):
        for b in range(a):
            gap = abs(layout.x[a] - layout.x[b])
            if layout.y[a] == layout.y[b]:
                assert gap > ((widths[a] + widths[b]) / 2 if n <= 60 else 1)
    assert min(layout.x) >= 0
    assert max(layout.x) <= layout.width
    assert 0 <= min(layout.y) <= max(layout.y) <= layout.height
    assert len(layout.bends) == len(edges)


def test_long_edges_are_led_around_labels():
    layout = layered_layout(3, [(0, 1), (1, 2), (0, 2)], [60.0] * 3)
    ((x, y),) = layout.bends[2]
    assert y == layout.y[1]
    assert abs(x - layout.x[1]) > 30


def test_two_edges_are_uncrossed():
    # 0 -> 3 and 1 -> 2 cross as given.
    layout = layered_layout(4, [(0, 3), (1, 2)], [50.0] * 4)
    assert (layout.x[0] - layout.x[1]) * (layout.x[3] - layout.x[2]) > 0


def test_crossings_are_counted():
    below = [[3, 2], [2], [], []]
    assert _crossings([[0, 1], [2, 3]], below) == 1
    assert _crossings([[1, 0], [2, 3]], below) == 0


@pytest.mark.parametrize("n", [374, 983, 5000])
def test_many_labels_keep_the_shape_of_a_page(n):
    random = np.random.default_rng(0)
    edges = [(int(random.integers(child)), child) for child in range(1, n)]
    with Stopwatch() as watch:
        layout = layered_layout(n, edges, [100.0] * n)
    assert watch.processor < 20
    assert 0.8 < layout.width / layout.height < 4
    assert len(set(zip(layout.x, layout.y, strict=True))) == n


def test_a_cycle_is_refused():
    with pytest.raises(ValueError, match="got a cycle"):
        layered_layout(2, [(0, 1), (1, 0)], [50.0, 50.0])


def test_more_labels_than_can_be_named_are_wrapped_unless_told():
    edges = [(0, child) for child in range(1, 61)]
    assert layered_layout(61, edges, [100.0] * 61).wrapped
    spaced = layered_layout(61, edges, [100.0] * 61, wrap=False)
    assert not spaced.wrapped
    assert len(set(spaced.y)) == 2
    assert not layered_layout(60, edges[:-1], [100.0] * 60).wrapped


def test_edges_go_straight_down_between_their_curves():
    layout = layered_layout(3, [(0, 1), (1, 2), (0, 2)], [60.0] * 3)
    first, second = edge_curves([(layout.x[0], layout.y[0]), *layout.bends[2], (layout.x[2], layout.y[2])], gap=2)
    assert first[-1][0] == second[0][0] == layout.bends[2][0][0]
    assert first[-1][1] < layout.y[1] < second[0][1]
    assert second[-1] == (layout.x[2], layout.y[2] - 15)


def test_names_are_given_room_up_to_a_length():
    short, long, longer = label_widths(["a", "a" * 24, "a" * 25])
    assert short < long == longer
    assert label_widths(["a"] * 100)[0] > short
