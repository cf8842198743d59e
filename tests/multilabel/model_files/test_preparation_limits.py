"""What prepares features takes no more columns, categories and parts one by one than the file pays for."""

from dataclasses import replace

import numpy as np
import pytest
import sklearn
from scipy import sparse
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import HashingVectorizer, TfidfTransformer, TfidfVectorizer
from sklearn.impute import MissingIndicator
from sklearn.kernel_approximation import RBFSampler
from sklearn.pipeline import FeatureUnion, Pipeline, make_pipeline
from sklearn.preprocessing import (
    Binarizer,
    FunctionTransformer,
    KBinsDiscretizer,
    LabelEncoder,
    MaxAbsScaler,
    Normalizer,
    OneHotEncoder,
    OrdinalEncoder,
    PolynomialFeatures,
    PowerTransformer,
    StandardScaler,
)

from bncc import TableFeatures
from bncc.datasets import MalformedFile
from bncc.multilabel import load_model, save_model
from bncc.multilabel.model_files import records_tables
from model_attacks import records_in, taken_apart
from model_refusals import opened, refused

RANDOM = np.random.default_rng(0)
X = RANDOM.random((30, 3))
VERSION = {"_sklearn_version": sklearn.__version__}
NORMALIZER = {"record": ["Normalizer", {"norm": "l2", "copy": True, **VERSION}]}
ONE_BY_ONE = "columns and parts one by one for an answer, more than"
BODIES = [{"body": f"red fox {number} runs over some grass in the dark wood"} for number in range(40)]


# ---- one by one


@pytest.mark.parametrize("kind", [OneHotEncoder, OrdinalEncoder])
def test_one_feature_does_not_stand_for_very_many(kind, tmp_path):
    def edit(fields, members):
        n_features = 60_000
        fields["n_features_in_"] = n_features
        fields["categories_"]["list"] *= n_features
        for name in ("_infrequent_indices", "_default_to_infrequent_mappings", "_n_features_outs"):
            fields[name] = {"list": [2 if name == "_n_features_outs" else None] * n_features}

    refused(tmp_path, kind().fit([[1], [2]]), kind.__name__, edit, ONE_BY_ONE)


def test_bins_and_powers_are_made_one_by_one(tmp_path):
    def bins(fields, members):
        fields["n_features_in_"] = 40_000
        fields["bin_edges_"]["objects"] = [[40_000], fields["bin_edges_"]["objects"][1][:1] * 40_000]
        members[fields["n_bins_"]["array"]] = np.full(40_000, 2)

    def powers(fields, members):
        fields["n_features_in_"] = 10**6
        members[fields["lambdas_"]["array"]] = np.ones(10**6)

    refused(tmp_path, KBinsDiscretizer(2, encode="ordinal").fit(X), "KBinsDiscretizer", bins, ONE_BY_ONE)
    refused(tmp_path, PowerTransformer(standardize=False).fit(X), "PowerTransformer", powers, ONE_BY_ONE)


def pipeline(parts):
    steps = {"list": [{"tuple": [f"step {number}", part]} for number, part in enumerate(parts)]}
    return {"record": ["Pipeline", {"steps": steps, "memory": None, "verbose": False, **VERSION}]}


def test_pipelines_of_pipelines_have_so_many_steps(tmp_path):
    inside = pipeline([NORMALIZER] * 1000)
    opened(tmp_path, pipeline([inside] * 5), {})
    with pytest.raises(MalformedFile, match=ONE_BY_ONE):
        opened(tmp_path, pipeline([inside] * 20), {})


def test_references_are_steps_again(tmp_path):
    inside = pipeline([NORMALIZER] * 1000)
    inside["record"].append(0)
    with pytest.raises(MalformedFile, match=f"{ONE_BY_ONE}|refers to records"):
        opened(tmp_path, pipeline([inside, *[{"same": 0}] * 15]), {})


def test_unions_and_column_transformers_have_so_many_parts(tmp_path):
    def side_by_side(fields, members):
        fields["transformer_list"] = {"list": [{"tuple": [f"part {number}", "drop"]} for number in range(20_000)]}

    def columns(fields, members):
        parts = [{"tuple": [f"part {number}", "drop", {"list": [0]}]} for number in range(15_000)]
        fields["transformers_"] = {"list": parts}

    refused(tmp_path, FeatureUnion([("a", Normalizer())]).fit(X), "FeatureUnion", side_by_side, ONE_BY_ONE)
    refused(tmp_path, ColumnTransformer([("a", Normalizer(), [0])]).fit(X), "ColumnTransformer", columns, ONE_BY_ONE)


def test_wide_tables_of_categories_are_kept(tmp_path):
    wide = RANDOM.integers(0, 3, (9, 20_000))
    for model in (OneHotEncoder(handle_unknown="ignore").fit(wide), OrdinalEncoder().fit(wide)):
        load_model(save_model(model, tmp_path / "wide.bncc"))


