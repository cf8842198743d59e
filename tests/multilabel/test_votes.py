from itertools import combinations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from bncc.multilabel.votes import degrees_of, lead_among_all, lead_among_neighbours, tally


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


@given(st.integers(0, 1000), st.integers(1, 5), st.booleans())
@settings(max_examples=60)
def test_leads_over_the_calibration_label(seed, n_labels, votes):
    random = np.random.default_rng(seed)
    every = np.array(list(combinations(range(n_labels), 2)), np.int64).reshape(-1, 2)
    pairs = every[random.random(len(every)) < 0.6]
    own, met = np.round(random.normal(size=(2, n_labels)), 0), np.round(random.normal(size=(2, len(pairs))), 0)

    def won(decision):
        return float(decision > 0) if votes else decision

    def lost(decision):
        return float(decision <= 0) if votes else -decision

    among_all, among_neighbours = np.zeros((2, 2, n_labels))
    for row in range(2):
        for label in range(n_labels):
            gained, near = won(own[row, label]), [label]
            for (first, second), decision in zip(pairs.tolist(), met[row], strict=True):
                if label in (first, second):
                    gained += won(decision) if label == first else lost(decision)
                    near.append(second if label == first else first)
            among_all[row, label] = gained - sum(lost(decision) for decision in own[row])
            among_neighbours[row, label] = gained - sum(lost(own[row, other]) for other in near)
            assert degrees_of(pairs, n_labels)[label] == len(near) - 1
    np.testing.assert_allclose(lead_among_all(own, met, pairs, votes=votes), among_all)
    np.testing.assert_allclose(lead_among_neighbours(own, met, pairs, votes=votes), among_neighbours)
