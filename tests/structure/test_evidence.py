import numpy as np
import pytest
from scipy.stats import kstest

from bncc import learn_network
from bncc.labels import count_labels, independence_test
from bncc.structure import LocalScorer
from bncc.structure.evidence import edges_beyond_chance, make_edge_table, parent_tests


def independent_labels(seed, n_rows=2000, n_labels=20):
    random = np.random.default_rng(seed)
    return (random.random((n_rows, n_labels)) < random.uniform(0.05, 0.5, n_labels)).astype(np.int8)


def chained_labels(seed, n_rows=1500, n_labels=6):
    """Each label copies the one before it in three rows of four."""
    random = np.random.default_rng(seed)
    Y = random.integers(0, 2, (n_rows, n_labels))
    for label in range(1, n_labels):
        copies = random.random(n_rows) < 0.75
        Y[copies, label] = Y[copies, label - 1]
    return Y


def test_a_parent_is_tested_given_the_others():
    Y = chained_labels(0)
    counts = count_labels(Y)
    tests = parent_tests(counts, 3, [1, 2, 4])
    assert tests == [
        independence_test(counts, parent, 3, [other for other in (1, 2, 4) if other != parent]) for parent in (1, 2, 4)
    ]


def test_independent_labels_show_at_most_one_false_edge_in_the_mean():
    shown, uncut = [], []
    for seed in range(50):
        net = learn_network(independent_labels(seed), max_children=None)
        uncut.append(len(net.edges))
        shown.append(len(net.pruned().edges))
    assert np.mean(uncut) > 10  # the paper's search gives every label a parent
    assert np.mean(shown) <= 0.2


def test_corrected_p_values_of_the_strongest_edge_are_uniform_under_independence():
    strongest = []
    for seed in range(150):
        table = learn_network(independent_labels(seed, 800, 10), max_children=None).edge_table(n_resamples=0)
        strongest.append(table.edges[0].corrected_p_value)
    assert kstest(strongest, "uniform").pvalue > 0.01


def test_parents_that_a_search_selected_beside_true_ones_are_corrected_too():
    """Labels 1.. copy label 0; whatever else a search takes is false."""
    false = 0
    for seed in range(60):
        random = np.random.default_rng(seed)
        Y = random.integers(0, 2, (600, 10))
        copies = random.random((600, 4)) < 0.6
        Y[:, 1:5] = np.where(copies, Y[:, :1], Y[:, 1:5])
        net = learn_network(Y, search="hill_climbing", max_children=None).pruned()
        true = {frozenset((0, label)) for label in range(1, 5)}
        false += any(frozenset(edge) not in true for edge in net.edges)
        assert true <= {frozenset(edge) for edge in net.edges}
    assert false <= 8  # 3 expected at 0.05


def test_columns_and_order_of_the_table():
    Y = np.column_stack([chained_labels(1), independent_labels(1, 1500, 2)])
    names = tuple("abcdefgh")
    counts = count_labels(Y, label_names=names)
    net = learn_network(counts, search="hill_climbing", max_children=None)
    table = net.edge_table(n_resamples=20)
    assert len(table) == len(net.edges)
    assert table.n_pairs == 28
    assert [edge.p_value for edge in table] == sorted(edge.p_value for edge in table)
    scorer = LocalScorer.of(counts, "dependence")
    for edge in table:
        rest = [parent for parent in net.parents[edge.child] if parent != edge.parent]
        gain = scorer.local_score(edge.child, net.parents[edge.child]) - scorer.local_score(edge.child, rest)
        assert edge.gain == pytest.approx(gain)
    columns = table.columns()
    assert set(columns["parent"]) <= set(names)
    assert {len(column) for column in columns.values()} == {len(table)}
    sure = {frozenset((edge.parent, edge.child)) for edge in table if edge.sure}
    assert sure == {frozenset((label, label + 1)) for label in range(5)}


def test_edges_beyond_chance_keeps_a_pair_that_only_works_together():
    random = np.random.default_rng(5)
    causes = random.integers(0, 2, (600, 2))
    Y = np.column_stack([causes, causes[:, 0] ^ causes[:, 1], random.integers(0, 2, 600)])
    counts = count_labels(Y)
    assert edges_beyond_chance(counts, ((), (), (0, 1, 3), ())) == ((), (), (0, 1), ())
    table = make_edge_table(counts, ((), (), (0, 1, 3), ()), tuple("abcd"))
    assert [(edge.parent, edge.sure) for edge in table] == [(0, True), (1, True), (3, False)]
