import pytest

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
