import json
import xml.etree.ElementTree as ET

import networkx as nx
import numpy as np
import pytest

from bncc import learn_network
from bncc.structure import from_json, from_networkx, to_bif, to_dot, to_graphml, to_json, to_networkx

HOSTILE = ['a "quoted"', "back\\slash", "<b>&amp;</b>", "new\nline", "ünï çode", "9 starts with a digit"]
Y = (np.random.default_rng(0).random((80, 6)) < 0.4).astype(int)
Y[:50, 1] = Y[:50, 0]
Y[:60, 4] = 1 - Y[:60, 3]
NET = learn_network(Y, label_names=HOSTILE)


def test_networkx_there_and_back():
    graph = to_networkx(NET)
    assert nx.is_directed_acyclic_graph(graph)
    assert [graph.nodes[j]["name"] for j in range(6)] == HOSTILE
    parents = from_networkx(graph)
    assert [set(group) for group in parents] == [set(group) for group in NET.parents]
    for parent, child, data in graph.edges(data=True):
        assert data["dependence"] == pytest.approx(NET.dependence[child, parent])


def test_networkx_with_names():
    graph = nx.DiGraph([("b", "a"), ("b", "c")])
    assert from_networkx(graph, ["a", "b", "c"]) == ((1,), (), (1,))
    with pytest.raises(ValueError, match="no labels"):
        from_networkx(graph)
    with pytest.raises(ValueError, match="directed"):
        from_networkx(nx.Graph([(0, 1)]))


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # from inside pydot
def test_dot_is_read_by_pydot():
    pydot = pytest.importorskip("pydot")
    (graph,) = pydot.graph_from_dot_data(to_dot(NET))
    assert len(graph.get_edges()) == len(NET.edges)
    assert {(int(e.get_source()), int(e.get_destination())) for e in graph.get_edges()} == set(NET.edges)


def test_graphml_is_read_by_networkx(tmp_path):
    path = tmp_path / "net.graphml"
    path.write_text(to_graphml(NET), encoding="utf-8")
    graph = nx.read_graphml(path, node_type=int)
    assert set(graph.edges) == set(NET.edges)
    assert [graph.nodes[j]["name"] for j in range(6)] == HOSTILE
    assert ET.fromstring(to_graphml(learn_network([[1, 0]], label_names=["\x01", "ok"]))) is not None


def test_json_round_trip():
    text = to_json(NET)
    read = from_json(text)
    for field in ("label_names", "order", "initial_order", "parents", "cyclic_parents", "scores", "traces"):
        assert getattr(read, field) == getattr(NET, field)
    assert np.array_equal(read.sample(50, random_state=1), NET.sample(50, random_state=1))
    assert to_json(read) == text


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda c: c.update(format="other"), "format"),
        (lambda c: c.update(version=99), "version"),
        (lambda c: c.pop("order"), "damaged: 'order'"),
        (lambda c: c.update(order=c["order"][::-1]), "child before its parent"),
        (lambda c: c.update(label_names=["a"] * 6), "distinct"),
        (lambda c: c.update(order=[0] * 6), "permutation"),
        (lambda c: c.update(parents=[[1], [0], [], [], [], []]), "cycle"),
        (lambda c: c["tables"][0].update(positives=[10**9] * len(c["tables"][0]["totals"])), "table of counts"),
        (lambda c: c.update(scores=[]), "one score per label"),
        (lambda c: c.update(tables="x"), "damaged"),
    ],
)
def test_a_damaged_json_file(change, message):
    content = json.loads(to_json(NET))
    change(content)
    with pytest.raises(ValueError, match=message):
        from_json(json.dumps(content))


def test_text_that_is_no_json():
    with pytest.raises(ValueError, match="line 1"):
        from_json("{")


def test_bif_is_read_by_pyagrum(tmp_path):
    gum = pytest.importorskip("pyagrum")
    path = tmp_path / "net.bif"
    path.write_text(to_bif(NET), encoding="utf-8")
    bn = gum.loadBN(str(path))
    names = ["a__quoted_", "back_slash", "_b__amp___b_", "new_line", "_n___ode", "l_9_starts_with_a_digit"]
    assert set(bn.names()) == set(names)
    assert {(names.index(bn.variable(a).name()), names.index(bn.variable(b).name())) for a, b in bn.arcs()} == set(
        NET.edges
    )
    rows = Y[:10]
    for row, expected in zip(rows, NET.log_likelihood(rows), strict=True):
        instance = bn.completeInstantiation()
        instance.fromdict({name: int(value) for name, value in zip(names, row, strict=True)})
        assert np.log2(bn.jointProbability(instance)) == pytest.approx(expected, abs=1e-6)


def test_repeated_identifiers_stay_distinct():
    text = to_bif(learn_network([[1, 0, 1]], label_names=["a b", "a-b", "a_b"]))
    assert all(f"variable {name} " in text for name in ("a_b", "a_b_2", "a_b_3"))


def test_words_of_the_bif_language_are_no_names(tmp_path):
    gum = pytest.importorskip("pyagrum")
    words = ["table", "variable", "probability", "network", "default", "property"]
    path = tmp_path / "words.bif"
    path.write_text(to_bif(learn_network(Y, label_names=words)), encoding="utf-8")
    assert set(gum.loadBN(str(path)).names()) == {f"l_{word}" for word in words}


def test_parallel_edges_and_repeated_names():
    assert from_networkx(nx.MultiDiGraph([(0, 1), (0, 1)])) == ((), (0,))
    with pytest.raises(ValueError, match="distinct"):
        from_networkx(nx.DiGraph([("a", "b")]), ["a", "b", "a"])
