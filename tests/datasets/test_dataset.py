import dataclasses

import numpy as np
import pytest
from scipy import sparse

from bncc.datasets import fingerprint, make_dataset


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
        ({"train": [3]}, "`train` must be row numbers from 0 to 2"),
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
