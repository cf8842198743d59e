"""CSV and TSV files: a line of column names, then one row per example."""

from __future__ import annotations

import csv
import io
import os
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO, TypeAlias

import numpy as np

from bncc._spreadsheets import spreadsheet_text, unmarked_text
from bncc._typing import Floats, Longs
from bncc.datasets.budgets import most_in_a_cell, too_long_cell
from bncc.datasets.column_table import (
    Column,
    ColumnTable,
    label_columns,
    name_list,
    number,
    read_tag_column,
    table_to_dataset,
    tagged_to_dataset,
)
from bncc.datasets.dataset import Dataset
from bncc.datasets.delimiters import find_delimiter, refuse_other_delimiter, usual_delimiter
from bncc.datasets.errors import MAX_BYTES, MAX_CELL, MAX_COLUMNS, MalformedFile
from bncc.datasets.file_format import Cells, FileFormat
from bncc.datasets.files import encoding_of, plain_stem, read_lines_as_bytes, shorten, which_columns
from bncc.datasets.numbers import plain_matrix
from bncc.datasets.text_writing import category_texts, dense_rows, number_text, write_text

if TYPE_CHECKING:
    from _csv import Reader as CSVReader

__all__ = ["FORMAT", "read_csv", "read_csv_columns", "read_csv_names", "write_csv"]

Texts: TypeAlias = dict[str, list[str | None]]

_MISSING = frozenset({"", "?", "NA", "N/A", "null", "NULL"})
_BLOCK = 2048
# A column with more distinct numbers than this, in nearly all of its cells, is a column of numbers.
_MOST_CODES = 10
_MOSTLY = 0.9


def read_csv(
    path: str | os.PathLike[str],
    *,
    labels: int | str | Iterable[str],
    tag_separator: str | None = None,
    drop: Iterable[str] = (),
    one_hot: bool = False,
    delimiter: str | None = None,
    header: bool = True,
    raw_names: bool = False,
    max_bytes: int = MAX_BYTES,
) -> Dataset:
    """Read a CSV or TSV file (``.gz`` allowed; UTF-8 or Latin-1).

    Parameters
    ----------
    labels : list of names, count, or one name
        Names of 0/1 columns; ``-6`` for the last six columns, ``6`` for the first six; one name for a column of
        tags, each becoming a label. Label columns keep the order of the file, whatever the order of the names; tags
        become labels in alphabetical order.
    tag_separator : str or None
        What stands between tags; None: it is found.
    drop : names of columns that are neither feature nor label
    one_hot : bool
        Columns of text are nominal: YES/NO and true/false become 1/0, anything else its place among the sorted
        distinct values (a column of numbers with a few cells of text is an error). With `one_hot`, those of more than
        two values become one 0/1 column per value.
    delimiter : one character; by default a tab for ``.tsv``, otherwise a comma, or what of ``;``, ``|`` and tab alone
        divides the first lines evenly where commas do not
    header : whether the first line names the columns; if not, they are c1, c2, ...
    raw_names : bool
        Names and texts as they stand in the file. By default the apostrophe is taken away that `save` writes before
        those which a spreadsheet would run as a formula (``'=1+1`` is ``=1+1``).

    Cells that are empty, ``?``, ``NA``, ``N/A``, ``nan`` or ``null`` are missing and become NaN.
    """
    file = Path(path)
    drop = name_list(drop, "drop")
    raw = {labels} if isinstance(labels, str) else set()
    table, texts = read_csv_columns(
        file, raw=raw, delimiter=delimiter, header=header, raw_names=raw_names, max_bytes=max_bytes
    )
    kept: dict[str, Any] = {"drop": drop, "one_hot": one_hot, "name": plain_stem(file), "source": str(file)}
    if isinstance(labels, str):
        tags, _ = read_tag_column(file, labels, texts[labels], tag_separator)
        return tagged_to_dataset(table, labels, tags, **kept)
    return table_to_dataset(table, label_columns(table, labels), **kept)


