import numpy as np
import pytest
from hypothesis import given, settings

from bncc.labels import count_labels
from bncc.structure.tables import ConditionalTable, count_table
from strategies import label_matrices

# Parents (0, 1); label 2 follows the configuration 0b01 in two of three rows, 0b10 never occurs.
Y = np.array([[1, 0, 1], [1, 0, 1], [1, 0, 0], [0, 0, 0], [1, 1, 1]])


@given(label_matrices(min_labels=3))
@settings(max_examples=60, deadline=None)
def test_counts_are_those_of_the_rows(labels):
    table = count_table(count_labels(labels), 0, [2, 1])
    code = labels[:, 2] + 2 * labels[:, 1]
    assert table.configurations.tolist() == sorted(set(code.tolist()))
    assert table.totals.tolist() == [(code == value).sum() for value in table.configurations]
    assert table.positives.tolist() == [labels[code == value, 0].sum() for value in table.configurations]
    np.testing.assert_array_equal(table.configurations_of(count_labels(labels).matrix), code)


def test_rates_without_smoothing_are_shares_of_rows():
    table = count_table(count_labels(Y), 2, [0, 1])
    # 0b10 never occurred: the share over all rows.
    assert table.probability(smoothing=0).tolist() == pytest.approx([0, 2 / 3, 3 / 5, 1])
    assert table.probability([1, 1, 3], smoothing=0).tolist() == pytest.approx([2 / 3, 2 / 3, 1])


def test_smoothing_draws_towards_the_overall_rate():
    table = count_table(count_labels(Y), 2, [0, 1])
    overall = (3 + 0.5) / (5 + 1)
    assert table.probability().tolist() == pytest.approx([overall / 2, (2 + overall) / 4, overall, (1 + overall) / 2])
    np.testing.assert_allclose(table.probability(smoothing=1e9), 0.5, atol=1e-6)


def test_a_label_without_parents_has_one_configuration():
    table = count_table(count_labels(Y), 2, [])
    assert isinstance(table, ConditionalTable)
    assert table.probability(smoothing=0).tolist() == [0.6]


def test_negative_smoothing_is_refused():
    with pytest.raises(ValueError, match="`smoothing` must be a number, at least 0; got -1"):
        count_table(count_labels(Y), 2, []).probability(smoothing=-1)
