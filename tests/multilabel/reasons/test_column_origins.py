import numpy as np
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import HashingVectorizer, TfidfTransformer, TfidfVectorizer
from sklearn.feature_selection import SelectKBest
from sklearn.impute import SimpleImputer
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, PolynomialFeatures, StandardScaler

from bncc.multilabel import RangeScaler
from bncc.multilabel.reasons.column_origins import Origin, _source, named_columns, trace

pd = pytest.importorskip("pandas")

X = pd.DataFrame(
    {
        "age": [30.0, np.nan, 50.0, 40.0],
        "sky": ["red", "blue", "red", "grey"],
        "sky_note": ["a cold day", "warm day", "cold", "warm wind"],
        "wind": [1.0, 2.0, 3.0, 5.0],
    }
)


def columns(transformer, frame=X):
    out = transformer.fit_transform(frame, [0, 1, 0, 1])
    origins = trace(transformer, named_columns(frame.columns), out.shape[1])
    assert len(origins) == out.shape[1]
    return origins


def names(transformer, frame=X):
    return [origin.column for origin in columns(transformer, frame)]


@pytest.mark.parametrize("sparse_threshold", [0.0, 1.0])
def test_a_table_of_all_kinds(sparse_threshold):
    numbers = make_pipeline(SimpleImputer(add_indicator=True), RangeScaler())
    table = ColumnTransformer(
        [("n", numbers, ["age", "wind"]), ("c", OneHotEncoder(), ["sky"]), ("t", TfidfVectorizer(), "sky_note")],
        sparse_threshold=sparse_threshold,
    )
    found = columns(table)
    assert found[:3] == [Origin("age"), Origin("wind"), Origin("age")]
    assert found[3:6] == [Origin("sky")] * 3
    assert found[6:] == [Origin("sky_note", word) for word in ("cold", "day", "warm", "wind")]


def test_remainders_slices_masks_and_numbers():
    table = ColumnTransformer(
        [("a", StandardScaler(), slice("age", "age")), ("b", "drop", [1, 2])], remainder="passthrough"
    )
    assert names(table) == ["age", "wind"]
    mask = [False, False, False, True]
    assert names(ColumnTransformer([("w", StandardScaler(), mask), ("a", "passthrough", [0])])) == ["wind", "age"]
    assert names(ColumnTransformer([("w", StandardScaler(), slice(3, 4)), ("a", StandardScaler(), [-4])])) == [
        "wind",
        "age",
    ]


def test_rare_and_dropped_categories():
    frame = pd.DataFrame({"a": list("xxxyzw"), "b": list("ppqqrr")})
    hot = OneHotEncoder(min_frequency=2, drop="first").fit(frame)
    assert [origin.column for origin in trace(hot, named_columns(frame.columns))] == ["a", "b", "b"]
    assert hot.transform(frame).shape[1] == 3


def test_words_through_weights_and_what_mixes_them():
    text = X["sky_note"]
    words = make_pipeline(TfidfVectorizer(), TfidfTransformer()).fit(text)
    assert trace(words, [Origin(None)])[0] == Origin(None, "cold")
    mixed = make_pipeline(TfidfVectorizer(), TruncatedSVD(2, random_state=0)).fit(text)
    assert trace(mixed, [Origin("sky_note")], 2) == [Origin("sky_note")] * 2
    hashed = HashingVectorizer(n_features=8).fit(text)
    assert trace(hashed, [Origin("sky_note")], 8) == [Origin("sky_note")] * 8


def test_selections_unions_and_functions():
    numbers = X[["age", "wind"]].fillna(0.0)
    assert names(SelectKBest(k=1, score_func=lambda X, y: (np.array([0.0, 1.0]), np.zeros(2))), numbers) == ["wind"]
    union = FeatureUnion([("a", StandardScaler()), ("b", "passthrough")])
    assert names(union, numbers) == ["age", "wind", "age", "wind"]
    assert names(FunctionTransformer(np.sqrt), numbers) == ["age", "wind"]
    assert names(PolynomialFeatures(2, include_bias=False), numbers)[:2] == ["age", "wind"]


class Dates(FunctionTransformer):
    """Parts of dates, under names that begin with that of the column."""

    def get_feature_names_out(self, names=None):
        return np.array(["when_month", "when_day", "whence"], object)


def test_parts_belong_to_the_column_whose_name_they_begin_with():
    origins = trace(Dates(), named_columns(["when", "whence"]), 3)
    assert [origin.column for origin in origins] == ["when", "when", "whence"]


def test_a_table_with_an_encoder_for_each_column():
    class Encoder:
        def __init__(self, name, made, vectorizer=None):
            self.name, self.made, self.vectorizer = name, made, vectorizer

        def names(self):
            return self.made

    class Table:
        encoders_ = (
            Encoder("day", ["day: month", "day: hour"]),
            Encoder("note", ["note: cold", "note: warm"], TfidfVectorizer().fit(["cold", "warm"])),
        )

    assert trace(Table(), []) == [Origin("day"), Origin("day"), Origin("note", "cold"), Origin("note", "warm")]


def test_what_has_no_names_is_numbered():
    class Bare:
        pass

    assert trace(Bare(), named_columns("ab"), 3) == named_columns(["x0", "x1", "x2"])
    assert trace(Bare(), named_columns("ab"), 2) == named_columns("ab")
    assert trace("passthrough", named_columns("ab")) == named_columns("ab")


def test_many_products_are_not_asked_for_their_names(monkeypatch):
    rows = np.random.default_rng(0).normal(size=(2, 250))
    products = PolynomialFeatures(2, interaction_only=True, include_bias=False).fit(rows)
    few = PolynomialFeatures(2, include_bias=False).fit(rows[:, :3])
    told = [origin.column for origin in trace(few, named_columns(["x0", "x1", "x2"]), 9)]
    assert told == ["x0", "x1", "x2", "x0^2", "x0", "x0", "x1^2", "x1", "x2^2"]
    monkeypatch.setattr(PolynomialFeatures, "get_feature_names_out", lambda *_: pytest.fail("asked for names"))
    columns_in = named_columns(f"v{place}" for place in range(250))
    for n_out in (None, products.n_output_features_):  # in a union, nobody knows how many there will be
        found = trace(products, columns_in, n_out)
        assert [found[0].column, found[-1].column] == ["x0", "x31374"]


def test_names_of_other_columns_than_there_are_are_not_asked_for():
    parts = TruncatedSVD(2, random_state=0).fit(np.eye(4))
    assert [origin.column for origin in trace(parts, named_columns("abcd"), 2)] == ["truncatedsvd0", "truncatedsvd1"]
    parts.components_ = np.zeros((50, 4))
    assert [origin.column for origin in trace(parts, named_columns("abcd"), 2)] == ["x0", "x1"]


def test_a_name_belongs_to_the_longest_column_in_it():
    sources = {"sky", "sky_note", "note", "n", ""}
    assert _source("sky_note_warm", sources) == "sky_note"
    assert _source("warm note", sources) == "note"
    assert _source("sky.n", sources) == "sky"
    assert _source("skynote", sources) == "skynote"
    assert _source("_x", sources) == ""
    assert _source("sky_" + "a" * 1000, sources) == "sky_" + "a" * 1000
    many = {f"x{place}" for place in range(10_000)}
    assert {_source(f"x{place} x{place}_", many) for place in range(10_000)} == many