# ---- categories


@pytest.mark.parametrize("kind", [OneHotEncoder, OrdinalEncoder])
@pytest.mark.parametrize("text", ["U1", "S3"])
def test_categories_of_few_letters_are_few(kind, text, tmp_path):
    def edit(fields, members):
        values = np.arange(200_000, dtype=np.uint32) + 0xE000
        members[fields["categories_"]["list"][0]["array"]] = values.view("U1") if text == "U1" else values.astype("S3")
        fields.update({"_n_features_outs": {"list": [200_000]}} if kind is OneHotEncoder else {})

    refused(tmp_path, kind().fit(np.array([["a"], ["b"]])), kind.__name__, edit, "200000 categories, which take many")


def test_classes_of_few_letters_are_few(tmp_path):
    def edit(fields, members):
        members[fields["classes_"]["array"]] = (np.arange(200_000, dtype=np.uint32) + 0xE000).view("U1")

    refused(tmp_path, LabelEncoder().fit(["a", "b"]), "LabelEncoder", edit, "200000 categories, which take many")


def test_names_of_repeated_categories_are_few(tmp_path):
    def edit(fields, members):
        members[fields["categories_"]["list"][0]["array"]] = np.arange(2**15, dtype=np.int16)
        fields["categories_"]["list"] *= 100
        fields["n_features_in_"] = 100
        for name in ("_infrequent_indices", "_default_to_infrequent_mappings", "_n_features_outs"):
            fields[name] = {"list": [2**15 if name == "_n_features_outs" else None] * 100}

    refused(tmp_path, OneHotEncoder().fit([[1], [2]]), "OneHotEncoder", edit, "3276800 categories, which take many")


@pytest.mark.parametrize(
    "values",
    [
        np.arange(300_000).astype("U12"),
        np.arange(100_000).astype("U5"),
        np.arange(300_000).astype(str).astype(object),
        np.arange(500_000),
    ],
)
def test_many_categories_of_usual_length_are_kept(values, tmp_path):
    column = values[:, None]
    again = load_model(save_model(OneHotEncoder().fit(column), tmp_path / "many.bncc"))
    assert again.transform(column[:1]).shape == (1, len(values))


# ---- powers


def test_names_of_powers_need_no_table(tmp_path):
    model = PolynomialFeatures(2).fit(np.ones((1, 400)))
    again = load_model(save_model(model, tmp_path / "powers.bncc"))
    names = again.get_feature_names_out()
    assert names[[0, 1, 401, 402, -1]].tolist() == ["1", "x0", "x0^2", "x0 x1", "x399^2"]
    with pytest.raises(ValueError, match="`powers_` of 80601 columns and 400 features is larger"):
        _ = again.powers_


@pytest.mark.parametrize("settings", [{"degree": 3}, {"degree": (2, 3)}, {"interaction_only": True}, {"degree": 0}])
def test_names_of_powers_are_those_of_the_fitted_model(settings, tmp_path):
    model = PolynomialFeatures(**settings).fit(X)
    again = load_model(save_model(model, tmp_path / "powers.bncc"))
    assert (again.powers_ == model.powers_).all()
    for names in (None, ["a", "b", "c"]):
        assert again.get_feature_names_out(names).tolist() == model.get_feature_names_out(names).tolist()
    with pytest.raises(ValueError, match="`input_features` must be the names of the 3 features; got 2 others"):
        again.get_feature_names_out(["a", "b"])


@pytest.mark.parametrize("kind", ["FeatureUnion", "ColumnTransformer", "Pipeline"])
def test_parts_make_so_many_columns_of_powers(kind, tmp_path):
    powers = taken_apart(PolynomialFeatures(2).fit(np.ones((1, 500))))[0]["record"][:2]
    made = {
        "FeatureUnion": FeatureUnion([("a", Normalizer())]),
        "ColumnTransformer": ColumnTransformer([("a", Normalizer(), [0])]),
        "Pipeline": Pipeline([("a", Normalizer())]),
    }

    def edit(fields, members):
        parts = [{"tuple": [f"part {number}", {"record": powers}, {"list": [0]}]} for number in range(3)]
        name = {"FeatureUnion": "transformer_list", "Pipeline": "steps"}.get(kind, "transformers_")
        for part in parts if kind != "ColumnTransformer" else ():
            del part["tuple"][2]
        fields[name] = {"list": parts}

    words = f"{kind} of [0-9]+ columns that have names, its parts included"
    refused(tmp_path, made[kind].fit(X), kind, edit, words)


# ---- names of columns


