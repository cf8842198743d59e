"""What goes wrong with a file: one error that names the file, the line and the remedy.

ValueError
  MalformedFile      the content of a file is not what its format asks for
"""

from __future__ import annotations

import os

__all__ = ["MAX_BYTES", "MAX_CELL", "MAX_COLUMNS", "MalformedFile"]

MAX_BYTES = 2**30
"""The most bytes a file may hold or unpack to, over all its members, unless the caller says otherwise (1 GiB)."""

MAX_CELL = 2**20
"""The most bytes that one cell, name or text of a file may hold (1 MiB)."""

MAX_COLUMNS = 2**22
"""The most columns a data set may have; a larger column number in a file is taken for a mistake."""


class MalformedFile(ValueError):
    """A file is not what its format asks for.

    >>> raise MalformedFile("a.arff", 7, "the row has 3 values, not 4.", "Add the missing value or write '?'.")
    Traceback (most recent call last):
    bncc.datasets.errors.MalformedFile: a.arff, line 7: the row has 3 values, not 4. Add the missing value or write '?'.
    """

    def __init__(self, file: str | os.PathLike[str], line: int | None, problem: str, remedy: str = "") -> None:
        self.file = os.fspath(file)
        self.line = line
        self.problem = problem
        self.remedy = remedy
        where = self.file if line is None else f"{self.file}, line {line}"
        super().__init__(f"{where}: {problem} {remedy}".rstrip())

    def __reduce__(self) -> tuple[type[MalformedFile], tuple[str, int | None, str, str]]:
        return type(self), (self.file, self.line, self.problem, self.remedy)
