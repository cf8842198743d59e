import pickle
import warnings
from datetime import date

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.feature_extraction.text import HashingVectorizer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from bncc import TableFeatures, TableWarning, load_model, save_model
from bncc.datasets import make_tickets

KINDS = {
    "created": "date",
    "subject": "text",
    "body": "text",
    "channel": "category",
    "plan": "category",
    "customer": "category",
    "account_age": "number",
    "amount": "number",
    "n_messages": "number",
    "attachment": "boolean",
}


@pytest.fixture(scope="module")
def tickets():
    columns = make_tickets(800, 3)
    del columns["tags"]
    return columns


def dense(made):
    return made.toarray() if sparse.issparse(made) else made


def test_tickets_are_read_as_what_they_are(tickets):
    features = TableFeatures().fit(tickets)
    assert features.decisions_.kinds() == KINDS
    assert {each.column: each.read_as for each in features.decisions_ if not each.is_used} == {
        "ticket": "id",
        "system": "constant",
    }
    assert features.decisions_["amount"].missing == sum(cell is None for cell in tickets["amount"])
    assert features.decisions_["plan"].distinct == 4
    assert features.decisions_["plan"].goes_to == "4 columns of 0/1"


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
def test_frames_give_the_same_features(tickets, make):
    features = TableFeatures().fit(tickets)
    made = dense(features.transform(make(tickets)))
    assert np.array_equal(made, dense(features.transform(tickets)))
    assert made.shape[1] == len(features.get_feature_names_out()) == len(set(features.get_feature_names_out()))
    assert np.isfinite(made).all()


def test_columns_are_found_by_name(tickets):
    features = TableFeatures().fit(tickets)
    shuffled = {name: tickets[name] for name in sorted(tickets, reverse=True)} | {"more": ["x"] * 800}
    assert np.array_equal(dense(features.transform(shuffled)), dense(features.transform(tickets)))


def test_texts_in_a_file_are_read_like_typed_columns(tickets):
    """A CSV file holds text alone; what it says is the same."""
    typed = TableFeatures().fit(tickets)
    written = {name: ["" if cell is None else str(cell) for cell in cells] for name, cells in tickets.items()}
    read = TableFeatures().fit(written)
    assert read.decisions_.kinds() == typed.decisions_.kinds()
    assert np.allclose(dense(read.transform(written)), dense(typed.transform(tickets)))


def test_gaps_can_be_kept(tickets):
    features = TableFeatures(gaps="keep", text=(), drop=["body", "subject"]).fit(tickets)
    made = dense(features.transform(tickets))
    amount = list(features.get_feature_names_out()).index("amount")
    assert np.isnan(made[:, amount]).sum() == sum(cell is None for cell in tickets["amount"])


def test_names_override_what_is_found(tickets):
    said = {"text": "customer", "category": ["n_messages"], "drop": ["created"], "number": "account_age"}
    kinds = TableFeatures(**said).fit(tickets).decisions_.kinds()
    assert kinds["customer"] == "text"
    assert kinds["n_messages"] == "category"
    assert "created" not in kinds


def test_all_that_is_wrong_is_told_at_once(tickets):
    table = {**tickets, "lists": [["a"]] * 800}
    with pytest.raises(ValueError, match="4 columns cannot be read") as caught:
        TableFeatures(number="body", date="plan", drop="chanel").fit(table)
    for words in ("'body'", "'plan'", "'chanel'", "channel", "'lists'", "drop='lists'"):
        assert words in str(caught.value)


def test_one_column_is_one_thing(tickets):
    with pytest.raises(ValueError, match=r"got \['body'\] in two of the lists"):
        TableFeatures(text="body", category="body").fit(tickets)


def test_a_table_without_features_is_refused():
    with pytest.raises(ValueError, match="no column of the table can be a feature") as caught:
        TableFeatures(drop="id").fit({"id": [1, 2, 3], "none": [None] * 3})
    assert "empty" in str(caught.value)


def test_ids_and_constants_are_better_than_nothing():
    decisions = TableFeatures().fit({"id": [1, 2, 3], "same": ["x"] * 3}).decisions_
    assert decisions.kinds() == {"id": "number", "same": "category"}
    assert "no other column is left" in decisions["id"].why


def test_odd_rows_are_told_in_one_warning(tickets):
    features = TableFeatures().fit(tickets)
    odd = {name: cells[:10] for name, cells in tickets.items() if name != "customer"}
    odd |= {"plan": ["platinum"] * 4 + ["free"] * 6, "body": [None] * 10, "amount": [1e12] * 3 + [20.0] * 7}
    odd |= {"created": ["1950-01-01"] * 2 + ["2024-05-05"] * 8, "n_messages": ["many"] + [2] * 9}
    with pytest.warns(TableWarning) as caught:
        made = features.transform(odd)
    assert len(caught) == 1
    told = {(each.column, each.what.split()[0]): each.rows for each in caught[0].message.surprises}
    assert told == {
        ("customer", "is"): 10,
        ("body", "is"): 10,
        ("plan", "holds"): 4,
        ("amount", "holds"): 3,
        ("created", "holds"): 2,
        ("n_messages", "holds"): 1,
    }
    assert np.isfinite(dense(made)).all()
    assert features.surprises(odd) == list(caught[0].message.surprises)


def test_rows_like_those_learned_are_not_told_of(tickets):
    features = TableFeatures().fit(tickets)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        features.transform({name: cells[:100] for name, cells in tickets.items()})


def test_no_known_column_is_an_error(tickets):
    with pytest.raises(ValueError, match="none of the columns that were learned from is there"):
        TableFeatures().fit(tickets).transform({"other": [1, 2]})
    with pytest.raises(ValueError, match="The table has no columns"):
        TableFeatures().fit(tickets).transform([{}])


