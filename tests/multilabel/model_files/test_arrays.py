import numpy as np
import pytest

from bncc.multilabel.model_files.arrays import array_bytes, is_plain_dtype, read_array
from bncc.multilabel.model_files.refusals import Refused

NODES = np.zeros(3, np.dtype([("left", "<u4"), ("value", "<f8"), ("is_leaf", "u1")], align=True))


@pytest.mark.parametrize(
    "array",
    [
        np.arange(12.0).reshape(3, 4),
        np.asfortranarray(np.arange(12.0).reshape(3, 4)),
        np.array(3, np.int8),
        np.array(["a", "longer"]),
        np.array([b"a", b"bc"]),
        np.array([True, False]),
        np.zeros((0, 5), np.float32),
        np.array([np.nan, np.inf], np.float16),
    ],
    ids=lambda array: f"{array.dtype}",
)
def test_arrays_come_back_as_they_were(array):
    again = read_array(array_bytes(array))
    assert type(again) is np.ndarray
    assert again.dtype == array.dtype
    assert again.shape == array.shape
    assert again.flags.f_contiguous == array.flags.f_contiguous
    assert again.flags.writeable
    assert again.tobytes() == array.tobytes()


def test_records_come_back_field_by_field():
    nodes = np.zeros(3, NODES.dtype)
    nodes["left"], nodes["value"], nodes["is_leaf"] = [1, 2, 3], [0.5, 1.5, 2.5], [0, 1, 0]
    again = read_array(array_bytes(nodes))
    assert again.shape == nodes.shape
    for name in nodes.dtype.names:
        assert again[name].tolist() == nodes[name].tolist()


def test_types_that_are_not_plain():
    others = ("O", "M8[s]", "m8", "c16", ">f8", "V3", "f8,i4", "(2,)f8")
    assert not any(is_plain_dtype(np.dtype(name)) for name in others)
    assert all(is_plain_dtype(np.dtype(name)) for name in ("?", "u1", "i8", "f2", "U3", "S5"))


@pytest.mark.parametrize("dtype", ["M8[s]", "c16", ">f8", "(2,)f8,i4"])
def test_arrays_of_other_types_are_refused(dtype):
    with pytest.raises(Refused):
        read_array(array_bytes(np.zeros(2, dtype)))


def test_booleans_and_text_hold_nothing_else():
    content = array_bytes(np.array([True, False]))
    with pytest.raises(Refused, match="booleans"):
        read_array(content[:-1] + b"\x07")
    content = array_bytes(np.array(["a"]))
    with pytest.raises(Refused, match="text"):
        read_array(content[:-4] + b"\xff\xff\xff\x7f")


def test_what_is_remembered_of_a_header_is_not_believed_of_other_bytes():
    whole = array_bytes(np.arange(6.0))
    for _ in range(2):
        assert read_array(whole).tolist() == [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]
        with pytest.raises(Refused, match="claims shape"):
            read_array(whole[:-8])
    first, second = read_array(whole), read_array(whole)
    first[0] = 7.0
    assert second[0] == 0.0
