import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, clone

pytest.importorskip("pandas")

from bncc.multilabel.coded_categories import CodedCategories


class Recorder(ClassifierMixin, BaseEstimator):
    """As CatBoost: refuses columns of categories that are no whole numbers."""

    def __init__(self, cat_features=None):
        self.cat_features = cat_features

    def fit(self, X, y, sample_weight=None):
        self.classes_, self.weights_ = np.unique(y), sample_weight
        self.seen_ = X
        assert all(X[column].dtype.kind == "i" for column in self.cat_features)
        return self

    def predict(self, X):
        return np.full((len(X), 1), self.classes_[0])

    def predict_proba(self, X):
        return np.full((len(X), 2), 0.5)


X = np.array([[0.5, 0.0, 2.0], [np.nan, np.nan, 1.0], [1.5, 3.0, 0.0]])


def test_codes_become_whole_numbers_and_gaps_a_level_of_their_own():
    model = CodedCategories(Recorder(), (1,)).fit(X, [0, 1, 0], sample_weight=np.ones(3))
    assert model.estimator_.cat_features == [1]
    assert model.estimator_.seen_[1].tolist() == [0, -1, 3]
    np.testing.assert_array_equal(model.estimator_.seen_[0], X[:, 0])
    assert model.estimator_.weights_.tolist() == [1, 1, 1]
    assert model.classes_.tolist() == [0, 1]


def test_answers_have_the_shape_of_a_classifier():
    model = CodedCategories(Recorder(), (1, 2)).fit(X, [0, 1, 0])
    assert model.predict(X).shape == (3,)
    assert model.predict_proba(X).shape == (3, 2)


def test_codes_may_be_handed_over_as_they_are():
    class Told(Recorder):
        def fit(self, X, y, categorical_feature, sample_weight=None):
            self.classes_, self.told_, self.seen_ = np.unique(y), categorical_feature, X
            return self

    model = CodedCategories(Told(), (1,), whole=False).fit(X, [0, 1, 0])
    assert model.estimator_.told_ == [1]
    np.testing.assert_array_equal(model.estimator_.seen_, X)


def test_a_copy_is_unfitted_and_the_base_is_left_alone():
    base = Recorder()
    model = CodedCategories(base, (1,)).fit(X, [0, 1, 0])
    assert base.cat_features is None
    assert not hasattr(clone(model), "estimator_")
