import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bncc.structure import from_json, learn_network, permute_network, to_json


def draw(n_rows=120, n_labels=6, seed=0):
    random = np.random.default_rng(seed)
    Y = (random.random((n_rows, n_labels)) < 0.4).astype(int)
    Y[:, 1] |= Y[:, 0]
    Y[:, 4] &= Y[:, 2]
    return Y


@given(st.permutations(range(6)), st.sampled_from(["paper", "k2", "hill_climbing"]))
@settings(max_examples=25, deadline=None)
def test_everything_moves_together(permutation, search):
    Y = draw()
    net = learn_network(Y, search=search)
    moved = permute_network(net, permutation)
    assert set(moved.edges) == {(permutation[parent], permutation[child]) for parent, child in net.edges}
    assert moved.order == tuple(permutation[label] for label in net.order)
    place = {label: position for position, label in enumerate(moved.order)}
    assert all(place[parent] < place[child] for parent, child in moved.edges)
    assert moved.label_names == net.label_names
    for child, parent in [(0, 1), (4, 2), (5, 0)]:
        assert moved.dependence[permutation[child], permutation[parent]] == net.dependence[child, parent]
        own = moved.dependence_of([(permutation[child], permutation[parent])])
        np.testing.assert_allclose(own, net.dependence_of([(child, parent)]))
    swapped = np.empty_like(Y)
    swapped[:, permutation] = Y
    np.testing.assert_allclose(moved.log_likelihood(swapped), net.log_likelihood(Y))
    for label in range(6):
        assert moved.scores[permutation[label]] == net.scores[label]
        taken = [permutation[step.parent] for step in net.traces[label].steps]
        assert [step.parent for step in moved.traces[permutation[label]].steps] == taken


def test_back_again():
    net = learn_network(draw())
    permutation = [3, 0, 5, 1, 2, 4]
    back = permute_network(permute_network(net, permutation), np.argsort(permutation).tolist())
    assert (back.parents, back.order, back.scores) == (net.parents, net.order, net.scores)


def test_a_network_without_rows_keeps_its_tables():
    Y, permutation = draw(), [1, 2, 3, 4, 5, 0]
    net = learn_network(Y)
    for without in (from_json(to_json(net)), net.without_rows()):
        moved = permute_network(without, permutation)
        assert moved.counts is None
        np.testing.assert_allclose(moved.log_likelihood(Y[:, np.argsort(permutation)]), net.log_likelihood(Y))
    assert moved.dependence[1, 2] == net.dependence[0, 1]


def test_bad_permutations():
    with pytest.raises(ValueError, match="`permutation` must be a permutation of"):
        permute_network(learn_network(draw()), [0, 1, 2, 3, 4, 4])
