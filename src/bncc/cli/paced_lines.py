"""A log that stays short: at most one line in some seconds, whatever is said."""

from __future__ import annotations

import io
import re
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr
from typing import TextIO

from rich.console import Console

__all__ = ["SECONDS_BETWEEN_LINES", "PacedLines", "paced_errors"]

SECONDS_BETWEEN_LINES = 5.0


class PacedLines(io.TextIOBase):
    """Text that hands on a line only if none went before it for a while; others are dropped.

    >>> lines = PacedLines(sys.stdout)
    >>> _ = lines.write("first\\nsecond\\n")
    first
    """

    def __init__(self, stream: TextIO, seconds: float = SECONDS_BETWEEN_LINES) -> None:
        self._stream, self._seconds = stream, seconds
        self._begun, self._last = "", -float("inf")

    def write(self, text: str) -> int:
        """Take text; lines end with a line feed, or with a carriage return, which would write over them."""
        *lines, self._begun = re.split(r"[\r\n]+", self._begun + text)
        for line in filter(None, map(str.rstrip, lines)):
            if time.monotonic() - self._last >= self._seconds:
                self._last = time.monotonic()
                self._stream.write(line + "\n")
                self._stream.flush()
        return len(text)

    def writable(self) -> bool:
        """True: it is written to."""
        return True


@contextmanager
def paced_errors(console: Console) -> Iterator[None]:
    """Standard error at the pace of a log; what `console` prints there (warnings, errors) comes through at once."""
    stream = sys.stderr
    with redirect_stderr(PacedLines(stream)):
        console.file = stream
        try:
            yield
        finally:
            console.file = None  # type: ignore[assignment]  # standard error again, whatever that is then
