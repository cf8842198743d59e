import gzip

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bncc.datasets import MalformedFile, line_blocks
from bncc.datasets.files import read_lines_as_bytes


def blocks(path, size, max_bytes=10**6):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(line_blocks, "BLOCK_BYTES", size)
        return list(line_blocks.line_blocks(path, max_bytes))


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.sampled_from([b"a", b"bc", b"\n", b"\r", b"\r\n", b"\xef\xbb\xbf", b" "]), max_size=12).map(b"".join)
)
def test_any_size_of_block_gives_the_lines_of_the_whole_file(tmp_path_factory, content):
    path = tmp_path_factory.getbasetemp() / "a.txt"
    path.write_bytes(content)
    whole = read_lines_as_bytes(path, 10**6)
    lines = whole.removesuffix(b"\n").split(b"\n") if whole else []
    for size in (4, 5, 7, 100):  # at least a byte order mark and one byte more
        read = blocks(path, size)
        assert [line for block in read for line in block.content.split(b"\n")] == lines
        starts = [sum(each.content.count(b"\n") + 1 for each in read[:i]) + 1 for i in range(len(read))]
        assert [block.first_line for block in read] == starts


def test_packed_files_and_long_lines(tmp_path):
    path = tmp_path / "a.txt.gz"
    path.write_bytes(gzip.compress(b"x" * 1000 + b"\nb\n"))
    read = blocks(path, 10)
    assert [len(line) for block in read for line in block.content.split(b"\n")] == [1000, 1]
    assert read[0].first_line == 1


@pytest.mark.parametrize(
    ("content", "max_bytes", "message"),
    [(b"a\nb\0\n", 100, "line 2: a text file must hold no NUL"), (b"a\n" * 60, 100, "more than 100 bytes")],
)
def test_refusals(tmp_path, content, max_bytes, message):
    path = tmp_path / "a.txt"
    path.write_bytes(content)
    for size in (4, 1000):
        with pytest.raises(MalformedFile, match=message):
            blocks(path, size, max_bytes)


def test_damaged_gzip(tmp_path):
    path = tmp_path / "a.txt.gz"
    path.write_bytes(gzip.compress(b"some text\n" * 9)[:-6])
    with pytest.raises(MalformedFile, match="gzip stream is damaged"):
        blocks(path, 10)
