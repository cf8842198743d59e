import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bncc.multilabel.reasons.shapley import Game, least_asked, play_exactly, sample_orders, shapley_values
from oracles.shapley import shapley_by_orders


def make_game(seed, n_players, n_compared=1, n_outputs=2, block=7):
    """A game of random values for every coalition and row compared with; not all players move everywhere."""
    random = np.random.default_rng(seed)
    table = random.normal(size=(n_compared, 2**n_players, n_outputs))
    moves = random.random((n_compared, n_players)) < 0.8
    bits = 2 ** np.arange(n_players)
    table[:, -1] = table[0, -1]
    for compared in range(n_compared):  # who does not move changes nothing; all together are the row itself
        effective = (np.arange(2**n_players) & int(bits @ moves[compared])).astype(int)
        table[compared, int(bits @ moves[compared])] = table[0, -1]
        table[compared] = table[compared][effective]
    calls = []

    def values(joined, which):
        calls.append(len(joined))
        return table[which, joined @ bits]

    game = Game(values, moves, table[:, 0], table[0, -1], block)
    return game, table, calls


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 5), st.integers(1, 3))
def test_all_coalitions_give_what_all_orders_give(seed, n_players, n_compared):
    game, table, _ = make_game(seed, n_players, n_compared)
    found = play_exactly(game)
    for output in range(2):
        expected = np.mean(
            [
                shapley_by_orders(lambda s, c=c: table[c, sum(2**i for i in s), output], n_players)  # noqa: B023
                for c in range(n_compared)
            ],
            axis=0,
        )
        np.testing.assert_allclose(found.contributions[:, output], expected, atol=1e-12)
    np.testing.assert_allclose(found.base + found.contributions.sum(axis=0), game.end, atol=1e-12)
    assert not found.standard_errors.any()


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.integers(2, 8), st.integers(1, 4), st.integers(1, 300))
def test_sampled_contributions_add_up_exactly_whatever_the_budget(seed, n_players, n_compared, budget):
    game, _, calls = make_game(seed, n_players, n_compared)
    found = sample_orders(game, budget, np.random.default_rng(seed))
    np.testing.assert_allclose(found.base + found.contributions.sum(axis=0), game.end, atol=1e-10)
    never = ~game.moves.any(axis=0)
    assert not found.contributions[never].any()
    assert found.n_asked == sum(calls)
    assert max(calls, default=0) <= game.block
    assert found.n_asked <= max(budget, 4 * n_players)


def test_every_single_pair_of_orders_adds_up():
    """The law holds for two pairs as for many: no order leaves a rest."""
    game, _, _ = make_game(3, 7)
    for seed in range(20):
        found = sample_orders(game, 1, np.random.default_rng(seed))
        np.testing.assert_allclose(found.contributions.sum(axis=0), game.end - found.base, atol=1e-10)


def test_sampled_values_are_right_within_their_standard_error():
    game, _, _ = make_game(5, 6)
    exact = play_exactly(game).contributions
    errors, told = [], []
    for seed in range(40):
        found = sample_orders(game, 400, np.random.default_rng(seed))
        errors.append(found.contributions - exact)
        told.append(found.standard_errors)
    moving = game.moves[0]
    spread, told = np.std(errors, axis=0)[moving], np.mean(told, axis=0)[moving]
    assert np.abs(np.mean(errors, axis=0)[moving] / (spread / np.sqrt(40))).max() < 4.5
    np.testing.assert_allclose(told, spread, rtol=0.45)


def test_more_budget_means_smaller_errors():
    game, _, _ = make_game(5, 6)
    few, many = (
        sample_orders(game, budget, np.random.default_rng(0)).standard_errors.max() for budget in (200, 20_000)
    )
    assert many < few / 5


def test_players_that_do_the_same_get_the_same():
    """Symmetry and dummy: a value of how many of the first three have joined, times whether the fourth has."""

    def values(joined, _):
        return (joined[:, :3].sum(axis=1) ** 2.0 * (1 + joined[:, 3]))[:, None]

    game = Game(values, np.ones((1, 5), bool), np.zeros((1, 1)), np.array([18.0]))
    exact = play_exactly(game).contributions.ravel()
    np.testing.assert_allclose(exact[:3], exact[0])
    assert exact[4] == pytest.approx(0, abs=1e-12)
    sampled = sample_orders(game, 40_000, np.random.default_rng(0))
    np.testing.assert_allclose(sampled.contributions.ravel(), exact, atol=5 * sampled.standard_errors.max())


def test_pairs_take_the_error_of_two_by_two_effects_away():
    """A game of effects between two players only is exact after a single pair of orders."""
    effects = np.triu(np.random.default_rng(0).normal(size=(6, 6)))

    def values(joined, _):
        return np.einsum("ni,ij,nj->n", joined, effects, joined)[:, None]

    game = Game(values, np.ones((1, 6), bool), np.zeros((1, 1)), np.array([effects.sum()]))
    found = sample_orders(game, 1, np.random.default_rng(1))
    np.testing.assert_allclose(found.contributions, play_exactly(game).contributions, atol=1e-12)


def test_what_is_within_the_budget_is_exact():
    game, _, _ = make_game(0, 5)
    assert shapley_values(game, 32, np.random.default_rng(0)).exact
    game, _, _ = make_game(0, 8)
    assert not shapley_values(game, 100, np.random.default_rng(0)).exact


def test_rows_compared_with_are_used_equally_or_once():
    game, _, _ = make_game(1, 6, n_compared=4)
    found = sample_orders(game, 10_000, np.random.default_rng(0))
    assert found.n_compared == 4
    np.testing.assert_allclose(found.base, game.start.mean(axis=0))
    assert sample_orders(game, 20, np.random.default_rng(0)).n_compared == 2


def test_nobody_moves():
    game = Game(lambda joined, which: np.zeros((len(joined), 1)), np.zeros((2, 3), bool), np.ones((2, 1)), np.ones(1))
    found = shapley_values(game, 100, np.random.default_rng(0))
    assert found.exact
    assert not found.contributions.any()


def test_steps_of_many_players_are_not_held_at_once():
    weights = np.random.default_rng(0).normal(size=(6000, 1))
    game = Game(
        lambda joined, _: joined @ weights, np.ones((1, 6000), bool), np.zeros((1, 1)), weights.sum(axis=0), block=64
    )
    tracemalloc.start()
    found = sample_orders(game, 10, np.random.default_rng(0))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20 * 2**20  # 36 MB for all steps of one order
    assert found.n_asked == least_asked(game) == 4 * 5999
    np.testing.assert_allclose(found.contributions, weights)


def test_many_outputs_take_no_more_memory_than_the_values_of_some_pairs():
    n_players, n_outputs, n_compared = 500, 400, 100
    moves = np.zeros((n_compared, n_players), bool)
    moves[:, :6] = True
    weights = np.random.default_rng(0).random((n_players, n_outputs))
    end = weights[:6].sum(axis=0)
    game = Game(lambda joined, _: joined @ weights, moves, np.zeros((n_compared, n_outputs)), end)
    tracemalloc.start()
    found = sample_orders(game, 2000, np.random.default_rng(0))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 150e6  # of all pairs, it would be five times that
    assert 2 <= found.n_compared < n_compared
    np.testing.assert_allclose(found.contributions[:6], weights[:6])
