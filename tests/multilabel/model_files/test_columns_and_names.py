"""Columns that are chosen twice, names that are long, and arrays in the place of numbers are refused."""

import tracemalloc

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.compose import ColumnTransformer
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import StackingClassifier, VotingClassifier
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.multiclass import OneVsOneClassifier
from sklearn.multioutput import ClassifierChain
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    KBinsDiscretizer,
    MinMaxScaler,
    OneHotEncoder,
    OrdinalEncoder,
    PolynomialFeatures,
    PowerTransformer,
    StandardScaler,
)
from sklearn.svm import SVC

from bncc import BinaryRelevance
from bncc.datasets import MalformedFile
from bncc.multilabel import load_model, save_model
from bncc.multilabel.coded_categories import CodedCategories
from bncc.tables.columns import RawColumn
from bncc.tables.encoders import CategoryEncoder
from model_attacks import records_in, taken_apart
from model_cases import fitted
from model_refusals import opened, refused

RANDOM = np.random.default_rng(0)
X = RANDOM.random((60, 3))
Y = RANDOM.random((60, 3)) < 0.5
THREE = np.arange(60) % 3
FRAME = pd.DataFrame(X, columns=["a", "b", "c"])
LONG = "n" * 300_000


def put(name, array):
    """An edit by which a field becomes an array."""

    def edit(fields, members):
        members["put.npy"] = np.asarray(array)
        fields[name] = {"array": "put.npy"}

    return edit


def setting(name, value):
    """An edit by which a field becomes a value."""
    return lambda fields, members: fields.update({name: value})


def kept(model, folder):
    return load_model(save_model(model, folder / "model.bncc"))


# ---- columns that are chosen


def test_codes_of_a_column_are_written_once(tmp_path):
    model = CodedCategories(GaussianNB(), (0, 2), whole=True)
    model.estimator_, model.classes_ = GaussianNB().fit(X, THREE), np.arange(3)
    assert (kept(model, tmp_path).predict(X) == model.predict(X)).all()
    repeated = setting("columns", {"tuple": [0] * 1000})
    refused(tmp_path, model, "CodedCategories", repeated, "columns must not repeat a number")


ZEROS = np.zeros(1000, np.uint8)
ONE_VS_ONE = OneVsOneClassifier(SVC(kernel="linear")).fit(X, THREE)
COLUMNS = ColumnTransformer([("a", StandardScaler(), [0, 1]), ("b", "passthrough", np.array([2]))]).fit(X)


@pytest.mark.parametrize(
    ("model", "record", "edit", "words"),
    [
        ("imputed", "MissingIndicator", put("features_", ZEROS), "features_ must not repeat a number"),
        ("imputed", "MissingIndicator", setting("_n_features", 10**9), "_n_features has 1000000000 where 24"),
        (
            ONE_VS_ONE,
            "OneVsOneClassifier",
            lambda fields, members: (
                put("x", ZEROS)(fields, members),
                fields.update(pairwise_indices_={"list": [fields.pop("x")] * 3}),
            ),
            r"pairwise_indices_\[0\] must not repeat a number",
        ),
        (
            ClassifierChain(LogisticRegression(), order=[2, 0, 1]).fit(X, Y),
            "sklearn ClassifierChain",
            put("order_", ZEROS),
            "order_ must not repeat a number|points beyond",
        ),
        (
            BinaryRelevance(GaussianNB()).fit(X, Y),
            "FittedLinks",
            lambda fields, members: (
                put("x", ZEROS)(fields, members),
                fields.update(features={"tuple": [fields.pop("x")] * 3}),
            ),
            r"features\[0\] must not repeat a number",
        ),
    ],
    ids=["indicator", "indicator of others", "one vs one", "chain", "links"],
)
def test_no_column_is_taken_twice(model, record, edit, words, tmp_path):
    refused(tmp_path, model, record, edit, words)


