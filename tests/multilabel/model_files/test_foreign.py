"""What others have made is taken apart and put together only by name, and only where the caller trusts it."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin

from bncc import BinaryRelevance
from bncc.datasets import MalformedFile
from bncc.multilabel import load_model, save_model
from bncc.multilabel.model_files.foreign import is_named, make_foreign, parts_of_foreign
from model_cases import DATA


class Booster:
    """As the boosters of LightGBM and CatBoost: a state of bytes that only its own code can read."""

    def __init__(self, weights):
        self.weights = weights

    def __getstate__(self):
        return {"handle": self.weights.tobytes()}

    def __setstate__(self, state):
        self.weights = np.frombuffer(state["handle"])


class Boosted(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.n_features_in_ = X.shape[1]
        self.booster_ = Booster(X[y == self.classes_[-1]].mean(axis=0) - X.mean(axis=0))
        return self

    def decision_function(self, X):
        return X @ self.booster_.weights

    def predict(self, X):
        return self.classes_[(self.decision_function(X) > 0).astype(int)]


def test_types_of_others_need_a_word_of_both_sides(tmp_path):
    model = BinaryRelevance(Boosted()).fit(DATA.X, DATA.Y)
    with pytest.raises(TypeError, match=r"does not trust: .*Boosted.*pass their names in `trusted`"):
        save_model(model, tmp_path / "m")
    names = [f"{__name__}.Boosted", f"{__name__}.Booster"]
    file = save_model(model, tmp_path / "m", trusted=names)
    with pytest.raises(MalformedFile, match="not trusted"):
        load_model(file)
    for word in (names, [__name__.partition(".")[0]]):
        assert np.array_equal(load_model(file, trusted=word).predict(DATA.X), model.predict(DATA.X))


def test_a_package_may_be_named_as_a_whole():
    assert is_named("catboost.core.CatBoostClassifier", ["catboost"])
    assert not is_named("catboost_of_a_stranger.Trap", ["catboost"])
    assert not is_named("os.system", ["catboost", "os.path"])


def test_what_cannot_be_taken_apart():
    with pytest.raises(TypeError, match="cannot be taken apart"):
        parts_of_foreign(iter([1]))
    with pytest.raises(TypeError, match="is no type"):
        make_foreign("object", "os.getcwd", (), None)
