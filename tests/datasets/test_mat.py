import io
import struct
import zlib

import numpy as np
import pytest
import scipy.io
from scipy import sparse

from bncc.datasets import MalformedFile, read_mat
from bncc.datasets.mat import read_variables

X = np.array([[1.5, 0, 2], [0, 0, 1], [3, 1, 0], [4, 4, 4]])
Y = np.array([[1, 0], [0, 1], [1, 1], [0, 0]])


def write(tmp_path, variables, *, compress=False):
    path = tmp_path / "a.mat"
    scipy.io.savemat(path, variables, do_compression=compress)
    return path


@pytest.mark.parametrize("compress", [False, True])
@pytest.mark.parametrize("dtype", ["f8", "f4", "u1", "i1", "u2", "i2", "i4", "u4", "i8", "u8", "?"])
def test_agrees_with_scipy(tmp_path, compress, dtype):
    array = np.array([[0, 1, 7], [3, 0, 100]]).astype(dtype)
    path = write(
        tmp_path,
        {"a": array, "name_longer": array.T, "text": "abc", "cell": np.array(["a", 1], object)},
        compress=compress,
    )
    ours, theirs = read_variables(path), scipy.io.loadmat(path)
    assert set(ours) == {"a", "name_longer"}
    for name, value in ours.items():
        assert np.array_equal(value, theirs[name])
        assert value.dtype == theirs[name].dtype


def test_sparse_complex_and_empty(tmp_path):
    matrix = sparse.random(7, 5, 0.4, random_state=0)
    path = write(
        tmp_path, {"s": matrix, "z": np.array([[1j]]), "e": np.empty((0, 3)), "l": sparse.csc_matrix(matrix > 0.5)}
    )
    found = read_variables(path)
    assert set(found) == {"s", "e", "l"}
    assert np.array_equal(found["s"].toarray(), matrix.toarray())
    assert np.array_equal(found["l"].toarray(), (matrix > 0.5).toarray())
    assert found["e"].shape == (0, 3)


@pytest.mark.parametrize(
    "variables",
    [
        {"data": X, "targets": Y},
        {"X": X, "Y": Y},
        {"data": X, "targets": 2 * Y - 1},
        {"data": X, "target": Y.T},
        {"features": sparse.csc_matrix(X), "labels": sparse.csc_matrix(Y)},
        {"train_data": X[:3], "train_target": Y[:3].T, "test_data": X[3:], "test_target": Y[3:].T},
    ],
)
def test_names_in_common_use(tmp_path, variables):
    data = read_mat(write(tmp_path, variables))
    assert np.array_equal(data.X.toarray() if sparse.issparse(data.X) else data.X, X)
    assert np.array_equal(data.Y, Y)
    if "train_data" in variables:
        assert (data.train.tolist(), data.test.tolist()) == ([0, 1, 2], [3])


def test_named_variables(tmp_path):
    path = write(tmp_path, {"foo": X, "bar": Y, "noise": X})
    assert np.array_equal(read_mat(path, features="foo", labels="bar").Y, Y)
    for options in ({}, {"features": "foo"}, {"features": "foo", "labels": "absent"}):
        with pytest.raises(MalformedFile, match=r"the variables are foo \(4, 3\), bar \(4, 2\).*features='data'"):
            read_mat(path, **options)


@pytest.mark.parametrize(
    ("variables", "message"),
    [
        ({"data": X, "targets": Y[:3]}, "has 4 rows"),
        ({"data": X, "targets": 3 * Y}, "must hold 0/1"),
        ({"data": np.zeros((2, 2, 2)), "targets": Y}, "must be matrices"),
    ],
)
def test_wrong_content(tmp_path, variables, message):
    with pytest.raises(MalformedFile, match=message):
        read_mat(write(tmp_path, variables))


def test_other_versions_get_a_remedy(tmp_path):
    path = tmp_path / "a.mat"
    path.write_bytes(b"MATLAB 7.3 MAT-file, Platform: x".ljust(124) + b"\x00\x02IM" + bytes(400))
    with pytest.raises(MalformedFile, match=r"7.3 file .HDF5., which is not read. Save it in MATLAB with '-v7'"):
        read_mat(path)
    scipy.io.savemat(path, {"data": X, "targets": Y}, format="4")
    with pytest.raises(MalformedFile, match=r"no MATLAB file of version 5. Save it in MATLAB with '-v7'"):
        read_mat(path)
    path.write_bytes(b"")
    with pytest.raises(MalformedFile, match="version 5"):
        read_mat(path)


def element(kind, content):
    return struct.pack("<II", kind, len(content)) + content + bytes(-len(content) % 8)


def matrix(shape, content, *, kind=6, value_type=9):
    flags = element(6, struct.pack("<II", kind, 0))
    sizes = element(5, struct.pack(f"<{len(shape)}i", *shape))
    return flags + sizes + element(1, b"data") + element(value_type, content)


def file_of(tmp_path, *elements):
    path = tmp_path / "a.mat"
    path.write_bytes(b"MATLAB 5.0 MAT-file".ljust(124) + b"\x00\x01IM" + b"".join(elements))
    return path


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (element(14, matrix((2**30, 2**30), bytes(8))), "claims the shape .* but holds 1 values"),
        (element(14, matrix((-1, 1), bytes(8))), "claims the shape"),
        (element(14, matrix((), bytes(8))), "claims the shape"),
        (element(14, matrix((1, 1), bytes(7))), "ends within a value"),
        (element(14, matrix((1, 1), bytes(8), value_type=99)), "unknown type 99"),
        (struct.pack("<II", 14, 2**31), "claims 2147483648 bytes, more than the file holds"),
        (element(14, matrix((1, 1), bytes(8))[:20]), "ends within a variable|claims"),
        (element(15, b"not zlib")[:16], "damaged"),
        (element(14, struct.pack("<II", 0x00090006, 0)), "more than 4 bytes"),
        (element(14, matrix((5, 2**30), bytes(8), kind=5)), "ends within a variable|sparse variable"),
    ],
)
def test_lying_headers(tmp_path, content, message):
    with pytest.raises(MalformedFile, match=message):
        read_variables(file_of(tmp_path, content))


def test_a_sparse_matrix_that_claims_many_rows(tmp_path):
    path = write(tmp_path, {"data": sparse.csc_matrix((2**31 - 2, 1))})
    with pytest.raises(MalformedFile, match="claims 2147483646 rows"):
        read_variables(path)


def test_a_compression_bomb_stops_at_the_limit(tmp_path):
    bomb = zlib.compress(bytes(10_000_000))
    path = file_of(tmp_path, struct.pack("<II", 15, len(bomb)) + bomb)
    with pytest.raises(MalformedFile, match="unpacks to more than 100000 bytes"):
        read_variables(path, max_bytes=100_000)


def test_big_endian(tmp_path):
    flags = struct.pack(">IIII", 6, 8, 6, 0)
    body = (
        flags
        + struct.pack(">IIii", 5, 8, 1, 2)
        + struct.pack(">HH4s", 1, 1, b"a\0\0\0")
        + struct.pack(">IIdd", 9, 16, 1.5, 2)
    )
    path = tmp_path / "a.mat"
    path.write_bytes(b"MATLAB 5.0".ljust(124) + b"\x01\x00MI" + struct.pack(">II", 14, len(body)) + body)
    assert read_variables(path)["a"].tolist() == [[1.5, 2]]
    assert scipy.io.loadmat(io.BytesIO(path.read_bytes()))["a"].tolist() == [[1.5, 2]]
