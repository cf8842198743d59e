import io
import struct
import zipfile

import numpy as np
import pytest

from bncc.datasets import MalformedFile, load, make_dataset, read_numpy, save

X = np.array([[1.5, 0], [0, 1], [2, 2]], np.float32)
Y = np.array([[1, 0], [0, 1], [1, 1]], np.uint8)


def write(tmp_path, compressed=False, **arrays):
    path = tmp_path / "a.npz"
    (np.savez_compressed if compressed else np.savez)(path, **arrays)
    return path


@pytest.mark.parametrize("compressed", [False, True])
def test_all_parts(tmp_path, compressed):
    data = read_numpy(
        write(tmp_path, compressed, X=X, Y=Y, n_train=2, label_names=["a", "b"], feature_names=[b"c", b"d"])
    )
    assert np.array_equal(data.X, X)
    assert data.X.dtype == np.float32
    assert np.array_equal(data.Y, Y)
    assert (data.label_names, data.feature_names) == (("a", "b"), ("c", "d"))
    assert (data.train.tolist(), data.test.tolist()) == ([0, 1], [2])


def test_other_names_layouts_and_splits(tmp_path):
    path = write(
        tmp_path, foo=np.asfortranarray(X.astype(">f8")), bar=2 * Y.astype(np.int8) - 1, train=[2], test=[0, 1]
    )
    data = read_numpy(path, features="foo", labels="bar")
    assert np.array_equal(data.X, X)
    assert np.array_equal(data.Y, Y)
    assert data.train.tolist() == [2]


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"X": X}, r"no array 'Y'; got \['X'\]"),
        ({"X": X, "Y": Y[:2]}, "'X' has 3 rows, 'Y' has 2"),
        ({"X": X[0], "Y": Y}, "must be a matrix of numbers"),
        ({"X": X, "Y": 2 * Y}, "must hold 0/1"),
        ({"X": X, "Y": Y, "n_train": 9}, "'n_train' must be a whole number from 0 to 3"),
        ({"X": X, "Y": Y, "train": [0.5]}, "row numbers"),
        ({"X": X, "Y": Y, "train": [7]}, "row numbers"),
        ({"X": X, "Y": Y, "label_names": [1, 2]}, "list of texts"),
        ({"X": X, "Y": Y, "label_names": ["a"]}, "one name per label"),
    ],
)
def test_wrong_content(tmp_path, arrays, message):
    with pytest.raises(MalformedFile, match=message):
        read_numpy(write(tmp_path, **arrays))


class Harmful:
    def __reduce__(self):
        return (pytest.fail, ("a pickle was loaded",))


def test_pickles_are_refused(tmp_path):
    path = write(tmp_path, X=np.array([[Harmful()]], dtype=object), Y=Y)
    with pytest.raises(MalformedFile, match="arrays of object are not read"):
        read_numpy(path)


def archive(tmp_path, content):
    path = tmp_path / "a.npz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out:
        out.writestr("X.npy", content)
        out.writestr("Y.npy", content)
    return path


def header(text):
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode()


@pytest.mark.parametrize(
    "text",
    [
        "{'descr': '<f8', 'fortran_order': False, 'shape': (10**15, 1), }\n",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000000, 1), }\n",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (-1, 2), }\n",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (0, 1000000000000000), }\n",
        "{'descr': '|O', 'fortran_order': False, 'shape': (1, 1), }\n",
        "{'descr': '|V8', 'fortran_order': False, 'shape': (1, 1), }\n",
        "{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1, 1), }\n",
        "{'shape': (1, 1)}\n",
        "__import__('os')\n",
        "(((((((((((((((((((((((((\n",
        "{'descr': 'nonsense', 'fortran_order': False, 'shape': (1, 1), }\n",
    ],
)
def test_lying_headers(tmp_path, text):
    with pytest.raises(MalformedFile):
        read_numpy(archive(tmp_path, header(text) + bytes(8)))


def test_other_damage(tmp_path):
    for content in (b"", b"\x93NUMPY", b"\x93NUMPY\x09\x00", b"text"):
        with pytest.raises(MalformedFile):
            read_numpy(archive(tmp_path, content))
    path = tmp_path / "b.npz"
    path.write_bytes(b"no archive")
    with pytest.raises(MalformedFile, match="no NumPy archive"):
        read_numpy(path)
    whole = write(tmp_path, X=X, Y=Y).read_bytes()
    at = whole.index(X.tobytes())
    path.write_bytes(whole[:at] + b"\xff" + whole[at + 1 :])
    with pytest.raises(MalformedFile, match="array 'X' is damaged"):
        read_numpy(path)


@pytest.mark.parametrize("code", [0x110000, 0xD800, 0xFFFFFFFF])
def test_names_of_what_are_no_characters(tmp_path, code):
    names = np.frombuffer(np.array([code, 97], np.uint32).tobytes(), "<U1")
    with pytest.raises(MalformedFile, match="no characters"):
        read_numpy(write(tmp_path, X=X, Y=Y, label_names=names))


def test_a_bomb_stops_at_the_limit(tmp_path):
    stream = io.BytesIO()
    np.save(stream, np.zeros((10**6, 1)))
    with pytest.raises(MalformedFile, match="unpacks to more than 1000 bytes"):
        read_numpy(archive(tmp_path, stream.getvalue()), max_bytes=1000)


def test_a_file_that_cannot_be_opened_is_not_malformed(tmp_path, closed):
    np.savez(tmp_path / "a.npz", X=np.eye(2), Y=np.eye(2))
    with pytest.raises(PermissionError):
        read_numpy(closed(tmp_path / "a.npz"))
    with pytest.raises(IsADirectoryError, match="is a folder; give one of the files in it"):
        read_numpy(tmp_path)


def test_writing_and_reading_keeps_values_and_names(tmp_path):
    data = make_dataset([[1.5, np.nan], [0.1, 2]], [[1, 0], [0, 1]], feature_names=["a", "é"], label_names=["r", "w"])
    assert save(data, tmp_path / "t.npz") == [tmp_path / "t.npz"]
    again = load(tmp_path / "t.npz")
    np.testing.assert_array_equal(again.X, data.X)
    np.testing.assert_array_equal(again.Y, data.Y)
    assert (again.feature_names, again.label_names) == (data.feature_names, data.label_names)
    with pytest.raises(ValueError, match="packed already"):
        save(data, tmp_path / "t.npz.gz")
