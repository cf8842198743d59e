import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from bncc.analysis import average_ranks, friedman, holm, nemenyi, pairwise_wilcoxon, paper, resampled_t, wilcoxon
from bncc.metrics import PAPER_METRICS
from oracles import significance as oracle

# AUC of C4.5 and three variants on 14 data sets: Demsar 2006, JMLR 7, Table 6. Its ranks come from more digits than it
# prints: the equal figures 0.975 of the row before the last rank 2 and 3 there, hence one digit more here.
DEMSAR = np.array(
    [
        [0.763, 0.768, 0.771, 0.798],
        [0.599, 0.591, 0.590, 0.569],
        [0.954, 0.971, 0.968, 0.967],
        [0.628, 0.661, 0.654, 0.657],
        [0.882, 0.888, 0.886, 0.898],
        [0.936, 0.931, 0.916, 0.931],
        [0.661, 0.668, 0.609, 0.685],
        [0.583, 0.583, 0.563, 0.625],
        [0.775, 0.838, 0.866, 0.875],
        [1.000, 1.000, 1.000, 1.000],
        [0.940, 0.962, 0.965, 0.962],
        [0.619, 0.666, 0.614, 0.669],
        [0.972, 0.981, 0.9751, 0.975],
        [0.957, 0.978, 0.946, 0.970],
    ]
)
VARIANTS = ["C4.5", "C4.5+m", "C4.5+cf", "C4.5+m+cf"]

small = st.integers(-6, 6).map(float)
matrices = st.integers(3, 6).flatmap(
    lambda k: st.lists(st.lists(st.integers(0, 5).map(float), min_size=k, max_size=k), min_size=2, max_size=8)
)


def test_the_papers_table_6_follows_from_its_table_4():
    """54 of the 60 p-values to within a unit of the fourth digit; five of the six others are MacF."""
    off = []
    for metric in PAPER_METRICS:
        printed = paper.results(metric)
        tests = pairwise_wilcoxon(printed.mean, printed.methods, decimals=4, method="asymptotic")
        for (first, second), p in paper.p_values(metric).items():
            if abs(round(tests.between(first, second).p_value, 4) - p) > 1.0001e-4:
                off.append((metric, first, second))
    assert len(off) == 6
    assert [metric for metric, *_ in off].count("MacF") == 5


def test_rounding_matters_for_printed_scores():
    """Without rounding, binary noise breaks ties among differences, and fewer of the paper's p-values come out."""
    printed = paper.results("HammingLoss")
    rounded = pairwise_wilcoxon(printed.mean, printed.methods, decimals=4, method="asymptotic")
    plain = pairwise_wilcoxon(printed.mean, printed.methods, method="asymptotic")
    assert [t.p_value for t in rounded.tests] != [t.p_value for t in plain.tests]


def test_wilcoxon_agrees_with_published_examples():
    # Depression scores before and after a tranquillizer: Hollander and Wolfe 1973, p. 29.
    before = [1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30]
    after = [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29]
    outcome = wilcoxon(before, after)
    assert (outcome.statistic, outcome.method) == (5.0, "exact")
    assert outcome.p_value == pytest.approx(2 * 0.01953, abs=1e-4)
    # Darwin's maize, as in Cureton 1967.
    darwin = [6, 8, 14, 16, 23, 24, 28, 29, 41, -48, 49, 56, 60, -67, 75]
    outcome = wilcoxon(darwin, np.zeros(15))
    assert (outcome.statistic, outcome.p_value) == (24.0, pytest.approx(0.041259765625))


@settings(max_examples=60, deadline=None)
@given(st.lists(small, min_size=1, max_size=9))
def test_wilcoxon_is_its_definition(differences):
    outcome = wilcoxon(differences, [0.0] * len(differences))
    used = [d for d in differences if d]
    assert (outcome.n_pairs, outcome.n_used) == (len(differences), len(used))
    if not used:
        assert outcome.p_value == 1.0
        return
    assert outcome.statistic == min(oracle.signed_rank_sums(differences))
    tied = len({abs(d) for d in used}) < len(used)
    assert outcome.method == ("asymptotic" if tied else "exact")
    expected = oracle.wilcoxon_asymptotic(used) if tied else oracle.wilcoxon_exact(used)
    assert outcome.p_value == pytest.approx(expected, abs=1e-12)
    swapped = wilcoxon([0.0] * len(differences), differences)
    assert swapped.p_value == outcome.p_value


