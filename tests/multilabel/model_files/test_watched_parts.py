"""One part of a model, referred to a thousand times, is asked until its answers are too many; honest parts are not."""

import numpy as np
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import StackingClassifier, VotingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier
from sklearn.multioutput import MultiOutputClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import FeatureUnion
from sklearn.preprocessing import StandardScaler

from bncc.multilabel import load_model, save_model
from bncc.multilabel.model_files import checked_estimators
from model_attacks import npy, taken_apart, write_file

X = np.random.default_rng(0).random((60, 3))
THREE = np.arange(60) % 3
PARTS = [("a", GaussianNB()), ("b", LogisticRegression())]


def opened(folder, structure, members):
    """The model of a structure and its arrays."""
    return load_model(write_file(folder / "changed", structure, {name: npy(array) for name, array in members.items()}))


def kept(model, folder):
    return load_model(save_model(model, folder / "model.bncc"))


def again(fields, times, name="estimators_"):
    """Refer to the first part so many times more."""
    record = fields[name]["list"][0]["record"]
    if len(record) == 2:
        record.append(1000)
    fields[name]["list"] += [{"same": record[2]}] * times


REPEATED = {
    "StackingClassifier": (StackingClassifier(PARTS).fit(X, THREE), "predict"),
    "VotingClassifier": (VotingClassifier(PARTS, voting="soft").fit(X, THREE), "predict_proba"),
    "MultiOutputClassifier": (MultiOutputClassifier(GaussianNB()).fit(X, np.c_[THREE, THREE]), "predict_proba"),
}


@pytest.mark.parametrize("record", REPEATED)
def test_answers_of_one_part_are_counted_each_time(record, tmp_path, monkeypatch):
    model, method = REPEATED[record]
    structure, members = taken_apart(model)
    fields = structure["record"][1]
    again(fields, 400)
    if record == "StackingClassifier":
        fields["stack_method_"]["list"] += ["predict_proba"] * 400
    read = opened(tmp_path, structure, members)
    for name in ("MOST_NUMBERS_IN_A_ROW", "MOST_RATES_IN_A_ROW"):
        monkeypatch.setattr(checked_estimators, name, 100)
    asked = []
    monkeypatch.setattr(GaussianNB, "predict_proba", lambda self, rows: (asked.append(1), np.zeros((len(rows), 3)))[1])
    with pytest.raises(ValueError, match=f"Parts of this {record} give together at most 100 numbers a row.*got 102"):
        getattr(read, method)(X)
    assert len(asked) <= 34


@pytest.mark.parametrize("kind", [FeatureUnion, ColumnTransformer])
def test_columns_of_one_part_are_counted_each_time(kind, tmp_path, monkeypatch):
    parts = [(str(number), StandardScaler(), *([[0]] * (kind is ColumnTransformer))) for number in range(200)]
    read = kept(kind(parts).fit(X), tmp_path)
    monkeypatch.setattr(checked_estimators, "MOST_NUMBERS_IN_A_ROW", 6)
    asked = []
    monkeypatch.setattr(StandardScaler, "transform", lambda self, rows: (asked.append(1), np.asarray(rows))[1])
    with pytest.raises(ValueError, match="at most 6 numbers a row"):
        read.transform(X)
    assert len(asked) <= 7


@pytest.mark.parametrize("kind", [OneVsRestClassifier, OneVsOneClassifier])
@pytest.mark.parametrize("base", [GaussianNB(), LogisticRegression()])
def test_parts_for_two_classes_have_two(kind, base, tmp_path):
    model = kind(base).fit(X, THREE)
    read = kept(model, tmp_path)
    methods = [name for name in ("predict", "predict_proba", "decision_function") if hasattr(model, name)]
    assert [hasattr(read, name) for name in methods] == [True] * len(methods)
    for name in methods:
        np.testing.assert_array_equal(getattr(read, name)(X), getattr(model, name)(X))
    model.estimators_ = [type(base)().fit(X, THREE), *model.estimators_[1:]]
    read = kept(model, tmp_path)
    with pytest.raises(ValueError, match="gives 180 numbers for 60 rows, where at most 2 a row can be"):
        getattr(read, methods[-1])(X)


def test_pairs_that_see_other_columns_answer_the_same(tmp_path):
    model = OneVsOneClassifier(GaussianNB()).fit(X[:, :2], THREE)
    model.pairwise_indices_, model.n_features_in_ = (np.array([2, 0]), np.array([0, 1]), np.array([1, 2])), 3
    read = kept(model, tmp_path)
    np.testing.assert_array_equal(read.decision_function(X), model.decision_function(X))


@pytest.mark.parametrize("record", REPEATED)
def test_honest_parts_answer_the_same(record, tmp_path):
    model = REPEATED[record][0]
    read = kept(model, tmp_path)
    assert type(kept(read, tmp_path)) is type(read)
    for name in ("predict", "predict_proba", "transform"):
        if hasattr(model, name):
            np.testing.assert_array_equal(getattr(read, name)(X), getattr(model, name)(X))
