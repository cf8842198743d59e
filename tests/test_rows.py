import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from bncc._rows import read_weights, row_blocks, take_rows


@pytest.mark.parametrize(
    "data", [np.arange(6).reshape(3, 2), sparse.csr_array(np.eye(3)), pd.DataFrame({"a": [1, 2, 3]}), ["a", "b", "c"]]
)
def test_rows_come_as_the_same_kind_of_thing(data):
    taken = take_rows(data, np.array([2, 0]))
    assert type(taken) is type(data)
    first = data.iloc[[2]] if hasattr(data, "iloc") else data[2:3]
    again = take_rows(taken, np.array([0]))
    plain = [value.toarray() if sparse.issparse(value) else np.asarray(value) for value in (first, again)]
    np.testing.assert_array_equal(*plain)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1.0, 2.0], r"one value per row \(3\); got shape \(2,\)"),
        ([1.0, -1.0, 1.0], "finite and not negative"),
        ([1.0, np.nan, 1.0], "finite and not negative"),
        ([0.0, 0.0, 0.0], "all are zero"),
        (0, "all are zero"),
    ],
)
def test_weights_that_are_none_are_refused(weights, message):
    with pytest.raises(ValueError, match=message):
        read_weights(weights, 3)


def test_weights_are_read():
    assert read_weights([1, 0, 2], 3).tolist() == [1.0, 0.0, 2.0]
    assert read_weights(3, 2).tolist() == [3.0, 3.0]


@pytest.mark.parametrize("form", [sparse.coo_array, sparse.dia_array, sparse.dok_array])
def test_sparse_formats_without_rows_give_csr(form):
    taken = take_rows(form(np.eye(3)), np.array([2, 0]))
    assert taken.format == "csr"
    assert taken.toarray().tolist() == [[0, 0, 1], [1, 0, 0]]


@pytest.mark.parametrize("data", [np.eye(5), sparse.csr_array(np.eye(5)), pd.DataFrame(np.eye(5)), np.eye(5).tolist()])
@pytest.mark.parametrize("step", [1, 2, 5, 9])
def test_blocks_hold_every_row_once(data, step):
    blocks = list(row_blocks(data, step))
    assert all(type(block) is type(data) for block in blocks)
    lengths = [len(block) if isinstance(block, list) else block.shape[0] for block in blocks]
    assert max(lengths) == (5 if isinstance(data, list) else min(step, 5))
    parts = [block.toarray() if sparse.issparse(block) else np.asarray(block) for block in blocks]
    assert np.vstack(parts).tolist() == np.eye(5).tolist()


def test_weights_are_numbers():
    with pytest.raises(ValueError, match="`sample_weight` must hold real numbers, one per row"):
        read_weights(["a", "b"], 2)
    with pytest.raises(ValueError, match="`sample_weight` must hold real numbers, one per row"):
        read_weights(np.array([1.0, 1.0 + 1j]), 2)
