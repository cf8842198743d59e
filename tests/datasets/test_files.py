import gzip

import pytest

from bncc.datasets import MalformedFile
from bncc.datasets.files import decode, read_bytes, read_lines_as_bytes, shorten
from bncc.datasets.line_blocks import line_blocks


def test_gzip_is_unpacked(tmp_path):
    path = tmp_path / "a.txt.gz"
    path.write_bytes(gzip.compress(b"text"))
    assert read_bytes(path, 100) == b"text"


def test_a_gzip_bomb_stops_at_the_limit(tmp_path):
    path = tmp_path / "a.txt.gz"
    path.write_bytes(gzip.compress(bytes(10_000_000)))
    with pytest.raises(MalformedFile, match=r"more than 1000 bytes.*max_bytes"):
        read_bytes(path, 1000)


def test_a_large_plain_file_stops_at_the_limit(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(b"x" * 101)
    with pytest.raises(MalformedFile, match="more than 100 bytes"):
        read_bytes(path, 100)
    assert len(read_bytes(path, 101)) == 101


@pytest.mark.parametrize("damage", [lambda c: c[:-6], lambda c: b"no gzip", lambda c: c[:12] + b"\xff\xff" + c[14:]])
def test_damaged_gzip(tmp_path, damage):
    path = tmp_path / "a.txt.gz"
    path.write_bytes(damage(gzip.compress(b"some text that is long enough" * 9)))
    with pytest.raises(MalformedFile, match="gzip stream is damaged"):
        read_bytes(path, 10_000)


def test_line_endings_and_byte_order_mark(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(b"\xef\xbb\xbfa\r\nb\rc\n")
    assert read_lines_as_bytes(path, 100) == b"a\nb\nc\n"


def test_nul_bytes_are_refused_with_their_line(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(b"a\nb\0c")
    with pytest.raises(MalformedFile, match=r"line 2.*NUL"):
        read_lines_as_bytes(path, 100)


@pytest.mark.parametrize("mark", ["utf-16-le", "utf-16-be"])
def test_text_in_utf_16_is_told_as_such(tmp_path, mark):
    path = tmp_path / "a.txt"
    path.write_bytes("\ufeffsize,rain\n1,0\n".encode(mark))
    with pytest.raises(MalformedFile, match=r"line 1: the file is UTF-16 text.* Save it as UTF-8"):
        read_lines_as_bytes(path, 100)
    with pytest.raises(MalformedFile, match=r"line 1: the file is UTF-16 text.* Save it as UTF-8"):
        list(line_blocks(path, 100))


def test_no_file(tmp_path):
    with pytest.raises(FileNotFoundError, match="check the path"):
        read_bytes(tmp_path / "absent", 100)


def test_decode_and_shorten():
    assert decode("ñ€".encode()) == "ñ€"
    assert decode(b"\xf1") == "ñ"
    assert shorten("short") == "'short'"
    assert shorten("x" * 100) == "'" + "x" * 40 + "...'"


def test_a_file_that_cannot_be_opened_is_not_malformed(tmp_path, closed):
    (tmp_path / "a.txt").write_text("text")
    with pytest.raises(PermissionError):
        read_bytes(closed(tmp_path / "a.txt"), 100)
    with pytest.raises(IsADirectoryError, match="is a folder; give one of the files in it"):
        read_bytes(tmp_path, 100)
