import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bncc.analysis.page.layout import _crossings, layered_layout


@st.composite
def networks(draw, most=70):
    n = draw(st.integers(1, most))
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    order = random.permutation(n)
    chosen = np.argwhere(np.triu(random.random((n, n)) < min(1.0, draw(st.floats(0, 3)) / n), 1))
    return n, [(int(order[a]), int(order[b])) for a, b in chosen], random.uniform(40, 220, n).tolist()


@settings(max_examples=60, deadline=None)
@given(networks())
def test_parents_lie_above_and_labels_do_not_overlap(network):
    n, edges, widths = network
    place = layered_layout(n, edges, widths)
    assert all(place.y[parent] < place.y[child] for parent, child in edges)
    for a in range(n):
        for b in range(a):
            gap = abs(place.x[a] - place.x[b])
            if place.y[a] == place.y[b]:
                assert gap > ((widths[a] + widths[b]) / 2 if n <= 60 else 1)
    assert min(place.x) >= 0
    assert max(place.x) <= place.width
    assert 0 <= min(place.y) <= max(place.y) <= place.height
    assert len(place.bends) == len(edges)


def test_long_edges_are_led_around_labels():
    place = layered_layout(3, [(0, 1), (1, 2), (0, 2)], [60.0] * 3)
    ((x, y),) = place.bends[2]
    assert y == place.y[1]
    assert abs(x - place.x[1]) > 30


def test_two_edges_are_uncrossed():
    # 0 -> 3 and 1 -> 2 cross as given.
    place = layered_layout(4, [(0, 3), (1, 2)], [50.0] * 4)
    assert (place.x[0] - place.x[1]) * (place.x[3] - place.x[2]) > 0


def test_crossings_are_counted():
    below = [[3, 2], [2], [], []]
    assert _crossings([[0, 1], [2, 3]], below) == 1
    assert _crossings([[1, 0], [2, 3]], below) == 0


@pytest.mark.parametrize("n", [374, 983, 5000])
def test_many_labels_keep_the_shape_of_a_page(n):
    random = np.random.default_rng(0)
    edges = [(int(random.integers(child)), child) for child in range(1, n)]
    start = time.perf_counter()
    place = layered_layout(n, edges, [100.0] * n)
    assert time.perf_counter() - start < 20
    assert 0.8 < place.width / place.height < 4
    assert len(set(zip(place.x, place.y, strict=True))) == n


def test_a_cycle_is_refused():
    with pytest.raises(ValueError, match="got a cycle"):
        layered_layout(2, [(0, 1), (1, 0)], [50.0, 50.0])