def test_wilcoxon_is_asymptotic_for_many_pairs():
    differences = np.random.default_rng(0).normal(0.2, 1, 60)
    outcome = wilcoxon(differences, np.zeros(60))
    assert outcome.method == "asymptotic"
    assert outcome.p_value == pytest.approx(oracle.wilcoxon_asymptotic(differences.tolist()))
    assert wilcoxon(differences, np.zeros(60), method="exact").p_value == pytest.approx(outcome.p_value, rel=0.1)


def test_pairs_with_missing_scores_are_left_out():
    nan = math.nan
    scores = [[0.1, 0.4, nan], [0.2, 0.1, 0.3], [0.3, 0.6, 0.9], [nan, 0.5, 0.2]]
    outcome = pairwise_wilcoxon(scores, ["a", "b", "c"])
    assert [test.n_pairs for test in outcome.tests] == [3, 2, 3]
    assert outcome.between("c", "a") == wilcoxon([0.2, 0.3], [0.3, 0.9])
    assert outcome.adjusted == tuple(holm([test.p_value for test in outcome.tests]))


def test_a_pair_without_common_data_sets_has_p_one():
    assert pairwise_wilcoxon([[0.1, math.nan], [math.nan, 0.2]], ["a", "b"]).tests[0].p_value == 1.0


@settings(max_examples=60, deadline=None)
@given(st.lists(st.floats(0, 1), min_size=0, max_size=8))
def test_holm_is_its_definition(p_values):
    assert holm(p_values).tolist() == pytest.approx(oracle.holm(p_values))


def test_holm_on_demsars_example():
    """Three variants against C4.5 (section 3.2.2): 0.016 and 0.019 stay below 0.05, 0.607 does not."""
    adjusted = holm([0.019, 0.607, 0.016])
    assert adjusted.tolist() == pytest.approx([0.048, 0.607, 0.048])


@settings(max_examples=60, deadline=None)
@given(matrices, st.booleans())
def test_ranks_and_friedman_are_their_definitions(rows, better):
    ranks = average_ranks(rows, greater_is_better=better)
    assert ranks.tolist() == pytest.approx(oracle.average_ranks(rows, better))
    assert ranks.sum() == pytest.approx(len(rows[0]) * (len(rows[0]) + 1) / 2)
    outcome = friedman(rows)
    if all(len(set(row)) == 1 for row in rows):
        assert (outcome.chi_square, outcome.p_value) == (0.0, 1.0)
        return
    n, k = len(rows), len(rows[0])
    chi_square = oracle.friedman_chi_square(rows)
    assert outcome.chi_square == pytest.approx(chi_square)
    assert outcome.p_value == pytest.approx(stats.chi2.sf(chi_square, k - 1))
    if n * (k - 1) - chi_square > 1e-9:
        f = (n - 1) * chi_square / (n * (k - 1) - chi_square)
        assert outcome.f_statistic == pytest.approx(f)
        assert outcome.f_p_value == pytest.approx(stats.f.sf(f, k - 1, (k - 1) * (n - 1)))
    else:
        assert (outcome.f_statistic, outcome.f_p_value) == (math.inf, 0.0)


def test_friedman_and_nemenyi_on_demsars_example():
    ranks = average_ranks(DEMSAR)
    assert ranks.round(3).tolist() == [3.143, 2.000, 2.893, 1.964]
    ties = sum(t**3 - t for row in DEMSAR for t in np.unique(row, return_counts=True)[1])
    correction = 1 - ties / (14 * 4 * 15)
    uncorrected = friedman(DEMSAR).chi_square * correction  # Demsar's formula knows no ties
    assert uncorrected == pytest.approx(9.28, abs=0.005)
    assert 13 * uncorrected / (14 * 3 - uncorrected) == pytest.approx(3.69, abs=0.005)
    assert nemenyi(DEMSAR, VARIANTS).critical_difference == pytest.approx(1.25, abs=0.005)
    assert nemenyi(DEMSAR, VARIANTS, alpha=0.1).critical_difference == pytest.approx(1.12, abs=0.005)


@pytest.mark.parametrize(
    ("alpha", "expected"),
    [
        (0.05, [1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164]),
        (0.10, [1.645, 2.052, 2.291, 2.459, 2.589, 2.693, 2.780, 2.855, 2.920]),
    ],
)
def test_critical_values_are_those_of_demsars_table_5(alpha, expected):
    for k, q in enumerate(expected, start=2):
        scores = np.random.default_rng(k).random((10, k))
        outcome = nemenyi(scores, [str(j) for j in range(k)], alpha=alpha)
        assert outcome.critical_difference / math.sqrt(k * (k + 1) / 60) == pytest.approx(q, abs=1.5e-3)


