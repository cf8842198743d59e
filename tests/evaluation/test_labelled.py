"""Labelled rows: tables, data sets, and their parts."""

from dataclasses import replace

import numpy as np
import pytest

pd = pytest.importorskip("pandas")

from bncc import TableFeatures  # noqa: E402
from bncc.datasets import make_scenes  # noqa: E402
from bncc.evaluation.labelled import as_labelled, column_kinds, label_table  # noqa: E402

FRAME = pd.DataFrame(
    {
        "n": [1, 2, 3],
        "x": [0.5, None, 1.5],
        "flag": [True, False, True],
        "sky": ["blue", None, "grey"],
        "note": ["red fox", "", None],
    }
)


def test_columns_are_what_their_types_say():
    def kinds(frame):
        return column_kinds(TableFeatures(text=["note"]).fit(frame).decisions_)

    assert kinds(FRAME) == {"n": "number", "x": "number", "flag": "boolean", "sky": "category", "note": "text"}
    assert kinds(FRAME.astype({"n": "category"}))["n"] == "category"
    assert kinds(FRAME.astype({"n": "Int64"}))["n"] == "number"


def test_a_table_has_floats_and_text_that_is_empty_where_it_is_missing():
    data = label_table(FRAME.astype({"n": "Int64"}), [[1, 0], [0, 1], [1, 1]], text="note", name="sky")
    assert data.X["sky"].tolist() == ["blue", "", "grey"]
    assert data.X["note"].tolist() == ["red fox", "", ""]
    assert data.X["n"].tolist() == [1.0, 2.0, 3.0]
    assert np.isnan(data.X["x"][1])
    assert (data.name, data.n_rows, len(data.label_names)) == ("sky", 3, 2)
    assert data.label_matrix.toarray().tolist() == [[1, 0], [0, 1], [1, 1]]


def test_names_of_labels_are_kept():
    labels = pd.DataFrame({"rain": [1, 0, 0], "wind": [0, 1, 1]})
    assert label_table(FRAME, labels).label_names == ("rain", "wind")


def test_a_column_of_text_that_is_not_there_is_told():
    with pytest.raises(ValueError, match="no column is named 'notes'; did you mean 'note'"):
        label_table(FRAME, [[1], [0], [1]], text=["notes"])


def test_a_data_set_becomes_labelled_rows_once():
    data = make_scenes(20)
    labelled = as_labelled(data)
    assert labelled.schema == {"kind": "matrix", "features": list(data.feature_names), "categories": {}}
    assert (labelled.label_matrix.toarray() == data.Y).all()
    assert as_labelled(labelled) is labelled


def test_parts_are_those_of_the_split():
    data = replace(as_labelled(make_scenes(20)), train=np.arange(15), test=np.arange(15, 20))
    assert data.part("all") is data
    test = data.part("test")
    assert (test.n_rows, test.train, test.test) == (5, None, None)
    assert (test.label_matrix.toarray() == data.label_matrix.toarray()[15:]).all()
    with pytest.raises(ValueError, match=r"comes without a train part\. Leave out `part=`"):
        test.part("train")
    with pytest.raises(ValueError, match="`part=` must be all, train or test; got 'some'"):
        data.part("some")


def test_columns_of_a_table_are_found_and_kept_for_models_to_read():
    table = {
        "ticket": [f"T-{i}" for i in range(20)],
        "price": ["1,5", "2,25"] * 10,
        "when": ["25/03/2024", "04/05/2024"] * 10,
        "urgent": ["yes", "no"] * 10,
        "note": [f"red fox number {i} in the wood" for i in range(20)],
    }
    data = label_table(table, [["rain"], ["wind", "rain"]] * 10, name="sky")
    assert data.schema["columns"] == {"price": "number", "when": "date", "urgent": "boolean", "note": "text"}
    assert data.decisions["ticket"].read_as == "id"
    assert data.X["price"][0] == "1,5"
    assert data.X["when"][1] == "04/05/2024"
    assert data.X["urgent"].tolist()[:2] == [1.0, 0.0]
    assert data.label_names == ("rain", "wind")
    assert label_table(table, [[1], [0]] * 10, category="note", drop=["when"]).schema["columns"]["note"] == "category"
