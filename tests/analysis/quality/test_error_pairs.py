import numpy as np
import pytest
from scipy.stats import hypergeom

from bncc.analysis.quality import read_predictions
from bncc.analysis.quality.error_pairs import confused_labels, missed_together
from quality_examples import made_predictions


@pytest.mark.parametrize("unknown", [0.0, 0.3])
def test_confused_pairs_are_counted_by_hand(unknown):
    found = made_predictions(unknown=unknown)
    missed = found.truth & ~found.predicted
    said = found.predicted & ~found.truth
    pairs = {(pair.first, pair.second): pair for pair in confused_labels(found)}
    n = found.known.any(axis=1).sum()
    for a in range(7):
        for b in range(7):
            rows = int((missed[:, a] & said[:, b]).sum())
            assert ((a, b) in pairs) == (rows > 0)
            if rows:
                pair, m, s = pairs[a, b], missed[:, a].sum(), said[:, b].sum()
                assert (pair.rows, pair.expected) == (rows, pytest.approx(m * s / n))
                assert pair.p_value == pytest.approx(min(1, 42 * hypergeom.sf(rows - 1, n, m, s)))
    excess = [pair.rows - pair.expected for pair in pairs.values()]
    assert excess == sorted(excess, reverse=True)


def test_labels_missed_together_are_counted_among_rows_with_both():
    found = made_predictions()
    missed = found.truth & ~found.predicted
    pairs = missed_together(found)
    for pair in pairs:
        a, b = pair.first, pair.second
        both = found.truth[:, a] & found.truth[:, b]
        assert a < b
        assert pair.rows == (missed[:, a] & missed[:, b]).sum()
        assert pair.expected == pytest.approx((missed[:, a] & both).sum() * (missed[:, b] & both).sum() / both.sum())
    assert sum(pair.rows for pair in pairs) == sum(
        (missed[:, a] & missed[:, b]).sum() for a in range(7) for b in range(a + 1, 7)
    )


def test_a_label_that_is_said_instead_of_another_stands_out():
    rng = np.random.default_rng(1)
    Y = rng.random((500, 6)) < 0.3
    said = np.where(rng.random(Y.shape) < 0.1, ~Y, Y)
    swapped = Y[:, 0] & ~Y[:, 3] & (rng.random(500) < 0.5)
    said[swapped, 0], said[swapped, 3] = False, True
    first = confused_labels(read_predictions(Y, Y_pred=said))[0]
    assert (first.first, first.second) == (0, 3)
    assert first.p_value < 1e-6
    assert first.rows > 3 * first.expected


def test_independent_errors_are_no_news():
    rng = np.random.default_rng(2)
    sure = 0
    for _ in range(20):
        Y = rng.random((300, 8)) < 0.4
        found = read_predictions(Y, Y_pred=np.where(rng.random(Y.shape) < 0.25, ~Y, Y))
        sure += any(pair.p_value < 0.05 for pair in missed_together(found))
    assert sure <= 3


def test_no_errors_no_pairs():
    Y = np.eye(4)
    assert confused_labels(read_predictions(Y, Y_pred=Y)) == missed_together(read_predictions(Y, Y_pred=Y)) == ()
    assert len(confused_labels(made_predictions(), most=3)) == 3
