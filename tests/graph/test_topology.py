import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bncc.graph import HasACycle, break_cycles, check_order, parents_of, topological_order
from bncc.graph.topology import positions
from oracles import network as oracle
from strategies import digraphs


@given(digraphs(), st.randoms(), st.integers(0, 5))
@settings(max_examples=100)
def test_parents_come_first(graph, shuffler, seed):
    n, edges, weights = graph
    kept = break_cycles(edges, weights, n)
    parents = parents_of(kept, n)
    priority = list(range(n))
    shuffler.shuffle(priority)
    assert topological_order(parents, priority=priority) == oracle.topological_order(kept, n, priority)
    graph_nx = nx.DiGraph(list(kept))
    graph_nx.add_nodes_from(range(n))
    place = {node: i for i, node in enumerate(priority)}
    assert list(topological_order(parents, priority=priority)) == list(
        nx.lexicographical_topological_sort(graph_nx, key=place.__getitem__)
    )
    drawn = topological_order(parents, random_state=seed)
    assert sorted(drawn) == list(range(n))
    position = {node: i for i, node in enumerate(drawn)}
    assert all(position[a] < position[b] for a, b in kept)
    assert drawn == topological_order(parents, random_state=seed)


def test_random_orders_reach_all_legal_ones():
    drawn = {topological_order([(), (0,), (0,), ()], random_state=seed) for seed in range(200)}
    assert len(drawn) == 8  # 0 before 1 and 2, 3 anywhere: 4! / 3


def test_a_cycle_is_printed():
    with pytest.raises(HasACycle, match="0 -> 1 -> 0"):
        topological_order([(1,), (0,), ()])


def test_bad_orders():
    with pytest.raises(ValueError, match=r"permutation of 0\.\.2.*repeated or outside: \[1\], missing: \[0\]"):
        check_order([1, 1, 2], 3)
    with pytest.raises(ValueError, match="`priority`"):
        topological_order([(), ()], priority=[0])


@given(st.permutations(range(7)))
def test_positions_are_the_inverse_of_an_order(order):
    assert [positions(order)[node] for node in order] == list(range(7))
