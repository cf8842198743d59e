from itertools import product

import numpy as np
import pytest

from bncc.multilabel.blending.expected_f1 import best_expected_f1, fit_size_factors
from oracles.decode import expected_f1


@pytest.mark.parametrize("seed", range(3))
def test_no_set_has_a_larger_expectation(seed):
    rates = np.random.default_rng(seed).random((12, 5)) ** 2
    sets = np.array(list(product([False, True], repeat=5)))
    for rate, chosen in zip(rates, best_expected_f1(rates), strict=True):
        probability = np.where(sets, rate, 1 - rate).prod(axis=1)
        best = max(expected_f1(sets, probability, guess) for guess in sets)
        assert expected_f1(sets, probability, chosen) == pytest.approx(best)


@pytest.mark.parametrize("factors", [[0.0, 1.0], [1.0, 5.0, 0.2], [0.1, 2.0, 3.0, 1.0, 1.0, 0.5]])
def test_no_set_has_a_larger_expectation_where_sizes_are_more_or_less_probable(factors):
    rates = np.random.default_rng(7).random((12, 5)) ** 2
    sets = np.array(list(product([False, True], repeat=5)))
    factor = np.array(factors)[np.minimum(sets.sum(axis=1), len(factors) - 1)]
    for rate, chosen in zip(rates, best_expected_f1(rates, np.array(factors)), strict=True):
        probability = np.where(sets, rate, 1 - rate).prod(axis=1) * factor
        best = max(expected_f1(sets, probability, guess) for guess in sets)
        assert expected_f1(sets, probability, chosen) == pytest.approx(best)


def test_factors_of_one_change_nothing():
    rates = np.random.default_rng(1).random((200, 8)) ** 2
    np.testing.assert_array_equal(best_expected_f1(rates, np.ones(3)), best_expected_f1(rates))


def test_a_row_that_is_surely_empty_stays_empty():
    assert not best_expected_f1(np.full((2, 60), 1e-4)).any()
    assert best_expected_f1(np.full((1, 3), 0.99)).all()


def test_of_many_labels_those_that_are_not_looked_at_count_together():
    # Two labels that may hold, and one more expected among thousands: a row without labels is improbable.
    rates = np.full((1, 4000), 0.001)
    rates[0, [7, 3000]] = 0.3, 0.4
    assert np.flatnonzero(best_expected_f1(rates)).tolist() == [7, 3000]
    assert not best_expected_f1(rates[:, 2500:3500]).any()  # of a thousand labels they do not
    assert not best_expected_f1(rates * 0.01).any()


def test_of_many_equally_probable_labels_the_first_are_taken():
    rates = np.full((1, 1200), 1e-5)
    rates[0, 1100:1106] = 0.9
    rates[0, 1106:1110] = 0.95
    assert np.flatnonzero(best_expected_f1(rates)).tolist() == list(range(1100, 1110))


def sizes_expected(rates, factors):
    """Mean probability of each number of labels, by all label sets."""
    sets = np.array(list(product([False, True], repeat=rates.shape[1])))
    probability = np.where(sets, rates[:, None, :], 1 - rates[:, None, :]).prod(axis=2) * factors[sets.sum(axis=1)]
    probability /= probability.sum(axis=1, keepdims=True)
    return np.array([probability[:, sets.sum(axis=1) == k].sum(axis=1).mean() for k in range(len(factors))])


def test_with_the_factors_sizes_are_as_common_as_they_were():
    rng = np.random.default_rng(3)
    rates = rng.random((4000, 4)) ** 2
    truth = rng.random(rates.shape) < rates
    truth = truth[truth.any(axis=1)]  # no row is without labels
    rates = rates[: len(truth)]
    seen = np.bincount(truth.sum(axis=1), minlength=5) / len(truth)
    found = sizes_expected(rates, fit_size_factors(rates, truth))
    np.testing.assert_allclose(found, seen, atol=0.01)
    assert abs(sizes_expected(rates, np.ones(5))[0] - seen[0]) > 0.1


def test_independent_labels_have_factors_of_one():
    rng = np.random.default_rng(4)
    rates = rng.random((20_000, 6))
    np.testing.assert_allclose(fit_size_factors(rates, rng.random(rates.shape) < rates), 1.0, atol=0.15)


def test_rows_with_unknown_labels_say_nothing_of_sizes_and_weights_are_numbers_of_rows():
    rng = np.random.default_rng(5)
    rates, truth = rng.random((60, 4)), rng.random((60, 4)) < 0.3
    known = np.ones(truth.shape, bool)
    known[40:, 0] = False
    np.testing.assert_allclose(fit_size_factors(rates, truth, known), fit_size_factors(rates[:40], truth[:40]))
    twice = np.r_[np.arange(60), np.arange(30)]
    weight = np.r_[np.full(30, 2.0), np.ones(30)]
    np.testing.assert_allclose(
        fit_size_factors(rates, truth, None, weight), fit_size_factors(rates[twice], truth[twice])
    )
    np.testing.assert_array_equal(fit_size_factors(rates, truth, np.zeros(truth.shape, bool)), 1.0)


def test_of_thousands_of_labels_sizes_are_found_as_well():
    rng = np.random.default_rng(6)
    rates = np.full((300, 1500), 0.0002)
    truth = np.zeros(rates.shape, bool)
    truth[np.arange(300), rng.integers(0, 1500, 300)] = True  # always one
    rates[truth] = 0.1
    factors = fit_size_factors(rates, truth)
    assert factors[1] > 2 * max(factors[0], factors[2])
    assert not best_expected_f1(rates).any()
    np.testing.assert_array_equal(best_expected_f1(rates, factors), truth)