@pytest.mark.parametrize("chosen", [{"array": "put.npy"}, {"list": [0, 1, 2, 0]}, 2.5], ids=["bytes", "list", "none"])
def test_a_part_takes_no_more_columns_than_there_are(chosen, tmp_path):
    def edit(fields, members):
        members["put.npy"] = ZEROS
        fields["transformers_"]["list"][1]["tuple"][2] = chosen

    words = r"a part that takes [0-9]+ columns where 3 are|no names and no numbers"
    refused(tmp_path, COLUMNS, "ColumnTransformer", edit, words)


def test_parts_take_few_columns_together(tmp_path):
    def edit(fields, members):
        members["put.npy"] = np.zeros(10**5, np.uint8)
        fields["n_features_in_"] = 10**5
        first = fields["transformers_"]["list"][0]["tuple"]
        first[1]["record"] = [*first[1]["record"][:2], 7]  # a number to refer to it
        more = [{"tuple": [f"p{number}", {"same": 7}, {"slice": [None, None, None]}]} for number in range(5)]
        fields["transformers_"]["list"] += more

    refused(tmp_path, COLUMNS, "ColumnTransformer", edit, "take together 500003 columns; at most 400000")


def test_columns_are_chosen_in_every_honest_way(tmp_path):
    ways = [["a", "b"], slice(0, 2), [True, False, True], np.array([0, 2]), lambda frame: ["c"], []]
    for way in ways:
        model = ColumnTransformer([("x", StandardScaler(), way)], remainder="passthrough").fit(FRAME)
        model.transformers = []  # where functions stand
        read = kept(model, tmp_path)
        np.testing.assert_array_equal(read.transform(FRAME), model.transform(FRAME))


def test_pairs_are_those_of_the_classes(tmp_path):
    words = "OneVsOneClassifier of 9 classes with 3 parts"
    refused(tmp_path, ONE_VS_ONE, "OneVsOneClassifier", put("classes_", np.arange(9)), words)


# ---- names of columns


def tables(fields, members):
    fields["_sklearn_output_config"] = {"dict": [["transform", "pandas"]]}


@pytest.mark.parametrize("case", ["fourier", "nystroem", "columns"])
def test_answers_are_no_tables(case, tmp_path):
    record = {"fourier": "RBFSampler", "nystroem": "Nystroem", "columns": "ColumnTransformer"}[case]
    refused(tmp_path, case, record, tables, "whose answers are tables")


def test_columns_that_keep_their_names_may_be_a_table(tmp_path):
    model = make_pipeline(StandardScaler(), MinMaxScaler()).set_output(transform="pandas").fit(FRAME)
    assert kept(model, tmp_path).transform(FRAME).equals(model.transform(FRAME))
    usual = ColumnTransformer([("x", StandardScaler(), ["a"])]).set_output(transform="default").fit(FRAME)
    assert (kept(usual, tmp_path).transform(FRAME) == usual.transform(FRAME)).all()


@pytest.mark.parametrize(
    ("case", "record", "words"),
    [
        ("fourier", "RBFSampler", "has 100000000 where 4 are needed"),
        ("nystroem", "Nystroem", "has 100000000 where 4 are needed"),
        ("gaussian projection", "GaussianRandomProjection", "has 100000000 where 3 are needed"),
        ("sparse projection", "SparseRandomProjection", "has 100000000 where 3 are needed"),
        ("lda of three", "LinearDiscriminantAnalysis", "_n_features_out must be below 3"),
    ],
)
def test_columns_with_names_are_those_that_there_are(case, record, words, tmp_path):
    refused(tmp_path, case, record, setting("_n_features_out", 10**8), words)


def test_columns_that_are_only_said_have_no_names(tmp_path):
    model = FunctionTransformer(feature_names_out="one-to-one").fit(X)
    refused(
        tmp_path, model, "FunctionTransformer", setting("n_features_in_", 10**9), "1000000000 columns that have names"
    )
    refused(
        tmp_path,
        model,
        "FunctionTransformer",
        setting("feature_names_out", {"function": "sklearn.metrics._classification.accuracy_score"}),
        "feature_names_out must be text",
    )


