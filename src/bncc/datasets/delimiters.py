"""What stands between the cells of a CSV or TSV file: said by its suffix, or seen in its first lines."""

from __future__ import annotations

import csv
import io
from pathlib import Path

from bncc.datasets.errors import MalformedFile
from bncc.datasets.files import plain_suffix, shorten

__all__ = ["find_delimiter", "refuse_other_delimiter", "usual_delimiter"]

_OTHERS = (";", "|", "\t")
_MOST_BYTES = 1 << 16
_MOST_ROWS = 20


def usual_delimiter(file: Path) -> str:
    """A tab for ``.tsv``, a comma for all else."""
    return "\t" if plain_suffix(file) == ".tsv" else ","


def find_delimiter(content: bytes, file: Path) -> str:
    """The usual delimiter, or the one that divides the first lines of a file evenly where the usual one does not.

    In files that are no ``.tsv``, ``;``, ``|`` and tabs are tried. Where several would do, or none, it is the comma.

    >>> find_delimiter(b"size;tags\\n1,5;rain\\n2;rain,wind\\n", Path("a.csv"))
    ';'
    >>> find_delimiter(b"size;tags\\n1;rain;wind\\n", Path("a.csv"))
    ','
    """
    usual = usual_delimiter(file)
    head = _head(content)
    if usual == "\t" or not any(mark in head for mark in _OTHERS) or _is_even(head, usual):
        return usual
    even = [mark for mark in _OTHERS if _is_even(head, mark)]
    return even[0] if len(even) == 1 else usual


def _head(content: bytes) -> str:
    """The first lines as a whole; in Latin-1, which reads every byte and changes no delimiter."""
    text = content.lstrip(b"\n")
    if len(text) > _MOST_BYTES:
        end = text.rfind(b"\n", 0, _MOST_BYTES) + 1 or text.find(b"\n", _MOST_BYTES) + 1
        text = text[: end or len(text)]
    return text.decode("latin-1")


def _is_even(head: str, mark: str) -> bool:
    """Whether a mark divides the first rows into the same number of cells, two or more."""
    rows = csv.reader(io.StringIO(head, newline=""), delimiter=mark, strict=True)
    widths: set[int] = set()
    try:
        for row in rows:
            if row:
                widths.add(len(row))
            if rows.line_num >= _MOST_ROWS or len(widths) > 1:
                break
    except csv.Error as error:
        if "unexpected end" not in str(error):  # the rest of a cell in quotes may stand beyond the first lines
            return False
    return len(widths) == 1 and widths != {1}


def refuse_other_delimiter(names: list[str], separator: str, line: int, file: str) -> None:
    """Refuse one column whose name holds what separates columns in other files."""
    other_marks = [mark for mark in ",;\t|" if mark != separator and mark in names[0]]
    if len(names) > 1 or not other_marks:
        return
    mark = "a tab" if other_marks[0] == "\t" else repr(other_marks[0])
    ours = "a tab" if separator == "\t" else repr(separator)
    suffix = {"\t": "name it .tsv", ",": "name it .csv"}.get(other_marks[0], "write it with commas between cells")
    raise MalformedFile(
        file,
        line,
        f"the first line is one column, {shorten(names[0])}: cells seem to be separated by {mark}, not by {ours}.",
        f"If so, give every line as many cells, {suffix}, or in Python pass delimiter={other_marks[0]!r}.",
    )
