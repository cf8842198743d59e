import gzip
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from bncc.datasets import make_dataset
from bncc.datasets.text_writing import category_texts, cell_text, dense_rows, number_text, stored_rows, write_text


@given(st.floats(allow_nan=False))
def test_numbers_read_back_the_same(value):
    assert float(number_text(value)) == value


def test_missing_values_and_categories():
    assert number_text(math.nan) == cell_text(math.nan, {0.0: "red"}) == "?"
    assert cell_text(0.0, {0.0: "red"}) == "red"
    assert cell_text(0.0, None) == "0"


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_rows_are_whole_across_blocks(form):
    matrix = np.arange(600.0).reshape(300, 2) % 7
    assert list(dense_rows(form(matrix))) == matrix.tolist()


def test_stored_cells_are_columns_and_values():
    matrix = sparse.csr_array(np.array([[0.0, 2.5], [0.0, 0.0], [1.0, 0.0]]))
    assert list(stored_rows(matrix)) == [[(1, 2.5)], [], [(0, 1.0)]]


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_a_column_with_a_number_that_stands_for_nothing_keeps_its_numbers(form):
    X = form(np.array([[0.0, 0.0], [1.0, 2.0]]))
    data = make_dataset(
        X, [[1], [0]], feature_names=["a", "b"], categories={"a": ("red", "blue"), "b": ("red", "blue")}
    )
    assert category_texts(data) == {0: {0.0: "red", 1.0: "blue"}}


@pytest.mark.parametrize("name", ["a.txt", "a.txt.gz"])
def test_files_are_whole_or_not_there(tmp_path, name):
    file = tmp_path / name
    with pytest.raises(RuntimeError, match="halfway"):
        write_text(file, stop_halfway)
    assert not list(tmp_path.iterdir())
    write_text(file, lambda out: out.write("señal\n"))
    content = file.read_bytes()
    assert (gzip.decompress(content) if name.endswith(".gz") else content) == "señal\n".encode()


def stop_halfway(out):
    out.write("half")
    raise RuntimeError("halfway")
