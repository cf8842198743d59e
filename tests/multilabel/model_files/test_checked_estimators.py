"""A OneVsRestClassifier of a file answers as scikit-learn's, and counts what its parts answer."""

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import GaussianNB

from bncc.datasets import MalformedFile, make_scenes
from bncc.multilabel import load_model, save_model
from bncc.multilabel.model_files.checked_estimators import CheckedOneVsRest

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
