import time
from typing import ClassVar

import numpy as np
from sklearn.base import clone
from sklearn.ensemble import ExtraTreesRegressor

from bncc.multilabel.blending.clock import Clock
from bncc.multilabel.blending.forests import (
    as_tree_features,
    fill_rates,
    fill_unknown,
    grow_forest,
    leaf_size,
    rows_that_fit,
)
from bncc.multilabel.targets import read_targets

RNG = np.random.default_rng(0)
X, Y = RNG.random((80, 5)), (RNG.random((80, 3)) < 0.4).astype(float)


def test_answers_out_of_bag_are_those_of_scikit_learn():
    options = {"bootstrap": True, "random_state": 0}
    grown = grow_forest(ExtraTreesRegressor(**options), as_tree_features(X), Y, None, 30, Clock(), 0.0)
    theirs = ExtraTreesRegressor(30, oob_score=True, **options).fit(X, Y)
    np.testing.assert_allclose(grown.out_of_bag, theirs.oob_prediction_)
    assert grown.n_trees == 30


def test_large_leaves_keep_memory_bounded():
    assert leaf_size(1000, 6, 200) == 1
    assert leaf_size(100_000, 1000, 200) > leaf_size(100_000, 100, 200) > 1


def test_what_is_unknown_or_never_left_out_gets_the_mean():
    lost = np.array([[1.0, np.nan], [0.0, 1.0], [1.0, 1.0]])
    np.testing.assert_allclose(fill_unknown(read_targets(lost)), [[1, 1], [0, 1], [1, 1]])
    np.testing.assert_allclose(fill_rates(np.array([[0.2], [np.nan], [0.4]])), [[0.2], [0.3], [0.4]])
    np.testing.assert_allclose(fill_rates(np.full((2, 2), np.nan)), 0.5)


def test_rows_are_as_many_as_the_time_allows():
    features = RNG.random((6000, 20)).astype(np.float32)
    labels = (features[:, :10] + RNG.random((6000, 10)) > 1.0).astype(float)
    forest = ExtraTreesRegressor(bootstrap=True, random_state=0, n_jobs=1)
    assert rows_that_fit(forest, features, labels, 1e-6) == 256
    assert rows_that_fit(forest, features, labels, 1e6) == 6000
    assert rows_that_fit(forest, features[:100], labels[:100], 1e-6) == 100

    def fits_the_time():
        n_rows, begin = rows_that_fit(forest, features, labels, 0.8), time.process_time()
        clone(forest).set_params(n_estimators=20).fit(features[:n_rows], labels[:n_rows])
        return n_rows > 256 and time.process_time() - begin < 4 * 0.8

    assert any(fits_the_time() for _ in range(4))  # two trees are timed, which a machine may hold up


class Recorded(ExtraTreesRegressor):
    seen: ClassVar[list] = []

    def fit(self, X, y):
        self.seen.append((X.shape[0], self.min_samples_leaf))
        return super().fit(X, y)


def test_leaves_shrink_with_the_rows_that_are_timed():
    features, labels = RNG.random((4096, 5)).astype(np.float32), RNG.random(4096)
    rows_that_fit(Recorded(min_samples_leaf=64, random_state=0), features, labels, 1e6)
    assert Recorded.seen == [(8, 1), (8, 1), (256, 4), (1024, 16), (4096, 64)]