def read_csv_columns(
    file: Path,
    *,
    raw: Collection[str] = (),
    delimiter: str | None = None,
    header: bool = True,
    raw_names: bool = False,
    max_bytes: int = MAX_BYTES,
) -> tuple[ColumnTable, Texts]:
    """The columns of a CSV or TSV file, before they are told apart; those in `raw` also as the texts in the file."""
    if delimiter and (len(delimiter) != 1 or not delimiter.isascii() or delimiter in '\n\r"'):
        raise ValueError(f"`delimiter` must be one ASCII character; got {delimiter!r}.")
    content = read_lines_as_bytes(file, max_bytes, marks=(delimiter or "").encode())
    separator = delimiter or find_delimiter(content, file)
    names, body, first_line = _names(content, separator, header, str(file), raw_names)
    absent = [name for name in raw if name not in names]
    if absent:
        raise MalformedFile(file, 1, f"no column is named {shorten(absent[0])}.", which_columns(names, absent[0]))
    layout = _Layout(names, separator, first_line, str(file), raw, raw_names)
    return _read_table(body, layout)


def read_csv_names(file: Path, max_bytes: int = MAX_BYTES) -> list[str]:
    """The names in the first line of a CSV or TSV file."""
    content = read_lines_as_bytes(file, max_bytes)
    return _names(content, find_delimiter(content, file), True, str(file))[0]


def _names(
    content: bytes, separator: str, header: bool, file: str, raw_names: bool = False
) -> tuple[list[str], bytes, int]:
    text = content.lstrip(b"\n")
    skipped = len(content) - len(text)
    if not text.strip():
        raise MalformedFile(file, None, "the file is empty.", "Check that it was written to its end.")
    reader = _csv_reader(text, separator)
    try:
        first = next(reader)
    except csv.Error as error:
        raise _unreadable(error, skipped + reader.line_num, file) from None
    if len(first) > MAX_COLUMNS:
        raise MalformedFile(
            file, skipped + 1, f"the first line has {len(first)} columns.", f"At most {MAX_COLUMNS} are read."
        )
    if not header:
        return [f"c{i + 1}" for i in range(len(first))], text, skipped + 1
    names = [name.strip() if raw_names else unmarked_text(name.strip()) for name in first]
    refuse_other_delimiter(names, separator, skipped + 1, file)
    if names[0] == "" and "" not in names[1:]:
        raise MalformedFile(
            file,
            skipped + 1,
            "the first column has no name, as when a table is written with its row index.",
            "Write it with to_csv(..., index=False), or give the column a name and pass it to `drop=`.",
        )
    if len(set(names)) != len(names) or "" in names:
        raise MalformedFile(
            file,
            skipped + 1,
            f"the first line must name every column once; {_wrong_names(names)}.",
            "Mend it; for a file without names write them into a first line, or in Python pass header=False.",
        )
    at = 0
    for _ in range(reader.line_num):
        at = text.find(b"\n", at) + 1 or len(text)
    return names, text[at:], skipped + reader.line_num + 1


@dataclass(frozen=True)
class _Layout:
    """What is known of a file after its first line."""

    names: list[str]
    separator: str
    first_line: int
    file: str
    raw: Collection[str]  # columns whose texts are wanted
    raw_names: bool


def _wrong_names(names: Sequence[str]) -> str:
    """What is wrong with names of which one stands twice, or is none."""
    repeated = next((name for name, count in Counter(names).items() if name and count > 1), None)
    return "got a column without a name" if repeated is None else f"got {shorten(repeated)} more than once"


def _read_table(body: bytes, layout: _Layout) -> tuple[ColumnTable, Texts]:
    names, stripped = layout.names, body.strip(b"\n")
    if not layout.raw and b"\n\n" not in stripped and stripped:
        values = plain_matrix(stripped, len(names), delimiter=layout.separator.encode(), missing=None)
        if values is not None:
            lines = np.arange(len(values)) + layout.first_line + (len(body) - len(body.lstrip(b"\n")))
            return ColumnTable(values, tuple(map(Column, names)), lines, layout.file), {}
    return _carefully(body, layout)


