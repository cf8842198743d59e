import gzip

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_svmlight_file

from bncc.datasets import MalformedFile, load, make_dataset, read_extreme, save
from bncc.datasets.extreme import begins_with_sizes, read_extreme_features
from bncc.evaluation import Reading, read_labelled

TEXT = "3 6 5\n0,4 0:1 5:0.25\n 1:-2e-3\n2\n"
X = [[1, 0, 0, 0, 0, 0.25], [0, -2e-3, 0, 0, 0, 0], [0] * 6]
Y = [[1, 0, 0, 0, 1], [0] * 5, [0, 0, 1, 0, 0]]


def test_sizes_labels_features(tmp_path):
    (tmp_path / "a.txt").write_text(TEXT)
    for data in (read_extreme(tmp_path / "a.txt"), load(tmp_path / "a.txt")):
        assert data.X.toarray().tolist() == X
        assert data.Y.tolist() == Y
        assert data.label_names == ("0", "1", "2", "3", "4")
        assert data.name == "a"
    (tmp_path / "b.txt.gz").write_bytes(gzip.compress(TEXT.encode()))
    assert load(tmp_path / "b.txt.gz").X.toarray().tolist() == X
    assert read_extreme_features(tmp_path / "a.txt").toarray().tolist() == X


def test_it_needs_its_size_line(tmp_path):
    (tmp_path / "a.txt").write_text("0,4 1:1\n")
    with pytest.raises(MalformedFile, match=r"line 1: the first line must be .* Name a LIBSVM file \.svm"):
        load(tmp_path / "a.txt")


@pytest.mark.parametrize("as_sparse", [True, False])
def test_what_is_written_is_read_again(tmp_path, as_sparse):
    rng = np.random.default_rng(0)
    values = np.where(rng.random((30, 8)) < 0.4, rng.normal(size=(30, 8)), 0)
    labels = (rng.random((30, 5)) < 0.3).astype(int)
    labels[:, 4], values[:, 7] = 0, 0  # neither a label nor a feature is lost because it never occurs
    labels[2], values[2] = 0, 0
    data = make_dataset(sparse.csr_array(values) if as_sparse else values, labels)
    assert save(data, tmp_path / "a.txt") == [tmp_path / "a.txt"]
    again = load(tmp_path / "a.txt")
    assert again.X.toarray().tolist() == values.tolist()
    assert again.Y.tolist() == labels.tolist()


def test_scikit_learn_reads_what_is_written(tmp_path):
    data = make_dataset([[0.1, 0, 3], [0, 2, 0]], [[1, 0], [1, 1]])
    save(data, tmp_path / "a.txt")
    rows = (tmp_path / "a.txt").read_text().splitlines()[1:]
    (tmp_path / "rows.svm").write_text("\n".join(rows))
    read, labels = load_svmlight_file(str(tmp_path / "rows.svm"), multilabel=True, zero_based=True)
    assert read.toarray().tolist() == data.X.tolist()
    assert labels == [(0.0,), (0.0, 1.0)]


def test_notes_beside_the_data_are_no_data(tmp_path):
    (tmp_path / "readme.txt").write_text("Made by hand.\n")
    (tmp_path / "empty.txt").write_text("")
    (tmp_path / "train.txt").write_text(TEXT)
    assert [begins_with_sizes(tmp_path / name) for name in ("readme.txt", "empty.txt", "train.txt")] == [0, 0, 1]
    assert read_labelled(str(tmp_path), Reading()).n_rows == 3
    (tmp_path / "test.txt").write_text(TEXT)
    both = read_labelled(str(tmp_path), Reading())
    assert (both.n_rows, len(both.train), len(both.test)) == (6, 3, 3)
