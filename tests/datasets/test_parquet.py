import sys

import numpy as np
import pytest
from scipy import sparse

from bncc.datasets import MalformedFile, load, make_dataset, read_parquet, save

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


@pytest.mark.parametrize("is_sparse", [False, True])
def test_writing_and_reading_keeps_values_names_and_categories(tmp_path, is_sparse):
    X = np.array([[1.5, 0, np.nan], [0.1, 2, 0], [-1e300, 1, 3]])
    data = make_dataset(
        sparse.csr_array(X) if is_sparse else X,
        [[1, 0], [0, 1], [1, 1]],
        feature_names=["a", "sky", "=1+1"],
        label_names=["rain", "it's"],
        categories={"sky": ["blue", "dark grey", "red"]},
    )
    assert save(data, tmp_path / "t.parquet") == [tmp_path / "t.parquet"]
    again = load(tmp_path / "t.parquet", labels=-2)
    np.testing.assert_array_equal(again.X, X)
    assert (again.feature_names, again.label_names) == (data.feature_names, data.label_names)
    assert again.categories["sky"] == data.categories["sky"]
    table = pq.read_table(tmp_path / "t.parquet")
    assert table["sky"].to_pylist() == ["blue", "red", "dark grey"]
    assert table["=1+1"].to_pylist() == [None, 0, 3]
    with pytest.raises(ValueError, match=r"packed already; leave out \.gz"):
        save(data, tmp_path / "t.parquet.gz")


def test_unknown_labels_are_null(tmp_path):
    data = make_dataset([[1.0], [2.0], [3.0]], [[1, np.nan], [0, 1], [np.nan, 0]])
    save(data, tmp_path / "t.parquet")
    assert pq.read_table(tmp_path / "t.parquet")["label0"].to_pylist() == [1, 0, None]
    np.testing.assert_array_equal(load(tmp_path / "t.parquet", labels=-2).Y, data.Y)


def test_writing_goes_block_by_block(tmp_path, monkeypatch):
    monkeypatch.setattr("bncc.datasets.parquet._CELLS_AT_ONCE", 4)
    data = make_dataset(np.arange(7.0)[:, None], np.arange(7)[:, None] % 2)
    save(data, tmp_path / "t.parquet")
    assert pq.ParquetFile(tmp_path / "t.parquet").num_row_groups == 4
    np.testing.assert_array_equal(load(tmp_path / "t.parquet", labels=-1).X, data.X)
