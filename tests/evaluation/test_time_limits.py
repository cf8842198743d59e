"""A limit of time for a whole comparison: what a fit may take, and what it will."""

import pytest

from bncc.evaluation.methods import METHODS
from bncc.evaluation.time_limits import is_blend, likely_seconds, on_a_base, projected_seconds, seconds_of_blend


@pytest.mark.parametrize(("base", "power"), [("linear", 1.1), ("kernel", 2.0), (None, 2.0)])
def test_what_a_fit_takes_is_told_by_two_smaller_ones(base, power):
    asked = []

    def seconds_of(n_rows):
        asked.append(n_rows)
        return 0.2 + 0.01 * (n_rows / 100) ** power

    likely = likely_seconds(seconds_of, 10_000, 60.0, base)
    assert asked == [100, 400]
    assert likely == pytest.approx(0.2 + 0.01 * 100**power, rel=0.01)


def test_a_slow_fit_is_timed_once_and_few_rows_never():
    asked = []
    assert likely_seconds(lambda n_rows: asked.append(n_rows) or 3.0, 10_000, 10.0, "kernel") > 1000
    assert asked == [100]
    assert likely_seconds(lambda n_rows: pytest.fail("timed"), 400, 10.0, "kernel") == 0.0


def test_fits_of_a_blend_share_what_is_left():
    over, left, limits = [], 30.0, []
    for n_fits in range(5, 0, -1):
        limits.append(seconds_of_blend(left, n_fits, over))
        over.append(1.0)  # whatever its limit, it takes a second more
        left -= limits[-1] + 1.0
    assert -1.0 < left < 1.0
    assert max(limits) - min(limits) < 1.0
    assert seconds_of_blend(-5.0, 2, [3.0]) == 0.1


def test_projections_are_means_carried_on():
    assert projected_seconds([], 7) == 0.0
    assert projected_seconds([2.0, 4.0], 5) == 15.0


def test_every_method_is_known():
    blends = {name for name in METHODS if is_blend(name, "auto")}
    assert blends == {"recommended"}
    assert {"mlknn", "nmlknn", "recommended"} == {name for name in METHODS if not on_a_base(name)}
