"""Sums over pairs of classes are the same whichever way they are gone through."""

from itertools import combinations

import numpy as np
import pytest

from bncc.svm.pair_sums import pair_sums
from bncc.svm.sigmoids import couple_pairs
from stopwatch import Stopwatch

RANDOM = np.random.default_rng(0)


def one_by_one(for_first, for_second, n_classes):
    out = np.zeros((len(for_first), n_classes))
    for row in range(len(for_first)):
        for pair, (a, b) in enumerate(combinations(range(n_classes), 2)):
            out[row, a] += for_first[row, pair]
            out[row, b] += for_second[row, pair]
    return out


@pytest.mark.parametrize("n_rows", [0, 1, 5, 100])
@pytest.mark.parametrize("n_classes", [2, 3, 12])
def test_rows_or_pairs_first(n_rows, n_classes):
    n_pairs = n_classes * (n_classes - 1) // 2
    for_first, for_second = RANDOM.normal(size=(2, n_rows, n_pairs))
    expected = one_by_one(for_first, for_second, n_classes)
    np.testing.assert_array_equal(pair_sums(for_first, for_second, n_classes), expected)
    np.testing.assert_array_equal(
        pair_sums(for_first > 0, for_first <= 0, n_classes),
        one_by_one(for_first > 0, for_first <= 0, n_classes),
    )


def test_a_row_of_many_classes_is_quick():
    pairwise = RANDOM.random((1, 1500 * 1499 // 2))
    with Stopwatch() as watch:
        assert couple_pairs(pairwise, 1500).sum() == pytest.approx(1.0)
    assert watch.processor < 2
