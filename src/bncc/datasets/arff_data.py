"""The lower part of an ARFF file: rows, dense or sparse, to numbers.

Both kinds have a fast way for plain numbers and a careful way for everything else (quotes, text, comments, errors).
Sparse rows leave out zeros and, for a nominal attribute, the first declared value.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from scipy import sparse

from bncc._typing import CSR, Floats, Longs
from bncc.datasets.arff_header import QUOTED, unescape
from bncc.datasets.column_table import Column, number
from bncc.datasets.errors import MalformedFile
from bncc.datasets.files import decode, shorten
from bncc.datasets.numbers import plain_matrix, plain_numbers, words

__all__ = ["fill_first_values", "parse_rows"]

_CELL = re.compile(rf"\s*+(?:(?:{QUOTED})|((?![%'\"])(?:[^,\s]++|\s++(?!%))*)?)\s*+(?:(,)|%.*|$)")
_ENTRY = re.compile(rf"\s*+(\S++)\s++(?:(?:{QUOTED})|((?!['\"])[^,]++))\s*+(,|$)")
_BLOCK = 2048
_PLAIN_SPARSE = b"0123456789+-.eE,{} \t\n?"
_SPARSE_MARKS = b"{}, \t\n"
_MOST_FILLED_CELLS = 2**25
_Entries: TypeAlias = tuple[Longs, Longs, Floats]  # per row: count; then all entries


def parse_rows(body: bytes, columns: Sequence[Column], first_line: int, file: str) -> tuple[Floats | CSR, Longs]:
    """The values (ndarray, or csr_array for sparse rows) and the line number of each row."""
    plain = _plain_rows(body, columns, first_line)
    if plain is not None:
        return plain
    rows, lines = _data_lines(body, first_line)
    if not rows:
        return np.empty((0, len(columns))), lines
    again = _plain_rows(b"\n".join(rows), columns, 0)  # without the blank lines and comments
    if again is not None:
        return again[0], lines
    if rows[0].startswith(b"{"):
        return _csr(_sparse_carefully(rows, columns, lines, file), columns, file), lines
    return _dense_carefully(rows, columns, lines, file), lines


def _plain_rows(body: bytes, columns: Sequence[Column], first_line: int) -> tuple[Floats | CSR, Longs] | None:
    """The rows if they hold plain numbers and nothing else; None where a closer look is needed."""
    text = body.strip(b"\n")
    if not text or any(column.is_text or not column.has_numeric_codes for column in columns):
        return None
    if text.startswith(b"{"):
        entries = _sparse_plain(text, columns)
        values = None if entries is None else _csr(entries, columns, "")
    else:
        values = plain_matrix(text, len(columns))
        if values is not None and _undeclared(values, columns):
            values = None
    if values is None:
        return None
    start = first_line + len(body) - len(body.lstrip(b"\n"))
    return values, np.arange(start, start + values.shape[0])


def _data_lines(body: bytes, first_line: int) -> tuple[list[bytes], Longs]:
    rows = [row.strip() for row in body.split(b"\n")]
    kept = [i for i, row in enumerate(rows) if row and not row.startswith(b"%")]
    if len(kept) != len(rows):
        rows = [rows[i] for i in kept]
    return rows, np.asarray(kept, np.int64) + first_line


# Dense rows


def _undeclared(values: Floats, columns: Sequence[Column]) -> bool:
    for j, column in enumerate(columns):
        if column.categories is not None:
            column_values = values[:, j]
            if not (np.isin(column_values, column.codes) | np.isnan(column_values)).all():
                return True
    return False


def _dense_carefully(rows: list[bytes], columns: Sequence[Column], lines: Longs, file: str) -> Floats:
    converters = [_Converter(column) for column in columns]
    values = np.empty((len(rows), len(columns)))
    for start in range(0, len(rows), _BLOCK):
        cells = [_cells(rows[i], int(lines[i]), file) for i in range(start, min(start + _BLOCK, len(rows)))]
        for i, row in enumerate(cells, start):
            if len(row) != len(columns):
                raise MalformedFile(
                    file,
                    int(lines[i]),
                    f"the row has {len(row)} values, the header declares {len(columns)} attributes.",
                    "Quote values that hold commas, and write '?' for missing ones.",
                )
        for j, (converter, texts) in enumerate(zip(converters, zip(*cells, strict=True), strict=True)):
            values[start : start + len(cells), j] = converter.convert(texts, lines[start:], file)
    return values


def _cells(row: bytes, line: int, file: str) -> list[str]:
    text = decode(row)
    if not any(mark in text for mark in "'\"%\\{"):
        return text.split(",")
    cells, at, more = [], 0, True
    while more:
        match = _CELL.match(text, at)
        if match is None or (text.startswith("{", at) and at == 0):
            raise MalformedFile(
                file,
                line,
                f"cannot read the value at {shorten(text[at:])}.",
                "Close the quotes, and keep sparse rows and dense rows apart.",
            )
        single, double, plain, comma = match.groups()
        quoted = single if single is not None else double
        cells.append(plain or "" if quoted is None else _Quoted(unescape(quoted)))
        at, more = match.end(), comma is not None
    return cells


class _Quoted(str):
    """A value that stood in quotes, so that '?' is a question mark and not a missing value."""

    __slots__ = ()


class _Converter:
    """Texts of one column to numbers, each distinct text once."""

    def __init__(self, column: Column) -> None:
        self.column = column
        self.known: dict[str, float] = {}
        self.memo: dict[str, float] = {}
        if column.categories is not None:
            self.known = dict(zip(column.categories, column.codes.tolist(), strict=True))
            self.by_number = {number(text): code for text, code in self.known.items() if number(text) is not None}

    def convert(self, texts: Sequence[str], lines: Longs, file: str) -> list[float]:
        if self.column.is_text:
            return [np.nan] * len(texts)
        if self.column.categories is None:
            return [self.one(text, int(lines[i]), file) for i, text in enumerate(texts)]
        memo, out = self.memo, []
        for i, text in enumerate(texts):
            value = memo.get(text) if type(text) is str else None
            if value is None:
                value = self.one(text, int(lines[i]), file)
                if type(text) is str:
                    memo[text] = value
            out.append(value)
        return out

    def one(self, text: str, line: int, file: str) -> float:
        if isinstance(text, _Quoted):
            stripped = str(text)
        else:
            stripped = text.strip()
            if stripped == "?":
                return float("nan")
        value = self.known.get(stripped) if self.column.categories is not None else number(stripped)
        if value is None and self.column.categories is not None:
            value = self.by_number.get(number(stripped))
        if value is None:
            self._refuse(stripped, line, file)
        return value  # type: ignore[return-value]

    def _refuse(self, text: str, line: int, file: str) -> None:
        if self.column.categories is None:
            raise MalformedFile(
                file,
                line,
                f"attribute {shorten(self.column.name)} is numeric; got {shorten(text)}.",
                "Write a number, or '?' where it is missing.",
            )
        shown = ", ".join(shorten(value, 20) for value in self.column.categories[:6])
        more = ", ..." if len(self.column.categories) > 6 else ""
        raise MalformedFile(
            file,
            line,
            f"attribute {shorten(self.column.name)} has no value {shorten(text)}.",
            f"Declared are {{{shown}{more}}}; mend the row or the header.",
        )


# Sparse rows


def _csr(entries: _Entries, columns: Sequence[Column], file: str) -> CSR:
    counts, indices, data = entries
    indptr = np.concatenate([[0], np.cumsum(counts)])
    matrix = sparse.csr_array((data, indices, indptr), shape=(len(counts), len(columns)))
    matrix = fill_first_values(matrix, columns, file)
    matrix.sort_indices()
    matrix.eliminate_zeros()
    return matrix


def _sparse_plain(text: bytes, columns: Sequence[Column]) -> _Entries | None:
    if text.translate(None, _PLAIN_SPARSE):
        return None
    starts, ends = words(np.frombuffer(text, np.uint8), _SPARSE_MARKS)
    counts = _entry_counts(text, starts)
    values = None if counts is None else plain_numbers(text, starts, ends, _SPARSE_MARKS)
    if counts is None or values is None:
        return None
    indices, data = values[::2], values[1::2]
    if not ((indices >= 0) & (indices < len(columns)) & (indices == np.floor(indices))).all():
        return None
    whole = indices.astype(np.int64)
    if _repeats(whole, counts, len(columns)) or _undeclared_entries(whole, data, columns):
        return None
    return counts, whole, data.copy()


def _entry_counts(text: bytes, word_starts: Longs) -> Longs | None:
    """Entries of each row if every row is ``{index value, ...}``, each entry of exactly two words; else None."""
    codes = np.frombuffer(text, np.uint8)
    cuts = np.flatnonzero((codes == ord(",")) | (codes == ord("}")))
    is_close = codes[cuts] == ord("}")
    closes = cuts[is_close]
    ends = np.append(np.flatnonzero(codes == 10), len(codes))
    opens = np.flatnonzero(codes == ord("{"))
    if len(opens) != len(ends) or len(closes) != len(ends):
        return None
    if (opens != np.concatenate([[0], ends[:-1] + 1])).any() or (closes != ends - 1).any():
        return None
    n_words = np.diff(np.searchsorted(word_starts, cuts), prepend=0)  # of the entry that each cut ends
    entries = np.diff(np.flatnonzero(is_close), prepend=-1)
    is_empty = (entries == 1) & (n_words[is_close] == 0)
    wrong = n_words != 2
    wrong[is_close] &= ~is_empty
    return None if wrong.any() else np.where(is_empty, 0, entries).astype(np.int64)


def _repeats(indices: Longs, counts: Longs, n_columns: int) -> bool:
    row = np.repeat(np.arange(len(counts)), counts)
    rising = (np.diff(indices) > 0) | (np.diff(row) > 0)
    if rising.all():
        return False
    keys = row * n_columns + indices
    return len(np.unique(keys)) != len(keys)


def _undeclared_entries(indices: Longs, data: Floats, columns: Sequence[Column]) -> bool:
    declared = np.array([column.categories is not None for column in columns])
    plain = np.array([column.categories in (("0", "1"), ("1", "0")) for column in columns])
    doubtful = declared[indices] & ~(plain[indices] & ((data == 0) | (data == 1))) & ~np.isnan(data)
    if not doubtful.any():
        return False
    left = sparse.csc_array(
        (data[doubtful], (np.arange(int(doubtful.sum())), indices[doubtful])), shape=(int(doubtful.sum()), len(columns))
    )
    occupied = np.flatnonzero(np.diff(left.indptr))
    return any(
        not np.isin(left.data[left.indptr[j] : left.indptr[j + 1]], columns[j].codes).all() for j in occupied.tolist()
    )


def _sparse_carefully(rows: list[bytes], columns: Sequence[Column], lines: Longs, file: str) -> _Entries:
    converters: dict[int, _Converter] = {}
    counts: list[int] = []
    indices: list[int] = []
    data: list[float] = []
    for i, row in enumerate(rows):
        seen: dict[int, float] = {}
        line = int(lines[i])
        for index, text in _entries(row, line, file):
            if not 0 <= index < len(columns) or index in seen:
                problem = "appears twice" if index in seen else f"is not below the number of attributes, {len(columns)}"
                raise MalformedFile(file, line, f"attribute number {index} {problem}.", "Numbers count from 0.")
            converter = converters.setdefault(index, _Converter(columns[index]))
            seen[index] = converter.convert([text], lines[i : i + 1], file)[0]
        counts.append(len(seen))
        indices.extend(seen)
        data.extend(seen.values())
    return np.array(counts, np.int64), np.array(indices, np.int64), np.array(data, np.float64)


def _entries(row: bytes, line: int, file: str) -> list[tuple[int, str]]:
    text = decode(row)
    inner = text[1:-1].strip() if text.startswith("{") and text.endswith("}") else None
    if inner is None:
        raise MalformedFile(
            file,
            line,
            f"expected a sparse row '{{index value, ...}}'; got {shorten(text)}.",
            "Keep sparse rows and dense rows apart, and end the line after '}'.",
        )
    out, at, more = [], 0, bool(inner)
    while more:
        match = _ENTRY.match(inner, at)
        index = number(match[1]) if match else None
        if match is None or index is None or not index.is_integer():
            raise MalformedFile(
                file, line, f"expected 'index value'; got {shorten(inner[at:])}.", "Separate entries by commas."
            )
        _, single, double, plain, comma = match.groups()
        quoted = single if single is not None else double
        out.append((int(index), plain if quoted is None else _Quoted(unescape(quoted))))
        at, more = match.end(), comma == ","
    return out


def fill_first_values(matrix: CSR, columns: Sequence[Column], file: str) -> CSR:
    """Put in the first declared value where it was left out and is not zero."""
    first = np.array([column.codes[0] if column.categories else 0.0 for column in columns])
    filled = np.flatnonzero(first)
    if not len(filled):
        return matrix
    if matrix.shape[0] * len(filled) > _MOST_FILLED_CELLS:
        raise MalformedFile(
            file,
            None,
            f"{len(filled)} nominal attributes have a first value other than zero, which fills every row.",
            "Declare the most frequent value first, or write the file dense.",
        )
    present = sparse.csr_array((np.ones(matrix.nnz, np.int8), matrix.indices, matrix.indptr), shape=matrix.shape)
    absent_rows, absent_columns = np.nonzero(present[:, filled].toarray() == 0)
    values = first[filled[absent_columns]]
    extra = sparse.csr_array((values, (absent_rows, filled[absent_columns])), shape=matrix.shape)
    return sparse.csr_array(matrix + extra)
