import numpy as np
import pytest

from bncc.metrics import compare, get_metric
from bncc.multilabel.blending.clock import Clock, OutOfTime


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
    assert early.left < clock.left - 59.0
    assert Clock().earlier(60.0).left == float("inf")


def test_a_timed_metric_stops_what_evaluates_it():
    metric, truth = get_metric("micro_f1"), np.eye(3, dtype=bool)
    assert Clock().timed(metric) is metric
    counts = compare(truth, truth)
    assert Clock(100.0).timed(metric).function(counts) == 1.0
    with pytest.raises(OutOfTime):
        Clock(1e-9).timed(metric).function(counts)


def test_it_tells_what_is_done_if_it_was_made_to(capfd):
    Clock(100.0).tell("nothing")
    Clock(100.0, tells=True).tell("this")
    Clock(tells=True).tell("that")
    told = capfd.readouterr().err.splitlines()
    assert len(told) == 2
    assert told[0].endswith("s left] this")
    assert told[1].endswith("s] that")
