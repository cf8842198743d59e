"""Estimators of a file answer as scikit-learn's, and count what their parts answer."""

import numpy as np
import pytest
from sklearn.ensemble import AdaBoostClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import SVC, NuSVC

from bncc import BinaryRelevance
from bncc.datasets import MalformedFile, make_scenes
from bncc.multilabel import load_model, save_model
from bncc.multilabel.model_files.checked_estimators import CheckedOneVsRest
from model_attacks import npy, records_in, taken_apart, write_file
from stopwatch import Stopwatch

DATA = make_scenes(60, random_state=0)
X, Y = DATA.X, np.asarray(DATA.Y)[:, :4]
TARGETS = {"labels": Y, "two classes": Y[:, 0], "classes": Y @ [1, 2, 0, 0]}


def kept(model, folder):
    save_model(model, folder / "model.bncc")
    return load_model(folder / "model.bncc")


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("base", [LogisticRegression(), GaussianNB()])
def test_answers_as_before_it_was_kept(base, target, tmp_path):
    model = OneVsRestClassifier(base).fit(X, TARGETS[target])
    read = kept(model, tmp_path)
    assert isinstance(read, OneVsRestClassifier)
    np.testing.assert_array_equal(read.predict(X), model.predict(X))
    np.testing.assert_array_equal(kept(read, tmp_path).predict(X), model.predict(X))


def test_parts_may_be_regressions():
    fitted = OneVsRestClassifier(LinearRegression()).fit(X, Y)
    np.testing.assert_array_equal(CheckedOneVsRest(LinearRegression()).fit(X, Y).predict(X), fitted.predict(X))


@pytest.mark.parametrize("target", ["labels", "two classes"])
def test_a_part_with_three_classes_is_told_before_compiled_code_follows_its_rows(target, tmp_path):
    model = OneVsRestClassifier(LogisticRegression()).fit(X, TARGETS[target])
    model.estimators_[0] = LogisticRegression().fit(X, Y @ [1, 1, 1, 0])
    read = kept(model, tmp_path)
    with pytest.raises(ValueError, match=r"gives [0-9]+ answers for 60 rows"):
        read.predict(X)


def test_intercepts_are_as_many_as_lines_of_weights(tmp_path):
    model = LogisticRegression().fit(X, Y[:, 0])
    model.intercept_ = model.coef_
    with pytest.raises(TypeError) as refusal:
        save_model(model, tmp_path / "model.bncc")
    assert isinstance(refusal.value.__cause__, MalformedFile)


@pytest.mark.parametrize("target", ["two classes", "classes"])
@pytest.mark.parametrize("shape", ["ovr", "ovo"])
@pytest.mark.parametrize("base", [SVC, NuSVC])
def test_pairs_of_classes_are_summed_up_as_before(base, shape, target, tmp_path):
    model = base(decision_function_shape=shape, nu=0.1) if base is NuSVC else base(decision_function_shape=shape)
    model.fit(X, TARGETS[target])
    read = kept(kept(model, tmp_path), tmp_path)
    for rows in (X, X[:1]):
        np.testing.assert_array_equal(read.decision_function(rows), model.decision_function(rows))
        np.testing.assert_array_equal(read.predict(rows), model.predict(rows))


def test_a_thousand_classes_of_pairs_are_quick(tmp_path):
    structure, members = taken_apart(SVC().fit(X, TARGETS["classes"]))
    (fields,) = records_in(structure, "SVC")
    pairs = 1000 * 999 // 2
    changed = {
        "classes_": np.arange(1000),
        "_n_support": np.r_[1, np.zeros(999)].astype(np.int32),
        "support_": np.zeros(1, np.int32),
        "support_vectors_": np.zeros((1, X.shape[1])),
        "class_weight_": np.ones(1000),
        **{name: np.zeros((999, 1)) for name in ("dual_coef_", "_dual_coef_")},
        **{name: np.ones(pairs) for name in ("intercept_", "_intercept_")},
    }
    for name, array in changed.items():
        members[fields[name]["array"]] = array
    file = write_file(tmp_path / "many", structure, {name: npy(array) for name, array in members.items()})
    model = load_model(file)
    with Stopwatch() as watch:
        assert model.decision_function(X[:1]).argmax() == 0
    assert watch.processor < 2


def test_boosted_parts_have_one_answer_for_a_row(tmp_path):
    model = AdaBoostClassifier(GaussianNB(), n_estimators=3).fit(X, TARGETS["classes"])
    read = kept(kept(model, tmp_path), tmp_path)
    np.testing.assert_array_equal(read.predict_proba(X), model.predict_proba(X))
    model.estimators_[0] = BinaryRelevance(GaussianNB()).fit(X, Y)
    read = kept(model, tmp_path)
    for question in (read.predict, read.predict_proba, read.decision_function):
        with pytest.raises(ValueError, match="part of this AdaBoostClassifier gives 240 numbers for 60 rows"):
            question(X)
