import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from bncc.datasets import MalformedFile
from bncc.datasets.column_table import (
    Column,
    ColumnTable,
    category_codes,
    label_columns,
    name_list,
    number,
    table_to_dataset,
)


def table(values, columns):
    return ColumnTable(values, tuple(columns), np.arange(10, 10 + values.shape[0]), "a.csv")


ABC = (Column("a"), Column("b", ("x", "y", "z")), Column("c"), Column("d", ("0", "1")))
VALUES = np.array([[1.0, 2, 0, 1], [0.5, 0, 1, 0], [0, np.nan, 1, 1]])


@pytest.mark.parametrize(
    ("categories", "codes"),
    [
        (["0", "1"], [0, 1]),
        (["1", "0"], [1, 0]),
        (["2.5", "-1"], [2.5, -1]),
        (["YES", "NO"], [1, 0]),
        (["no", "Yes"], [0, 1]),
        (["False", "TRUE"], [0, 1]),
        (["true"], [1]),
        (["yes", "false"], [0, 1]),
        (["yes", "no", "maybe"], [0, 1, 2]),
        (["1", "1.0"], [0, 1]),
        (["nan", "1"], [0, 1]),
        (["1", "x"], [0, 1]),
        (["1_0", "5"], [0, 1]),
    ],
)
def test_category_codes(categories, codes):
    assert category_codes(categories).tolist() == codes


def test_number_is_strict():
    assert number("1e5") == 1e5
    assert [number(text) for text in ("", "1_0", "٣", "0x1", "1,5")] == [None] * 5


def test_label_columns_by_count_and_name_in_file_order():
    content = table(VALUES, ABC)
    assert label_columns(content, -2) == [2, 3]
    assert label_columns(content, 1) == [0]
    assert label_columns(content, ["d", "c", "d"]) == [2, 3]


@pytest.mark.parametrize("labels", [0, 4, -4, 9, ["e"], []])
def test_label_columns_that_cannot_be(labels):
    with pytest.raises(MalformedFile):
        label_columns(table(VALUES, ABC), labels)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_features_labels_and_one_hot(form):
    content = table(form(VALUES), ABC)
    data = table_to_dataset(content, [2, 3], name="a", source="a")
    assert data.feature_names == ("a", "b")
    assert data.nominal.tolist() == [False, True]
    assert data.Y.tolist() == [[0, 1], [1, 0], [1, 1]]
    hot = table_to_dataset(content, [2, 3], one_hot=True, name="a", source="a")
    assert hot.feature_names == ("a", "b=x", "b=y", "b=z")
    X = hot.X.toarray() if sparse.issparse(hot.X) else hot.X
    nan = np.nan
    assert np.array_equal(X, [[1, 0, 0, 1], [0.5, 1, 0, 0], [0, nan, nan, nan]], equal_nan=True)


def test_drop():
    data = table_to_dataset(table(VALUES, ABC), [2, 3], drop=["b"], name="a", source="a")
    assert data.feature_names == ("a",)


def test_labels_of_minus_one_are_zero():
    data = table_to_dataset(table(np.array([[1.0, -1], [2, 1]]), (Column("a"), Column("c"))), [1], name="a", source="a")
    assert data.Y.tolist() == [[0], [1]]


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_a_label_that_is_none_is_named_with_its_line(form):
    content = table(form(np.array([[1.0, 1, np.nan], [2, 0, 2]])), (Column("a"), Column("c"), Column("d")))
    with pytest.raises(MalformedFile, match=r"line 11: label 'd' must be 0/1 .* got 2"):
        table_to_dataset(content, [1, 2], name="a", source="a")


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_a_label_that_is_missing_is_unknown(form):
    content = table(form(np.array([[1.0, 1, 0], [2, 0, np.nan]])), (Column("a"), Column("c"), Column("d")))
    data = table_to_dataset(content, [1, 2], name="a", source="a")
    assert data.unknown.toarray().tolist() == [[0, 0], [0, 1]]
    assert np.array_equal(data.Y, [[1, 0], [0, np.nan]], equal_nan=True)


def test_text_features_no_rows_no_features():
    content = table(VALUES, (Column("id", is_text=True), *ABC[1:]))
    with pytest.raises(MalformedFile, match=r"text columns 'id' can be no features. Leave them out with `drop=`: 'id'"):
        table_to_dataset(content, [2, 3], name="a", source="a")
    with pytest.raises(MalformedFile, match="no data row"):
        table_to_dataset(table(VALUES[:0], ABC), [3], name="a", source="a")
    with pytest.raises(MalformedFile, match="Leave at least one feature"):
        table_to_dataset(table(VALUES, ABC), [2, 3], drop=["a", "b"], name="a", source="a")


def test_one_hot_has_a_limit():
    wide = Column("b", tuple(map(str, range(3000))))
    values = np.zeros((100_000, 2))
    with pytest.raises(ValueError, match="read without `one_hot`"):
        table_to_dataset(
            ColumnTable(values, (wide, Column("c")), np.empty(0), "a"), [1], one_hot=True, name="a", source="a"
        )


@pytest.mark.parametrize("form", [list, tuple, np.array, pd.Index, pd.Series, iter, dict.fromkeys])
def test_names_come_in_any_form(form):
    assert label_columns(table(VALUES, ABC), form(["d", "a"])) == [0, 3]
    assert name_list(form(["d", "a"]), "drop") == ["d", "a"]


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (True, "`labels` must be a list of column names; got True"),
        (np.True_, "`labels` must be a list of column names"),
        (2.0, "`labels` must be a list of column names; got 2.0"),
        ([0, 1], r"got \[0, 1\], which are no texts"),
        ("ac", r"got the single text 'ac'. Write labels=\['ac'\]"),
    ],
)
def test_what_is_no_list_of_names(names, message):
    with pytest.raises(ValueError, match=message):
        label_columns(table(VALUES, ABC), names)
