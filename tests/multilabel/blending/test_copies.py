"""Rows that stand several times in the data."""

import numpy as np
import pytest
from scipy import sparse

from bncc.multilabel.blending.copies import are_all_equal, groups_of_copies

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


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_rows_that_are_all_equal(form):
    same = np.tile([[0.0, 2.0, np.nan]], (450, 1))
    assert are_all_equal(form(same))
    assert are_all_equal(form(np.zeros((450, 2))))
    for place, value in (((449, 0), 1.0), ((0, 1), 3.0), ((300, 2), 1.0), ((300, 1), np.nan), ((300, 1), 0.0)):
        other = same.copy()
        other[place] = value
        assert not are_all_equal(form(other))
    moved = same.copy()
    moved[7] = [2.0, 0.0, np.nan]
    assert not are_all_equal(form(moved))
    assert are_all_equal(form(same.astype(np.float32)))


def test_zeros_that_are_stored_are_zeros():
    rows = sparse.csr_array((np.array([0.0, 1.0, 1.0]), np.array([0, 1, 1]), np.array([0, 2, 3])), shape=(2, 2))
    assert are_all_equal(rows)
    assert rows.nnz == 3
