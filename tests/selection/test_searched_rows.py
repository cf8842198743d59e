import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import get_scorer
from sklearn.model_selection import KFold

from bncc.selection.screening import draw_sample
from bncc.selection.searched_rows import SearchedRows, read_folds
from bncc.svm import KernelSVC

X = np.random.default_rng(0).normal(size=(1200, 3))
Y = (X[:, 0] > 0).astype(int)
FOLDS = tuple(KFold(4).split(X))


def searched(sample_weight=None, groups=None):
    return SearchedRows(X, Y, Y, FOLDS, sample_weight, groups)


def test_some_rows_keep_what_belongs_to_them():
    sample = draw_sample(FOLDS, 1200)
    some = searched(sample_weight=X[:, 1], groups=np.arange(1200)).take(sample)
    assert len(some) == 400
    np.testing.assert_array_equal(some.X, X[sample.rows])
    np.testing.assert_array_equal(some.truth, Y[sample.rows])
    np.testing.assert_array_equal(some.sample_weight, X[sample.rows, 1])
    np.testing.assert_array_equal(some.groups, sample.rows)
    assert some.folds == sample.folds


def test_rows_that_a_fold_draws_again_become_copies():
    folds = ((np.array([5, 3, 5, 5]), np.array([0, 4])), (np.array([3, 3, 7]), np.array([5])))
    given = SearchedRows(X, Y, Y, folds, X[:, 1], None)
    copied = given.with_copies()
    assert len(copied) == 1200 + 2 + 1
    for (train, test), (train_before, test_before) in zip(copied.folds, folds, strict=True):
        assert np.unique(train).size == train.size
        np.testing.assert_array_equal(copied.X[train], X[train_before])
        np.testing.assert_array_equal(copied.sample_weight[train], X[train_before, 1])
        np.testing.assert_array_equal(copied.X[test], X[test_before])
    assert searched().with_copies().folds is FOLDS


def test_folds_are_read_in_any_form():
    mask = np.arange(6) < 4
    expected = np.arange(4), np.array([4, 5])
    forms = [
        ([0, 1, 2, 3], (4, 5)),
        (range(4), [-2, -1]),
        (mask, ~mask),
        (mask.tolist(), pd.Series([4, 5])),
        (np.arange(4, dtype=np.uint8), np.array([-2, 5], np.int8)),
        (np.array([-6, 1, -4, 3]), pd.Index([4, 5])),
    ]
    for fold in read_folds(forms, 6):
        for rows, wanted in zip(fold, expected, strict=True):
            assert rows.dtype == np.int64
            np.testing.assert_array_equal(rows, wanted)


@pytest.mark.parametrize(
    ("fold", "told"),
    [
        (([0, 1], [6]), "rows of the 6 that there are; fold 0 has row 6"),
        (([0, -7], [1]), "fold 0 has row -7"),
        (([0.0, 1.0], [2]), "row numbers or masks; fold 0 has float64 values"),
        ((["a"], [2]), "row numbers or masks"),
        ((np.ones(5, bool), [2]), "a value for each of the 6 rows; fold 0 has 5"),
        (([], [2]), "fold 0 has 0 and 1"),
        (([0, 1], []), "fold 0 has 2 and 0"),
    ],
)
def test_folds_that_cannot_be_are_told(fold, told):
    with pytest.raises(ValueError, match=told):
        read_folds([fold], 6)


def test_one_scorer_that_looks_at_decisions_is_enough():
    labels, decisions = get_scorer("f1"), get_scorer("roc_auc")
    assert searched().see_labels_alone([labels, labels])
    assert not searched().see_labels_alone([labels, decisions])


def test_groups_reach_a_task_that_takes_them():
    seen = []

    class Grouped(KernelSVC):
        def search_task(self, X, y, folds, sample_weight=None, groups=None):
            seen.append(groups)
            return super().search_task(X, y, folds, sample_weight)

    groups = np.arange(1200) // 3
    searched(groups=groups).task_of(Grouped())
    assert seen[0] is groups
    assert searched(groups=groups).task_of(KernelSVC()).exact  # takes none, and is given none
