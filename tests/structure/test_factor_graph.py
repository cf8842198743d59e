import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bncc.structure import FactorGraph, LabelFactor
from oracles.factor_graph import weights_of_sets


@st.composite
def graphs(draw, max_labels=12, largest=4):
    """Any factors over up to so many labels, several over the same ones among them, and some evidence."""
    n_labels = draw(st.integers(1, max_labels))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    factors = []
    for _ in range(draw(st.integers(0, 2 * n_labels))):
        size = int(random.integers(1, min(n_labels, largest) + 1))
        labels = tuple(random.permutation(n_labels)[:size].tolist())
        factors.append(LabelFactor(labels, random.normal(0, 2, (2,) * size)))
    return FactorGraph(n_labels, tuple(factors)), random.normal(0, 3, (3, n_labels))


@given(graphs())
@settings(max_examples=60, deadline=None)
def test_answers_equal_brute_force(case):
    graph, log_odds = case
    answer = graph.infer(log_odds)
    assert answer.exact
    assert (answer.n_rounds, answer.n_unsettled) == (0, 0)
    for row, evidence in enumerate(log_odds):
        sets, chance = weights_of_sets(graph, evidence)
        np.testing.assert_allclose(answer.marginals[row], chance @ sets, atol=1e-10)
        np.testing.assert_array_equal(answer.mode[row], sets[chance.argmax()])


@given(graphs(max_labels=6))
@settings(max_examples=20, deadline=None)
def test_weights_of_sets_are_those_of_brute_force(case):
    graph, log_odds = case
    sets, chance = weights_of_sets(graph, log_odds[0])
    weights = np.exp(graph.log_weights(np.tile(log_odds[0], (len(sets), 1)), sets == 1))
    np.testing.assert_allclose(weights / weights.sum(), chance, atol=1e-12)


def test_labels_without_factors_keep_their_odds():
    graph = FactorGraph(2, ())
    answer = graph.infer(np.array([[0.0, np.log(3.0)]]))
    np.testing.assert_allclose(answer.marginals, [[0.5, 0.75]])
    assert answer.mode.tolist() == [[False, True]]


def test_strong_evidence_of_many_labels_does_not_run_out_of_numbers():
    hub = tuple(LabelFactor((0, leaf), np.array([[8.0, -8.0], [-8.0, 8.0]])) for leaf in range(1, 200))
    answer = FactorGraph(200, hub).infer(np.full((2, 200), -13.0))
    assert answer.exact
    assert np.isfinite(answer.marginals).all()
    assert not answer.mode.any()


def test_rows_are_taken_some_at_a_time_without_a_difference(monkeypatch):
    random = np.random.default_rng(0)
    factors = tuple(LabelFactor((label, label + 1), random.normal(size=(2, 2))) for label in range(5))
    graph, log_odds = FactorGraph(6, factors), random.normal(size=(50, 6))
    whole = graph.infer(log_odds)
    monkeypatch.setattr("bncc.structure.factor_graph._CELLS", 100)
    parts = graph.infer(log_odds)
    np.testing.assert_array_equal(parts.marginals, whole.marginals)
    np.testing.assert_array_equal(parts.mode, whole.mode)


def test_no_rows_have_an_answer_without_rows():
    answer = FactorGraph(3, ()).infer(np.zeros((0, 3)))
    assert answer.marginals.shape == answer.mode.shape == (0, 3)


def test_a_graph_too_wide_says_that_it_was_not_exact():
    random = np.random.default_rng(1)
    pairs = [(a, b) for a in range(30) for b in range(a)]
    graph = FactorGraph(30, tuple(LabelFactor(pair, random.normal(0, 0.1, (2, 2))) for pair in pairs))
    answer = graph.infer(random.normal(size=(4, 30)))
    assert not answer.exact
    assert answer.n_rounds > 1
    assert answer.n_unsettled == 0


@pytest.mark.parametrize(
    ("labels", "shape", "message"),
    [
        ((0, 3), (2, 2), "different labels out of 0..2"),
        ((0, 0), (2, 2), "different labels"),
        ((), (), "different labels"),
        ((0, 1), (2,), "must have shape"),
    ],
)
def test_factors_that_make_no_sense_are_refused(labels, shape, message):
    with pytest.raises(ValueError, match=message):
        FactorGraph(3, (LabelFactor(labels, np.zeros(shape)),))


def test_tables_and_evidence_must_be_finite():
    with pytest.raises(ValueError, match="finite"):
        FactorGraph(1, (LabelFactor((0,), np.array([0.0, -np.inf])),))
    with pytest.raises(ValueError, match="Clip probabilities"):
        FactorGraph(1, ()).infer(np.array([[np.inf]]))
    with pytest.raises(ValueError, match="must be finite, of shape"):
        FactorGraph(1, ()).infer(np.zeros((2, 2)))