PARTS = [("a", GaussianNB()), ("b", LogisticRegression())]
NAMED = {
    "FeatureUnion": (FeatureUnion([("a", StandardScaler())]), "transformer_list"),
    "ColumnTransformer": (ColumnTransformer([("a", StandardScaler(), [0])]), "transformers_"),
    "VotingClassifier": (VotingClassifier(PARTS), "estimators"),
    "StackingClassifier": (StackingClassifier(PARTS), "estimators"),
}


@pytest.mark.parametrize("record", NAMED)
def test_names_of_parts_are_short(record, tmp_path):
    model, field = NAMED[record]
    edit = lambda fields, members: fields[field]["list"][0]["tuple"].__setitem__(0, LONG)  # noqa: E731
    refused(tmp_path, model.fit(X, THREE), record, edit, "a part whose name has 300000 letters; at most 1000")


def test_names_of_stacked_answers_are_as_many(tmp_path):
    model = StackingClassifier(PARTS).fit(X, THREE)
    more = setting("_n_feature_outs", {"list": [10**8] * 2})
    refused(
        tmp_path, model, "StackingClassifier", more, r"_n_feature_outs\[0\] must be a whole number from 0 to 131072"
    )
    model.estimators = [("n" * 1000, part) for _, part in PARTS]
    more = setting("_n_feature_outs", {"list": [10**5] * 2})
    refused(tmp_path, model, "StackingClassifier", more, "names have together 200000000 letters; at most")


