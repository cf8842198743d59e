import numpy as np
import pytest

from bncc import linear, svm
from bncc._problems import Status, check_row_set, read_weight_table


def test_both_engines_speak_of_the_same_ends():
    assert svm.Status is linear.Status is Status


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([0.5], "Row set 3 must be a 1-D array of row numbers; got dtype float64"),
        ([[0]], "Row set 3 must be a 1-D array"),
        ([-1, 2], r"Row set 3 must lie in 0..4; got -1..2"),
        ([0, 5], r"Row set 3 must lie in 0..4; got 0..5"),
        ([2, 2], "Row set 3 must ascend without duplicates"),
    ],
)
def test_sets_of_rows_that_are_none(rows, message):
    with pytest.raises(ValueError, match=message):
        check_row_set(3, np.array(rows), 5)


@pytest.mark.parametrize("rows", [[], [4], [0, 1, 4]])
def test_sets_of_rows(rows):
    check_row_set(0, np.array(rows, np.int64), 5)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1.0, 2.0], r"one column per row \(3\); got shape \(1, 2\)"),
        ([1.0, np.nan, 1.0], "finite and not negative"),
        ([1.0, -1.0, 1.0], "use 0 to leave a row out"),
    ],
)
def test_weights_that_are_none(weights, message):
    with pytest.raises(ValueError, match=message):
        read_weight_table(weights, 3)


def test_weights_are_a_table():
    assert read_weight_table([[1, 2, 0], [1, 1, 1]], 3).tolist() == [[1.0, 2.0, 0.0], [1.0, 1.0, 1.0]]
    assert read_weight_table(None, 3).shape == (0, 3)
