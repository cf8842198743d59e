import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from bncc.multilabel.votes import tally


@given(st.integers(0, 1000), st.integers(2, 6), st.integers(0, 12))
@settings(max_examples=40)
def test_counts_each_contest_once(seed, n_candidates, n_contests):
    random = np.random.default_rng(seed)
    decisions = np.round(random.normal(size=(3, n_contests)), 0)
    sides = np.array([random.permutation(n_candidates)[:2] for _ in range(n_contests)]).reshape(-1, 2)
    votes, sums = tally(decisions, sides[:, 0], sides[:, 1], n_candidates)
    expected_votes, expected_sums = np.zeros((2, 3, n_candidates))
    for row in range(3):
        for contest, (first, second) in enumerate(sides):
            decision = decisions[row, contest]
            expected_votes[row, first if decision > 0 else second] += 1
            expected_sums[row, first] += decision
            expected_sums[row, second] -= decision
    np.testing.assert_array_equal(votes, expected_votes)
    np.testing.assert_array_equal(sums, expected_sums)