def test_vectorizers_of_others_are_used(tickets):
    lengths = FunctionTransformer(lambda texts: np.array([[len(text)] for text in texts]))
    for vectorizer, width in ((HashingVectorizer(n_features=32), 32), (lengths, 1)):
        features = TableFeatures(vectorizer=vectorizer, drop=["subject"]).fit(tickets)
        assert features.encoders_[1].width == width
        assert features.transform(tickets).shape == (800, len(features.get_feature_names_out()))


def test_categories_can_be_kept_for_bases_that_use_them(tickets):
    features = TableFeatures(keep_categories=True, gaps="keep", drop=["subject", "body"])
    made = features.fit_transform(tickets)
    assert made["plan"].dtype == "category"
    assert made["customer"].isna().sum() == sum(cell is None for cell in tickets["customer"])
    y = np.array([plan in ("free", "business") for plan in tickets["plan"]])
    base = HistGradientBoostingClassifier(categorical_features="from_dtype", max_iter=5)
    model = make_pipeline(features, base).fit(tickets, y)
    assert (model.predict(tickets) == y).all()
    assert model[-1].is_categorical_.sum() == 3


def test_it_is_a_scikit_learn_transformer(tickets):
    features = TableFeatures(text="subject", most_levels=5)
    assert clone(features).get_params() == features.get_params()
    fitted = features.fit(tickets)
    assert fitted.n_features_in_ == len(tickets)
    again = pickle.loads(pickle.dumps(fitted))
    assert np.array_equal(dense(again.transform(tickets)), dense(fitted.transform(tickets)))


@pytest.mark.parametrize(
    ("settings", "words"),
    [({"gaps": "drop"}, "gaps"), ({"most_levels": 1}, "most_levels"), ({"vectorizer": 3}, "vector")],
)
def test_wrong_settings_are_refused(tickets, settings, words):
    with pytest.raises(ValueError, match=words):
        TableFeatures(**settings).fit(tickets)


def test_text_without_words_is_left_out_with_a_reason(tickets):
    decisions = TableFeatures(text="marks").fit({**tickets, "marks": ["!", "?!"] * 400}).decisions_
    assert decisions["marks"].goes_to == "left out"
    assert "no word" in decisions["marks"].why


@pytest.mark.parametrize("scale", ["soft", "range"])
@pytest.mark.parametrize("size", [1.7e308, 1e-310, 5e-324])
def test_numbers_of_any_size_become_finite_features(scale, size):
    learned = {"n": (size * np.array([-1.0, 1.0, 1.0, 0.0, 1.0])).tolist()}
    features = TableFeatures(scale=scale).fit(learned)
    for cells in (learned, {"n": [1.5, -1.7e308, 1.7e308, 0.0]}):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", TableWarning)
            assert np.isfinite(np.asarray(features.transform(cells))).all()


SPARSE = {"size": [1.0, 2.0, None, 5.0, 3.0] * 12, "level": [f"level {i % 30}" for i in range(60)]}
DENSE = {**SPARSE, "level": ["a", "b", None, "c"] * 15, "day": ["2024-01-05", "2023-02-01", "2022-03-03"] * 20}
DENSE |= {"share": ["1,5", "2,25", "", "7,0"] * 15, "open": [True, False, True, None] * 15}
CELLS = {
    "size": [None, 1, 2.5, -1e20, "12", "abc", ""],
    "level": [None, "a", "level 3", "NEW", 3],
    "day": [None, "2024-01-05", date(2024, 1, 5), 20240105, "never"],
    "share": [None, "1,5", 1.5, "abc", "1.234"],
    "open": [None, True, False, "yes", "maybe"],
}
ROWS = st.lists(st.fixed_dictionaries({name: st.sampled_from(cells) for name, cells in CELLS.items()}), min_size=1)


@pytest.mark.parametrize("gaps", ["impute", "keep"])
@pytest.mark.parametrize(("table", "form"), [(DENSE, np.ndarray), (SPARSE, sparse.csr_array)])
@pytest.mark.filterwarnings("ignore::bncc.TableWarning")
@settings(deadline=None, max_examples=40)
@given(rows=ROWS)
def test_features_of_a_row_do_not_depend_on_the_rows_beside_it(table, form, gaps, rows):
    features = TableFeatures(gaps=gaps).fit(table)
    together = features.transform(rows)
    alone = [features.transform([row]) for row in rows]
    assert {type(made) for made in (together, *alone, features.fit_transform(table))} == {form}
    assert np.array_equal(dense(together), np.vstack([dense(made) for made in alone]), equal_nan=True)


@pytest.mark.filterwarnings("ignore::bncc.TableWarning")
def test_the_form_of_features_stays_in_a_file_and_is_free_in_those_of_earlier_releases(tmp_path):
    features = TableFeatures().fit({"x": [0.5, 1.0, 2.0] * 4, "w": ["a", "b", "c", "d"] * 3})
    emptier = {"x": [None], "w": ["NEW"]}
    kept = load_model(save_model(features, tmp_path / "m.bncc"))
    assert isinstance(kept.transform(emptier), np.ndarray)
    wide = TableFeatures(drop="x").fit(SPARSE | {"x": [1.0] * 60})
    del wide._dense
    old = load_model(save_model(wide, tmp_path / "old.bncc"))
    assert old._dense is None
    assert np.array_equal(dense(old.transform(SPARSE)), dense(wide.transform(SPARSE)))


def test_dates_that_are_all_that_is_left_are_dates():
    decisions = TableFeatures().fit({"day": [date(2024, 1, 5)] * 3}).decisions_
    assert decisions.kinds() == {"day": "date"}
