"""What a file may take up: bytes over all its members, bytes in one cell, and plain files only.

A file of a few kilobytes can unpack to any size, a header can claim any, and a device never ends. Every reader goes
through here, so that each limit is stated once: `MAX_BYTES` and `MAX_CELL`, which the caller (`max_bytes=`) or the
environment (BNCC_MAX_BYTES, BNCC_MAX_CELL) replaces.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

from bncc.datasets.errors import MAX_BYTES, MAX_CELL, MalformedFile

__all__ = [
    "Budget",
    "check_cell_runs",
    "check_plain_file",
    "check_quoted_cells",
    "most_bytes",
    "most_in_a_cell",
    "too_long_cell",
]

_KINDS = (
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
)
#: What ends a cell in any of our text formats.
_MARKS = b"\n,;:|\t \"'{}"
_CELL = re.compile(rb"""'(?:[^'\\]++|\\.)*+'?|"(?:[^"\\]++|\\.)*+"?|[^,'"]++|,""", re.DOTALL)


def check_plain_file(path: Path) -> None:
    """Refuse what is no plain file, before it is opened: a device may never end, a pipe may wait forever."""
    mode = path.stat().st_mode
    if stat.S_ISREG(mode):
        return
    kind = next((name for is_kind, name in _KINDS if is_kind(mode)), "no plain file")
    raise OSError(f"{path} is {kind}; data are read from plain files. Write them to one first.")


def most_bytes(max_bytes: int = MAX_BYTES) -> int:
    """The most bytes a file may unpack to: what the caller says, else BNCC_MAX_BYTES, else `MAX_BYTES`."""
    return max_bytes if max_bytes != MAX_BYTES else _from_environment("BNCC_MAX_BYTES", MAX_BYTES)


def most_in_a_cell() -> int:
    """The most bytes in one cell, name or text of a file: BNCC_MAX_CELL, else `MAX_CELL`."""
    return _from_environment("BNCC_MAX_CELL", MAX_CELL)


def _from_environment(name: str, default: int) -> int:
    text = os.environ.get(name, "").strip()
    if not text:
        return default
    if not re.fullmatch(r"[0-9]{1,18}", text) or int(text) == 0:
        raise ValueError(f"the environment variable {name} must be a number of bytes, such as {default}; got {text!r}.")
    return int(text)


class Stream(Protocol):
    """What bytes are read from."""

    def read(self, size: int, /) -> bytes:
        """At most so many bytes."""


class Budget:
    """The bytes that one file may still take, over all its members.

    >>> import io
    >>> budget = Budget(Path("a.npz"), 10)
    >>> budget.read(io.BytesIO(b"1234567"))
    b'1234567'
    >>> budget.read(io.BytesIO(b"1234567"))
    Traceback (most recent call last):
    bncc.datasets.errors.MalformedFile: a.npz: the file unpacks to more than 10 bytes. Pass a larger `max_bytes`, or \
set BNCC_MAX_BYTES, if you trust it.
    """

    def __init__(self, file: Path, max_bytes: int) -> None:
        self.file, self.limit = file, most_bytes(max_bytes)
        self.left = self.limit

    def take(self, n_bytes: int) -> None:
        """Count bytes that are about to be held, or refuse the file."""
        if n_bytes > self.left:
            raise MalformedFile(
                self.file,
                None,
                f"the file unpacks to more than {self.limit} bytes.",
                "Pass a larger `max_bytes`, or set BNCC_MAX_BYTES, if you trust it.",
            )
        self.left -= n_bytes

    def read(self, stream: Stream) -> bytes:
        """All that a stream still holds; no more than one byte beyond the budget is unpacked."""
        content = stream.read(self.left + 1)
        self.take(len(content))
        return content


def too_long_cell(file: str | os.PathLike[str], line: int | None, begin: str) -> MalformedFile:
    """The error for a cell beyond the limit, which begins like this."""
    limit = most_in_a_cell()
    return MalformedFile(
        file,
        line,
        f"a cell or name holds more than {limit} bytes: {begin[:20]!r}...",
        "Close a quote that was left open; if it is meant to be so long, set BNCC_MAX_CELL to more bytes.",
    )


def check_cell_runs(content: bytes, file: str | os.PathLike[str], marks: bytes = b"", *, first_line: int = 1) -> None:
    """Refuse text with a longer run of bytes than a cell may have, between anything that could end a cell."""
    for begin in _long_runs(content, bytes({*_MARKS, *marks})):
        raise _too_long_at(content, begin, file, first_line)


def check_quoted_cells(content: bytes, file: str | os.PathLike[str]) -> None:
    """Refuse text with a cell in quotes, or between commas, that is too long; a cell ends at the end of its line."""
    limit = most_in_a_cell()
    for begin in _long_runs(content, b"\n"):
        end = content.find(b"\n", begin)
        for cell in _CELL.finditer(content, begin, len(content) if end < 0 else end):
            if cell.end() - cell.start() > limit:
                raise _too_long_at(content, cell.start(), file)


def _too_long_at(content: bytes, begin: int, file: str | os.PathLike[str], first_line: int = 1) -> MalformedFile:
    line = content.count(b"\n", 0, begin) + first_line
    return too_long_cell(file, line, content[begin : begin + 40].decode("utf-8", "replace"))


def _long_runs(content: bytes, marks: bytes) -> Iterator[int]:
    """Where runs without any mark begin that are longer than a cell may be.

    A run of that length covers a whole block of half of it, so only blocks without any mark are looked at closely:
    a file of ordinary rows costs a few comparisons per block.
    """
    limit = most_in_a_cell()
    half = max(1, limit // 2)
    known = -1
    for start in range(0, len(content) - half + 1, half):
        if any(content.find(mark, start, start + half) >= 0 for mark in marks):
            continue
        reach = max(0, start - limit - 1)  # no farther than it takes to tell
        begin = max(content.rfind(mark, reach, start) for mark in marks) + 1 or reach
        ends = [end for mark in marks if (end := content.find(mark, start, begin + limit + 1)) >= 0]
        if begin > known and min([*ends, len(content)]) - begin > limit:
            yield begin
            known = min([*(end for mark in marks if (end := content.find(mark, start)) >= 0), len(content)])
