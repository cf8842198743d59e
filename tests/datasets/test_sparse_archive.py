import numpy as np
import pytest
from scipy import sparse

from bncc.datasets import MalformedFile, load, make_dataset, save
from bncc.datasets.alike import read_features_like
from bncc.datasets.sparse_archive import labels_beside, read_sparse_features

X = sparse.csr_array(np.array([[1.5, 0, 2], [0, 0, -1e3], [3, 1, 0], [0, 0, 0]]))
Y = np.array([[1, 0], [0, 1], [1, 1], [0, 0]])


def write(folder, X=X, Y=Y, **parts):
    """As a user writes them, then with some arrays of the first file replaced."""
    sparse.save_npz(folder / "a.npz", X)
    sparse.save_npz(folder / "a-labels.npz", sparse.csr_array(Y))
    if parts:
        with np.load(folder / "a.npz") as old:
            arrays = {name: parts.get(name, old[name]) for name in old}
        np.savez(folder / "a.npz", **{name: value for name, value in arrays.items() if value is not None})
    return folder / "a.npz"


@pytest.mark.parametrize("kind", ["csr_array", "csc_array", "coo_array", "csr_matrix", "csc_matrix", "coo_matrix"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64, np.uint8])
def test_what_scipy_wrote_is_read(tmp_path, kind, dtype):
    matrix = getattr(sparse, kind)(abs(X).astype(dtype))
    data = load(write(tmp_path, matrix))
    np.testing.assert_array_equal(data.X.toarray(), matrix.toarray())
    np.testing.assert_array_equal(data.Y, Y)
    assert sparse.issparse(data.X)
    assert (data.name, data.label_names) == ("a", ("label0", "label1"))


def test_labels_lie_beside_or_where_the_caller_says(tmp_path):
    sparse.save_npz(tmp_path / "X.npz", X)
    with pytest.raises(MalformedFile, match=r"it holds features alone, and there is no file Y.npz"):
        load(tmp_path / "X.npz")
    np.savez(tmp_path / "dense.npz", Y=Y, label_names=np.array(["rain", "wind"]))
    assert load(tmp_path / "X.npz", labels=tmp_path / "dense.npz").label_names == ("rain", "wind")
    sparse.save_npz(tmp_path / "Y.npz", sparse.csr_array(Y))
    np.testing.assert_array_equal(load(tmp_path / "X.npz").Y, Y)
    assert labels_beside(tmp_path / "posts.npz") == tmp_path / "posts-labels.npz"


def test_saving_and_reading_keeps_values_and_names_and_scipy_reads_it(tmp_path):
    data = make_dataset(X, Y, feature_names=["a", "b c", "é"], label_names=["rain", "it's"])
    assert [file.name for file in save(data, tmp_path / "t.npz")] == ["t.npz", "t-labels.npz"]
    again = load(tmp_path / "t.npz")
    np.testing.assert_array_equal(again.X.toarray(), X.toarray())
    assert (again.feature_names, again.label_names) == (data.feature_names, data.label_names)
    np.testing.assert_array_equal(sparse.load_npz(tmp_path / "t.npz").toarray(), X.toarray())
    np.testing.assert_array_equal(sparse.load_npz(tmp_path / "t-labels.npz").toarray(), Y)


def test_unknown_labels_have_no_place_in_it(tmp_path):
    with pytest.raises(ValueError, match="cannot say which labels are unknown; save CSV"):
        save(make_dataset(X, np.where(Y == 1, np.nan, Y)), tmp_path / "t.npz")


def test_features_are_read_without_labels(tmp_path):
    sparse.save_npz(tmp_path / "new.npz", X)
    np.testing.assert_array_equal(read_features_like(tmp_path / "new.npz", "abc", {}).toarray(), X.toarray())
    np.savez(tmp_path / "other.npz", X=X.toarray(), Y=Y)
    assert read_sparse_features(tmp_path / "other.npz") is None


@pytest.mark.parametrize(
    ("parts", "problem"),
    [
        ({"format": np.array(b"bsr")}, "CSR, CSC or COO format are read; got 'bsr'"),
        ({"format": np.array([1, 2])}, "CSR, CSC or COO format"),
        ({"shape": np.array([4])}, "'shape' must be the number of rows"),
        ({"shape": np.array([-4, 3])}, "'shape' must be the number of rows"),
        ({"shape": np.array([4, 2**40])}, "at most 4194304 are read"),
        ({"shape": np.array([2**60, 3])}, "unpacks to more than"),
        ({"shape": np.array([5, 3])}, "'indptr' must rise from 0 to 5 in 5 steps"),
        ({"shape": np.array([4, 2])}, "every value must have a column from 0 to 1"),
        ({"indices": np.array([0, 2, 2, 0, -1])}, "every value must have a column from 0 to 2"),
        ({"indices": np.array([0, 2, 2])}, "every value must have a"),
        ({"indices": np.array([0.5, 2, 2, 0, 1])}, "places must be a list of whole numbers"),
        ({"indices": np.array([0, 2, 2, 0, 2**64 - 1], np.uint64)}, r"below 2\*\*63"),
        ({"indptr": np.array([0, 3, 2, 5, 5])}, "'indptr' must rise"),
        ({"indptr": np.array([1, 2, 3, 5, 5])}, "'indptr' must rise"),
        ({"data": np.array(list("abcde"))}, "'data' must be a list of numbers"),
        ({"data": np.array([1j] * 5)}, "arrays of complex128 are not read"),
        ({"indptr": None}, "there is no array 'indptr'"),
    ],
)
def test_damaged_archives_are_refused(tmp_path, parts, problem):
    with pytest.raises(MalformedFile, match=problem):
        load(write(tmp_path, **parts), max_bytes=2**20)


def test_other_rows_and_other_labels_are_refused(tmp_path):
    with pytest.raises(MalformedFile, match=r"it has 4 rows, a-labels\.npz has 3"):
        load(write(tmp_path, Y=Y[:3]))
    with pytest.raises(MalformedFile, match="must hold"):
        load(write(tmp_path, Y=5 * Y))
