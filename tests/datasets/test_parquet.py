import sys

import numpy as np
import pytest

from bncc.datasets import MalformedFile, read_parquet

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

COLUMNS = {
    "n": [1.5, None, 3.0],
    "i": [1, 2, 3],
    "sky": ["red", "grey", "red"],
    "flag": [True, False, None],
    "r": [1, 0, 1],
    "w": [True, True, False],
}


def write(tmp_path, columns):
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table(columns), path)
    return path


def test_columns(tmp_path):
    data = read_parquet(write(tmp_path, COLUMNS), labels=["r", "w"])
    assert data.feature_names == ("n", "i", "sky", "flag")
    expected = [[1.5, 1, 1, 1], [np.nan, 2, 0, 0], [3, 3, 1, np.nan]]
    assert np.array_equal(data.X, expected, equal_nan=True)
    assert data.Y.tolist() == [[1, 1], [0, 1], [1, 0]]
    assert data.nominal.tolist() == [False, False, True, False]
    assert read_parquet(write(tmp_path, COLUMNS), labels=-1).label_names == ("w",)


def test_categories_and_lists_of_tags(tmp_path):
    columns = {"c": pa.array(["x", "y", "x"]).dictionary_encode(), "tags": [["b", "a"], [], None]}
    data = read_parquet(write(tmp_path, columns), labels="tags")
    assert data.label_names == ("a", "b")
    assert data.Y.tolist() == [[1, 1], [0, 0], [0, 0]]
    assert data.X.tolist() == [[0], [1], [0]]
    data = read_parquet(write(tmp_path, {"a": [1, 2], "tags": ["x;y", "y"]}), labels="tags", tag_separator=";")
    assert data.Y.tolist() == [[1, 1], [0, 1]]


def test_malformed(tmp_path):
    path = write(tmp_path, COLUMNS)
    with pytest.raises(MalformedFile, match="no column is named 'x'"):
        read_parquet(path, labels=["x"])
    with pytest.raises(MalformedFile, match="no column is named 'x'"):
        read_parquet(path, labels="x")
    with pytest.raises(MalformedFile, match="unpacks to more than 10 bytes"):
        read_parquet(path, labels=-1, max_bytes=10)
    with pytest.raises(MalformedFile, match="can be no features"):
        read_parquet(write(tmp_path, {"l": [[1], [2]], "r": [0, 1]}), labels=["r"])
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(MalformedFile, match="no readable Parquet file"):
        read_parquet(path, labels=-1)


def test_text_that_is_no_utf8(tmp_path):
    path = write(tmp_path, {"a": ["needle", "x"], "r": [0, 1]})
    content = path.read_bytes()
    path.write_bytes(content.replace(b"needle", b"needl\xe9"))
    with pytest.raises(MalformedFile, match="no readable Parquet file"):
        read_parquet(path, labels=["r"])
    path.write_bytes(content.replace(b"needle", b"noodle"))
    assert read_parquet(path, labels=["r"]).X.tolist() == [[0], [1]]


def test_a_file_of_few_bytes_and_many_rows_stops_at_the_limit(tmp_path):
    path = write(tmp_path, {"a": pa.array(np.zeros(2_000_000)), "r": pa.array(np.zeros(2_000_000, np.int8))})
    assert path.stat().st_size < 100_000
    with pytest.raises(MalformedFile, match="unpacks to more than"):
        read_parquet(path, labels=-1, max_bytes=1_000_000)


def test_without_pyarrow_the_remedy_is_named(tmp_path, monkeypatch):
    path = write(tmp_path, COLUMNS)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match=r"pip install 'bncc\[data\]'"):
        read_parquet(path, labels=-1)


def test_labels_and_drop_in_any_form(tmp_path):
    data = read_parquet(write(tmp_path, COLUMNS), labels=np.array(["r", "w"]), drop=(n for n in ["sky", "i"]))
    assert (data.feature_names, data.label_names) == (("n", "flag"), ("r", "w"))
    with pytest.raises(ValueError, match="`drop` must be a list of column names"):
        read_parquet(write(tmp_path, COLUMNS), labels=["r"], drop="in")


def test_a_file_that_cannot_be_opened_is_not_malformed(tmp_path, closed):
    with pytest.raises(PermissionError):
        read_parquet(closed(write(tmp_path, COLUMNS)), labels=["r"])
    with pytest.raises(IsADirectoryError, match="is a folder; give one of the files in it"):
        read_parquet(tmp_path, labels=["r"])
