import io

import numpy as np
import pytest
from scipy import sparse

from bncc.datasets import load, make_dataset, save, sparse_text_writer
from bncc.datasets.sparse_text_writer import write_sparse_rows

DATA = make_dataset([[0.1, 0], [0, 0], [-0.0, 1e-300]], [[1, 1], [0, 0], [0, 1]])


def test_rows(monkeypatch):
    out = io.StringIO()
    monkeypatch.setattr(sparse_text_writer, "_BLOCK", 2)
    write_sparse_rows(DATA, out, ["a", "b"], first_feature=1)
    assert out.getvalue() == "a,b 1:0.1\n\nb 2:1e-300\n"


def test_stored_zeros_are_left_out():
    out = io.StringIO()
    X = sparse.csr_array((np.array([0.0, 2.0]), np.array([0, 1]), np.array([0, 2])), shape=(1, 2))
    write_sparse_rows(make_dataset(X, [[1]]), out, ["7"], first_feature=0)
    assert out.getvalue() == "7 1:2\n"


@pytest.mark.parametrize("value", [np.nan, np.inf])
@pytest.mark.parametrize("name", ["a.svm", "a.txt"])
def test_what_is_no_number_is_refused(tmp_path, value, name):
    with pytest.raises(ValueError, match="finite numbers only"):
        save(make_dataset([[1.0, value]], [[1]]), tmp_path / name)
    assert not (tmp_path / name).exists()


def test_label_names_are_kept_where_they_are_numbers(tmp_path):
    labels = [[1, 1], [0, 1], [1, 0]]
    for names, read in ((["3", "12"], ("3", "12")), (["rain", "7"], ("0", "1")), (["03", "1"], ("0", "1"))):
        save(make_dataset([[1.0], [2], [3]], labels, label_names=names), tmp_path / "a.svm")
        again = load(tmp_path / "a.svm")
        assert again.label_names == read
        assert again.Y.tolist() == labels
        assert again.X.toarray().tolist() == [[1], [2], [3]]
