import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bncc.datasets import MalformedFile, line_blocks, sparse_text
from bncc.datasets.sparse_text import SizeLine, find_size_line, read_sparse_text


def read(folder, text, **options):
    path = folder / "a.txt"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_sparse_text(path, **{"zero_based": None, "max_bytes": 10**6, **options})


WORD = st.sampled_from(
    ["1:1", "2:0.5", "3:-1e3", "0:2", "1:", "5", "7:1e", "2:+1", "4:.5", "6:7.", "9:12345678901234567"]
)
LINE = st.tuples(st.sampled_from(["1", "1,2", "", "a", "1:1", "0,1,0"]), st.lists(WORD, max_size=4)).map(
    lambda p: " ".join([p[0], *p[1]])
)
FILE = st.tuples(
    st.sampled_from(["", "3 9 4\n", "2 9 3\n", "# note\n", "\n"]), st.lists(LINE, min_size=1, max_size=6)
).map(lambda p: p[0] + "\n".join(p[1]))


def outcome(folder, text):
    try:
        data = read(folder, text)
    except MalformedFile as error:
        return "refused", bool(str(error))
    return data.X.toarray().tolist(), data.Y.toarray().tolist(), data.label_names


@settings(max_examples=150, deadline=None)
@given(FILE)
def test_neither_blocks_nor_the_fast_way_show(tmp_path_factory, text):
    folder = tmp_path_factory.getbasetemp()
    whole = outcome(folder, text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(line_blocks, "BLOCK_BYTES", 9)
        assert outcome(folder, text) == whole
        patch.setattr(sparse_text, "_plain_features", lambda features: None)
        assert outcome(folder, text) == whole


@settings(max_examples=60, deadline=None)
@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=5))
def test_every_number_is_read_as_python_reads_it(tmp_path_factory, values):
    text = "1 " + " ".join(f"{i}:{value!r}" for i, value in enumerate(values))
    X = read(tmp_path_factory.getbasetemp(), text).X
    assert X.toarray()[0].tolist() == [value + 0.0 for value in values][: X.shape[1]]


def test_blank_lines_are_rows_where_the_sizes_say_so(tmp_path):
    assert read(tmp_path, "2 3 2\n0 0:1\n\n1 1:1\n\n").X.toarray().tolist() == [[1, 0, 0], [0, 1, 0]]
    data = read(tmp_path, "3 3 2\n0 0:1\n \n1 1:1\n")
    assert data.X.toarray().tolist() == [[1, 0, 0], [0, 0, 0], [0, 1, 0]]
    assert data.Y.toarray().tolist() == [[1, 0], [0, 0], [0, 1]]
    assert read(tmp_path, "2 3 2\n0 0:1\n# note\n1 1:1\n").X.shape == (2, 3)


def test_repeated_labels_count_once(tmp_path):
    assert read(tmp_path, "2 3 2\n1,1,01 0:1\n0 0:1\n").Y.toarray().tolist() == [[0, 1], [1, 0]]
    assert read(tmp_path, "b,a,b 1:1").Y.toarray().tolist() == [[1, 1]]


def test_indices_take_32_bits_and_are_sorted(tmp_path):
    data = read(tmp_path, "1 9:1 2:3 4:0\n2,1 1:1\n")
    for matrix in (data.X, data.Y):
        assert matrix.indices.dtype == matrix.indptr.dtype == np.int32
        assert matrix.has_sorted_indices
    assert data.X.nnz == 3


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("2 5 4\n0 0:1\n0 5:1\n", "line 3: feature number 5 does not fit 5 features"),
        ("2 5 4\n0 0:1\n4 1:1\n", "line 3: label '4' is not between 0 and 3"),
        ("2 5 4\n0 0:1\n-1 1:1\n", "line 3: label '-1' is not between 0 and 3"),
        ("2 5 4\n0 0:1\n0 4194305:1\n", "line 3: feature number '4194305' is above 4194304, the most that"),
        ("3 5 4\n0 0:1\n0 1:1\n", "line 1: the size line says 3 rows, the file has 2"),
        ("99999999999 5 4\n0 0:1\n", "says 99999999999 rows, the file has 1"),
        ("1 4194305 4\n0 0:1\n", "line 1: features and labels must number from 1 to 4194304"),
        ("1 5 0\n0 0:1\n", "must number from 1"),
        ("1 5 4\n", "no data row"),
        ("\n\n# x\n", "no data row"),
    ],
)
@pytest.mark.parametrize("size", [9, 2**22])
def test_malformed(tmp_path, text, message, size, monkeypatch):
    monkeypatch.setattr(line_blocks, "BLOCK_BYTES", size)
    with pytest.raises(MalformedFile, match=message):
        read(tmp_path, text)


def test_a_size_line_may_be_asked_for(tmp_path):
    with pytest.raises(MalformedFile, match="line 2: the first line must be 'rows features labels'"):
        read(tmp_path, "\n1 1:1\n", sized=True)
    assert find_size_line(b" 3  4 5 ") == SizeLine(3, 4, 5)
    assert find_size_line(b"3 4 -5") is None
    assert find_size_line(b"3 4") is None


def test_feature_number_0_where_counting_begins_at_1(tmp_path):
    with pytest.raises(MalformedFile, match=r"line 2: feature number 0 occurs\. Pass zero_based=True"):
        read(tmp_path, "1 1:1\n1 0:1\n", zero_based=False)
    assert read(tmp_path, "1 5 2\n1 5:1\n", zero_based=False).X.toarray().tolist() == [[0, 0, 0, 0, 1]]


MEMORY = """
import re, sys
from pathlib import Path
from bncc.datasets.sparse_text import read_sparse_text
read_sparse_text(Path(sys.argv[2]), zero_based=None, max_bytes=2**31)
def peak():  # its own, not its parent's
    return int(re.search(r"VmHWM:\\s*(\\d+)", Path("/proc/self/status").read_text())[1])
before = peak()
data = read_sparse_text(Path(sys.argv[1]), zero_based=None, max_bytes=2**31)
after = peak()
X = data.X
print((after - before) * 1024, X.data.nbytes + X.indices.nbytes + X.indptr.nbytes)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="Linux tells the peak of a process")
def test_reading_takes_less_than_three_times_the_matrix(tmp_path):
    rng = np.random.default_rng(0)
    row = " ".join(f"{j}:{value:.6f}" for j, value in zip(range(0, 400, 4), rng.random(100), strict=True))
    block = "".join(f"{i % 9},{i % 7 + 9} {row}\n" for i in range(1000))
    with (tmp_path / "large.txt").open("w") as large:
        large.write("60000 400 20\n")
        large.writelines([block] * 60)
    (tmp_path / "small.txt").write_text("3000 400 20\n" + 3 * block)
    command = [sys.executable, "-c", MEMORY, str(tmp_path / "large.txt"), str(tmp_path / "small.txt")]
    peak, matrix = map(int, subprocess.run(command, capture_output=True, text=True, check=True).stdout.split())
    assert matrix == 6_000_000 * 12 + 60_001 * 4
    assert matrix < peak < 3 * matrix
