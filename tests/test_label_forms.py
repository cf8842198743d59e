"""Labels as people have them, up to what estimators, networks and data sets make of them."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import MultiLabelBinarizer

from bncc import BNCC, BinaryRelevance, Blend, LinearSVC, MLkNN, learn_network
from bncc._label_forms import names_columns, read_label_forms, read_tag_rows, read_two_forms
from bncc.datasets import load, make_dataset, save
from bncc.multilabel import RangeScaler
from bncc.selection import BatchSearchCV
from bncc.svm import KernelSVC

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


@pytest.mark.parametrize("form", [list, lambda rows: [tuple(row) for row in rows], pd.Series])
@pytest.mark.parametrize("rows", [[["rain"], ["wind"]] * 20, [["rain", "wind"], ["wind", "rain"]] * 20])
def test_lists_of_tags_are_tags_however_few_there_are(form, rows):
    model = BinaryRelevance(LogisticRegression()).fit(np.arange(40.0)[:, None] % 2, form(rows))
    assert model.label_names_ == ("rain", "wind")
    assert model.predict_tags([[0.0], [1.0]]) == [sorted(row) for row in rows[:2]]


@pytest.mark.parametrize(
    ("rows", "names"), [([[1, 2], [3]] * 5, ("1", "2", "3")), ([{7}, {8, 9}, set()] * 4, ("7", "8", "9"))]
)
def test_whole_numbers_may_name_labels(rows, names):
    assert read_label_forms(rows).names == names


@pytest.mark.parametrize("rows", [[[1, 0], [1]] * 5, [[0, 1], [1, 1]], [[1, 2], [3, 4]], [[0.5], [0.25, 1.0]]])
def test_what_may_be_a_matrix_is_none_of_these(rows):
    assert read_label_forms(rows) is None


@pytest.mark.parametrize(
    "labels",
    [
        {f"row {number}": ["rain"] if number % 2 else ["wind", "rain"] for number in range(40)},
        {"rain": [1] * 40, "wind": [1, 0] * 20},
        [["wind", "rain"], ["rain"]] * 20,
    ],
)
def test_a_search_takes_labels_in_any_form(labels):
    X = np.arange(40.0)[:, None] % 2
    search = BatchSearchCV(BinaryRelevance(KernelSVC()), {"sigma": [0.5, 1.0]}, cv=3).fit(X, labels)
    assert search.best_estimator_.label_names_ == ("rain", "wind")
    assert search.best_estimator_.predict(X[:2]).tolist() == [[1, 1], [1, 0]]


def test_columns_of_a_dict_have_one_length():
    with pytest.raises(ValueError, match="0/1 columns of one length by label"):
        BatchSearchCV(BinaryRelevance(KernelSVC()), {"sigma": [1.0]}).fit(np.eye(3), {"a": [1, 0, 1], "b": [1, 0]})


def test_tags_are_asked_of_a_model_that_has_learned_labels():
    X = np.arange(40.0)[:, None] % 2
    with pytest.raises(NotFittedError):
        BinaryRelevance(LogisticRegression()).predict_tags(X)
    for classes in (["yes", "no"], ["a", "b", "c", "d"], np.array([["yes"], ["no"]]), np.array([[3], [7]])):
        y = np.tile(classes, (20, 1)) if np.ndim(classes) == 2 else classes * (40 // len(classes))
        with pytest.raises(ValueError, match="this model has learned classes"):
            BinaryRelevance(LogisticRegression()).fit(X, y).predict_tags(X)


@pytest.mark.parametrize(
    "model",
    [
        BinaryRelevance(LogisticRegression()),
        BNCC(KernelSVC()),
        MLkNN(),
        LinearSVC(),
        KernelSVC(),
        Blend(),
        RangeScaler(),
    ],
    ids=str,
)
def test_a_mask_is_never_lost(model):
    X, Y = np.random.default_rng(0).normal(size=(40, 2)), np.array([[1, 0], [0, 1]] * 20)
    y = Y if hasattr(model, "predict_tags") else Y[:, 0]
    mask = np.zeros((40, 2), bool)
    mask[3] = True
    with pytest.raises(ValueError, match=r"`X` has masked values, and the mask would be lost\. Put NaN"):
        clone(model).fit(np.ma.masked_array(X, mask), y)
    if hasattr(model, "predict_tags"):
        with pytest.raises(ValueError, match="`y` has masked values"):
            clone(model).fit(X, np.ma.masked_array(Y, mask))


def test_rows_that_are_dicts_say_which_label_is_no_number():
    with pytest.raises(ValueError, match="`y` must hold 0/1 or booleans; got 'much' for the label 'rain'"):
        read_label_forms([{"rain": "much", "wind": 0}])


@pytest.mark.parametrize("form", [form for form in FORMS if form not in ("dict of columns",)])
def test_labels_of_two_sides_are_read_as_by_themselves(form):
    first, second = read_two_forms(FORMS[form], MATRIX)
    alone = read_label_forms(FORMS[form])
    assert second is None
    if alone is None:
        assert first is None
        return
    assert first.names == alone.names
    np.testing.assert_array_equal(first.positives.toarray(), alone.positives.toarray())


def test_what_is_tags_beside_tags():
    for other in (["rain", "snow", "wind"], [["rain"], [], []], [[], [], []], ["", None, "rain"], [{3}, {4}, {1}]):
        assert read_two_forms(["rain;snow", "wind", ""], other)[1] is not None
    for other in ([[0, 1], [1, 0], [1, 1]], np.eye(3), [[0.5], [1.5], [2.5]], [1, 0, 1]):
        assert read_two_forms(["rain;snow", "wind", ""], other)[1] is None


def test_columns_that_have_names():
    assert names_columns(pd.DataFrame(MATRIX))
    assert names_columns(pl.DataFrame(MATRIX))
    assert not names_columns(sparse.csr_array(MATRIX))
    assert not names_columns(TEXT)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_a_table_with_one_column_of_tags_is_read_as_that_column(frame):
    table = frame({"tags": TEXT})
    labels = read_label_forms(table)
    assert labels is not None
    assert labels.names == ("rain", "snow", "wind")
    np.testing.assert_array_equal(labels.positives.toarray(), MATRIX)
    assert not names_columns(table)
    model = MLkNN(k=3).fit(X, table)
    assert model.label_names_ == ("rain", "snow", "wind")
    assert model.score(X, table) == model.score(X, table["tags"])
    for classes in (["no", "yes", "no"], ["low", "high", "mid"], [1, 0, None], [0.5, 1.5, 2.5]):
        assert read_label_forms(frame({"tags": classes})) is None
