import dataclasses

import numpy as np
import pytest
from scipy import sparse

from bncc.datasets import fingerprint, make_dataset
from bncc.datasets.dataset import narrowed


def toy(**changes):
    arguments = {
        "X": [[0.5, 1], [0, 2], [3, 0]],
        "Y": [[1, 0], [0, 1], [1, 1]],
        "name": "toy",
        "train": [2, 0],
        "test": [1],
    }
    return make_dataset(**{**arguments, **changes})


def test_both_forms_of_the_labels():
    data = toy()
    assert isinstance(data.Y, np.ndarray)
    assert data.Y.dtype == np.int8
    assert isinstance(data.Y_sparse, sparse.csr_array)
    assert np.array_equal(data.Y, data.Y_sparse.toarray())
    assert data.Y is data.Y


def test_names_of_dataframes_are_kept():
    pd = pytest.importorskip("pandas")
    data = make_dataset(pd.DataFrame({"a": [1, 2]}), pd.DataFrame({"r": [0, 1], "w": [1, 1]}))
    assert (data.feature_names, data.label_names) == (("a",), ("r", "w"))
    assert data.X.tolist() == [[1], [2]]


def test_is_frozen():
    with pytest.raises(dataclasses.FrozenInstanceError):
        toy().name = "other"


def test_split_parts_keep_the_order_of_the_row_numbers():
    train, test = toy().train_test()
    assert train.X.tolist() == [[3, 0], [0.5, 1]]
    assert test.Y.tolist() == [[0, 1]]
    assert train.train is None
    with pytest.raises(ValueError, match="without a train/test split"):
        train.train_test()


def test_dtypes_of_features():
    assert toy(X=np.ones((3, 2), np.float32)).X.dtype == np.float32
    assert toy(X=np.ones((3, 2), np.int32)).X.dtype == np.float64
    assert isinstance(toy(X=sparse.coo_matrix(np.ones((3, 2)))).X, sparse.csr_array)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"X": [[1.0]]}, "same rows; got 1 and 3"),
        ({"X": [1.0, 2, 3]}, "must be 2-D"),
        ({"feature_names": ["a"]}, "`feature_names` must have one name per feature"),
        ({"label_names": ["a", "a"]}, "`label_names` must be distinct"),
        ({"Y": [[2, 0], [0, 1], [1, 1]]}, "must hold 0/1"),
        ({"train": [3]}, r"`train` must be row numbers from 0 to 2, or a boolean mask of 3 rows; got \[3\]"),
        ({"train": [0.5, 1.9]}, "`train` must be row numbers .*; got an array of float64"),
        ({"train": [True, False]}, r"boolean mask of 3 rows; got an array of bool of shape \(2,\)"),
        ({"train": [0, 1], "test": [1, 2]}, r"no row in common; got 1 in both, such as \[1\]"),
        ({"nominal": [True]}, r"`nominal` must be one boolean per feature \(2\); got an array of bool of shape \(1,\)"),
        ({"nominal": [0, 1]}, "`nominal` must be one boolean per feature .* array of int64"),
        ({"X": [["red", "1"]] * 3}, "`X` must hold numbers; got text such as 'red'. Encode it"),
        ({"X": np.array([[1, "red"]] * 3, object)}, "got text such as 'red' in column 1. Encode it"),
        ({"X": np.array([[1, {}]] * 3, object)}, "got a value of type dict in column 1"),
        ({"X": np.ones((3, 2)) * 1j}, "real numbers; got dtype complex128"),
        ({"X": sparse.csr_array(np.ones((3, 2)) * 1j)}, "real numbers; got dtype complex128"),
        ({"X": np.ones((3, 2), "datetime64[s]")}, "real numbers; got dtype datetime64"),
        ({"X": sparse.coo_array(np.ones(3))}, r"`X` must be 2-D \(rows x features\); got 1 dimension"),
        ({"X": [[1], [1, 2], [3]]}, "`X` must be a rectangular matrix"),
    ],
)
def test_bad_input(changes, message):
    with pytest.raises(ValueError, match=message):
        toy(**changes)


def test_a_dense_label_matrix_has_a_limit():
    wide = sparse.csr_array(([1], ([0], [5])), shape=(2000, 2_000_000))
    data = make_dataset(np.zeros((2000, 1)), wide)
    with pytest.raises(ValueError, match="Use `Y_sparse`"):
        _ = data.Y


def test_fingerprint_sees_values_names_and_order_but_not_storage():
    data = toy()
    assert fingerprint(data) == fingerprint(toy(X=sparse.csc_array(data.X)))
    others = [
        toy(X=[[0.5, 1], [0, 2], [3, 1e-300]]),
        toy(Y=[[1, 0], [0, 1], [1, 0]]),
        toy(feature_names=["a", "b"]),
        toy(label_names=["a", "b"]),
        toy(feature_names=["x1", "x2label1"]),
        data.take([1, 0, 2]),
        toy(X=[[0.5, 1], [0, 2], [3, np.nan]]),
    ]
    assert len({fingerprint(other) for other in [data, *others]}) == len(others) + 1
    stored_zero = sparse.csr_array((np.array([0.0, 0.5]), ([0, 0], [1, 0])), shape=(3, 2))
    dense = stored_zero.toarray()
    assert fingerprint(toy(X=stored_zero)) == fingerprint(toy(X=dense))


