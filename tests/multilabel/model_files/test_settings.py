"""Settings are of the types and ranges that `fit` takes."""

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import VotingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import RadiusNeighborsClassifier
from sklearn.preprocessing import MinMaxScaler, Normalizer, PolynomialFeatures

from bncc import BinaryRelevance, RandomKLabelsets, TableFeatures
from bncc.multilabel import ClassifierChain, LabelPowerset
from bncc.multilabel.model_files.fields import Sizes
from bncc.multilabel.model_files.refusals import Refused
from bncc.multilabel.model_files.settings import Scalar, check_settings
from model_refusals import refused

RANDOM = np.random.default_rng(0)
X, Y = RANDOM.random((30, 4)), np.arange(30) % 2


def set_to(name, value):
    def edit(fields, members):
        fields[name] = value

    return edit


@pytest.mark.parametrize(
    ("model", "name", "value", "words"),
    [
        (PolynomialFeatures(), "interaction_only", 100, "interaction_only must be True or False"),
        (PolynomialFeatures(), "include_bias", 3, "include_bias must be True or False"),
        (PolynomialFeatures(), "order", "Z", "'order' parameter of PolynomialFeatures must be a str among"),
        (PolynomialFeatures(), "_n_out_full", 131072, "room for other columns than its degrees make"),
        (Normalizer(), "norm", "l7", "'norm' parameter of Normalizer must be a str among"),
        (MinMaxScaler(), "clip", 7, "'clip' parameter of MinMaxScaler must be"),
        (MinMaxScaler(), "feature_range", {"list": [0, 1]}, "'feature_range' parameter of MinMaxScaler must be"),
    ],
)
def test_what_fit_would_refuse_is_no_setting(model, name, value, words, tmp_path):
    refused(tmp_path, model.fit(X), type(model).__name__, set_to(name, value), words)


@pytest.mark.parametrize("degree", [(0, 2), (1, 3), (2, 3), 3])
@pytest.mark.parametrize("interaction_only", [False, True])
def test_room_for_powers_is_that_of_scikit_learn(degree, interaction_only, tmp_path):
    """`refused` opens the honest model before."""
    model = PolynomialFeatures(degree, interaction_only=interaction_only).fit(X)
    room = model._n_out_full + 1
    refused(tmp_path, model, "PolynomialFeatures", set_to("_n_out_full", room), "room for other columns")


def test_scalars_are_made_of_one_number(tmp_path):
    def edit(fields, members):
        members["many.npy"] = np.zeros(50_000, np.int8)
        fields["C"] = {"scalar": ["<U9999", {"array": "many.npy"}]}

    refused(tmp_path, LogisticRegression().fit(X, Y), "LogisticRegression", edit, "a number of unknown form")


@pytest.mark.parametrize(
    ("name", "words"), [("threshold", "threshold must be"), ("k", "the setting k of a RandomKLabelsets is an array")]
)
def test_settings_of_ours_are_no_arrays(name, words, tmp_path):
    def edit(fields, members):
        members["many.npy"] = np.zeros((1000, 1), np.int8)
        fields[name] = {"array": "many.npy"}

    model = RandomKLabelsets(GaussianNB(), k=2, random_state=0).fit(X, RANDOM.integers(0, 2, (30, 4)))
    refused(tmp_path, model, "RandomKLabelsets", edit, words)


def test_orders_may_be_arrays():
    check_settings(ClassifierChain, {"order": np.arange(3)})
    with pytest.raises(Refused, match="the setting n_jobs of a BinaryRelevance is an array"):
        check_settings(BinaryRelevance, {"n_jobs": np.arange(3)})
    check_settings(LabelPowerset, {})
    check_settings(TableFeatures, {"text": np.array(["title", "body"])})


LONG = {"list": ["a" * 900_000, *["a"] * 500]}


@pytest.mark.parametrize(
    ("model", "name", "value", "words"),
    [
        (DummyClassifier(strategy="constant", constant=1), "constant", {"list": [1, 2]}, "class that it does not have"),
        (DummyClassifier(strategy="constant", constant=[1]), "constant", 5, "class that it does not have"),
        (RadiusNeighborsClassifier(2.0, outlier_label=1), "outlier_label", "a" * 1001, "more than 1000 letters"),
        (VotingClassifier([("a", GaussianNB())]), "weights", LONG, "weights that are no numbers"),
        (VotingClassifier([("a", GaussianNB())], weights=[2]), "weights", {"list": [None]}, "that are no numbers"),
    ],
)
def test_texts_do_not_widen_numbers(model, name, value, words, tmp_path):
    refused(tmp_path, model.fit(X, Y), type(model).__name__, set_to(name, value), words)


def test_classes_are_texts_and_numbers(tmp_path):
    def edit(fields, members):
        members["tall.npy"] = np.zeros((300, 1), np.int16)
        fields["classes_"] = {"objects": [[2], [{"array": "tall.npy"}, 1]]}

    refused(tmp_path, GaussianNB().fit(X, Y), "GaussianNB", edit, "must hold texts and numbers alone")
    for value in ("a", b"a", 1, 1.5, True, None, np.float32(1), np.str_("a")):
        Scalar().check(value, "here", Sizes(lambda _: None))
    for value in ([], (), {}, np.zeros(1), np.zeros(1, "i4,i4")[0]):
        with pytest.raises(Refused, match="here must hold texts and numbers alone"):
            Scalar().check(value, "here", Sizes(lambda _: None))


def test_what_is_remembered_of_a_setting_holds_for_its_type_alone():
    for _ in range(2):
        check_settings(MinMaxScaler, {"clip": True})
        for other in (1, 1.0, "True", None):
            with pytest.raises(Refused, match="'clip' parameter of MinMaxScaler"):
                check_settings(MinMaxScaler, {"clip": other})
    long = "x" * 200
    with pytest.raises(Refused, match="'norm' parameter of Normalizer"):
        check_settings(Normalizer, {"norm": long})