@pytest.mark.parametrize(
    "model",
    [
        Normalizer(),
        Binarizer(),
        StandardScaler(with_mean=False, with_std=False),
        PolynomialFeatures(0),
        TfidfTransformer(use_idf=False),
        ColumnTransformer([("a", Normalizer(), [0])]),
        MissingIndicator(features="all"),
    ],
    ids=lambda model: type(model).__name__,
)
def test_features_that_are_only_a_number_have_no_names(model, tmp_path):
    def edit(fields, members):
        fields.update(dict.fromkeys({"n_features_in_", "_n_features"} & fields.keys(), 2 * 10**6))
        fields.update(dict.fromkeys({"scale_", "mean_", "var_"} & fields.keys()))

    refused(tmp_path, model.fit(X), type(model).__name__, edit, "200000[01] columns that have names, its parts incl")


@pytest.mark.parametrize("name", ["long " * 200, "\u20ac" * 500])
def test_long_names_of_parts_count_as_more_columns(name, tmp_path):
    def edit(fields, members):
        fields["transformer_list"]["list"][0]["tuple"][0] = name
        next(records_in(fields, "Normalizer"))["n_features_in_"] = 100_000

    model = FeatureUnion([("a", Normalizer())]).fit(X)
    refused(tmp_path, model, "FeatureUnion", edit, "FeatureUnion of [0-9]+ columns that have names")


def test_long_names_of_parts_one_after_another(tmp_path):
    def edit(fields, members):
        for each in records_in(fields, "Normalizer"):
            each["n_features_in_"] = 10_000

    model = make_pipeline(*(FeatureUnion([("b" * 900, Normalizer())]) for _ in range(20))).fit(X)
    refused(tmp_path, model, "Pipeline", edit, "Pipeline of 3000000 columns that have names")


def test_components_of_one_feature_are_few(tmp_path):
    def edit(fields, members):
        fields.update(n_features_in_=1, _n_features_out=10**6)
        members[fields["random_weights_"]["array"]] = np.ones((1, 10**6), np.float32)

    refused(tmp_path, RBFSampler(n_components=5).fit(X), "RBFSampler", edit, "1000001 columns that have names")


def test_features_that_a_file_pays_for_have_names(tmp_path):
    wide = sparse.csr_array(np.ones((3, 1)) @ np.ones((1, 400_000)))
    for model in (make_pipeline(Normalizer(), MaxAbsScaler()).fit(wide), FunctionTransformer(np.abs).fit(wide)):
        load_model(save_model(model, tmp_path / "wide.bncc"))


# ---- texts of a table


def test_texts_give_the_columns_that_they_gave(tmp_path):
    vectorizer = make_pipeline(TfidfVectorizer(), TruncatedSVD(3, random_state=0))
    model = TableFeatures(vectorizer=vectorizer, text="body").fit(BODIES)
    again = load_model(save_model(model, tmp_path / "table.bncc"))
    assert np.array_equal(again.transform(BODIES), model.transform(BODIES))
    structure, members = taken_apart(model)
    (fields,) = records_in(structure, "TextEncoder")
    fields["width"] = 2
    with pytest.raises(ValueError, match="gives 3 columns where it gave 2 when it was fitted"):
        opened(tmp_path, structure, members).transform(BODIES)


def test_texts_of_unknown_words_share_what_is_free(tmp_path, monkeypatch):
    rows = [{**row, "title": f"a title of ticket {number} in words"} for number, row in enumerate(BODIES)]
    vectorizer = make_pipeline(TfidfVectorizer(), TruncatedSVD(3, random_state=0))
    model = TableFeatures(vectorizer=vectorizer, text=["body", "title"]).fit(rows)
    monkeypatch.setattr(records_tables, "_MOST_UNPAID", 5)
    with pytest.raises(TypeError, match="texts of 6 columns where at most 5 can be"):
        save_model(model, tmp_path / "table.bncc")
    model.encoders_ = tuple(replace(each, name=each.name) for each in model.encoders_[:1])
    load_model(save_model(model, tmp_path / "one.bncc"))


def test_sparse_rows_of_powers_are_still_answered(tmp_path):
    model = load_model(save_model(PolynomialFeatures(2).fit(np.ones((1, 400))), tmp_path / "powers.bncc"))
    assert model.transform(sparse.csr_array(np.eye(1, 400))).shape == (1, 80_601)


def test_wide_sparse_parts_of_columns_are_not_made_dense(tmp_path):
    texts = np.array([["some red fox"], ["a dark wood"]], object)
    model = ColumnTransformer([("words", HashingVectorizer(), 0)]).fit(texts)
    structure, members = taken_apart(model)
    assert opened(tmp_path, structure, members).transform(texts).shape == (2, 2**20)
    next(records_in(structure, "ColumnTransformer"))["sparse_output_"] = False
    with pytest.raises(ValueError, match="Columns side by side must give at most 131072 numbers a row"):
        opened(tmp_path, structure, members).transform(texts)