def _carefully(text: bytes, layout: _Layout) -> tuple[ColumnTable, Texts]:
    """Read twice: first to see which columns hold text, then to turn cells into numbers block by block."""
    names, file = layout.names, layout.file
    is_text = [name in layout.raw for name in names]
    for cells, _ in () if all(is_text) else _blocks(text, len(names), layout.separator, layout.first_line, file):
        for j, column in enumerate(zip(*cells, strict=True)):
            is_text[j] = is_text[j] or any(number(cell) is None and cell.strip() not in _MISSING for cell in column)
    codes: list[dict[str, int]] = [{} for _ in names]
    values, lines = [np.empty((0, len(names)))], [np.empty(0, np.int64)]
    for cells, at in _blocks(text, len(names), layout.separator, layout.first_line, file):
        columns = zip(*cells, strict=True)
        block = [
            _text_codes(column, codes[j], layout.raw_names) if is_text[j] else _numbers(column)
            for j, column in enumerate(columns)
        ]
        values.append(np.array(block, np.float64).T)
        lines.append(np.asarray(at, np.int64))
    return _finish(np.vstack(values), names, is_text, codes, np.concatenate(lines), file, layout.raw)


def _csv_reader(text: bytes, separator: str) -> CSVReader:
    """Rows of text that is decoded line by line: a whole file as text would take several times its bytes.

    The csv module has a limit on cells of its own, which is raised where BNCC_MAX_CELL says so.
    """
    if most_in_a_cell() > max(MAX_CELL, csv.field_size_limit()):
        csv.field_size_limit(most_in_a_cell())
    encoding = encoding_of(text)
    lines = (line.decode(encoding) for line in io.BytesIO(text))
    return csv.reader(lines, delimiter=separator, strict=True)


def _unreadable(error: csv.Error, line: int, file: str) -> MalformedFile:
    remedy = "Close the quotes, double those inside."
    if "field limit" in str(error):
        remedy = (
            "Close a quote that was left open; if a cell is meant to be so long, set BNCC_MAX_CELL to more than "
            f"{MAX_CELL} bytes, or call csv.field_size_limit first."
        )
    return MalformedFile(file, line, f"{error}.", remedy)


def _blocks(
    text: bytes, n_columns: int, separator: str, first_line: int, file: str
) -> Iterator[tuple[list[list[str]], list[int]]]:
    reader = _csv_reader(text, separator)
    most_in_cell = most_in_a_cell()
    cells: list[list[str]] = []
    lines: list[int] = []
    while True:
        start = first_line + reader.line_num
        try:
            row = next(reader, None)
        except csv.Error as error:
            raise _unreadable(error, start, file) from None
        if row is None:
            break
        if not row or (len(row) == 1 and n_columns > 1 and not row[0].strip()):
            continue
        if len(row) != n_columns:
            raise MalformedFile(
                file,
                start,
                f"the row has {len(row)} cells, the first line has {n_columns}.",
                f"Quote cells that hold {separator!r}; in Python, `delimiter=` says what separates cells.",
            )
        if max(map(len, row)) > most_in_cell:
            raise too_long_cell(file, start, max(row, key=len))
        cells.append(row)
        lines.append(start)
        if len(cells) == _BLOCK:
            yield cells, lines
            cells, lines = [], []
    if cells:
        yield cells, lines


def _numbers(column: Sequence[str]) -> list[float]:
    return [float("nan") if (value := number(cell)) is None else value for cell in column]


def _text_codes(column: Sequence[str], codes: dict[str, int], raw_names: bool) -> list[float]:
    """Each text as a number, in order of appearance."""
    texts = [cell.strip() for cell in column]
    if not raw_names:
        texts = [unmarked_text(text) if text[:1] == "'" else text for text in texts]
    return [float("nan") if text in _MISSING else float(codes.setdefault(text, len(codes))) for text in texts]


def _finish(
    values: Floats,
    names: list[str],
    is_text: list[bool],
    codes: list[dict[str, int]],
    lines: Longs,
    file: str,
    raw: Collection[str],
) -> tuple[ColumnTable, Texts]:
    columns: list[Column] = []
    texts: Texts = {}
    for j, name in enumerate(names):
        if name in raw:
            texts[name] = _by_code(values[:, j], list(codes[j]))
            columns.append(Column(name, is_text=True))
        elif is_text[j]:
            _refuse_stray_text(values[:, j], list(codes[j]), name, lines, file)
            columns.append(nominal_column(values, j, name, list(codes[j])))
        else:
            columns.append(Column(name))
    return ColumnTable(values, tuple(columns), lines, file), texts


