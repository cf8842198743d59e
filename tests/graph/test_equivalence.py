from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bncc.graph import HasACycle, find_cycle
from bncc.graph.equivalence import equivalence_class, structural_hamming_distance


@st.composite
def acyclic_graphs(draw, max_nodes=5):
    n = draw(st.integers(1, max_nodes))
    return tuple(tuple(sorted(draw(st.sets(st.integers(0, child - 1))))) if child else () for child in range(n))


def colliders(parents):
    joined = {frozenset((parent, child)) for child, group in enumerate(parents) for parent in group}
    return {
        (frozenset((a, b)), child)
        for child, group in enumerate(parents)
        for a in group
        for b in group
        if a < b and frozenset((a, b)) not in joined
    }


def members(parents):
    """Oracle: every way to point the edges that is acyclic and has the same colliders."""
    edges = [(parent, child) for child, group in enumerate(parents) for parent in group]
    for turned in product((False, True), repeat=len(edges)):
        graph = [[] for _ in parents]
        for (parent, child), other_way in zip(edges, turned, strict=True):
            graph[parent if other_way else child].append(child if other_way else parent)
        if find_cycle(graph) is None and colliders(graph) == colliders(parents):
            yield {(parent, child) for child, group in enumerate(graph) for parent in group}


@given(acyclic_graphs())
@settings(max_examples=120, deadline=None)
def test_directed_edges_are_those_of_every_member(parents):
    found, every = equivalence_class(parents), list(members(parents))
    always = set.intersection(*every)
    assert found.directed == always
    assert found.undirected == {(min(edge), max(edge)) for edge in every[0] - always}
    other = every[-1]
    graph = [tuple(parent for parent, child in other if child == node) for node in range(len(parents))]
    assert equivalence_class(graph) == found
    assert structural_hamming_distance(graph, parents) == 0


def test_distance_counts_pairs():
    collider, chain, empty = ((), (), (0, 1)), ((), (0,), (1,)), ((), (), ())
    assert structural_hamming_distance(collider, empty) == 2
    assert structural_hamming_distance(collider, chain) == 3  # 0-2 is gone, 0-1 is new, 1-2 points no way
    assert structural_hamming_distance(chain, ((), (), (1,))) == 1


def test_mistakes():
    with pytest.raises(HasACycle):
        equivalence_class([(1,), (0,)])
    with pytest.raises(ValueError, match="as many nodes"):
        structural_hamming_distance([()], [(), ()])
