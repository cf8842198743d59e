import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from bncc.structure import FactorGraph, LabelFactor
from bncc.structure.loopy import MOST_ROUNDS, climb, pass_messages
from stopwatch import Stopwatch


def tree(seed, n_labels=9, spread=1.0):
    random = np.random.default_rng(seed)
    factors = tuple(
        LabelFactor((label, int(random.integers(label))), random.normal(0, spread, (2, 2)))
        for label in range(1, n_labels)
    )
    return factors, random.normal(0, 2, (5, n_labels))


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=30, deadline=None)
def test_messages_settle_at_the_exact_marginals_of_trees(seed):
    factors, log_odds = tree(seed)
    exact = FactorGraph(9, factors).infer(log_odds)
    loopy = FactorGraph(9, factors, most_cells=0).infer(log_odds)
    assert exact.exact
    assert not loopy.exact
    assert loopy.n_unsettled == 0
    np.testing.assert_allclose(loopy.marginals, exact.marginals, atol=1e-5)


def test_messages_come_near_on_weak_loops():
    random = np.random.default_rng(0)
    factors = tuple(LabelFactor((a, b), random.normal(0, 0.3, (2, 2))) for a in range(8) for b in range(a))
    log_odds = random.normal(0, 1, (20, 8))
    exact = FactorGraph(8, factors).infer(log_odds)
    loopy = FactorGraph(8, factors, most_cells=0).infer(log_odds)
    assert np.abs(loopy.marginals - exact.marginals).max() < 0.05


def test_the_answer_of_a_row_does_not_depend_on_others():
    random = np.random.default_rng(3)
    factors = tuple(LabelFactor((a, b), random.normal(0, 0.8, (2, 2))) for a in range(8) for b in range(a))
    log_odds = random.normal(0, 1, (12, 8))
    graph = FactorGraph(8, factors, most_cells=0)
    together, alone = graph.infer(log_odds), [graph.infer(log_odds[row : row + 1]) for row in range(12)]
    assert len({one.n_rounds for one in alone}) > 1
    assert together.n_rounds == max(one.n_rounds for one in alone)
    assert together.n_unsettled == sum(one.n_unsettled for one in alone)
    np.testing.assert_allclose(together.log_odds, np.concatenate([one.log_odds for one in alone]), rtol=1e-12)


def test_messages_that_never_settle_are_counted():
    # A frustrated loop: each label wants to differ from the next, strongly.
    apart = np.array([[-9.0, 9.0], [9.0, -9.0]])
    scopes = [(0, 1), (1, 2), (2, 0)]
    settled = pass_messages(scopes, [apart] * 3, np.zeros((3, 1)))
    assert settled.n_rounds <= MOST_ROUNDS
    assert settled.n_unsettled == int(settled.n_rounds == MOST_ROUNDS)


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=30, deadline=None)
def test_no_single_label_improves_what_was_climbed_to(seed):
    random = np.random.default_rng(seed)
    factors = tuple(
        LabelFactor(tuple(random.permutation(7)[:3].tolist()), random.normal(0, 2, (2, 2, 2))) for _ in range(8)
    )
    log_odds = random.normal(0, 1, (4, 7))
    graph = FactorGraph(7, factors)
    scopes, tables = [factor.labels for factor in factors], [factor.log_table for factor in factors]
    reached = climb(scopes, tables, log_odds.T, random.random((7, 4)) < 0.5).T
    best = graph.log_weights(log_odds, reached)
    for label in range(7):
        changed = reached.copy()
        changed[:, label] ^= True
        assert (graph.log_weights(log_odds, changed) <= best + 1e-9).all()


def test_a_label_that_makes_no_difference_stays_as_it_was():
    start = np.array([[True, False]])
    assert climb([], [], np.zeros((1, 2)), start).tolist() == start.tolist()


def test_rounds_and_sweeps_of_many_factors_are_few():
    """Every factor shares a label with the one before it, so that none speak at once; messages never settle."""
    random = np.random.default_rng(0)
    scopes = [(parent, child) for child in range(90) for parent in range(child)]
    tables = [random.normal(0, 5, (2, 2)) for _ in scopes]
    with Stopwatch() as watch:
        messages = pass_messages(scopes, tables, random.normal(size=(90, 1)))
        climb(scopes, tables, messages.log_odds, messages.log_odds > 0)
    assert 10 <= messages.n_rounds < 100
    assert watch.processor < 15
