"""Labels as people have them, up to what estimators, networks and data sets make of them."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import MultiLabelBinarizer

from bncc import BNCC, BinaryRelevance, MLkNN, learn_network
from bncc._label_forms import read_label_forms, read_tag_rows
from bncc.datasets import load, make_dataset, save

ROWS = [["rain", "wind"], ["wind"], [], ["rain"], ["wind", "rain"], ["snow"]] * 5
TEXT = [";".join(row) for row in ROWS]
MATRIX = MultiLabelBinarizer(classes=["rain", "snow", "wind"]).fit_transform(ROWS)
X = np.column_stack([MATRIX @ [1.0, 2.0, 4.0], MATRIX[:, 0] * 3.0])
FORMS = {
    "text": TEXT,
    "series": pd.Series(TEXT),
    "series with gaps": pd.Series([text or None for text in TEXT]),
    "strings": pd.Series(TEXT, dtype="string"),
    "polars": pl.Series(TEXT),
    "array": np.array(TEXT),
    "objects": np.array(TEXT, object),
    "commas": [text.replace(";", ", ") for text in TEXT],
    "bars": [text.replace(";", "|") for text in TEXT],
    "lists": ROWS,
    "tuples": [tuple(row) for row in ROWS],
    "sets": [set(row) for row in ROWS],
    "series of lists": pd.Series(ROWS),
    "json": ["[" + ", ".join(f'"{tag}"' for tag in row) + "]" for row in ROWS],
    "printed": [str(row) for row in ROWS],
    "dict of rows": {f"row{i}": row for i, row in enumerate(ROWS)},
    "dict of text": dict(enumerate(TEXT)),
    "rows of positives": [dict.fromkeys(row, 1) for row in ROWS[:-1]] + [{"snow": True}],
}


@pytest.mark.parametrize("form", FORMS)
def test_tags_become_labels_with_names(form):
    labels = read_label_forms(FORMS[form])
    order = [labels.names.index(name) for name in ("rain", "snow", "wind")]
    assert labels.positives.toarray()[:, order].tolist() == MATRIX.tolist()
    assert labels.unknown is None


@pytest.mark.parametrize("form", FORMS)
def test_estimators_take_every_form(form):
    model = BinaryRelevance(LogisticRegression(C=100)).fit(X, FORMS[form])
    plain = BinaryRelevance(LogisticRegression(C=100)).fit(X, pd.DataFrame(MATRIX, columns=["rain", "snow", "wind"]))
    assert [sorted(tags) for tags in model.predict_tags(X)] == [sorted(tags) for tags in plain.predict_tags(X)]
    assert model.predict(X).dtype == np.int64
    assert model.score(X, FORMS[form]) == plain.score(X, MATRIX)


@pytest.mark.parametrize(
    "matrix",
    [
        MATRIX,
        MATRIX.tolist(),
        MATRIX.astype(bool),
        sparse.csr_array(MATRIX),
        pd.DataFrame(MATRIX),
        pd.Series([0, 1]),
        ["yes", "no", "yes"],
        np.array([["no", "yes"], ["yes", "no"], ["yes", "yes"]]),
        [["no", "yes"], ["yes", "no"], ["yes", "yes"]],
        [0.0, 1.0],
        [],
        [[]],
    ],
)
def test_matrices_and_classes_are_none_of_these(matrix):
    assert read_label_forms(matrix) is None


def test_one_tag_per_row():
    assert read_label_forms(["rain", "wind", "snow", "", None]).names == ("rain", "snow", "wind")
    assert read_label_forms(["rain", "wind", "snow"]) is None  # classes
    assert read_label_forms(["rain", "wind", "snow"], classes=True) is None
    assert read_label_forms(["rain;wind", "wind", "snow"], classes=True).names == ("rain", "snow", "wind")


def test_dicts_say_what_is_unknown():
    columns = read_label_forms({"rain": [1, 0, None], "wind": [True, False, True]})
    assert columns.names == ("rain", "wind")
    assert columns.unknown.toarray().tolist() == [[0, 0], [0, 0], [1, 0]]
    rows = read_label_forms([{"rain": 1, "wind": 0}, {"wind": 1}])
    assert rows.unknown.toarray().tolist() == [[0, 0], [1, 0]]
    by_name = read_label_forms({"a": {"rain": 1}, "b": {"wind": 1}})
    assert by_name.positives.toarray().tolist() == [[1, 0], [0, 1]]
    assert by_name.unknown is None


@pytest.mark.parametrize("wrong", [{"rain": [1, 7]}, {"rain": [1, 2], "wind": [1]}, {}, [{"rain": 3}], {"x": object()}])
def test_what_cannot_be_labels_is_refused(wrong):
    with pytest.raises(ValueError, match=r"labels|0/1"):
        read_label_forms(wrong)


def test_tags_as_columns_of_known_names():
    assert read_tag_rows(["wind;new", "rain;wind", ""], ["wind", "rain"]).toarray().tolist() == [[1, 0], [1, 1], [0, 0]]
    assert read_tag_rows(MATRIX, ["a", "b", "c"]) is None


UNKNOWN = MATRIX.astype(float)
UNKNOWN[0, 0] = UNKNOWN[7, 2] = np.nan
NAMES = ["rain", "snow", "wind"]
WITH_GAPS = {
    "floats": UNKNOWN,
    "frame": pd.DataFrame(UNKNOWN, columns=NAMES),
    "Int64": pd.DataFrame(UNKNOWN, columns=NAMES).astype("Int64"),
    "boolean": pd.DataFrame(UNKNOWN, columns=NAMES).astype("boolean"),
    "objects": pd.DataFrame(UNKNOWN, columns=NAMES).astype(object).where(~np.isnan(UNKNOWN), None),
    "dict": {name: column.tolist() for name, column in zip(NAMES, UNKNOWN.T, strict=True)},
}


@pytest.mark.parametrize("form", WITH_GAPS)
@pytest.mark.parametrize("model", [BinaryRelevance(LogisticRegression(C=100)), BNCC(), MLkNN(k=3)])
def test_unknown_labels_of_every_form(form, model):
    fitted = model.fit(X, WITH_GAPS[form])
    predicted = fitted.predict(X)
    assert predicted.dtype.kind in "ib"
    assert set(np.unique(predicted)) <= {0, 1}
    plain = model.fit(X, UNKNOWN).predict(X)
    assert (np.asarray(predicted) == plain).all()


@pytest.mark.parametrize("form", WITH_GAPS)
def test_networks_and_data_sets_take_unknown_labels(form):
    assert learn_network(WITH_GAPS[form]).n_labels == 3
    data = make_dataset(X, WITH_GAPS[form], label_names=NAMES)
    assert np.array_equal(data.Y, UNKNOWN, equal_nan=True)
    assert np.isnan(data.take([7, 0]).Y).tolist() == [[False, False, True], [True, False, False]]


def test_networks_know_tags_by_name():
    assert learn_network(TEXT).label_names == ("rain", "snow", "wind")


def test_unknown_labels_are_kept_in_files(tmp_path):
    data = make_dataset(X, UNKNOWN, label_names=NAMES)
    again = load(save(data, tmp_path / "d.csv")[0], labels=-3)
    assert np.array_equal(again.Y, UNKNOWN, equal_nan=True)
    assert np.isnan(again.Y_frame.to_numpy()).sum() == 2
    with pytest.raises(ValueError, match=r"cannot say which labels are unknown; save CSV"):
        save(data, tmp_path / "d.svm")


def test_classes_have_no_tags():
    with pytest.raises(ValueError, match="this model has learned classes"):
        BinaryRelevance(LogisticRegression()).fit(X, np.where(MATRIX[:, 0], "yes", "no")).predict_tags(X)
