import numpy as np
import pandas as pd
import polars as pl
import pytest

from bncc import BinaryRelevance, TableFeatures
from bncc._unread_forms import check_form
from bncc.multilabel import Blend

Y = np.tile([[0, 1], [1, 0]], (10, 1))
READERS = [Blend(families=["extra trees"]), BinaryRelevance(), TableFeatures()]
RECORDS = np.zeros(20, [("size", float), ("age", int)])


@pytest.mark.parametrize("reader", READERS, ids=lambda reader: type(reader).__name__)
@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (pl.LazyFrame({"size": [1.0, 2.0] * 10}), r"got a LazyFrame. Use `X.collect\(\)`"),
        (RECORDS, "got an array of records. Give a DataFrame, or a dict of columns"),
        (RECORDS.view(np.recarray), "got an array of records. Give a DataFrame, or a dict of columns"),
    ],
)
def test_what_is_not_read_is_told_with_what_to_give(reader, rows, message):
    with pytest.raises(ValueError, match=message):
        reader.fit(rows, Y)


def test_the_remedy_for_records_works():
    features = TableFeatures(number=["size", "age"]).fit({name: RECORDS[name] for name in RECORDS.dtype.names})
    assert list(features.feature_names_in_) == ["size", "age"]


@pytest.mark.parametrize("rows", [np.eye(2), [[1, 2]], {"a": [1]}, pd.DataFrame({"a": [1]}), pl.DataFrame({"a": [1]})])
def test_other_forms_are_left_alone(rows):
    check_form(rows)


@pytest.mark.parametrize("reader", READERS[:2], ids=lambda reader: type(reader).__name__)
@pytest.mark.parametrize("form", [np.asarray, lambda cells: np.array(cells, object), list])
def test_words_in_a_matrix_are_told_with_what_to_give(reader, form):
    with pytest.raises(ValueError, match=r"must hold numbers; got text such as 'a'. Give a DataFrame or a dict of col"):
        reader.fit(form([["a", "1"], ["b", "2"]] * 10), Y)
