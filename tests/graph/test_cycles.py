import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bncc.graph import HasACycle, break_cycles, complete_order, cycles, find_cycle, parents_of, topological_order
from bncc.labels import dependence
from oracles import network as oracle
from strategies import digraphs, label_matrices


@pytest.fixture(params=["native", "python"])
def engine(request, monkeypatch):
    """Both the compiled core and its Python twin."""
    if request.param == "python":
        monkeypatch.setattr(cycles, "native", None)
    elif cycles.native is None:
        pytest.fail("the compiled extension is not built")


@pytest.mark.usefixtures("engine")
class TestBreakCycles:
    def test_lightest_edge_of_a_circle_goes(self):
        assert break_cycles([(0, 1), (1, 2), (2, 0)], [3, 1, 2], 3) == ((0, 1), (2, 0))

    def test_agrees_with_the_oracle(self):
        @given(digraphs())
        @settings(max_examples=150)
        def check(graph):
            n, edges, weights = graph
            expected = oracle.break_cycles(edges, dict(zip(edges, weights, strict=True)))
            assert break_cycles(edges, weights, n) == tuple(expected)

        check()

    def test_laws(self):
        @given(digraphs(), st.randoms())
        @settings(max_examples=100)
        def check(graph, shuffler):
            n, edges, weights = graph
            kept = break_cycles(edges, weights, n)
            assert nx.is_directed_acyclic_graph(nx.DiGraph(list(kept)))
            weight = dict(zip(edges, weights, strict=True))
            for edge in set(edges) - set(kept):
                # every dropped edge closes a cycle with kept edges at least as heavy
                heavier = [e for e in kept if weight[e] >= weight[edge]]
                assert oracle.has_path(heavier, edge[1], edge[0])
            mixed = list(zip(edges, weights, strict=True))
            shuffler.shuffle(mixed)
            assert break_cycles([e for e, _ in mixed], [w for _, w in mixed], n) == kept

        check()

    def test_large_random_graph_like_networkx(self):
        random = np.random.default_rng(0)
        edges = np.unique(random.integers(0, 60, (400, 2)), axis=0)
        kept = break_cycles(edges, random.random(len(edges)), 60)
        assert nx.is_directed_acyclic_graph(nx.DiGraph(list(kept)))
        graph = nx.DiGraph(list(kept))
        for parent, child in {tuple(e) for e in edges.tolist()} - set(kept):
            assert parent == child or nx.has_path(graph, child, parent)

    def test_required_edges_survive(self):
        assert break_cycles([(0, 1), (1, 2), (2, 0)], [3, 1, 2], 3, required=[(1, 2)]) == ((0, 1), (1, 2))
        assert break_cycles([(1, 0)], [1.0], 2, required=[(0, 1)]) == ((0, 1),)

    def test_self_loops_go(self):
        assert break_cycles([(0, 0), (0, 1)], [1, 1], 2) == ((0, 1),)
        assert break_cycles([], [], 2) == ()


def random_edges(shape: str, n_nodes: int, random: np.random.Generator) -> np.ndarray:
    """Edges in the order in which they are offered: of a random graph, or of a tree or path in both directions."""
    if shape == "random":
        return random.integers(0, n_nodes, (4 * n_nodes, 2), dtype=np.int32)
    child = np.arange(1, n_nodes, dtype=np.int32)
    parent = child - 1 if shape == "path" else (child - 1) // random.integers(1, 5)
    names = random.permutation(n_nodes).astype(np.int32)
    skips = random.integers(0, n_nodes, (n_nodes, 2), dtype=np.int32)
    both = np.concatenate([np.stack([parent, child], 1), np.stack([child, parent], 1), skips])
    return names[random.permutation(both)]


@pytest.mark.skipif(cycles.native is None, reason="the compiled extension is not built")
@pytest.mark.parametrize("shape", ["random", "tree", "path"])
def test_both_searches_keep_the_same_edges(shape):
    """The compiled two-way search, the one-way search of the Python twin, and asking for a path every time."""
    for seed in range(100):
        random = np.random.default_rng(seed)
        n_nodes = int(random.integers(2, 40))
        edges = random_edges(shape, n_nodes, random)
        native = cycles._keep_acyclic(edges, n_nodes)
        twin = cycles._IncrementalOrder(n_nodes)
        assert native.tolist() == [twin.insert(parent, child) for parent, child in edges.tolist()]
        kept: list[tuple[int, int]] = []
        for (parent, child), stays in zip(edges.tolist(), native, strict=True):
            assert stays == (parent != child and not oracle.has_path(kept, child, parent))
            if stays:
                kept.append((parent, child))


@pytest.mark.skipif(cycles.native is None, reason="the compiled extension is not built")
@pytest.mark.parametrize("shape", ["random", "tree", "path"])
def test_many_nodes_keep_the_same_edges(shape):
    """Large enough for searches that go far and for long blocks of nodes to move."""
    edges = random_edges(shape, 3000, np.random.default_rng(0))
    twin = cycles._IncrementalOrder(3000)
    expected = [twin.insert(parent, child) for parent, child in edges.tolist()]
    assert cycles._keep_acyclic(edges, 3000).tolist() == expected
    assert 0 < sum(expected) < len(expected)


@given(label_matrices(max_labels=6))
@settings(max_examples=80)
def test_closed_form_for_the_complete_graph(Y):
    """The general routine on the complete two-way graph leaves exactly the closed form's order."""
    m, weight = Y.shape[1], dependence(Y)
    edges = [(k, j) for k in range(m) for j in range(m) if j != k]
    kept = break_cycles(edges, [weight[j, k] for k, j in edges], m)
    positives = Y.sum(axis=0)
    order = complete_order(np.minimum(positives, len(Y) - positives))
    assert topological_order(parents_of(kept, m)) == order
    place = {label: i for i, label in enumerate(order)}
    assert set(kept) == {(k, j) for k, j in edges if place[k] < place[j]}


def test_required_cycle_is_printed():
    with pytest.raises(HasACycle, match="0 -> 1 -> 2 -> 0") as caught:
        break_cycles([], [], 3, required=[(0, 1), (1, 2), (2, 0)])
    assert caught.value.cycle == (0, 1, 2)
    with pytest.raises(HasACycle, match="1 -> 1"):
        break_cycles([], [], 3, required=[(1, 1)])


def test_find_cycle():
    assert find_cycle([(), (0,), (1,)]) is None
    assert find_cycle([(), (3,), (1,), (2, 0)]) == (1, 2, 3)


@pytest.mark.parametrize(
    ("edges", "weights", "message"),
    [
        ([(0, 5)], [1], r"join nodes 0\.\.2"),
        ([(0, 1)], [1, 2], "one weight per edge"),
        ([(0, 1)], [np.nan], "finite"),
        ([(0, 1, 2)], [1], "pairs"),
        ([(0.9, 1.9)], [1], "whole numbers"),
    ],
)
def test_bad_input(edges, weights, message):
    with pytest.raises(ValueError, match=message):
        break_cycles(edges, weights, 3)
