import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bncc.evaluation.row_origin import check_groups, deal_by_time, group_numbers, parse_times, time_blocks


def test_rows_without_a_group_stand_alone():
    assert group_numbers(["a", "", None, float("nan"), " a", "b"]).tolist() == [0, 1, 2, 3, 0, 4]
    assert group_numbers([7, "7", 8]).tolist() == [0, 0, 1]


@pytest.mark.parametrize(
    ("cells", "days"),
    [
        (["2024-03-01", "2024-02-29", "2024-03-02"], [1, 0, 2]),
        (["2024-03-01 12:00", "2024-02-29 12:00", "2024-03-02T12:00:00"], [1, 0, 2]),
        (["2024-03-01T02:00+02:00", "2024-02-29T00:00Z", "2024-03-02"], [1, 0, 2]),
        (["2024/03/01", "2024/02/29", "2024/03/02"], [1, 0, 2]),
        (["01.03.2024", "29.02.2024", "02.03.2024"], [1, 0, 2]),
        (["01/03/2024", "29/02/2024", "02/03/2024"], [1, 0, 2]),
        (["03/01/2024 08:00", "02/29/2024 08:00", "03/02/2024 08:00"], [1, 0, 2]),
        (["1 March 2024", "29 February 2024", "2 March 2024"], [1, 0, 2]),
        (["Mar 1, 2024", "Feb 29, 2024", "Mar 2, 2024"], [1, 0, 2]),
    ],
)
def test_dates_of_many_kinds_are_in_order(cells, days):
    times = parse_times(cells, "when")
    assert ((times - times.min()) / 86400).tolist() == days


@pytest.mark.parametrize(
    ("cells", "problem"),
    [
        (["1", "", "3"], r"row 2 has none"),
        (["1", None], r"row 2 has none"),
        (["2024-03-01", "soon"], "must hold numbers or dates, all of one kind; got 'soon'"),
        (["1", "inf"], "must hold numbers or dates"),
        (["03/04/2024", "05/06/2024"], "may be day/month or month/day"),
    ],
)
def test_what_is_no_time_is_said(cells, problem):
    with pytest.raises(ValueError, match=problem):
        parse_times(cells, "when")


@given(st.lists(st.integers(0, 12), min_size=8, max_size=60), st.integers(2, 4))
def test_folds_by_time_test_on_later_rows_alone(values, n_folds):
    times = np.array(values, float)
    if len(set(values)) <= n_folds:
        with pytest.raises(ValueError, match="different moments"):
            deal_by_time(times, n_folds)
        return
    try:
        folds = deal_by_time(times, n_folds)
    except ValueError:
        assert np.bincount(values).max() > len(values) / (n_folds + 2), "one moment holds too many rows"
        return
    assert len(folds) == n_folds
    for train, test in folds:
        assert train.size
        assert test.size
        assert times[train].max() < times[test].min()
    assert len(np.concatenate([test for _, test in folds])) == len(set(np.concatenate([t for _, t in folds]).tolist()))


def test_folds_by_time_grow_and_are_about_equal():
    folds = deal_by_time(np.random.default_rng(0).permutation(120).astype(float), 5)
    assert [len(train) for train, _ in folds] == [20, 40, 60, 80, 100]
    assert [len(test) for _, test in folds] == [20] * 5


def test_groups_that_are_tested_are_not_learned_from():
    times, groups = np.arange(12.0), np.array([0, 1, 2, 3, 0, 5, 6, 7, 1, 9, 10, 11])
    for train, test in deal_by_time(times, 2, groups):
        assert not set(groups[train]) & set(groups[test])
    with pytest.raises(ValueError, match="no row to learn from"):
        deal_by_time(times, 2, np.zeros(12, int))


def test_blocks_of_time_are_neighbours():
    times = np.random.default_rng(1).permutation(200).astype(float)
    blocks = time_blocks(times)
    assert np.bincount(blocks).tolist() == [20] * 10
    assert (np.diff(blocks[np.argsort(times)]) >= 0).all()


def test_few_groups_are_refused():
    check_groups(np.array([0, 1, 2]))
    with pytest.raises(ValueError, match="at least 3 groups; got 2"):
        check_groups(np.array([0, 1, 2]), np.array([0, 1]))
