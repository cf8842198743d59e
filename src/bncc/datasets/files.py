"""Bytes and text of a file: unpacked within a size limit, in whatever encoding and line ending it comes."""

from __future__ import annotations

import codecs
import gzip
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path

from bncc._names import closest_names
from bncc.datasets.budgets import Budget, check_cell_runs, check_plain_file
from bncc.datasets.errors import MalformedFile

__all__ = [
    "check_readable",
    "counted",
    "decode",
    "encoding_of",
    "no_text",
    "plain_stem",
    "plain_suffix",
    "read_bytes",
    "read_chunks",
    "read_lines_as_bytes",
    "shorten",
    "which_columns",
]

_BLOCK = 2**20
_REMEDY = "check the path, or set BNCC_DATA to the folder of the data sets"


def check_readable(path: Path, remedy: str = _REMEDY) -> None:
    """Raise what the operating system says of a file that cannot be opened: that is no fault of its content."""
    if not path.exists():
        raise FileNotFoundError(f"no file {path}; {remedy}.")
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder; give one of the files in it.")
    check_plain_file(path)
    path.open("rb").close()


def read_bytes(path: Path, max_bytes: int) -> bytes:
    """The content of a plain file, unpacked if its name ends in ``.gz``; never more than `max_bytes`."""
    return b"".join(read_chunks(path, max_bytes))


def read_chunks(path: Path, max_bytes: int, chunk_bytes: int | None = None) -> Iterator[bytes]:
    """The content of a file in order, `chunk_bytes` at a time (all at once for None); otherwise as `read_bytes`."""
    check_readable(path)
    budget = Budget(path, max_bytes)
    try:
        with gzip.open(path) if path.suffix.lower() == ".gz" else path.open("rb") as stream:
            while chunk := stream.read(min(chunk_bytes or budget.left + 1, budget.left + 1)):
                budget.take(len(chunk))
                yield chunk
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise MalformedFile(
            path, None, f"the gzip stream is damaged ({error}).", "Download or pack it again."
        ) from error


def read_lines_as_bytes(path: Path, max_bytes: int, *, marks: bytes = b"") -> bytes:
    """A text file's bytes with every line ending as a newline and no byte order mark.

    No cell may be longer than `most_in_a_cell`; `marks` are bytes that end one in this file, beside the usual ones.
    """
    content = read_bytes(path, max_bytes)
    if content.startswith(b"\xef\xbb\xbf"):
        content = content[3:]
    if b"\0" in content:
        line = content[: content.index(b"\0")].count(b"\n") + 1
        raise no_text(path, line, content)
    if b"\r" in content:
        content = content.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    check_cell_runs(content, path, marks)
    return content


def no_text(path: Path, line: int, begin: bytes) -> MalformedFile:
    """The error for a NUL byte in a line of a file that begins so: two marks of order say that it is UTF-16.

    >>> print(no_text(Path("a.csv"), 1, codecs.BOM_UTF16_LE))
    a.csv, line 1: the file is UTF-16 text, and text is read as UTF-8. Save it as UTF-8 ("CSV UTF-8" in Excel).
    """
    if begin.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        problem = "the file is UTF-16 text, and text is read as UTF-8."
        return MalformedFile(path, line, problem, 'Save it as UTF-8 ("CSV UTF-8" in Excel).')
    return MalformedFile(path, line, "a text file must hold no NUL byte.", "Save it as UTF-8 text.")


def decode(content: bytes) -> str:
    """Text from UTF-8 bytes, or from Latin-1 where they are no UTF-8 (every byte string is Latin-1).

    >>> decode("señal".encode("latin-1")) == decode("señal".encode("utf-8")) == "señal"
    True
    """
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        return content.decode("latin-1")


def encoding_of(content: bytes) -> str:
    """By which of the two `decode` reads bytes, found without holding the text.

    >>> encoding_of("señal".encode("latin-1")), encoding_of("señal".encode("utf-8"))
    ('latin-1', 'utf-8')
    """
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        for start in range(0, 0 if content.isascii() else len(content), _BLOCK):
            decoder.decode(content[start : start + _BLOCK], final=start + _BLOCK >= len(content))
    except UnicodeDecodeError:
        return "latin-1"
    return "utf-8"


def plain_suffix(path: Path) -> str:
    """The suffix that says the format: lower case, without ``.gz``.

    >>> plain_suffix(Path("a/Yeast.ARFF.gz"))
    '.arff'
    """
    return (path.with_suffix("") if path.suffix.lower() == ".gz" else path).suffix.lower()


def plain_stem(path: Path) -> str:
    """The file's name without its suffixes.

    >>> plain_stem(Path("a/yeast-train.arff.gz"))
    'yeast-train'
    """
    return (path.with_suffix("") if path.suffix.lower() == ".gz" else path).stem


def shorten(text: str, most: int = 40) -> str:
    """A repr that fits an error message."""
    return repr(text) if len(text) <= most else repr(text[:most])[:-1] + "...'"


def which_columns(names: Sequence[str], asked: str = "") -> str:
    """What columns there are, for someone who asked for one that is not there.

    >>> which_columns(["age", "Rural", "Suburb"], "Rurall")
    "Did you mean 'Rural'? The columns are 'age', 'Rural', 'Suburb'."
    """
    close = closest_names(asked, names)
    hint = f"Did you mean {shorten(close[0])}? " if close else ""
    more = f" and {len(names) - 8:,} more" if len(names) > 8 else ""
    return f"{hint}The columns are {', '.join(map(shorten, names[:8]))}{more}."


def counted(n: int, noun: str) -> str:
    """A number and its noun.

    >>> counted(1, "label"), counted(0, "label")
    ('1 label', '0 labels')
    """
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"
