import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bncc.svm import LinkTable
from bncc.svm.row_sets import RowSets, training_sets


def links_on(rows):
    n = len(rows)
    none = np.zeros((n, 0), np.uint32)
    index = np.arange(n, dtype=np.int32)
    return LinkTable(index, none, index[None], np.full(n, -1, np.int32), tuple(np.array(r, np.int64) for r in rows))


@settings(max_examples=30, deadline=None)
@given(st.lists(st.lists(st.integers(0, 9)), min_size=1, max_size=5), st.lists(st.integers(0, 9), min_size=1))
def test_each_link_learns_from_its_own_training_rows(rows, train):
    sets = RowSets()
    found = training_sets(sets, [links_on(rows)], [(np.array(train), np.array([0]))], 10)
    for link, own in enumerate(rows):
        assert sets.sets[found[0, link]].tolist() == sorted(set(own) & set(train))


def test_links_without_rows_of_their_own_share_the_training_rows():
    links = LinkTable(np.zeros(3, np.int32), np.zeros((3, 0), np.uint32), np.arange(3)[None], np.full(3, -1, np.int32))
    sets = RowSets()
    folds = [(np.array([2, 0]), np.array([1])), (np.array([1]), np.array([0]))]
    assert training_sets(sets, [links, links], folds, 3).tolist() == [[0, 0, 0], [1, 1, 1]]
    assert [part.tolist() for part in sets.sets] == [[0, 2], [1]]


def test_rows_that_do_not_exist_are_refused():
    with pytest.raises(IndexError):
        training_sets(RowSets(), [links_on([[12]])], [(np.array([0]), np.array([1]))], 10)
