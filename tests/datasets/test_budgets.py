"""What a file may take up: all members together, one cell, and plain files only; each limit can be raised."""

import csv
import gzip
import io
import os
import re
import resource
import socket
import subprocess
import sys
import zipfile
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.io import savemat

from bncc.datasets import MalformedFile, load
from bncc.datasets.budgets import Budget, check_cell_runs, check_plain_file, check_quoted_cells, most_bytes
from bncc.datasets.errors import MAX_BYTES
from bncc.datasets.formats import known_suffixes

ARFF = "@relation r\n@attribute a numeric\n@attribute s string\n@attribute y {0,1}\n@data\n"


def zeros_archive(path, **sizes):
    """An archive of matrices of zeros with one column, of so many bytes each."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, size in sizes.items():
            stream = io.BytesIO()
            np.lib.format.write_array_header_1_0(stream, {"descr": "|i1", "fortran_order": False, "shape": (size, 1)})
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                member.write(stream.getvalue())
                for begin in range(0, size, 2**20):
                    member.write(bytes(min(2**20, size - begin)))
    return path


def odd_files(folder):
    os.mkfifo(folder / "pipe")
    with socket.socket(socket.AF_UNIX) as listener:
        before = os.getcwd()
        os.chdir(folder)  # a socket's address is short
        listener.bind("socket")
        os.chdir(before)
    return {"a device": Path("/dev/zero"), "a pipe": folder / "pipe", "a socket": folder / "socket"}


@pytest.mark.parametrize("suffix", [*known_suffixes(), ".csv.gz", ".arff.gz"])
def test_only_plain_files_are_read(tmp_path, suffix):
    for kind, target in odd_files(tmp_path).items():
        link = tmp_path / f"{kind.replace(' ', '-')}{suffix}"
        link.symlink_to(target)
        with pytest.raises(OSError, match=rf"is {kind}; data are read from plain files"):
            load(link, **({"labels": -1} if suffix in (".csv", ".tsv", ".parquet", ".csv.gz") else {}))
    check_plain_file(Path(__file__))


def test_the_xml_file_is_a_plain_one_too(tmp_path):
    (tmp_path / "a.arff").write_text(ARFF + "1,x,1\n")
    os.mkfifo(tmp_path / "pipe.xml")
    with pytest.raises(OSError, match="is a pipe"):
        load(tmp_path / "a.arff", labels=tmp_path / "pipe.xml")


def test_the_budget_of_an_archive_is_over_all_members(tmp_path):
    path = zeros_archive(tmp_path / "a.npz", X=800_000, Y=800_000)
    with pytest.raises(MalformedFile, match=r"unpacks to more than 1000000 bytes.*max_bytes.*BNCC_MAX_BYTES"):
        load(path, max_bytes=1_000_000)
    assert load(path, max_bytes=1_700_000).X.shape == (800_000, 1)


@pytest.mark.slow
def test_two_members_of_800_megabytes(tmp_path):
    path = zeros_archive(tmp_path / "a.npz", X=800 * 10**6, Y=800 * 10**6)
    assert path.stat().st_size < 2 * 10**6
    with pytest.raises(MalformedFile, match="unpacks to more than 1073741824 bytes"):
        load(path)


def test_numbers_stored_small_count_as_what_they_become(tmp_path):
    savemat(tmp_path / "a.mat", {"X": np.zeros((10_000, 10)), "Y": np.zeros((10_000, 1))}, do_compression=True)
    assert load(tmp_path / "a.mat").X.shape == (10_000, 10)
    with pytest.raises(MalformedFile, match="unpacks to more than"):
        load(tmp_path / "a.mat", max_bytes=800_000)


def test_the_environment_replaces_the_limit(tmp_path, monkeypatch):
    path = tmp_path / "a.csv"
    path.write_text("a,y\n" + "1,0\n0,1\n" * 100)
    monkeypatch.setenv("BNCC_MAX_BYTES", "100")
    with pytest.raises(MalformedFile, match="more than 100 bytes"):
        load(path, labels=-1)
    assert load(path, labels=-1, max_bytes=10_000).X.shape == (200, 1)
    monkeypatch.setenv("BNCC_MAX_BYTES", "10000")
    assert load(path, labels=-1).X.shape == (200, 1)
    for wrong in ("1e9", "-5", "0", "1 GB", "9" * 30):
        monkeypatch.setenv("BNCC_MAX_BYTES", wrong)
        with pytest.raises(ValueError, match="BNCC_MAX_BYTES must be a number of bytes"):
            load(path, labels=-1)
    monkeypatch.setenv("BNCC_MAX_BYTES", "")
    assert most_bytes() == MAX_BYTES


def long_cell_files(folder, n):
    """In every text format, one cell, name or text of n bytes, of several kinds."""
    texts = {
        "plain.csv": f"a,b,y\n1,{'x' * n},1\n",
        "number.csv": f"a,y\n{'1' * n},1\n",
        "quoted.csv": 'a,b,y\n1,"' + "x, y\n" * (n // 5) + '",1\n',
        "name.csv": f"a,{'x' * n},y\n1,2,1\n",
        "many.tsv": f"a\tb\ty\n1\t{'x' * n}\t1\n",
        "plain.arff": ARFF + f"1,{'x' * n},1\n",
        "quoted.arff": ARFF + "1,'" + "x, y" * (n // 4 + 1) + "',1\n",
        "open.arff": ARFF + "1,'" + "\\'" * n + "\n",
        "double.arff": ARFF + '1,"' + "x y " * (n // 4 + 1) + '",1\n',
        "name.arff": ARFF.replace("attribute s", f"attribute {'s' * n}") + "1,x,1\n",
        "sparse.arff": ARFF + "{0 1, 1 '" + "x y " * (n // 4 + 1) + "'}\n",
        "value.svm": f"1 1:{'1' * n}\n",
        "label.svm": f"{'1' * n} 1:1\n",
    }
    for name, text in texts.items():
        (folder / name).write_text(text)
        yield folder / name
    with gzip.open(folder / "packed.csv.gz", "wt") as packed:
        packed.write(texts["plain.csv"])
    yield folder / "packed.csv.gz"
    names = np.array(["x" * n])
    np.savez_compressed(folder / "names.npz", X=np.ones((1, 1)), Y=np.ones((1, 1)), feature_names=names)
    yield folder / "names.npz"


def options_for(path):
    return {"labels": -1} if ".csv" in path.name or path.suffix in (".tsv", ".arff", ".parquet") else {}


def test_no_cell_is_longer_than_its_limit(tmp_path):
    for path in long_cell_files(tmp_path, 1_200_000):
        with pytest.raises(MalformedFile, match=r"BNCC_MAX_CELL") as caught:
            load(path, **options_for(path))
        assert re.search(r"holds more than 1048576 bytes|field limit", str(caught.value)), path
        assert len(str(caught.value)) < 600


def test_the_limit_on_cells_can_be_raised(tmp_path, monkeypatch):
    monkeypatch.setenv("BNCC_MAX_CELL", "3000000")
    limit_of_csv = csv.field_size_limit()
    complaints = []
    for path in long_cell_files(tmp_path, 1_200_000):
        with suppress(MalformedFile):  # other reasons may remain
            try:
                load(path, **options_for(path))
            except MalformedFile as error:
                complaints.append(str(error))
                raise
    csv.field_size_limit(limit_of_csv)
    assert [words for words in complaints if "BNCC_MAX_CELL" in words or "field limit" in words] == []
    assert len(complaints) < 8


def test_a_label_of_an_xml_file(tmp_path):
    (tmp_path / "a.arff").write_text(ARFF + "1,x,1\n")
    (tmp_path / "a.xml").write_text(f'<labels><label name="{"y z" * 500_000}"/></labels>')
    with pytest.raises(MalformedFile, match="holds more than 1048576 bytes"):
        load(tmp_path / "a.arff")


def test_parquet_cells_and_texts_that_fill_every_row(tmp_path):
    """A text that is stored once and stands in every row is held once."""
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    from bncc.datasets.parquet import read_parquet_columns

    rows = 3000
    for n, length in enumerate((1_000_000, 1_200_000)):
        text = pa.DictionaryArray.from_arrays(pa.array(np.zeros(rows, np.int32)), pa.array(["x" * length]))
        lists = pa.ListArray.from_arrays(np.arange(rows + 1, dtype=np.int32), text)
        table = pa.table({"text": text, "tags": lists, "y": np.ones(rows)})
        pq.write_table(table, tmp_path / f"{n}.parquet", store_schema=False)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    _, cells = read_parquet_columns(tmp_path / "0.parquet", raw={"text", "tags"})
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 400_000
    assert len(cells["text"]) == len(cells["tags"]) == rows
    assert cells["tags"][7] == [cells["text"][7]]
    assert len({id(cell) for cell in cells["text"]}) == 1
    with pytest.raises(MalformedFile, match="holds more than 1048576 bytes"):
        read_parquet_columns(tmp_path / "1.parquet")


@given(
    st.lists(st.sampled_from([b"a", b"bb", b"c" * 7, b"d" * 11, b"e" * 30, b",", b"\n", b" ", b"|"]), max_size=60),
    st.integers(2, 40),
)
def test_long_runs_are_found_wherever_they_begin(parts, limit):
    content = b"".join(parts)
    longest = max(map(len, re.split(rb"[\n,;:|\t \"'{}]", content)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BNCC_MAX_CELL", str(limit))
        if longest > limit:
            with pytest.raises(MalformedFile, match=f"holds more than {limit} bytes"):
                check_cell_runs(content, "a.csv")
        else:
            check_cell_runs(content, "a.csv")


@given(st.text(alphabet="ab,'\"\\\n ", max_size=80), st.integers(3, 20))
def test_cells_in_quotes(text, limit):
    """What is found is longer than the limit, on one line, and named with its line."""
    cell = r"'(?:[^'\\\n]|\\[^\n])*'?|\"(?:[^\"\\\n]|\\[^\n])*\"?|[^,'\"\n]+"
    lines = [i + 1 for i, line in enumerate(text.split("\n")) for c in re.findall(cell, line) if len(c) > limit]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BNCC_MAX_CELL", str(limit))
        if lines:
            with pytest.raises(MalformedFile, match=f"line {lines[0]}: a cell or name holds more than {limit} bytes"):
                check_quoted_cells(text.encode(), "a.arff")
        else:
            check_quoted_cells(text.encode(), "a.arff")


def test_a_budget_is_spent_once():
    budget = Budget(Path("a"), 100)
    budget.take(60)
    budget.take(40)
    with pytest.raises(MalformedFile, match="more than 100 bytes"):
        budget.take(1)


BOUNDED = """
import re, sys
from bncc.datasets import MalformedFile, load
try:
    load(sys.argv[1], labels=-1)
except MalformedFile as error:
    print(int(re.search(r'VmHWM:\\s*(\\d+)', open('/proc/self/status').read())[1]) // 1024, error)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc")
def test_a_cell_of_800_megabytes(tmp_path):
    """Of 4 MB packed; memory stays near the size of the file."""
    path = tmp_path / "a.csv.gz"
    with gzip.open(path, "wb", compresslevel=1) as packed:
        packed.write(b"a,b,y\n1,")
        for _ in range(800):
            packed.write(b"x" * 10**6)
        packed.write(b",1\n")
    assert path.stat().st_size < 4 * 10**6
    done = subprocess.run([sys.executable, "-c", BOUNDED, str(path)], capture_output=True, text=True, check=True)
    megabytes, words = done.stdout.split(" ", 1)
    assert "holds more than 1048576 bytes" in words
    assert int(megabytes) < 1500
