import pytest
from hypothesis import given
from hypothesis import strategies as st

from bncc.multilabel.blending.timed_fit import TimedFit, time_fits


@given(st.floats(0, 100), st.floats(1e-6, 1), st.sampled_from([1.0, 1.1, 2.0]), st.integers(1000, 10**6))
def test_two_fits_tell_what_is_fixed_and_what_grows(fixed, pace, power, n_rows):
    def seconds_of(rows):
        return fixed + pace * rows**power

    timed = time_fits(seconds_of, 300, power, again_within=1e9)
    growing = timed.seconds - timed.fixed
    assert timed.n_rows == 1200
    assert growing >= 0.1 * timed.seconds * (1 - 1e-9)
    if fixed < 0.8 * timed.seconds:
        assert timed.of_rows(n_rows) == pytest.approx(seconds_of(n_rows), rel=1e-6)
        assert timed.rows_in(timed.of_rows(n_rows)) == pytest.approx(n_rows, rel=1e-6, abs=1)


def test_a_slow_fit_is_timed_once():
    sizes = []

    def seconds_of(rows):
        sizes.append(rows)
        return 8.0

    assert time_fits(seconds_of, 300, 1.1, again_within=5.0) == TimedFit(300, 8.0, 1.1)
    assert sizes == [300]


def test_noise_makes_no_fit_free():
    timed = time_fits(lambda rows: 1.0 if rows == 300 else 0.5, 300, 1.0, again_within=5.0)
    assert timed.of_rows(12_000) > 0.9
    assert time_fits(lambda rows: rows**2.0, 300, 1.0, again_within=1e9).fixed == 0.0


def test_no_time_no_rows():
    assert TimedFit(300, 3.0, 1.0, 2.0).rows_in(1.0) == 0
    assert TimedFit(300, 0.0, 1.0).rows_in(1.0) > 10**6


def test_fits_on_nearly_as_many_rows_tell_nothing_of_what_is_fixed():
    timed = TimedFit(1000, 10.0, 1.0, 2.0)
    assert timed.after(1100, 10.1) == TimedFit(1100, 10.1, 1.0, 2.0)
    assert timed.after(2000, 18.0) == TimedFit(2000, 18.0, 1.0, 2.0)
    assert timed.after(2000, 15.0).fixed == 5.0
