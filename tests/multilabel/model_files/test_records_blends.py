"""Blends in files: what belongs together is held together."""

import numpy as np
import pytest

from bncc.datasets import MalformedFile
from bncc.multilabel import Blend, load_model, save_model
from bncc.multilabel.blending.prior_part import PriorPart
from model_attacks import npy, records_in, taken_apart, write_file
from model_cases import DATA, NEW


@pytest.fixture(scope="module")
def blend():
    return Blend("macro_f1", families=["extra trees", "linear"], random_state=0).fit(DATA.X, DATA.Y)


def test_a_blend_comes_back_as_it_was(blend, tmp_path):
    save_model(blend, tmp_path / "m")
    again = load_model(tmp_path / "m")
    np.testing.assert_array_equal(again.predict_proba(NEW), blend.predict_proba(NEW))
    np.testing.assert_array_equal(again.predict(NEW), blend.predict(NEW))
    assert again.leaderboard_ == blend.leaderboard_
    assert again.plan_ == blend.plan_


def test_boosted_trees_come_back(tmp_path):
    labels = DATA.Y[:, :2]
    model = Blend(families=["boosted trees"], random_state=0)
    from bncc.multilabel.blending.families import FAMILIES

    assert "boosted trees" in FAMILIES
    rows = np.resize(np.arange(len(labels)), 1000)
    model.fit(DATA.X[rows][:, :3], labels[rows])
    save_model(model, tmp_path / "m")
    np.testing.assert_array_equal(load_model(tmp_path / "m").predict_proba(NEW[:, :3]), model.predict_proba(NEW[:, :3]))


@pytest.mark.parametrize(
    ("record", "field"), [("RateSigmoids", "slopes"), ("Thresholds", "cuts"), ("Blend", "_label_weights")]
)
def test_sizes_must_agree(blend, record, field, tmp_path):
    structure, arrays = taken_apart(blend)
    fields = next(records_in(structure, record))
    name = fields[field]["array"]
    arrays[name] = arrays[name][..., :-1]
    write_file(tmp_path / "m", structure, {key: npy(value) for key, value in arrays.items()})
    with pytest.raises((MalformedFile, ValueError)):
        load_model(tmp_path / "m")


def test_a_blend_has_few_parts(tmp_path):
    shares = PriorPart(np.array([0.2, 0.7]))
    model = Blend(families=["linear"], random_state=0).fit(DATA.X[:, :2], DATA.Y[:, :2])
    for n_parts in (64, 65):
        names = [f"part {number}" for number in range(n_parts)]
        model.parts_, model.weights_ = dict.fromkeys(names, shares), dict.fromkeys(names, 1 / n_parts)
        model._label_weights = np.full((n_parts, 2), 1 / n_parts)
        if n_parts == 64:
            assert load_model(save_model(model, tmp_path / "m")).predict_proba(NEW[:1, :2]).shape == (1, 2)
    with pytest.raises(TypeError, match="Blend of 65 parts where at most 64 can be"):
        save_model(model, tmp_path / "m")
