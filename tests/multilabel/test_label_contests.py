from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bncc.multilabel.label_contests import all_contests, certainty, contests_of_pairs, edge_pairs, random_pairs
from bncc.multilabel.targets import read_targets
from bncc.structure import learn_network


def draw(seed, n_rows=12, n_labels=4):
    random = np.random.default_rng(seed)
    Y = (random.random((n_rows, n_labels)) < random.random(n_labels)).astype(float)
    Y[random.random(Y.shape) < 0.2] = np.nan
    return Y


@given(st.integers(0, 500))
@settings(max_examples=40)
def test_rows_tell_two_known_labels_apart(seed):
    Y = draw(seed)
    targets = read_targets(Y)
    pairs = list(combinations(range(4), 2))
    every, chosen = all_contests(np.array(targets.columns())), contests_of_pairs(targets, pairs)
    expected = {pair: [row for row in range(12) if Y[row, pair[0]] + Y[row, pair[1]] == 1] for pair in pairs}
    for contests in (every, chosen):
        assert list(map(tuple, contests.pairs.tolist())) == [pair for pair in pairs if expected[pair]]
        for (first, second), rows, always in zip(contests.pairs.tolist(), contests.rows, contests.certain, strict=True):
            assert rows.tolist() == expected[first, second]
            won = Y[rows, first]
            assert always == (1 if won.all() else -1 if not won.any() else 0)


def test_no_pairs():
    for contests in (contests_of_pairs(read_targets(draw(0)), []), all_contests(np.zeros((1, 5), np.int8))):
        assert contests.pairs.shape == (0, 2)
        assert contests.rows == ()
        assert contests.certain.shape == (0,)


def test_certainty_of_a_target():
    columns = ([1, 1], [0, 0], [0, 1], [])
    assert [certainty(np.array(column, np.int8)) for column in columns] == [1, -1, 0, -1]


def test_edges_as_pairs():
    net = learn_network(np.eye(4, dtype=int), search=[(2,), (0, 3), (), ()])
    assert edge_pairs(net) == [(0, 1), (0, 2), (1, 3)]


@pytest.mark.parametrize("n_labels", [1, 2, 3, 10, 57])
def test_random_pairs_are_distinct(n_labels):
    n_all = n_labels * (n_labels - 1) // 2
    assert random_pairs(n_labels, n_all, 0) == list(combinations(range(n_labels), 2))
    some = random_pairs(n_labels, n_all // 3, 1)
    assert len(set(some)) == n_all // 3
    assert set(some) <= set(combinations(range(n_labels), 2))
    assert some == random_pairs(n_labels, n_all // 3, 1)


def test_random_pairs_of_many_labels():
    some = random_pairs(100_000, 50, 0)
    assert all(0 <= first < second < 100_000 for first, second in some)
    assert len(set(some)) == 50
