from itertools import product

import numpy as np
import pytest

from bncc.multilabel.blending.expected_f1 import best_expected_f1
from oracles.decode import expected_f1


@pytest.mark.parametrize("seed", range(3))
def test_no_set_has_a_larger_expectation(seed):
    rates = np.random.default_rng(seed).random((12, 5)) ** 2
    sets = np.array(list(product([False, True], repeat=5)))
    for rate, chosen in zip(rates, best_expected_f1(rates), strict=True):
        probability = np.where(sets, rate, 1 - rate).prod(axis=1)
        best = max(expected_f1(sets, probability, guess) for guess in sets)
        assert expected_f1(sets, probability, chosen) == pytest.approx(best)


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
