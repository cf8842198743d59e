import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bncc.analysis import WinTieLoss, cliffs_delta, rank_biserial, win_tie_loss
from oracles import significance as oracle

samples = st.lists(st.integers(-5, 5).map(float), min_size=1, max_size=12)


@settings(max_examples=60, deadline=None)
@given(samples, samples, st.booleans())
def test_cliffs_delta_is_its_definition(first, second, better):
    sign = 1 if better else -1
    delta = cliffs_delta(first, second, greater_is_better=better)
    assert delta == pytest.approx(sign * oracle.cliffs_delta(first, second))
    assert cliffs_delta(second, first, greater_is_better=better) == pytest.approx(-delta)


@settings(max_examples=60, deadline=None)
@given(samples, st.booleans())
def test_paired_effects_are_their_definitions(gains, better):
    zeros = [0.0] * len(gains)
    sign = 1 if better else -1
    assert rank_biserial(gains, zeros, greater_is_better=better) == pytest.approx(sign * oracle.rank_biserial(gains))
    count = win_tie_loss(gains, zeros, greater_is_better=better)
    ups, downs = sum(g > 0 for g in gains), sum(g < 0 for g in gains)
    assert (count.wins, count.losses) == ((ups, downs) if better else (downs, ups))
    assert count.wins + count.ties + count.losses == len(gains)


def test_small_examples():
    # Kerby 2014: the correlation is the share of rank sums in favour minus the share against.
    assert cliffs_delta([3, 4], [1, 2]) == 1.0


def test_rounding_makes_ties():
    assert win_tie_loss([0.70001], [0.7]) == WinTieLoss(1, 0, 0)
    assert win_tie_loss([0.70001], [0.7], decimals=4) == WinTieLoss(0, 1, 0)
    assert rank_biserial([0.70001], [0.7], decimals=4) == 0.0


def test_bad_samples_are_refused():
    with pytest.raises(ValueError, match="equal lengths; got 1 and 2"):
        rank_biserial([1], [1, 2])
    with pytest.raises(ValueError, match="`second` must be a non-empty vector"):
        cliffs_delta([1], [])
