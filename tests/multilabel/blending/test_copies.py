"""Rows that stand several times in the data."""

import numpy as np
import pytest
from scipy import sparse

from bncc.multilabel.blending.copies import groups_of_copies

RANDOM = np.random.default_rng(0)
ROWS = RANDOM.normal(size=(300, 6))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_equal_rows_have_equal_numbers(dtype):
    order = RANDOM.permutation(np.repeat(np.arange(300), 2))
    found = groups_of_copies(ROWS.astype(dtype)[order])
    assert len(np.unique(found)) == 300
    assert all(len(set(found[order == row])) == 1 for row in range(300))


def test_gaps_and_zeros_of_either_sign_are_equal():
    rows = ROWS.copy()
    rows[:, 0], rows[:, 1] = np.nan, 0.0
    other = rows.copy()
    other[:, 1] = -0.0
    np.testing.assert_array_equal(groups_of_copies(np.vstack([rows, other])), np.tile(np.arange(300), 2))


def test_few_copies_marks_and_words_are_left_alone():
    assert groups_of_copies(np.vstack([ROWS, ROWS[:5]])) is None
    assert groups_of_copies(RANDOM.integers(0, 3, (300, 4)).astype(float)) is None
    assert groups_of_copies(sparse.csr_array(np.vstack([ROWS, ROWS]))) is None
    assert groups_of_copies(np.zeros((300, 0))) is None
    assert groups_of_copies(np.zeros((300, 2))) is None
