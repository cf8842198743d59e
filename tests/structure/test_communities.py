import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bncc.structure import edge_information, label_communities, learn_network, permute_network
from oracles import label_groups as oracle


def draw(n_labels, seed, n_rows=60):
    random = np.random.default_rng(seed)
    causes = (random.random((n_rows, 3)) < 0.4).astype(int)
    noise = random.random((n_rows, n_labels)) < 0.25
    return causes[:, random.integers(0, 3, n_labels)] ^ noise


@given(st.integers(1, 7), st.integers(1, 7), st.integers(0, 500), st.sampled_from([2, None]))
@settings(max_examples=60, deadline=None)
def test_communities_are_those_of_the_definition(n_labels, max_size, seed, max_children):
    net = learn_network(draw(n_labels, seed), max_children=max_children)
    weights = dict(zip(net.edges, edge_information(net).tolist(), strict=True))
    found = label_communities(net, max_size)
    assert set(found) == oracle.communities(n_labels, weights, max_size)
    assert sorted(label for group in found for label in group) == list(range(n_labels))
    assert max(map(len, found)) <= max_size


def test_they_stand_in_the_networks_order():
    net = learn_network(draw(12, 4), max_children=None)
    found = label_communities(net, 3)
    means = [np.mean([net.order.index(label) for label in group]) for group in found]
    assert means == sorted(means)
    assert len(found) > 3


def test_known_communities_are_found():
    random = np.random.default_rng(0)
    causes = (random.random((2000, 3)) < 0.4).astype(int)
    Y = causes[:, np.repeat([0, 1, 2], 4)] ^ (random.random((2000, 12)) < 0.1)
    found = label_communities(learn_network(Y, max_children=None), 4)
    assert sorted(found) == [(0, 1, 2, 3), (4, 5, 6, 7), (8, 9, 10, 11)]


def test_communities_follow_a_permutation():
    net = learn_network(draw(8, 2))
    permutation = [7, 3, 1, 0, 2, 6, 5, 4]
    expected = {tuple(sorted(permutation[label] for label in group)) for group in label_communities(net, 3)}
    assert set(label_communities(permute_network(net, permutation), 3)) == expected


def test_labels_that_tell_nothing_stay_alone():
    assert label_communities(learn_network(np.zeros((10, 3), int))) == ((0,), (1,), (2,))
    with pytest.raises(ValueError, match="`max_size` must be at least 1; got 0"):
        label_communities(learn_network(np.eye(3, dtype=int)), 0)


def test_thousands_of_labels_take_no_time():
    random = np.random.default_rng(0)
    n_labels = 4000
    parents = [()] + [(int(random.integers(label)),) for label in range(1, n_labels)]
    net = learn_network((random.random((30, n_labels)) < 0.3).astype(int), search=parents)
    found = label_communities(net, 6)
    assert sum(map(len, found)) == n_labels
    assert max(map(len, found)) <= 6
