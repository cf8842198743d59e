"""JSON lines (``.jsonl``, ``.ndjson``): one object per line, its members the columns; labels may be a list of tags."""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterable, Iterator
from functools import partial
from pathlib import Path

import numpy as np

from bncc._typing import Floats
from bncc.datasets.budgets import Budget, most_in_a_cell, too_long_cell
from bncc.datasets.column_table import Column, ColumnTable, columns_to_dataset
from bncc.datasets.dataset import Dataset
from bncc.datasets.delimited import nominal_column
from bncc.datasets.errors import MAX_BYTES, MAX_COLUMNS, MalformedFile
from bncc.datasets.file_format import Cells, FileFormat
from bncc.datasets.files import decode, read_bytes, shorten, which_columns

__all__ = ["FORMAT", "read_json_lines", "read_json_lines_columns"]


def read_json_lines(
    path: str | os.PathLike[str],
    *,
    labels: int | str | Iterable[str],
    tag_separator: str | None = None,
    drop: Iterable[str] = (),
    one_hot: bool = False,
    max_bytes: int = MAX_BYTES,
) -> Dataset:
    """Read a file of JSON objects, one per line (``.gz`` allowed); the parameters are those of `read_csv`.

    Columns are the members of the objects, in order of appearance; a row without one has it missing, as has one with
    ``null``. A column of tags may hold lists, as data sets on the web have them. True and false are 1 and 0.
    """
    read_columns = partial(read_json_lines_columns, max_bytes=max_bytes)
    return columns_to_dataset(Path(path), read_columns, labels, tag_separator=tag_separator, drop=drop, one_hot=one_hot)


def read_json_lines_columns(
    file: Path, *, raw: Collection[str] = (), drop: Collection[str] = (), max_bytes: int = MAX_BYTES
) -> tuple[ColumnTable, Cells]:
    """The columns of the file, before they are told apart; those in `raw` also as the values in the file."""
    rows, lines = _rows(file, max_bytes)
    names = list(dict.fromkeys(name for row in rows for name in row))
    if not names:
        raise MalformedFile(file, None, "there is no data row.", "Check that the file was written to its end.")
    absent = [name for name in raw if name not in names]
    if absent:
        raise MalformedFile(file, None, f"no column is named {shorten(absent[0])}.", which_columns(names, absent[0]))
    if len(names) > MAX_COLUMNS:
        raise MalformedFile(file, None, f"the rows have {len(names)} columns.", f"At most {MAX_COLUMNS} are read.")
    Budget(file, max_bytes).take(8 * len(rows) * len(names))  # rows may have few members each, and all others
    values = np.full((len(rows), len(names)), np.nan)
    unread = {*raw, *drop}
    columns = []
    for j, name in enumerate(names):
        cells = [row.get(name) for row in rows]
        columns.append(Column(name, is_text=True) if name in unread else _column(values, j, name, cells, lines, file))
    table = ColumnTable(values, tuple(columns), np.array(lines, np.int64), str(file))
    return table, {name: [row.get(name) for row in rows] for name in raw}


def _rows(file: Path, max_bytes: int) -> tuple[list[dict[str, object]], list[int]]:
    content = decode(read_bytes(file, max_bytes).removeprefix(b"\xef\xbb\xbf"))
    rows, lines = list[dict[str, object]](), list[int]()
    for number, line in enumerate(_lines(content), 1):
        if line.strip():
            rows.append(_row(line, number, file))
            lines.append(number)
    return rows, lines


def _lines(content: str) -> Iterator[str]:
    """JSON escapes line ends in texts, so that one always ends a row; other marks of `splitlines` are plain text."""
    return (line.removesuffix("\r") for line in content.split("\n"))


def _row(line: str, number: int, file: Path) -> dict[str, object]:
    try:
        row = json.loads(line, object_pairs_hook=_members)
    except RecursionError:
        raise MalformedFile(file, number, "the line is nested too deeply.", "Write one flat object per line.") from None
    except ValueError as error:
        problem = f"the line is no JSON object ({shorten(str(error), 80)})."
        raise MalformedFile(file, number, problem, "Write one object per line.") from None
    if not isinstance(row, dict):
        problem = f"the line holds {shorten(line.strip(), 20)}, no object."
        raise MalformedFile(file, number, problem, 'Write one object per line: {"text": "...", "labels": [...]}.')
    if "\\u" in line and not _is_text(row):
        problem = "the line holds half of a character (a surrogate without its other half)."
        raise MalformedFile(file, number, problem, "Write the text in UTF-8.")
    limit = most_in_a_cell()
    long = next((text for text in (*row, *row.values()) if isinstance(text, str) and len(text) > limit), None)
    if long is not None:
        raise too_long_cell(file, number, long)
    return row


def _is_text(row: object) -> bool:
    """Whether all text in a row can be written again."""
    try:
        json.dumps(row, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


def _members(pairs: list[tuple[str, object]]) -> dict[str, object]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("two members of an object have the same name")
    return members


def _column(values: Floats, j: int, name: str, cells: list[object], lines: list[int], file: Path) -> Column:
    """One column: numbers, or categories, or what can be no feature (all-distinct text, lists, objects)."""
    kinds = {type(cell) for cell in cells if cell is not None}
    if kinds <= {int, float, bool}:
        try:
            values[:, j] = [np.nan if cell is None else float(cell) for cell in cells]  # type: ignore[arg-type]
        except OverflowError:
            raise MalformedFile(file, None, f"column {shorten(name)} holds a number beyond all bounds.") from None
        return Column(name)
    if str in kinds and kinds & {int, float}:
        row = next(row for row, cell in enumerate(cells) if isinstance(cell, str))
        problem = f"column {shorten(name)} holds numbers, but here {shorten(str(cells[row]))}."
        remedy = "Mend the cell, write null for a missing value, or leave the column out with drop=."
        raise MalformedFile(file, lines[row], problem, remedy)
    if kinds != {str}:
        return Column(name, is_text=True)
    codes: dict[str, int] = {}
    values[:, j] = [np.nan if cell in (None, "") else codes.setdefault(str(cell), len(codes)) for cell in cells]
    return nominal_column(values, j, name, list(codes))


FORMAT = FileFormat(
    name="JSON lines",
    suffixes=(".jsonl", ".ndjson"),
    read=read_json_lines,
    labels="columns",
    read_table=lambda file: read_json_lines_columns(file)[0],
    read_frame=read_json_lines_columns,
    read_names=lambda file: [column.name for column in read_json_lines_columns(file)[0].columns],
)
