import numpy as np
import pytest

from bncc.metrics import compare, get_metric
from bncc.multilabel.blending.clock import Clock, OutOfTime
from bncc.multilabel.cut_sweeps import LabelColumn, values_of_cuts


def test_without_a_limit_nothing_stops():
    clock = Clock()
    clock.check(1e9)
    assert clock.pulse() is None
    assert clock.left == float("inf")
    assert clock.spent >= 0


def test_the_reserve_is_kept():
    clock = Clock(100.0)
    clock.check(50.0)
    with pytest.raises(OutOfTime, match="reserved"):
        clock.check(101.0)
    pulse = clock.pulse(101.0)
    with pytest.raises(OutOfTime):
        pulse(3)


def test_an_earlier_clock_began_with_the_other():
    clock = Clock(100.0)
    early = clock.earlier(60.0)
    assert early.limit == 40.0
    assert clock.left - early.left > 59.0  # asked in this order, it is more where the machine stands still between
    assert Clock().earlier(60.0).left == float("inf")


@pytest.mark.parametrize("name", ["micro_f1", "subset_accuracy"])
def test_a_timed_metric_stops_what_evaluates_it(name):
    metric, truth = get_metric(name), np.eye(3, dtype=bool)
    assert Clock().timed(metric) is metric
    counts = compare(truth, truth)
    assert Clock(100.0).timed(metric).function(counts) == 1.0
    with pytest.raises(OutOfTime):
        Clock(1e-9).timed(metric).function(counts)


def test_thresholds_of_a_timed_average_are_tuned_in_one_pass_and_stopped():
    metric, truth = get_metric("example_f1"), np.eye(3, dtype=bool)
    scores = truth - 0.5
    column = LabelColumn(1, scores[:, 1], truth[:, 1], scores[:, 1] > 0, slice(None))
    counts, cuts = compare(truth, scores > 0), np.array([-0.6, 0.0])
    assert values_of_cuts(Clock(100.0).timed(metric).function, counts, column, cuts).tolist() == pytest.approx(
        [7 / 9, 1]
    )
    with pytest.raises(OutOfTime):
        values_of_cuts(Clock(1e-9).timed(metric).function, counts, column, cuts)


def test_it_tells_what_is_done_if_it_was_made_to(capfd):
    Clock(100.0).tell("nothing")
    Clock(100.0, tells=True).tell("this")
    Clock(tells=True).tell("that")
    told = capfd.readouterr().err.splitlines()
    assert len(told) == 2
    assert told[0].endswith("s left] this")
    assert told[1].endswith("s] that")