@pytest.mark.parametrize(
    ("model", "record"),
    [
        (OneHotEncoder(), "OneHotEncoder"),
        (KBinsDiscretizer(60, strategy="uniform"), "KBinsDiscretizer"),
        (PolynomialFeatures(20), "PolynomialFeatures"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_columns_made_of_a_column_have_short_names(model, record, tmp_path):
    edit = setting("feature_names_in_", {"objects": [[3], [LONG, "b", "c"]]})
    refused(tmp_path, model.fit(FRAME), record, edit, f"{record} of [0-9]+ columns whose names have together")


def test_levels_have_short_names(tmp_path):
    def edit(fields, members):
        fields["levels"] = {"tuple": [str(number) for number in range(1000)]}
        fields["name"] = LONG

    words = "CategoryEncoder of 1002 columns whose names have together 300600000 letters"
    refused(tmp_path, "table", "CategoryEncoder", edit, words)


@pytest.mark.parametrize("others", [(), ("z",)])
@pytest.mark.parametrize("marks_gaps", [True, False])
def test_levels_are_counted_without_their_names(others, marks_gaps, monkeypatch):
    encoder = CategoryEncoder("colour", ("red", "blue"), others, marks_gaps)
    width = len(encoder.names())
    monkeypatch.setattr(CategoryEncoder, "names", lambda self: pytest.fail("names were made"))
    cells = np.array(["red", None, "blue"], object)
    assert encoder.encode(RawColumn("colour", "words", cells)).shape == (3, width)


# ---- one value where an array would spread


WIDE = np.ones((100, 1, 1))


@pytest.mark.parametrize(
    ("case", "record", "field"),
    [
        ("nystroem", "Nystroem", "gamma"),
        ("nystroem", "Nystroem", "coef0"),
        ("nystroem", "Nystroem", "components_"),
        ("isotonic", "IsotonicRegression", "X_min_"),
        ("isotonic", "IsotonicRegression", "X_max_"),
        ("isotonic", "IsotonicRegression", "y_min"),
        ("isotonic", "IsotonicRegression", "y_max"),
        ("bernoulli", "BernoulliNB", "binarize"),
        ("imputed", "SimpleImputer", "missing_values"),
        ("imputed", "MissingIndicator", "missing_values"),
        ("best", "SelectKBest", "k"),
        ("network of three", "LabelBinarizer", "neg_label"),
        ("network of three", "LabelBinarizer", "pos_label"),
        ("lda", "LinearDiscriminantAnalysis", "scalings_"),
    ],
)
def test_numbers_are_no_arrays(case, record, field, tmp_path):
    refused(tmp_path, case, record, put(field, WIDE), f"{record}.{field} must")


def test_a_constant_class_is_one(tmp_path):
    model = DummyClassifier(strategy="constant", constant=1).fit(X, THREE)
    refused(tmp_path, model, "DummyClassifier", put("constant", np.ones(1000, np.uint8)), "class that it does not have")


ORDINAL = {"record": taken_apart(OrdinalEncoder())[0]["record"][:2]}  # without a number, which others have


@pytest.mark.parametrize(
    ("model", "record", "field"),
    [
        ("network", "MLPClassifier", "_label_binarizer"),
        ("ridge", "RidgeClassifier", "_label_binarizer"),
        (RidgeClassifier().fit(X, THREE), "RidgeClassifier", "_label_binarizer"),
        ("voting", "VotingClassifier", "le_"),
        ("stacking", "StackingClassifier", "_label_encoder"),
        ("imputed", "SimpleImputer", "indicator_"),
        (PowerTransformer().fit(X), "PowerTransformer", "_scaler"),
    ],
)
def test_parts_are_what_was_fitted(model, record, field, tmp_path):
    refused(tmp_path, model, record, setting(field, ORDINAL), f"{record}.{field} must be")


def test_networks_have_an_output_per_class(tmp_path):
    def edit(fields, members):
        name = fields["coefs_"]["list"][-1]["array"]
        members[name] = np.zeros((5, 1000))
        members[fields["intercepts_"]["list"][-1]["array"]] = np.zeros(1000)

    refused(tmp_path, "network", "MLPClassifier", edit, "a network of 1000 outputs for 2 classes")


# ---- what is written out to be compared, or multiplied


def test_coefficients_that_are_left_out_are_not_written_out(tmp_path):
    structure, members = taken_apart(fitted("sparse svm")[0])
    (fields,) = records_in(structure, "SVC")
    n_classes, n_support = 400, 20_000
    empty = {"data.npy": np.zeros(0), "places.npy": np.zeros(0, np.int32)}
    members |= {**empty, "classes.npy": np.arange(n_classes), "weights.npy": np.ones(n_classes)}
    members["counts.npy"] = np.r_[n_support, np.zeros(n_classes - 1)].astype(np.int32)
    members["support.npy"] = np.zeros(n_support, np.int32)
    members["pairs.npy"] = np.zeros(n_classes * (n_classes - 1) // 2)

    def nothing(rows, columns):
        members[f"{rows}.npy"] = np.zeros(rows + 1, np.int32)
        parts = [{"array": name} for name in (*empty, f"{rows}.npy")]
        return {"sparse": ["csr_matrix", [rows, columns], *parts]}

    for name in ("dual_coef_", "_dual_coef_"):
        fields[name] = nothing(n_classes - 1, n_support)
    fields["support_vectors_"] = nothing(n_support, fields["n_features_in_"])
    named = {"classes_": "classes", "class_weight_": "weights", "_n_support": "counts", "support_": "support"}
    named |= {"intercept_": "pairs", "_intercept_": "pairs"}
    fields.update({name: {"array": f"{member}.npy"} for name, member in named.items()})
    tracemalloc.start()
    with pytest.raises(MalformedFile, match="coefficients left out"):
        opened(tmp_path, structure, members)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2**24


def test_powers_are_no_more_than_a_row_can_have(tmp_path):
    wide = PolynomialFeatures(2).fit(np.zeros((1, 600)))
    with pytest.raises(TypeError, match="degree 2 with 180901 columns; at most 131072"):
        save_model(wide, tmp_path / "model.bncc")
    full = PolynomialFeatures(2).fit(np.zeros((1, 500)))
    assert kept(full, tmp_path).transform(sparse.csr_array((1, 500))).shape == (1, 125_751)