def test_repr_says_the_figures():
    assert repr(toy()) == "Dataset('toy', 3 rows, 2 dense features, 2 labels, cardinality 1.333, split 2/1)"


@pytest.mark.parametrize("form", [sparse.csr_array, sparse.csr_matrix])
def test_the_callers_sparse_features_are_not_changed(form):
    doubled = form((np.array([1.0, 2.0, 5.0]), np.array([1, 1, 0]), np.array([0, 3, 3, 3])), shape=(3, 2))
    data = toy(X=doubled)
    assert data.X.toarray()[0].tolist() == [5, 3]
    assert (doubled.indices.tolist(), doubled.data.tolist()) == ([1, 1, 0], [1, 2, 5])
    tidy = form(np.eye(3, 2))
    assert np.shares_memory(toy(X=tidy).X.data, tidy.data)


def test_the_dense_labels_are_read_only():
    with pytest.raises(ValueError, match="read-only"):
        toy().Y[0, 0] = 0


def test_a_split_by_masks():
    data = toy(train=[True, False, True], test=np.array([False, True, False]))
    assert (data.train.tolist(), data.test.tolist()) == ([0, 2], [1])


def test_missing_features_become_nan():
    pd = pytest.importorskip("pandas")
    nullable = pd.DataFrame({"a": [1, None, 3], "b": [True, False, None]}).astype({"a": "Int64", "b": "boolean"})
    masked = np.ma.masked_array([[1, 1], [2, 0], [3, 3]], mask=[[0, 0], [1, 0], [0, 1]])
    for X in (nullable, masked, [[1, True], [None, False], [3, None]]):
        assert np.array_equal(toy(X=X).X, [[1, 1], [np.nan, 0], [3, np.nan]], equal_nan=True)


def test_a_sparse_frame_stays_sparse():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(np.eye(3, 2), columns=["a", "b"]).astype(pd.SparseDtype(float, 0))
    data = toy(X=frame)
    assert isinstance(data.X, sparse.csr_array)
    assert data.X.toarray().tolist() == np.eye(3, 2).tolist()
    assert data.feature_names == ("a", "b")


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_a_take_of_no_rows(form):
    none = toy(X=form(np.eye(3, 2))).take([])
    assert none.X.shape == (0, 2)
    assert repr(none).startswith("Dataset('toy', 0 rows, 2 ")
    assert "cardinality" not in repr(none)


def test_labels_as_a_frame_with_names(monkeypatch):
    from bncc.multilabel import BinaryRelevance

    data = make_dataset(np.eye(4), [[1, 0], [0, 1], [1, 1], [0, 0]], label_names=["rain", "wind"])
    frame = data.Y_frame
    assert list(frame) == ["rain", "wind"]
    assert np.array_equal(frame.to_numpy(), data.Y)
    assert set(frame.dtypes) == {np.dtype(np.int8)}
    assert BinaryRelevance().fit(data.X, frame).label_names_ == ("rain", "wind")
    frame.iloc[0, 0] = 0
    assert data.Y[0, 0] == 1
    monkeypatch.setattr("bncc.datasets.dataset._MOST_FRAME_CELLS", 3)
    wide = data.Y_frame
    assert np.array_equal(wide.sparse.to_dense().to_numpy(), data.Y)
    assert BinaryRelevance().fit(data.X, wide).label_names_ == ("rain", "wind")


def test_sparse_features_get_narrow_indices_where_they_fit():
    narrow = sparse.csr_array(np.array([[0.0, 2.0], [1.0, 0.0]]))
    wide = sparse.csr_array((narrow.data, narrow.indices.astype(np.int64), narrow.indptr.astype(np.int64)), (2, 2))
    assert wide.indices.dtype == np.int64
    X = make_dataset(wide, [[1], [0]]).X
    assert X.indices.dtype == X.indptr.dtype == np.int32
    np.testing.assert_array_equal(X.toarray(), narrow.toarray())
    assert wide.indices.dtype == np.int64  # the caller's matrix is as it was
    assert narrowed(narrow) is narrow
    too_wide = sparse.csr_array((np.ones(1), np.array([2**31]), np.array([0, 1])), shape=(1, 2**31 + 1))
    assert narrowed(too_wide).indices.tolist() == [2**31]


def test_sparse_matrices_get_32_bit_indices():
    wide = sparse.csr_array(np.eye(3))
    wide = sparse.csr_array((wide.data, wide.indices.astype(np.int64), wide.indptr.astype(np.int64)), shape=wide.shape)
    data = make_dataset(wide, wide)
    for matrix in (data.X, data.Y_sparse, data.take([2, 0]).X, data.take([2, 0]).Y_sparse):
        assert matrix.indices.dtype == matrix.indptr.dtype == np.int32
    assert wide.indices.dtype == np.int64
