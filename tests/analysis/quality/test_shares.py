import numpy as np
import pytest
from scipy.stats import binomtest

from bncc.analysis.quality.shares import auc_ends, f1_ends, mean_ends, share_ends
from bncc.metrics import average_precision, roc_auc


@pytest.mark.parametrize("alpha", [0.05, 1e-4])
def test_shares_agree_with_scipy(alpha):
    k, n = np.array([0, 1, 5, 9, 10, 300]), np.array([10, 10, 10, 10, 10, 1000])
    ends = share_ends(k, n, alpha)
    for i in range(k.size):
        exact = binomtest(int(k[i]), int(n[i])).proportion_ci(1 - alpha, "exact")
        assert (ends.low[i], ends.high[i]) == pytest.approx((exact.low, exact.high), abs=1e-9)


def test_nothing_to_measure_has_no_interval():
    ends = share_ends(np.array([0.0]), np.array([0.0]), 0.05)
    assert np.isnan([ends.low[0], ends.high[0]]).all()
    assert np.isnan(auc_ends(np.array([np.nan]), np.array([0.0]), np.array([5.0]), 0.05).low).all()


def test_stricter_levels_are_wider():
    for make in (
        lambda alpha: f1_ends(np.array([4.0]), np.array([9.0]), alpha),
        lambda alpha: auc_ends(np.array([0.8]), np.array([9.0]), np.array([40.0]), alpha),
        lambda alpha: mean_ends(np.array([0.2]), np.array([0.001]), np.array([90.0]), alpha),
    ):
        narrow, wide = make(0.05), make(0.05 / 400)
        assert (wide.low < narrow.low).all()
        assert (wide.high > narrow.high).all()


def test_a_perfect_label_with_two_rows_is_not_sure():
    assert f1_ends(np.array([2.0]), np.array([2.0]), 0.05).low[0] < 0.4
    assert auc_ends(np.array([1.0]), np.array([2.0]), np.array([50.0]), 0.05).low[0] < 0.6


def test_a_mean_with_much_spread_is_less_sure():
    calm, wild = (mean_ends(np.array([0.3]), np.array([v]), np.array([1.0]), 0.05) for v in (0.0001, 0.002))
    assert wild.high - wild.low > 3 * (calm.high - calm.low)


@pytest.mark.slow
@pytest.mark.parametrize(("n_rows", "rate", "signal"), [(60, 0.1, 1.0), (200, 0.05, 2.0), (500, 0.4, 0.5)])
def test_intervals_cover_what_they_should(n_rows, rate, signal):
    """Simulated rows, 1,500 times; the true figures are those of half a million rows."""
    rng = np.random.default_rng(3)

    def draw(n):
        Y = rng.random(n) < rate
        return Y, rng.normal(signal * Y, 1)

    def figures(Y, scores, cut):
        tp, union = (Y & (scores > cut)).sum(), (Y | (scores > cut)).sum()
        return tp, union, roc_auc(Y[:, None], scores[:, None]), average_precision(Y[:, None], scores[:, None])

    cut = signal / 2 + 0.7
    tp, union, auc, ap = figures(*draw(500_000), cut)
    f1 = 2 * tp / (tp + union)
    held, times = np.zeros(3), 0
    while times < 1500:
        Y, scores = draw(n_rows)
        if not 0 < Y.sum() < n_rows:
            continue
        times += 1
        tp, union, found_auc, found_ap = figures(Y, scores, cut)
        positives, negatives = np.array([Y.sum()], float), np.array([(~Y).sum()], float)
        ends = (
            f1_ends(np.array([tp]), np.array([union]), 0.05),
            auc_ends(np.array([found_auc]), positives, negatives, 0.05),
            share_ends(found_ap * positives, positives, 0.05),
        )
        held += [end.low[0] <= true <= end.high[0] for end, true in zip(ends, (f1, auc, ap), strict=True)]
    assert (held / times > 0.93).all(), held / times
