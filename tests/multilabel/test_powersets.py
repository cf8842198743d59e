import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from bncc.multilabel.powersets import read_sets, scores_from_sets, set_scores
from bncc.multilabel.targets import read_targets


def test_sets_of_rows_and_unknown_labels():
    Y = np.array([[1, 0, 1], [0, 0, 1], [1, np.nan, 0], [1, 0, 0]])
    sets, codes = read_sets(read_targets(Y), [0, 1])
    assert sets.sets.tolist() == [[False, False], [True, False]]
    assert codes.tolist() == [1, 0, -1, 1]
    nothing, codes = read_sets(read_targets(np.array([[np.nan, 1.0], [np.nan, 0.0]])), [0])
    assert nothing.sets.tolist() == [[False]]
    assert codes.tolist() == [-1, -1]


@given(st.integers(0, 1000), st.integers(1, 6), st.integers(1, 4))
@settings(max_examples=60)
def test_scores_from_sets_follow_the_winner(seed, n_sets, n_labels):
    random = np.random.default_rng(seed)
    sets = np.unique(random.random((n_sets, n_labels)) < 0.5, axis=0)
    scores = random.integers(0, 3, (8, len(sets))).astype(float)
    winner = scores.argmax(axis=1)
    found = scores_from_sets(sets, scores, winner)
    np.testing.assert_array_equal(found > 0, sets[winner])
    for row in range(8):
        for label in range(n_labels):
            with_it = [scores[row, s] for s in range(len(sets)) if sets[s, label]]
            without = [scores[row, s] for s in range(len(sets)) if not sets[s, label]]
            expected = max(with_it) - max(without) if with_it and without else (1.0 if with_it else -1.0)
            assert abs(found[row, label] - expected) < 1e-300


def test_set_scores_are_those_of_one_against_one():
    pairs = np.array([[1.0, -2.0, 0.5]])  # 1 beats 0, 0 beats 2, 2 beats 1
    margins = np.array([1.0, 0.5, -1.5])
    np.testing.assert_allclose(set_scores(pairs, 3)[0], 1 + margins / (3 * (np.abs(margins) + 1)))
    assert set_scores(np.array([[2.0]]), 2).tolist() == [[-1.0, 1.0]]
    assert set_scores(np.zeros((2, 0)), 1).tolist() == [[0.0], [0.0]]
