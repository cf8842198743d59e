import io
import zipfile

import numpy as np
import pytest

from bncc.datasets import MalformedFile
from bncc.datasets.array_archive import ArrayArchive


def write(path, **arrays):
    np.savez(path, **arrays)
    return path


def test_arrays_are_read_by_name_within_one_budget(tmp_path):
    file = write(tmp_path / "a.npz", a=np.arange(6.0).reshape(2, 3), names=np.array(["x", "y"]))
    archive = ArrayArchive(file, 10_000)
    assert archive.matrix("a").tolist() == [[0, 1, 2], [3, 4, 5]]
    assert archive.names("names") == ["x", "y"]
    assert archive.names("absent") is None
    small = ArrayArchive(file, 300)
    small.read("a")
    with pytest.raises(MalformedFile, match="unpacks to more than 300 bytes"):
        small.read("names")


def test_byte_order_and_columns_first_are_undone(tmp_path):
    array = np.asfortranarray(np.arange(6, dtype=">f8").reshape(2, 3))
    read = ArrayArchive(write(tmp_path / "a.npz", a=array), 10_000).matrix("a")
    assert read.dtype == np.float64
    np.testing.assert_array_equal(read, array)


def test_pickles_are_never_opened(tmp_path):
    file = tmp_path / "a.npz"
    np.savez(file, a=np.array([{}], dtype=object))
    with pytest.raises(MalformedFile, match="arrays of object are not read"):
        ArrayArchive(file, 10_000).read("a")


@pytest.mark.parametrize(
    ("content", "problem"),
    [(b"no zip", "no NumPy archive"), (None, r"there is no array 'a'; got \['b'\]"), (b"", "no NumPy archive")],
)
def test_what_is_wrong_is_said(tmp_path, content, problem):
    file = tmp_path / "a.npz"
    if content is None:
        write(file, b=np.zeros(2))
    else:
        file.write_bytes(content)
    with pytest.raises(MalformedFile, match=problem):
        ArrayArchive(file, 10_000).read("a")


def test_a_header_that_claims_more_than_there_is(tmp_path):
    out = io.BytesIO()
    np.lib.format.write_array(out, np.zeros(3))
    content = out.getvalue().replace(b"(3,)", b"(9,)")
    with zipfile.ZipFile(tmp_path / "a.npz", "w") as archive:
        archive.writestr("a.npy", content)
    with pytest.raises(MalformedFile, match=r"shape \(9,\) does not fit its bytes"):
        ArrayArchive(tmp_path / "a.npz", 10_000).read("a")
