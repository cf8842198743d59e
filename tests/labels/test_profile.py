import math

import pytest

from bncc.labels import cardinality, density, imbalance, mean_imbalance, profile_labels

Y = [[1, 1, 0, 0], [1, 0, 0, 0], [1, 0, 1, 0], [1, 1, 0, 0]]


def test_figures_by_hand():
    assert cardinality(Y) == 7 / 4
    assert density(Y) == 7 / 16
    assert imbalance(Y)[:3].tolist() == [1.0, 2.0, 4.0]
    assert math.isnan(imbalance(Y)[3])
    assert mean_imbalance(Y) == pytest.approx(7 / 3)  # a label that never occurs does not count


def test_profile_collects_them():
    profile = profile_labels(Y)
    assert (profile.n_rows, profile.n_labels, profile.n_label_sets) == (4, 4, 3)
    assert profile.mean_imbalance == mean_imbalance(Y)


def test_no_label_at_all():
    assert cardinality([[0, 0]]) == 0
    assert math.isnan(mean_imbalance([[0, 0]]))
    assert profile_labels([[0, 0]]).n_label_sets == 1
