from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2_contingency, fisher_exact, kstest

from bncc.labels import count_labels, independence_test
from bncc.labels.independence import Strata, sidak, strata_test
from strategies import label_matrices


def p_values_of_independent_labels(n_sets, n_rows, n_given, lowest, highest, seed):
    random = np.random.default_rng(seed)
    out = []
    for _ in range(n_sets):
        Y = random.random((n_rows, 2 + n_given)) < random.uniform(lowest, highest, 2 + n_given)
        out.append(independence_test(count_labels(Y), 0, 1, range(2, 2 + n_given)).p_value)
    return np.array(out)


@pytest.mark.parametrize(
    ("n_rows", "n_given", "lowest", "highest"),
    [(2000, 0, 0.2, 0.8), (2000, 2, 0.2, 0.8), (300, 3, 0.05, 0.5), (60, 2, 0.3, 0.7)],
)
def test_p_values_are_uniform_under_independence(n_rows, n_given, lowest, highest):
    p_values = p_values_of_independent_labels(600, n_rows, n_given, lowest, highest, seed=1)
    assert kstest(p_values, "uniform").pvalue > 0.01


def test_rare_labels_are_not_found_dependent_more_often_than_said():
    p_values = p_values_of_independent_labels(2000, 1000, 0, 0.001, 0.02, seed=2)
    for level in (0.001, 0.01, 0.05):
        assert (p_values <= level).mean() <= level + 3 * np.sqrt(level / 2000)


def test_dependence_that_only_shows_given_a_label():
    random = np.random.default_rng(0)
    first, second = random.integers(0, 2, (2, 400))
    Y = np.column_stack([first, second, first ^ second])
    assert independence_test(Y, 0, 2).p_value > 0.01
    found = independence_test(Y, 0, 2, given=[1])
    assert found.p_value < 1e-10
    assert found.degrees_of_freedom == 2


def test_a_common_cause_explains_a_dependence():
    random = np.random.default_rng(3)
    cause = random.random(3000) < 0.4
    effects = random.random((3000, 2)) < np.where(cause, 0.8, 0.2)[:, None]
    Y = np.column_stack([cause, effects]).astype(int)
    assert independence_test(Y, 1, 2).p_value < 1e-10
    assert independence_test(Y, 1, 2, given=[0]).p_value > 0.01


def test_large_counts_are_those_of_scipy():
    table = np.array([[40, 30], [20, 60]])
    Y = [[a, b] for a in (0, 1) for b in (0, 1) for _ in range(table[a, b])]
    found = independence_test(Y, 0, 1)
    known = chi2_contingency(table, correction=False, lambda_="log-likelihood")
    assert found.statistic == pytest.approx(known.statistic)
    assert found.p_value == pytest.approx(known.pvalue)
    assert found.small_strata == 0


def test_one_row_that_carries_two_rare_labels():
    Y = np.zeros((2000, 2), int)
    Y[7] = 1
    found = independence_test(Y, 0, 1)
    assert found.p_value == pytest.approx(fisher_exact([[1, 0], [0, 1999]]).pvalue / 2)  # half, for it is the last
    assert found.small_strata == 1


def test_labels_that_never_vary_tell_nothing():
    assert independence_test([[1, 0], [1, 1]], 0, 1) == independence_test([[0, 0], [0, 1]], 0, 1)
    assert independence_test([[1, 0], [1, 1]], 0, 1).p_value == 1.0


@given(label_matrices(min_labels=3))
@settings(max_examples=40, deadline=None)
def test_the_test_does_not_care_which_label_comes_first(Y):
    one, other = independence_test(Y, 0, 1, [2]), independence_test(Y, 1, 0, [2])
    assert one.statistic == pytest.approx(other.statistic)
    assert one.p_value == pytest.approx(other.p_value, abs=1e-6)
    assert 0 <= one.p_value <= 1


@given(st.lists(st.tuples(*[st.integers(0, 4)] * 4), min_size=2, max_size=3).filter(lambda t: all(map(sum, t))))
@settings(max_examples=60, deadline=None)
def test_small_strata_against_all_their_tables(cells):
    cells = np.array(cells, float)
    strata = Strata(cells.sum(1), cells[:, 1] + cells[:, 3], cells[:, 2] + cells[:, 3], cells[:, 3])
    found = strata_test(strata)
    values, chances = np.zeros(1), np.ones(1)
    for rows, first, second in zip(strata.rows, strata.first, strata.second, strict=True):
        grid = np.arange(max(0, first + second - rows), min(first, second) + 1)
        one = [strata_test(Strata(*np.array([[rows], [first], [second], [both]]))).statistic for both in grid]
        chance = np.array([choose(first, both) * choose(rows - first, second - both) for both in grid])
        values = (values[:, None] + np.array(one)[None, :]).ravel()
        chances = (chances[:, None] * (chance / chance.sum())[None, :]).ravel()
    tied = np.isclose(values, found.statistic, rtol=1e-9, atol=1e-9)
    exact = chances[(values > found.statistic) & ~tied].sum() + chances[tied].sum() / 2
    if found.degrees_of_freedom:
        assert found.p_value == pytest.approx(exact, abs=1e-9)


def choose(n, k):
    return comb(int(n), int(k))


def test_sidak_counts_the_tests():
    assert sidak(0.02, 1) == pytest.approx(0.02)
    assert sidak(np.array([0.0, 1e-18, 1.0]), 190).tolist() == pytest.approx([0.0, 1.9e-16, 1.0])
    random = np.random.default_rng(0)
    smallest = random.random((2000, 190)).min(axis=1)
    assert kstest(sidak(smallest, 190), "uniform").pvalue > 0.01


def test_labels_by_name_and_mistakes():
    counts = count_labels([[1, 0], [0, 1], [1, 1]], label_names=["sun", "rain"])
    assert independence_test(counts, "sun", "rain") == independence_test(counts, 0, 1)
    for first, second, shown in [("sun", "snow", "unknown label 'snow'"), (0, 2, "0..1; got 2"), (0, 0, "different")]:
        with pytest.raises(ValueError, match=shown):
            independence_test(counts, first, second)
