import numpy as np
import pytest

from bncc.multilabel.blending.clock import Clock, OutOfTime
from bncc.multilabel.blending.family import Tried
from bncc.multilabel.blending.row_steps import FEW_SHARES, MOST_SHARES, RowSteps
from bncc.multilabel.blending.timed_fit import TimedFit


class Steps:
    """Fits that take a second a row by a clock of their own, and beyond so many rows too long."""

    def __init__(self, monkeypatch, too_many=10**9, shares=MOST_SHARES):
        self.rows, self.now, self.too_many = [], 0.0, too_many
        monkeypatch.setattr(Clock, "spent", property(lambda clock: self.now))
        self.steps = RowSteps(self.answer, 1000, 5, shares)

    def answer(self, wanted):
        if wanted > self.too_many:
            raise OutOfTime("late")
        self.rows.append(wanted)
        self.now += wanted
        return Tried("linear", {"rows": wanted}, np.zeros((1, 1)))

    def in_time(self, limit, n_timed=20, reserve=0.0):
        return self.steps.answer_in_time(TimedFit(n_timed, float(n_timed), 1.0), Clock(limit), reserve).settings["rows"]


@pytest.mark.parametrize(
    ("limit", "rows"),
    [
        (500.0, [50, 360]),  # a tenth of the time, then eight tenths of what is left
        (200.0, [130]),  # a tenth tells no more than was timed: the rows of 0.65 of the time
        (3000.0, [300, 1000]),  # all of them
        (1e6, [320, 1000]),  # twenty rows tell nothing of more than 320
    ],
)
def test_as_many_rows_as_fit_the_time(monkeypatch, limit, rows):
    steps = Steps(monkeypatch)
    assert steps.in_time(limit) == rows[-1]
    assert steps.rows == rows
    assert steps.now <= limit


def test_other_families_are_left_some_time(monkeypatch):
    steps = Steps(monkeypatch, shares=FEW_SHARES)
    assert steps.in_time(510.0, reserve=10.0) == 180
    assert steps.rows == [50, 180]


def test_what_is_done_stays_an_answer_where_more_is_not_in_time(monkeypatch):
    assert Steps(monkeypatch, too_many=60).in_time(500.0) == 50
    with pytest.raises(OutOfTime, match="late"):
        Steps(monkeypatch, too_many=10).in_time(500.0)
