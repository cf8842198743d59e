import numpy as np
import pytest

from bncc.analysis.quality import read_predictions
from bncc.analysis.quality.error_rows import worst_rows
from quality_examples import made_predictions, made_scores


def test_rows_come_by_errors_then_by_confidence():
    found = made_predictions(unknown=0.2)
    rows = worst_rows(found, 300)
    wrong = (found.truth != found.predicted) & found.known
    counts = [len(row.missed) + len(row.wrong) for row in rows]
    assert counts == sorted(counts, reverse=True)
    assert len(rows) == wrong.any(axis=1).sum()
    for row in rows:
        assert set(row.missed) | set(row.wrong) == set(np.flatnonzero(wrong[row.row]))
        assert set(row.right) == set(np.flatnonzero(found.truth[row.row] & found.predicted[row.row]))
        assert sum(row.missed_by) + sum(row.wrong_by) == pytest.approx(row.surprise)
        assert list(row.missed_by) == sorted(row.missed_by, reverse=True)
    alike = [row.surprise for row in rows if len(row.missed) + len(row.wrong) == counts[0]]
    assert alike == sorted(alike, reverse=True)


def test_rows_keep_their_numbers():
    Y, S = made_scores(30, 3)
    found = read_predictions(Y, S, rows=np.arange(30) + 100)
    assert all(row.row >= 100 for row in worst_rows(found))
    assert len(worst_rows(found, 2)) == 2


def test_decisions_are_measured_by_their_spread_and_labels_by_count():
    Y, S = made_scores(60, 4)
    far = S - 0.5
    scaled = worst_rows(read_predictions(Y, far * [1, 10, 100, 1000]), 60)
    plain = worst_rows(read_predictions(Y, far * 2), 60)
    assert [row.row for row in scaled] == [row.row for row in plain]
    hard = worst_rows(read_predictions(Y, Y_pred=S > 0.5), 60)
    assert hard[0].missed_by is None
    assert hard[0].surprise == len(hard[0].missed) + len(hard[0].wrong)
