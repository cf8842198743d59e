from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings

from bncc import learn_network
from bncc.labels import dependence
from bncc.structure import from_json, to_json
from strategies import label_matrices

Y = np.array([[1, 1, 0], [1, 1, 0], [1, 0, 0], [0, 0, 1], [0, 0, 1], [0, 0, 0], [1, 1, 1]])
NET = learn_network(Y, label_names=["rain", "umbrella", "sun"])


@given(label_matrices(max_labels=4))
@settings(max_examples=40, deadline=None)
def test_probabilities_of_all_rows_sum_to_one(Y):
    net = learn_network(Y, max_children=None)
    everything = np.array(list(product((0, 1), repeat=Y.shape[1])))
    for smoothing in (0.0, 1.0):
        assert (2 ** net.log_likelihood(everything, smoothing=smoothing)).sum() == pytest.approx(1.0)


def test_likelihood_by_hand():
    net = learn_network(Y[:, :2], search=[(), (0,)])
    # P(rain) = 4/7, P(umbrella | rain) = 3/4, P(umbrella | no rain) = 0
    expected = [np.log2(4 / 7 * 3 / 4), np.log2(3 / 7), -np.inf]
    assert net.log_likelihood([[1, 1], [0, 0], [0, 1]], smoothing=0).tolist() == pytest.approx(expected)
    assert np.isfinite(net.log_likelihood([[0, 1]])).all()
    with pytest.raises(ValueError, match="2 label columns"):
        net.log_likelihood(Y)


def test_table_smoothing():
    table = learn_network(Y[:, :2], search=[(), (0,)]).tables[1]
    overall = (3 + 0.5) / 8
    assert table.probability().tolist() == pytest.approx([overall / 4, (3 + overall) / 5])
    assert table.probability(smoothing=0).tolist() == [0.0, 0.75]
    with pytest.raises(ValueError, match="smoothing"):
        table.probability(smoothing=-1)


def test_a_configuration_never_seen_gets_the_overall_rate():
    net = learn_network([[1, 0, 1], [0, 1, 0], [1, 0, 1], [0, 1, 1]], search=[(), (), (0, 1)])
    assert net.tables[2].probability(smoothing=0).tolist() == [0.75, 1.0, 0.5, 0.75]


def test_samples_follow_the_tables():
    drawn = NET.sample(20_000, smoothing=0, random_state=0)
    assert drawn.mean(axis=0) == pytest.approx(Y.mean(axis=0), abs=0.02)
    assert (drawn[:, 1] <= drawn[:, 0]).all()  # never an umbrella without rain
    assert np.array_equal(drawn, NET.sample(20_000, smoothing=0, random_state=0))
    assert NET.sample(0).shape == (0, 3)
    with pytest.raises(ValueError, match="n_rows"):
        NET.sample(-1)


def test_dependence_is_the_matrix_of_the_training_rows():
    assert np.array_equal(NET.dependence, dependence(Y))
    assert NET.dependence_of([(1, 0)])[0] == pytest.approx(NET.dependence[1, 0])


def test_explanation_names_parents_and_the_end():
    text = NET.explain("umbrella")
    assert "takes rain" in text
    assert "ends:" in text
    cyclic = learn_network([[1, 1], [0, 0], [1, 1]])
    assert "dropped later to break a cycle" in cyclic.explain(0)
    assert cyclic.dropped_edges == ((1, 0),)


def test_a_network_is_frozen_and_says_what_it_is():
    with pytest.raises(AttributeError):
        NET.order = ()  # type: ignore[misc]
    assert repr(NET) == "LabelNetwork(3 labels, 2 edges, order: rain, umbrella, sun)"


def test_a_network_from_a_file_has_no_matrix():
    read = from_json(to_json(NET))
    with pytest.raises(ValueError, match="read from a file"):
        _ = read.dependence
    assert np.array_equal(read.log_likelihood(Y), NET.log_likelihood(Y))


def test_explanations_name_what_was_given_and_refuse_unknown_labels():
    fixed = learn_network(Y, required=[(2, 1)])
    assert "with label2, which it was given" in fixed.explain(1)
    for unknown in ("hail", 9):
        with pytest.raises(ValueError, match="name or index"):
            NET.explain(unknown)


def test_likelihood_refuses_other_columns():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(Y, columns=["rain", "umbrella", "sun"])
    assert np.array_equal(NET.log_likelihood(frame), NET.log_likelihood(Y))
    with pytest.raises(ValueError, match="in this order"):
        NET.log_likelihood(frame[["sun", "rain", "umbrella"]])
    assert learn_network(Y).log_likelihood(frame).shape == (7,)  # learned without names


def test_without_rows_only_the_rows_are_gone():
    bare = NET.without_rows()
    assert bare.counts is None
    assert NET.counts is not None
    assert bare.without_rows() is bare
    assert np.array_equal(bare.dependence, NET.dependence)
    assert np.array_equal(bare.log_likelihood(Y), NET.log_likelihood(Y))
    assert bare.explain("umbrella") == NET.explain("umbrella")


class TestPruned:
    random = np.random.default_rng(0)
    first = random.integers(0, 2, (400, 1))
    Y = np.hstack([first, first, random.integers(0, 2, (400, 4))])

    def test_edges_of_chance_are_named_and_gone(self):
        net = learn_network(self.Y, max_children=None)
        kept = net.pruned()
        assert {frozenset(edge) for edge in kept.edges} == {frozenset((0, 1))}
        assert set(kept.left_out) == set(net.edges) - set(kept.edges)
        assert kept.dropped_edges == net.dropped_edges
        assert kept.order == net.order
        child = kept.left_out[0][1]
        assert "left out: chance would explain it" in kept.explain(child)
        assert all(table.parents == group for table, group in zip(kept.tables, kept.parents, strict=True))
        assert kept.pruned().edges == kept.edges

    def test_a_network_from_a_file_cannot_be_tested(self):
        net = learn_network(self.Y).without_rows()
        for ask in (net.pruned, net.edge_table):
            with pytest.raises(ValueError, match="needs the label matrix"):
                ask()


@pytest.mark.parametrize("wrong", [-1, 1.5, "3", None])
def test_rows_to_draw_are_counted(wrong):
    with pytest.raises(ValueError, match="`n_rows` must be a whole number, at least 0"):
        NET.sample(wrong)


@pytest.mark.parametrize("wrong", [-1.0, float("nan"), float("inf")])
def test_smoothing_is_a_number(wrong):
    with pytest.raises(ValueError, match="`smoothing` must be a number, at least 0"):
        NET.probabilities({}, smoothing=wrong)
