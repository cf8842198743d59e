"""Blends in files: what belongs together is held together."""

import copy

import numpy as np
import pytest
from sklearn.base import clone

from bncc.datasets import MalformedFile
from bncc.multilabel import Blend, load_model, save_model
from bncc.multilabel.blending.prior_part import PriorPart
from model_attacks import npy, records_in, taken_apart, write_file
from model_cases import DATA, NEW, fitted


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


def test_plans_of_earlier_releases_are_read_and_done_again(blend, tmp_path):
    structure, arrays = taken_apart(blend)
    for plan in records_in(structure, "BlendPlan"):
        for name in ("weighs_labels", "calibrates", "decision"):
            del plan[name]
    write_file(tmp_path / "m", structure, {key: npy(value) for key, value in arrays.items()})
    plan = load_model(tmp_path / "m").plan_
    assert (plan.weighs_labels, plan.calibrates, plan.decision) == (None, None, None)
    replayed = Blend("macro_f1", plan=plan, random_state=0).fit(DATA.X, DATA.Y)
    np.testing.assert_allclose(replayed.predict_proba(NEW), blend.predict_proba(NEW))
    np.testing.assert_array_equal(replayed.predict(NEW), blend.predict(NEW))


def test_a_plan_from_a_file_does_the_same_again(tmp_path):
    first = fitted("Blend-planned")[0]
    again = load_model(save_model(first, tmp_path / "m"))
    assert again.plan_ == again.plan == first.plan_
    np.testing.assert_array_equal(clone(again).fit(DATA.X, DATA.Y).predict(NEW), first.predict(NEW))


@pytest.fixture(scope="module")
def stacked():
    """Labels that the family below knows little of, so that the trees on top have weight."""
    crossed = ((DATA.X[:, :2] - 0.5) * (DATA.X[:, 2:4] - 0.5) > 0).astype(int)
    model = Blend("macro_auc", families=["linear", "kernel ridge", "stacked trees"], random_state=0)
    return model.fit(DATA.X, crossed)


def test_stacked_trees_and_kernel_ridge_come_back(stacked, tmp_path):
    assert {"kernel ridge", "stacked trees"} <= set(stacked.parts_)
    again = load_model(save_model(stacked, tmp_path / "m"))
    np.testing.assert_allclose(again.predict_proba(NEW), stacked.predict_proba(NEW), atol=1e-9)
    assert again.plan_ == stacked.plan_


@pytest.mark.parametrize(("record", "field"), [("KernelRidge", "rows"), ("KernelRidge", "coefficients")])
@pytest.mark.parametrize("axis", [0, 1])
def test_sizes_of_stacked_blends_must_agree(stacked, record, field, axis, tmp_path):
    structure, arrays = taken_apart(stacked)
    name = next(records_in(structure, record))[field]["array"]
    arrays[name] = np.delete(arrays[name], -1, axis=axis)
    write_file(tmp_path / "m", structure, {key: npy(value) for key, value in arrays.items()})
    if (record, field, axis) == ("KernelRidge", "rows", 1):  # features that nothing else counts: refused when asked
        with pytest.raises(ValueError, match="features"):
            load_model(tmp_path / "m").predict(NEW)
        return
    with pytest.raises(MalformedFile):
        load_model(tmp_path / "m")


@pytest.mark.parametrize("width", [0.0, -1.0, float("nan")])
def test_widths_are_above_0(stacked, width, tmp_path):
    structure, arrays = taken_apart(stacked)
    next(records_in(structure, "KernelRidge"))["width"] = width
    write_file(tmp_path / "m", structure, {key: npy(value) for key, value in arrays.items()})
    with pytest.raises(MalformedFile):
        load_model(tmp_path / "m")


def test_stacked_trees_come_last_and_are_trees(stacked, tmp_path):
    for parts in (
        dict(reversed(stacked.parts_.items())),
        {**stacked.parts_, "stacked trees": stacked.parts_["linear"]},
    ):
        other = copy.copy(stacked)
        other.parts_, other.weights_ = parts, {name: stacked.weights_[name] for name in parts}
        with pytest.raises(TypeError, match="stacked trees"):
            save_model(other, tmp_path / "m")


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
