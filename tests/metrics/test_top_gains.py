from __future__ import annotations

import numpy as np
from scipy import sparse

from bncc.metrics.top_gains import best_gains, top_gains

TRUE = np.array([[1, 0, 1, 0], [0, 0, 0, 0], [1, 1, 1, 1]], bool)
GAINS = np.array([1.0, 2.0, 3.0, 4.0])


def test_of_equal_scores_the_smaller_gain_stands_first():
    assert top_gains(TRUE, np.zeros((3, 4)), GAINS, 4).tolist() == [[0, 0, 1, 3], [0, 0, 0, 0], [1, 2, 3, 4]]
    assert top_gains(TRUE, np.zeros((3, 4)), GAINS, 3).tolist() == [[0, 0, 1], [0, 0, 0], [1, 2, 3]]


def test_what_is_not_stored_comes_last():
    stored = sparse.csr_array((np.array([-5.0, 0.0]), np.array([2, 1]), np.array([0, 1, 1, 2])), shape=(3, 4))
    assert top_gains(TRUE, stored, GAINS, 2).tolist() == [[3, 0], [0, 0], [2, 1]]
    assert top_gains(TRUE, stored, GAINS, 4).tolist() == [[3, 0, 0, 1], [0, 0, 0, 0], [2, 1, 3, 4]]


def test_stored_minus_infinity_is_as_nothing_stored():
    stored = sparse.csr_array(np.array([[-np.inf, 1.0]]))
    assert top_gains(np.array([[True, False]]), stored, np.ones(2), 2).tolist() == [[0, 1]]


def test_the_best_order():
    assert best_gains(TRUE, GAINS, 3).tolist() == [[3, 1, 0], [0, 0, 0], [4, 3, 2]]
    assert best_gains(sparse.csr_array(TRUE), GAINS, 9).tolist() == [[3, 1, 0, 0], [0, 0, 0, 0], [4, 3, 2, 1]]


def test_infinite_scores_are_ranked():
    scores = np.array([[np.inf, -np.inf, 0.0, np.inf]])
    assert top_gains(TRUE[:1], scores, GAINS, 3).tolist() == [[0, 1, 3]]
