"""Ensembles of trees tell of their features as scikit-learn's do, and take no table of all trees for it."""

import pickle
import tracemalloc

import numpy as np
import pytest
from sklearn.ensemble import (
    AdaBoostClassifier,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.tree import DecisionTreeClassifier

from bncc.multilabel import load_model, save_model
from bncc.multilabel.model_files import checked_trees
from bncc.multilabel.model_files.checked_trees import CHECKED_TREES, MOST_FEATURES
from model_attacks import records_in, taken_apart
from model_cases import DATA, Y_THREE
from model_refusals import opened, refused

ENSEMBLES = (
    RandomForestClassifier(4, random_state=0),
    ExtraTreesClassifier(4, max_depth=3, random_state=0),
    RandomForestRegressor(4, random_state=0),
    ExtraTreesRegressor(4, random_state=0),
    GradientBoostingClassifier(n_estimators=4, random_state=0),
)
OWNERS = (
    "AdaBoostClassifier",
    "DecisionTreeClassifier",
    "DecisionTreeRegressor",
    "GradientBoostingClassifier",
    "RandomForestClassifier",
)


def of_features(structure, number):
    """Let all trees of a structure, and what holds them, say that there are so many features."""
    for fields in records_in(structure, "Tree"):
        fields["n_features"] = number
    for owner in OWNERS:
        for fields in records_in(structure, owner):
            if "n_features_in_" in fields:
                fields["n_features_in_"] = number


@pytest.mark.parametrize("model", ENSEMBLES, ids=lambda model: type(model).__name__)
def test_features_tell_as_much_as_they_did(tmp_path, model, monkeypatch):
    model.fit(DATA.X, Y_THREE)
    again = load_model(save_model(model, tmp_path / "model.bncc"))
    assert type(again) is CHECKED_TREES[type(model)]
    assert repr(again) == repr(model)
    assert type(pickle.loads(pickle.dumps(again))) is type(again)
    again = load_model(save_model(again, tmp_path / "again.bncc"))
    assert np.array_equal(again.feature_importances_, model.feature_importances_)
    monkeypatch.setattr(checked_trees, "_USUAL_CELLS", 0)
    assert np.allclose(again.feature_importances_, model.feature_importances_, rtol=1e-12, atol=0)
    assert np.array_equal(again.predict(DATA.X), model.predict(DATA.X))


@pytest.mark.parametrize("kind", [RandomForestClassifier, GradientBoostingClassifier])
def test_trees_that_do_not_branch_tell_nothing(tmp_path, kind, monkeypatch):
    monkeypatch.setattr(checked_trees, "_USUAL_CELLS", 0)
    model = kind(n_estimators=2, min_samples_split=10**6).fit(DATA.X, Y_THREE)
    assert not load_model(save_model(model, tmp_path / "model.bncc")).feature_importances_.any()


@pytest.mark.parametrize("kind", [RandomForestClassifier, GradientBoostingClassifier])
def test_millions_of_features_are_laid_out_once(tmp_path, kind):
    structure, members = taken_apart(kind(n_estimators=20, max_depth=2, random_state=0).fit(DATA.X, Y_THREE))
    of_features(structure, 2**20)
    model = opened(tmp_path, structure, members)
    tracemalloc.start()
    told = model.feature_importances_
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert told.shape == (2**20,)
    assert told.sum() == pytest.approx(1)
    assert most < 4 * told.nbytes


def test_a_tree_has_no_more_features_than_can_be_told_of(tmp_path):
    def wide(fields, members):
        fields["n_features"] = MOST_FEATURES + 1

    refused(tmp_path, DecisionTreeClassifier().fit(DATA.X, Y_THREE), "Tree", wide, "whole number from 1 to")


def test_boosting_tells_of_as_many_features_as_can_be_waited_for(tmp_path):
    model = AdaBoostClassifier(n_estimators=3, random_state=0).fit(DATA.X, Y_THREE)
    again = load_model(save_model(model, tmp_path / "model.bncc"))
    assert np.array_equal(again.feature_importances_, model.feature_importances_)
    model.estimators_ = model.estimators_[:1] * 40
    structure, members = taken_apart(model)
    of_features(structure, MOST_FEATURES)
    with pytest.raises(AttributeError, match="at most 134217728 features"):
        opened(tmp_path, structure, members).feature_importances_  # noqa: B018


def test_trees_that_are_learned_on_from_have_their_features(tmp_path):
    """Compiled code reads the feature of a node from rows of any width."""
    model = HistGradientBoostingClassifier(max_iter=2, warm_start=True).fit(DATA.X, Y_THREE)
    again = load_model(save_model(model, tmp_path / "model.bncc"))
    again = load_model(save_model(again, tmp_path / "again.bncc"))
    assert np.array_equal(again.predict_proba(DATA.X), model.predict_proba(DATA.X))
    asked = max(tree.n_asked for trees in again._predictors for tree in trees)
    assert 1 < asked <= DATA.X.shape[1]
    with pytest.raises(ValueError, match=f"asks for [0-9]+ features; rows have {asked - 1}"):
        again.set_params(max_iter=4).fit(DATA.X[:, : asked - 1], Y_THREE)
    again.set_params(warm_start=False).fit(DATA.X[:, :1], Y_THREE)
    assert again.predict(DATA.X[:, :1]).shape == Y_THREE.shape