def _by_code(codes: Floats, texts: list[str]) -> list[str | None]:
    """The text of each code; None for NaN."""
    known = np.empty(len(texts) + 1, object)
    known[:] = [*texts, None]
    listed: list[str | None] = known[np.where(np.isnan(codes), len(texts), codes).astype(np.int64)].tolist()
    return listed


def _refuse_stray_text(codes: Floats, texts: list[str], name: str, lines: Longs, file: str) -> None:
    """A column of numbers with a few cells of text is a mistake, not a list of categories."""
    is_number = np.array([number(text) is not None for text in texts])
    known = np.flatnonzero(~np.isnan(codes))
    numeric = is_number[codes[known].astype(np.int64)]
    if is_number.sum() <= _MOST_CODES or numeric.all() or numeric.mean() < _MOSTLY:
        return
    first = int(known[~numeric][0])
    raise MalformedFile(
        file,
        int(lines[first]),
        f"column {name!r} holds numbers, but here {shorten(texts[int(codes[first])])}.",
        "Mend the cell, leave it empty for a missing value, or leave the column out with drop=.",
    )


def nominal_column(values: Floats, j: int, name: str, texts: list[str]) -> Column:
    """Turn codes in order of appearance into those of the sorted categories, in place; all-distinct text stays text."""
    if len(texts) == len(values) and len(values) >= 20:
        return Column(name, is_text=True)
    column = Column(name, tuple(sorted(texts)), declared=False)
    number_of = dict(zip(column.categories or (), column.codes.tolist(), strict=True))
    lookup = np.array([number_of[text] for text in texts] + [np.nan])
    values[:, j] = lookup[np.where(np.isnan(values[:, j]), len(texts), values[:, j]).astype(np.int64)]
    return column


def _fits_a_cell(text: str) -> bool:
    return text == text.strip() and text not in _MISSING and text.lower() != "nan" and "\r" not in text


def write_csv(data: Dataset, file: Path, *, raw_names: bool = False) -> list[Path]:
    """A line of names, features then labels, missing values empty; tabs between columns for ``.tsv``.

    Names and categories that a spreadsheet would run get an apostrophe, unless `raw_names` says not to.
    """
    written = str if raw_names else spreadsheet_text
    names = [*data.feature_names, *data.label_names]
    bad = [name for name in names if name != name.strip("\ufeff").strip() or not name or "\r" in name]
    if bad:
        raise ValueError(f"CSV cannot hold the names {bad[:5]}: no blanks around them, no carriage returns.")
    texts = category_texts(data)
    lost = [text for text_of_code in texts.values() for text in text_of_code.values() if not _fits_a_cell(text)]
    if lost:
        raise ValueError(f"CSV cannot hold the category {shorten(lost[0])}, which would be read as another; save ARFF.")

    def write(out: TextIO) -> None:
        rows = csv.writer(out, delimiter=usual_delimiter(file), lineterminator="\n")
        rows.writerow(map(written, names))
        labels = data.Y_sparse if data.unknown is None else data.Y
        for x, y in zip(dense_rows(data.X), dense_rows(labels), strict=True):
            cells = ["" if value != value else number_text(value) for value in x]
            for j, text_of_code in texts.items():
                cells[j] = written(text_of_code.get(x[j], ""))
            rows.writerow([*cells, *("" if value != value else str(int(value)) for value in y)])

    write_text(file, write)
    return [file]


def _read_frame(file: Path, *, raw: Collection[str] = (), drop: Collection[str] = ()) -> tuple[ColumnTable, Cells]:
    table, texts = read_csv_columns(file, raw=raw)
    return table, {name: list(cells) for name, cells in texts.items()}


FORMAT = FileFormat(
    name="CSV",
    suffixes=(".csv", ".tsv"),
    read=read_csv,
    labels="columns",
    writers={"csv": write_csv},
    read_table=lambda file: read_csv_columns(file)[0],
    read_frame=_read_frame,
    read_names=read_csv_names,
)
