import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bncc.structure import (
    edge_information,
    families,
    from_json,
    label_families,
    learn_network,
    permute_network,
    to_json,
)
from bncc.structure.families import neighbours_of
from oracles import label_groups as oracle


def draw(n_labels, seed, n_rows=40):
    random = np.random.default_rng(seed)
    Y = (random.random((n_rows, n_labels)) < random.random(n_labels)).astype(int)
    for label in range(1, n_labels, 2):
        Y[: n_rows // 2, label] = Y[: n_rows // 2, label - 1]
    return Y


@given(st.integers(1, 6), st.integers(1, 6), st.integers(0, 200), st.sampled_from([1, 2, None]))
@settings(max_examples=60, deadline=None)
def test_families_are_those_of_the_definition(n_labels, size, seed, max_children):
    Y = draw(n_labels, seed)
    net = learn_network(Y, max_children=max_children)
    expected = oracle.families(Y, net.edges, min(size, n_labels))
    assert label_families(net, size) == tuple(dict.fromkeys(expected))


def greedy_cover(families, n_labels):
    chosen = []
    while set().union(*chosen) != set(range(n_labels)):
        new = [len(set(family) - set().union(*chosen)) for family in families]
        chosen.append(families[new.index(max(new))])
    return chosen


@given(st.integers(1, 7), st.integers(1, 4), st.integers(0, 200), st.integers(1, 40))
@settings(max_examples=60, deadline=None)
def test_as_many_as_are_wanted_and_all_labels(n_labels, size, seed, wanted):
    net = learn_network(draw(n_labels, seed))
    size = min(size, n_labels)
    own = label_families(net, size)
    cover = greedy_cover(own, n_labels)
    if wanted < len(cover):
        with pytest.raises(ValueError, match=f"need at least {len(cover)} sets to have all labels; got {wanted}"):
            label_families(net, size, wanted)
        return
    sets = label_families(net, size, wanted)
    assert len(set(sets)) == len(sets) <= wanted
    assert set().union(*sets) == set(range(n_labels))
    assert all(len(each) == size for each in sets)
    if wanted >= len(own):
        assert sets[: len(own)] == own
    else:
        assert set(cover) <= set(sets) < set(own)
        assert len(sets) == wanted


def test_further_sets_take_the_next_companion():
    Y = draw(6, 3)
    net = learn_network(Y)
    sets = label_families(net, 3, 100)
    own = label_families(net, 3)
    for label in range(6):
        ranked = oracle.companions(Y, net.edges, label)
        assert {tuple(sorted((label, ranked[0], other))) for other in ranked[1:]} <= set(sets)
    assert len(sets) > len(own)


def test_families_follow_a_permutation():
    net = learn_network(draw(6, 5), max_children=None)
    permutation = [4, 2, 0, 1, 5, 3]
    expected = {tuple(sorted(permutation[label] for label in each)) for each in label_families(net, 3)}
    assert set(label_families(permute_network(net, permutation), 3)) == expected


def test_many_labels_are_ranked_one_by_one(monkeypatch):
    net = learn_network(draw(6, 2))
    expected = label_families(net, 3, 12)
    monkeypatch.setattr(families, "_MOST_AT_ONCE", 5)
    assert label_families(learn_network(draw(6, 2)), 3, 12) == expected


def test_without_rows_dependence_degrees_rank():
    net = learn_network(draw(6, 1))
    assert label_families(net.without_rows(), 4) == label_families(net, 4)
    with pytest.raises(ValueError, match="needs the label matrix"):
        label_families(from_json(to_json(net)), 4)


@given(st.integers(2, 6), st.integers(0, 200))
@settings(max_examples=30, deadline=None)
def test_information_of_edges(n_labels, seed):
    Y = draw(n_labels, seed)
    net = learn_network(Y)
    expected = [oracle.shared_bits(Y, parent, child) for parent, child in net.edges]
    np.testing.assert_allclose(edge_information(net), expected, atol=1e-9)
    np.testing.assert_allclose(edge_information(from_json(to_json(net))), expected, atol=1e-9)


def test_neighbours_are_parents_and_children():
    assert neighbours_of(((), (0,), (0, 1), ())) == ((1, 2), (0, 2), (0, 1), ())


def test_bad_sizes():
    net = learn_network(draw(4, 0))
    with pytest.raises(ValueError, match="`size` must be at least 1; got 0"):
        label_families(net, 0)
    with pytest.raises(ValueError, match="Families of 2 labels need at least 2 sets to have all labels; got 1"):
        label_families(net, 2, 1)
