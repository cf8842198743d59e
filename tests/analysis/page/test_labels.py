import numpy as np
import pytest
from scipy import sparse

from bncc import learn_network
from bncc.analysis.page import labels as module
from bncc.analysis.page import summarise_labels
from bncc.datasets import SCENES, make_scenes
from bncc.labels import entropy, imbalance, strongest_relations
from bncc.structure import from_json, to_json

DATA = make_scenes(400, random_state=3)
NET = learn_network(DATA.Y, label_names=DATA.label_names, max_children=None)
SUMMARY = summarise_labels(DATA, NET)


def share(child, parent, value):
    rows = DATA.Y[DATA.Y[:, parent] == value]
    return rows[:, child].mean()


def test_the_overview_is_that_of_the_data():
    data = SUMMARY.data
    assert (data.n_rows, data.n_features, data.n_labels) == (*DATA.X.shape, 10)
    assert data.cardinality == pytest.approx(DATA.Y.sum() / 400)
    assert sum(data.labels_per_row) == 400
    assert sum(k * rows for k, rows in enumerate(data.labels_per_row)) == DATA.Y.sum()
    assert [row.positives for row in SUMMARY.labels] == DATA.Y.sum(axis=0).tolist()
    assert [row.entropy for row in SUMMARY.labels] == pytest.approx(entropy(DATA.Y).tolist())
    assert [row.imbalance for row in SUMMARY.labels] == pytest.approx(imbalance(DATA.Y).tolist())


def test_every_pair_is_counted():
    together = DATA.Y.astype(int).T @ DATA.Y
    for a, row in enumerate(SUMMARY.pairs.together):
        assert list(row) == together[a, a + 1 :].tolist()


def test_edges_say_how_likely_the_child_is_with_and_without_the_parent():
    edges = SUMMARY.network.edges
    assert {(e.parent, e.child) for e in edges if e.kept} == set(NET.edges)
    assert {(e.parent, e.child) for e in edges if not e.kept} == set(NET.dropped_edges)
    for edge in edges:
        assert edge.with_parent == pytest.approx(share(edge.child, edge.parent, 1))
        assert edge.without_parent == pytest.approx(share(edge.child, edge.parent, 0))
        assert edge.dependence == pytest.approx(NET.dependence[edge.child, edge.parent])


def test_gains_add_up_to_the_score():
    network = SUMMARY.network
    for child, (start, end) in enumerate(zip(network.start_scores, network.scores, strict=True)):
        gains = [edge.gain for edge in network.edges if edge.child == child]
        assert start + sum(gains) == pytest.approx(end)


def test_true_parents_are_kept_beside_the_learned_ones():
    network = summarise_labels(DATA, NET, true_parents=SCENES.parents).network
    assert set(network.true_edges) == {(p, c) for c, group in enumerate(SCENES.parents) for p in group}


def test_a_network_from_a_file_is_described_by_the_data():
    again = summarise_labels(DATA, from_json(to_json(NET)))
    assert again.network == SUMMARY.network


def test_a_label_without_or_with_all_rows_has_no_share_to_tell():
    Y = np.array([[1, 0, 1], [1, 0, 0], [1, 0, 1]])
    summary = summarise_labels(Y, learn_network(Y, search=[(), (0,), (1,)]))
    always, never = summary.network.edges
    assert (always.with_parent, always.without_parent) == (0.0, None)
    assert (never.with_parent, never.without_parent) == (None, pytest.approx(2 / 3))
    assert summary.labels[1].imbalance is None
    assert all(edge.gain is None for edge in summary.network.edges)


def test_a_single_label_and_a_sparse_matrix():
    assert summarise_labels([[1], [0]]).pairs.together == ((),)
    assert summarise_labels(sparse.csr_array(DATA.Y), NET).labels == SUMMARY.labels


def test_a_network_of_other_labels_is_refused():
    with pytest.raises(ValueError, match="over the 10 labels of `data`; got 2"):
        summarise_labels(DATA, learn_network([[1, 0], [0, 1]]))


def test_among_many_labels_the_most_frequent_are_paired(monkeypatch):
    monkeypatch.setattr(module, "_MOST_PAIRED", 4)
    pairs = summarise_labels(DATA, NET).pairs
    assert pairs.labels == tuple(sorted(np.argsort(-DATA.Y.sum(axis=0), kind="stable")[:4].tolist()))
    together = DATA.Y.astype(int).T @ DATA.Y
    assert pairs.together[1][1] == together[pairs.labels[1], pairs.labels[3]]


def test_the_strongest_relations_are_those_of_the_labels():
    assert summarise_labels(DATA, NET, n_strongest=3).strongest == strongest_relations(DATA.Y, 3)


def test_the_network_of_a_page_has_evidence_and_what_if():
    network = SUMMARY.network
    kept = [edge for edge in network.edges if edge.kept]
    assert all(edge.sure is not None and edge.corrected_p_value >= edge.p_value for edge in kept)
    assert network.parents == NET.parents
    for table, rates in zip(NET.tables, network.rates, strict=True):
        np.testing.assert_allclose(rates, table.probability(), atol=1e-4)


def test_a_network_that_is_not_given_has_no_edges_of_chance():
    Y = np.random.default_rng(0).integers(0, 2, (500, 8))
    network = summarise_labels(Y, n_resamples=3).network
    assert [edge for edge in network.edges if edge.kept and not edge.p_value < 0.01] == []
    shown = learn_network(Y, max_children=None)
    assert len(summarise_labels(Y, shown).network.edges) == len(shown.dropped_edges) + len(shown.edges)
    assert len(summarise_labels(Y, shown.pruned()).network.left_out) > 0


def test_edges_have_their_evidence():
    table = {(edge.parent, edge.child): edge for edge in NET.edge_table(n_resamples=20)}
    drawn = summarise_labels(DATA, NET, n_resamples=20).network.edges
    for edge in drawn:
        found = table.get((edge.parent, edge.child))
        assert (found is not None) == edge.kept
        if found is not None:
            assert (edge.corrected_p_value, edge.share) == (found.corrected_p_value, found.share)
            assert edge.sure is found.sure
    plain = summarise_labels(DATA, NET).network.edges
    assert all(edge.share is None for edge in plain)
    assert [edge.p_value for edge in plain] == [edge.p_value for edge in drawn]
    forgetful = summarise_labels(DATA, NET.without_rows(), n_resamples=20).network.edges
    assert [edge.p_value for edge in forgetful] == [edge.p_value for edge in drawn]
