import numpy as np
from sklearn.metrics import get_scorer
from sklearn.model_selection import KFold

from bncc.selection.screening import draw_sample
from bncc.selection.searched_rows import SearchedRows
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
