import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bncc.graph import find_cycle, maximum_spanning_tree


@given(st.integers(1, 7), st.integers(0, 1000), st.booleans())
@settings(max_examples=60)
def test_weight_is_the_largest(n, seed, ties):
    random = np.random.default_rng(seed)
    weights = random.integers(0, 3, (n, n)).astype(float) if ties else random.random((n, n))
    weights = weights + weights.T
    root = int(random.integers(n))
    tree = maximum_spanning_tree(weights, n, root=root)
    assert tree[root] == ()
    assert sum(map(len, tree)) == n - 1
    assert find_cycle(tree) is None
    total = sum(weights[child, group[0]] for child, group in enumerate(tree) if group)
    graph = nx.Graph()
    graph.add_nodes_from(range(n))
    graph.add_weighted_edges_from((a, b, weights[a, b]) for a in range(n) for b in range(a))
    assert total == pytest.approx(nx.maximum_spanning_tree(graph).size(weight="weight"))
    assert tree == maximum_spanning_tree(weights.__getitem__, n, root=root)


def test_ties_go_to_the_lowest():
    assert maximum_spanning_tree(np.ones((4, 4)), 4, root=1) == ((1,), (), (0,), (0,))


def test_bad_input():
    with pytest.raises(ValueError, match="`root`"):
        maximum_spanning_tree(np.ones((2, 2)), 2, root=2)
    with pytest.raises(ValueError, match="node 0"):
        maximum_spanning_tree(np.ones((2, 3)), 2)
