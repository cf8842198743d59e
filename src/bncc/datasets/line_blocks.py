"""A text file some lines at a time, so that a large one is never held whole."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from bncc.datasets.budgets import check_cell_runs
from bncc.datasets.files import no_text, read_chunks

__all__ = ["LineBlock", "line_blocks"]

# Large enough for array operations to pay, small enough for their temporaries not to count.
BLOCK_BYTES = 2**22


class LineBlock(NamedTuple):
    """Whole lines: `content` ends where a line ends (without the last newline), `first_line` counts from 1."""

    first_line: int
    content: bytes


def line_blocks(path: Path, max_bytes: int) -> Iterator[LineBlock]:
    """The lines of a file in blocks of some megabytes, every line ending as a newline, without a byte order mark.

    A line longer than a block makes the block longer. A file that unpacks to more than `max_bytes` and one with a NUL
    byte are refused with `MalformedFile`. What follows the last newline is a line only if it is not empty.
    """
    first_line, pending, begin = 1, list[bytes](), b""
    for chunk in _with_newlines(path, max_bytes):
        begin = begin or chunk[:2]
        if b"\0" in chunk:
            line = first_line + sum(part.count(b"\n") for part in (*pending, chunk[: chunk.index(b"\0")]))
            raise no_text(path, line, begin)
        end = chunk.rfind(b"\n")
        if end < 0:
            pending.append(chunk)
            continue
        block = LineBlock(first_line, b"".join([*pending, chunk[:end]]))
        check_cell_runs(block.content, path, first_line=first_line)
        yield block
        first_line += block.content.count(b"\n") + 1
        pending = [chunk[end + 1 :]]
    rest = b"".join(pending)
    if rest:
        check_cell_runs(rest, path, first_line=first_line)
        yield LineBlock(first_line, rest)


def _with_newlines(path: Path, max_bytes: int) -> Iterator[bytes]:
    held, is_first = b"", True
    for chunk in read_chunks(path, max_bytes, BLOCK_BYTES):
        text = held + chunk
        if is_first:
            text, is_first = text.removeprefix(b"\xef\xbb\xbf"), False
        # A carriage return at the end may be half of a line ending.
        held = b"\r" if text.endswith(b"\r") else b""
        text = text[: len(text) - len(held)]
        yield text.replace(b"\r\n", b"\n").replace(b"\r", b"\n") if b"\r" in text else text
    if held:
        yield b"\n"
