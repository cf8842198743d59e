import math

import pytest
from scipy import sparse

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


def test_unknown_labels_count_neither_way():
    labels = [[1, 0], [0, 0], [0, 1], [1, 1]]
    unknown = sparse.csr_array([[0, 1], [0, 0], [1, 0], [0, 0]])
    profile = profile_labels(labels, unknown)
    assert profile.cardinality == pytest.approx(2 / 3 + 2 / 3)
    assert profile.density == pytest.approx(2 / 3)
    assert profile.mean_imbalance == 1.0
    assert profile.n_label_sets == 2
    assert profile_labels(labels, sparse.csr_array((4, 2))) == profile_labels(labels)
