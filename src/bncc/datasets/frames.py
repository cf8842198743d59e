"""Tables as people have them: named columns of numbers, categories and text, and how to read other rows the same way.

A data set is a matrix of numbers; here columns keep their names and their text, as a DataFrame, so that a model can
turn them into numbers itself and meet the same columns again in another file. Needs pandas.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from bncc._checks import is_missing
from bncc._typing import CSR, Array
from bncc.datasets.column_table import Column, ColumnTable, label_columns, label_values, name_list, wrong_label
from bncc.datasets.errors import MalformedFile
from bncc.datasets.file_format import Cells
from bncc.datasets.files import plain_stem, shorten
from bncc.datasets.formats import FORMATS, format_of, frame_reader
from bncc.datasets.tags import cell_tags, other_separator, tags_to_labels

if TYPE_CHECKING:
    from pandas import DataFrame

__all__ = ["Frame", "column_names", "is_frame", "is_label_column", "read_frame", "read_frame_like"]

NUMBER, CATEGORY, TEXT = "number", "category", "text"

_ZERO_ONE = frozenset({"0", "1", "0.0", "1.0", "-1", "yes", "no", "true", "false"})


@dataclass(frozen=True, eq=False)
class Frame:
    """A table with labels.

    Attributes
    ----------
    X : DataFrame
        Features: float64 for numbers (NaN where missing), str for categories and text (empty where missing).
    kinds : mapping of column name to "number", "category" or "text"
    Y : csr_array of shape (n_rows, n_labels), int8
    label_names : tuple of str
    name, source : str
    """

    X: DataFrame
    kinds: Mapping[str, str]
    Y: CSR
    label_names: tuple[str, ...]
    name: str
    source: str


def read_frame(
    path: str | os.PathLike[str],
    *,
    labels: int | str | Iterable[str],
    text: Iterable[str] = (),
    drop: Iterable[str] = (),
    tag_separator: str = ",",
    kinds: Mapping[str, str] | None = None,
    featureless: bool = False,
) -> Frame:
    """Read a CSV, TSV or Parquet file into a `Frame`.

    `labels` are names of 0/1 columns, a count (-6: the last six), or one name: of a 0/1 column, or of a column of
    tags. Columns in `text` hold free text. With `kinds`, features are those columns, read as these kinds.
    `featureless` allows a table in which every column is a label or dropped.
    """
    file = Path(path)
    text, drop = name_list(text, "text"), name_list(drop, "drop")
    taken = [labels] if isinstance(labels, str) else []
    wanted = [name for name, kind in (kinds or {}).items() if kind != NUMBER]
    table, raw = _read(file, {*text, *wanted, *taken}, drop)
    Y, label_names, indices_of_labels = _labels(table, raw, labels, tag_separator)
    if kinds is None:
        kinds = _kinds(table, indices_of_labels, set(text), set(drop), featureless)
    X = _features(table, raw, kinds)
    return Frame(X, dict(kinds), Y, tuple(label_names), plain_stem(file), str(file))


def read_frame_like(path: str | os.PathLike[str], kinds: Mapping[str, str]) -> DataFrame:
    """The DataFrame of the columns that `kinds` names, from a file that may hold others beside them."""
    file = Path(path)
    table, raw = _read(file, {name for name, kind in kinds.items() if kind != NUMBER}, ())
    return _features(table, raw, kinds)


def column_names(path: str | os.PathLike[str]) -> list[str]:
    """The names of the columns of a file."""
    file = Path(path)
    file_format = format_of(file)
    if file_format is None or file_format.read_names is None:
        raise _no_frame(file)
    return file_format.read_names(file)


def is_frame(path: str | os.PathLike[str]) -> bool:
    """Whether the suffix of a path says a format that is read as a frame."""
    return frame_reader(Path(path)) is not None


def is_label_column(path: str | os.PathLike[str], name: str) -> bool:
    """Whether a column holds 0/1 (or yes/no) wherever it holds anything, and not tags."""
    return _all_zero_one(_read(Path(path), {name}, ())[1][name])


def _all_zero_one(cells: Iterable[object]) -> bool:
    held = [str(cell).strip().lower() for cell in cells if not is_missing(cell)]
    return bool(held) and _ZERO_ONE.issuperset(held)


def _no_frame(file: Path) -> ValueError:
    suffixes = [suffix for known in FORMATS if known.read_frame for suffix in known.suffixes]
    return ValueError(f"a table is read from {', '.join(suffixes)} files; got {file.name!r}.")


def _read(file: Path, raw: Collection[str], drop: Collection[str]) -> tuple[ColumnTable, Cells]:
    read = frame_reader(file)
    if read is None:
        raise _no_frame(file)
    table, cells = read(file, raw=raw, drop=drop)
    if table.values.shape[0] == 0:
        raise MalformedFile(file, None, "there is no data row.", "Check that the file was written to its end.")
    return table, cells


def _labels(
    table: ColumnTable, raw: Cells, labels: int | str | Iterable[str], separator: str
) -> tuple[CSR, Sequence[str], list[int]]:
    if not isinstance(labels, str):
        columns = label_columns(table, labels)
        Y = sparse.csr_array(np.asarray(label_values(table, columns), np.int8))
        return Y, [table.columns[i].name for i in columns], columns
    label_column = next(i for i, column in enumerate(table.columns) if column.name == labels)
    cells = raw[labels]
    if _all_zero_one(cells):
        _refuse_missing(table, labels, cells)
        held = [str(cell).strip().lower() in {"1", "1.0", "yes", "true"} for cell in cells]
        return sparse.csr_array(np.array(held, np.int8)[:, None]), [labels], [label_column]
    Y, names = tags_to_labels([cell_tags(cell, separator) for cell in cells])
    mark = other_separator(names, separator)
    if mark and not any(isinstance(cell, list) for cell in cells):
        hint = f"If it stands between tags, say so: --tag-separator {mark!r}."
        warnings.warn(f"tags in column {shorten(labels)} hold {mark!r}. {hint}", stacklevel=3)
    if not names:
        raise MalformedFile(table.file, None, f"column {shorten(labels)} holds no tag.", "Name another column.")
    return Y, names, [label_column]


def _refuse_missing(table: ColumnTable, label: str, cells: Sequence[object]) -> None:
    row = next((row for row, cell in enumerate(cells) if is_missing(cell)), None)
    if row is not None:
        raise wrong_label(table, row, label, "a missing value")


def _kinds(
    table: ColumnTable, labels: Sequence[int], text: set[str], drop: set[str], featureless: bool
) -> dict[str, str]:
    known = {column.name for column in table.columns}
    absent = sorted((text | drop) - known)
    if absent:
        raise MalformedFile(table.file, None, f"no column is named {shorten(absent[0])}.", _columns(table))
    rest = [c for i, c in enumerate(table.columns) if i not in set(labels) and c.name not in drop]
    if not rest and not featureless:
        raise MalformedFile(table.file, None, "every column is a label or dropped.", "Leave at least one feature.")
    lost = [column.name for column in rest if column.is_text and column.name not in text]
    if lost:
        raise MalformedFile(
            table.file,
            None,
            f"column {shorten(lost[0])} holds text that differs in every row.",
            f"Give it as text to be turned into word weights, or drop it: --text {lost[0]!r} or --drop {lost[0]!r}.",
        )
    return {column.name: TEXT if column.name in text else _kind(column) for column in rest}


def _kind(column: Column) -> str:
    return NUMBER if column.has_numeric_codes else CATEGORY


def _columns(table: ColumnTable) -> str:
    more = ", ..." if len(table.columns) > 8 else ""
    return f"The columns are {', '.join(shorten(column.name) for column in table.columns[:8])}{more}."


def _features(table: ColumnTable, raw: Cells, kinds: Mapping[str, str]) -> DataFrame:
    try:
        import pandas as pd
    except ImportError as error:
        raise ImportError("tables need pandas: pip install 'bncc[data]'.") from error
    column_of_name = {column.name: i for i, column in enumerate(table.columns)}
    absent = [name for name in kinds if name not in column_of_name]
    if absent:
        shown = ", ".join(map(shorten, absent[:5])) + (", ..." if len(absent) > 5 else "")
        raise MalformedFile(table.file, None, f"the columns {shown} are missing.", _columns(table))
    columns = {name: _column(table, column_of_name[name], raw.get(name), kind) for name, kind in kinds.items()}
    return pd.DataFrame(columns, index=range(table.values.shape[0]))


def _column(table: ColumnTable, index: int, cells: list[object] | None, kind: str) -> Array:
    column = table.columns[index]
    if kind == NUMBER:
        if column.is_text or not column.has_numeric_codes:
            raise MalformedFile(
                table.file, None, f"column {shorten(column.name)} must hold numbers; got text.", "Mend the column."
            )
        return np.asarray(table.values[:, index], np.float64)
    if cells is None:
        return _spelled(table, index)
    return np.array(["" if cell is None else str(cell) for cell in cells], object)


def _spelled(table: ColumnTable, index: int) -> Array:
    """Categories as text again."""
    column = table.columns[index]
    by_code = dict(zip(column.codes.tolist(), column.categories or (), strict=True))
    return np.array([by_code.get(code, "") for code in table.values[:, index].tolist()], object)