def test_nemenyi_p_values_agree_with_the_critical_difference():
    random = np.random.default_rng(3)
    for _ in range(10):
        scores = random.random((12, 5)) + np.linspace(0, 0.8, 5)
        outcome = nemenyi(scores, list("abcde"), alpha=0.05)
        gaps = np.abs(outcome.ranks[:, None] - outcome.ranks[None, :])
        assert ((outcome.p_values < 0.05) == (gaps > outcome.critical_difference)).all()
        assert (outcome.p_values == outcome.p_values.T).all()
        assert (np.diag(outcome.p_values) == 1).all()


def test_two_methods_make_nemenyi_a_normal_test_of_ranks():
    """With two methods the studentized range over sqrt(2) is the absolute value of a normal variable."""
    outcome = nemenyi([[1, 2]] * 9 + [[2, 1]] * 3, ["a", "b"])
    z = abs(outcome.ranks[0] - outcome.ranks[1]) / math.sqrt(2 * 3 / (6 * 12))
    assert outcome.p_values[0, 1] == pytest.approx(2 * stats.norm.sf(z), rel=1e-6)


def test_resampled_t_is_its_definition():
    """Bouckaert and Frank 2004: t = m / sqrt((1/(kr) + n2/n1) s^2), here with n2/n1 = 1/9."""
    gains = np.random.default_rng(0).normal(0.01, 0.02, 100)
    t = gains.mean() / math.sqrt((1 / 100 + 1 / 9) * gains.var(ddof=1))
    outcome = resampled_t(gains, 10)
    assert outcome.statistic == pytest.approx(t)
    assert outcome.p_value == pytest.approx(2 * stats.t.sf(abs(t), 99))
    assert outcome.p_value > stats.ttest_1samp(gains, 0).pvalue


def test_resampled_t_holds_its_level_where_the_plain_test_does_not():
    """Folds of one data set share a random shift of their differences: the plain t-test rejects far too often."""
    random = np.random.default_rng(1)
    corrected, plain = 0, 0
    for _ in range(400):
        gains = random.normal(0, 1, 30) + random.normal(0, 1 / 3)
        corrected += resampled_t(gains, 10).p_value < 0.05
        plain += stats.ttest_1samp(gains, 0).pvalue < 0.05
    assert corrected / 400 < 0.08
    assert plain / 400 > 0.2


def test_resampled_t_of_equal_differences():
    assert resampled_t([0.0, 0.0], 2).p_value == 1.0
    assert resampled_t([0.1, 0.1], 2).p_value == 0.0
    assert resampled_t([-0.1, -0.1], 2).statistic == -math.inf


def test_direction_reverses_ranks():
    lower = average_ranks(DEMSAR, greater_is_better=False)
    assert (lower + average_ranks(DEMSAR)).tolist() == pytest.approx([5.0] * 4)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: wilcoxon([1, 2], [1]), "as many values as the first"),
        (lambda: wilcoxon([1, math.nan], [1, 2]), "`first` must be finite; got 1"),
        (lambda: wilcoxon([[1]], [1]), "`first` must be one-dimensional"),
        (lambda: wilcoxon([1, 2, 3], [0, 1, 2], method="exact"), "without ties"),
        (lambda: wilcoxon([1, 2], [0, 0], method="monte"), "`method` must be"),
        (lambda: holm([0.2, 1.2]), "between 0 and 1; got \\[1.2\\]"),
        (lambda: average_ranks([1, 2]), "must be a matrix"),
        (lambda: average_ranks([[1, math.nan]]), "1 row\\(s\\) with missing scores"),
        (lambda: average_ranks([[1, math.inf]]), "infinite"),
        (lambda: friedman([[1, 2], [2, 1]]), "at least 3 methods on 2 data sets; got 2"),
        (lambda: nemenyi([[1], [2]], ["a"]), "at least 2 methods; got 1"),
        (lambda: nemenyi([[1, 2]], ["a", "b"], alpha=0), "`alpha` must lie between"),
        (lambda: nemenyi([[1, 2]], ["a", "a"]), "must be distinct"),
        (lambda: resampled_t([0.1], 10), "at least 2 differences; got 1"),
        (lambda: resampled_t([0.1, 0.2], 1), "`n_folds` must be at least 2; got 1"),
        (lambda: pairwise_wilcoxon([[1, 2]], ["a"]), "one name per column"),
        (lambda: pairwise_wilcoxon([[1, 2]], ["a", "b"]).between("a", "c"), "no method 'c'"),
        (lambda: pairwise_wilcoxon([[1, 2]], ["a", "b"]).between("a", "a"), "against itself"),
    ],
)
def test_bad_input_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
