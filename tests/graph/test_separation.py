from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bncc.graph.separation import d_separated


@st.composite
def acyclic_graphs(draw, max_nodes=7):
    n = draw(st.integers(2, max_nodes))
    groups = [
        tuple(sorted(draw(st.sets(st.integers(0, child - 1), max_size=3)))) if child else () for child in range(n)
    ]
    places = draw(st.permutations(range(n)))
    shuffled = [()] * n
    for child, group in enumerate(groups):
        shuffled[places[child]] = tuple(places[parent] for parent in group)
    return tuple(shuffled)


def by_moral_graph(parents, first, second, known):
    """Oracle: separated in the moral graph of the ancestors (Lauritzen and others, 1990)."""
    ancestors, stack = set(), [first, second, *known]
    while stack:
        node = stack.pop()
        if node not in ancestors:
            ancestors.add(node)
            stack += parents[node]
    joined = {node: set() for node in ancestors}
    for node in ancestors:
        for one, other in combinations([node, *parents[node]], 2):
            joined[one].add(other)
            joined[other].add(one)
    seen, stack = set(known), [first]
    while stack:
        node = stack.pop()
        if node not in seen:
            seen.add(node)
            stack += joined[node]
    return second not in seen


@given(acyclic_graphs(), st.data())
@settings(max_examples=200, deadline=None)
def test_the_ball_and_the_moral_graph_agree(parents, data):
    first, second, *rest = data.draw(st.permutations(range(len(parents))))
    known = rest[: data.draw(st.integers(0, len(rest)))]
    assert d_separated(parents, first, second, known) == by_moral_graph(parents, first, second, known)


def test_the_three_ways_that_three_nodes_join():
    chain, fork, collider = ((), (0,), (1,)), ((1,), (), (1,)), ((), (0, 2), ())
    for graph, alone, known in [(chain, False, True), (fork, False, True), (collider, True, False)]:
        assert d_separated(graph, 0, 2) is alone
        assert d_separated(graph, 0, 2, [1]) is known


def test_a_node_below_a_collider_opens_it():
    assert not d_separated(((), (), (0, 1), (2,)), 0, 1, [3])


def test_mistakes():
    for first, second, known in [(0, 0, []), (0, 1, [1]), (0, 2, []), (0, 1, [-1])]:
        with pytest.raises(ValueError, match=r"different|0\.\.1"):
            d_separated(((), (0,)), first, second, known)


def test_long_chains_take_no_recursion():
    n = 20_000
    parents = tuple((node - 1,) if node else () for node in range(n))
    assert not d_separated(parents, 0, n - 1)
    assert d_separated(parents, 0, n - 1, [int(np.int64(n // 2))])
