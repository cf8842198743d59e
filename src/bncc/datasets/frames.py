"""Tables as people have them: named columns with cells as they stand in the file, and the labels among them.

A data set is a matrix of numbers; here columns keep their names and their cells, as a DataFrame, so that a model can
turn them into numbers itself and meet the same columns again in another file. Needs pandas.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from bncc._checks import is_missing
from bncc._tags import tags_to_labels
from bncc._typing import CSR, Floats
from bncc.datasets.column_table import ColumnTable, label_columns, name_list, read_tag_column, wrong_label
from bncc.datasets.errors import MalformedFile
from bncc.datasets.file_format import Cells
from bncc.datasets.files import plain_stem, shorten, which_columns
from bncc.datasets.formats import FORMATS, format_of, frame_reader

if TYPE_CHECKING:
    from pandas import DataFrame

__all__ = ["Frame", "column_names", "is_frame", "is_label_column", "read_frame", "read_table"]

_ONES = frozenset({"1", "1.0", "yes", "true"})
_ZEROS = frozenset({"0", "0.0", "-1", "-1.0", "no", "false"})


@dataclass(frozen=True, eq=False)
class Frame:
    """A table with labels.

    Attributes
    ----------
    X : DataFrame
        The other columns, with cells as they are in the file: text, or what a Parquet file holds.
    Y : csr_array of shape (n_rows, n_labels), int8
    unknown : csr_array of that shape, int8, or None
        Where the cell of a label column is empty.
    label_names : tuple of str
    name, source : str
    tag_separator : str or None
        What stands between tags, where labels are a column of tags.
    """

    X: DataFrame
    Y: CSR
    unknown: CSR | None
    label_names: tuple[str, ...]
    name: str
    source: str
    tag_separator: str | None = None


def read_frame(
    path: str | os.PathLike[str],
    *,
    labels: int | str | Iterable[str],
    drop: Iterable[str] = (),
    tag_separator: str | None = None,
    featureless: bool = False,
) -> Frame:
    """Read a CSV, TSV or Parquet file into a `Frame`.

    `labels` are names of 0/1 columns, a count (-6: the last six), or one name: of a 0/1 column, or of a column of
    tags, whose separator is found where none is given. An empty cell of a 0/1 column is an unknown label, one of a
    column of tags has no tags. `featureless` allows a table in which every column is a label or dropped.
    """
    file, drop = Path(path), name_list(drop, "drop")
    table, cells = _read(file)
    known = [column.name for column in table.columns]
    absent = [name for name in drop if name not in known]
    if absent:
        told = ", ".join(map(shorten, absent[:5]))
        raise MalformedFile(table.file, None, f"no column is named {told}.", which_columns(known, absent[0]))
    values, label_names, taken, separator = _labels(table, cells, labels, tag_separator)
    both = next((name for name in drop if name in taken), None)
    if both is not None:
        problem = f"column {shorten(both)} is a label, and it is to be dropped."
        raise MalformedFile(table.file, None, problem, "Name the labels one by one, without it, or do not drop it.")
    rest = [name for name in known if name not in taken and name not in set(drop)]
    if not rest and not featureless:
        raise MalformedFile(table.file, None, "every column is a label or dropped.", "Leave at least one feature.")
    X, unknown = _as_frame({name: cells[name] for name in rest}, table.values.shape[0]), None
    if not sparse.issparse(values):
        lost = np.isnan(values)
        unknown = sparse.csr_array(lost.astype(np.int8)) if lost.any() else None
        values = sparse.csr_array(np.where(lost, 0, values).astype(np.int8))
    return Frame(X, values, unknown, tuple(label_names), plain_stem(file), str(file), separator)


def read_table(path: str | os.PathLike[str], *, columns: Iterable[str] | None = None) -> DataFrame:
    """The columns of a CSV, TSV or Parquet file, with cells as they are; `TableFeatures` finds out what they hold.

    Parameters
    ----------
    path : str or path
    columns : names, default=None
        Those that are wanted, in this order, as far as the file has them; None: all.

    Returns
    -------
    DataFrame
        Text, or what a Parquet file holds; gaps are missing values.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "posts.csv").write_text("title,votes\\nA red fox,3\\nSnow,\\n")
    ...     table = read_table(f"{folder}/posts.csv")
    >>> table["title"].tolist()
    ['A red fox', 'Snow']
    """
    file = Path(path)
    table, cells = _read(file)
    wanted = list(cells) if columns is None else [name for name in columns if name in cells]
    return _as_frame({name: cells[name] for name in wanted}, table.values.shape[0])


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
    return _all_zero_one(_read(Path(path), {name})[1][name])


def _all_zero_one(cells: Iterable[object]) -> bool:
    held = [str(cell).strip().lower() for cell in cells if not is_missing(cell)]
    return bool(held) and (_ONES | _ZEROS).issuperset(held)


def _no_frame(file: Path) -> ValueError:
    suffixes = [suffix for known in FORMATS if known.read_frame for suffix in known.suffixes]
    return ValueError(f"a table is read from {', '.join(suffixes)} files; got {file.name!r}.")


def _read(file: Path, raw: Collection[str] | None = None) -> tuple[ColumnTable, Cells]:
    """The cells of all columns, or of those in `raw`."""
    read = frame_reader(file)
    if read is None:
        raise _no_frame(file)
    table, cells = read(file, raw=column_names(file) if raw is None else raw)
    if table.values.shape[0] == 0:
        raise MalformedFile(file, None, "there is no data row.", "Check that the file was written to its end.")
    return table, cells


def _labels(
    table: ColumnTable, cells: Cells, labels: int | str | Iterable[str], separator: str | None
) -> tuple[Floats | CSR, Sequence[str], set[str], str | None]:
    """Labels, their names, the columns they are from, and what separates tags."""
    if isinstance(labels, str):
        if labels not in cells:
            told = which_columns(list(cells), labels)
            raise MalformedFile(table.file, None, f"no column is named {shorten(labels)}.", told)
        if not _all_zero_one(cells[labels]):
            return _tags(table, cells[labels], labels, separator)
        labels = [labels]
    names = [table.columns[i].name for i in label_columns(table, labels)]
    return _zero_one(table, cells, names), names, set(names), None


def _tags(
    table: ColumnTable, cells: Sequence[object], label: str, separator: str | None
) -> tuple[CSR, Sequence[str], set[str], str | None]:
    tags, mark = read_tag_column(table.file, label, cells, separator)
    Y, names = tags_to_labels(tags)
    if not names:
        raise MalformedFile(table.file, None, f"column {shorten(label)} holds no tag.", "Name another column.")
    return Y, names, {label}, mark


def _zero_one(table: ColumnTable, cells: Cells, names: Sequence[str]) -> Floats:
    """0, 1, and NaN for empty cells; the error names every column that holds something else."""
    values = np.full((table.values.shape[0], len(names)), np.nan)
    wrong: list[tuple[str, int, object]] = []
    for label, name in enumerate(names):
        for row, cell in enumerate(cells[name]):
            if is_missing(cell):
                continue
            word = str(cell).strip().lower()
            if word not in _ONES and word not in _ZEROS:
                wrong.append((name, row, cell))
                break
            values[row, label] = word in _ONES
    if wrong:
        raise _wrong_labels(table, wrong)
    empty = [name for name, column in zip(names, values.T, strict=True) if np.isnan(column).all()]
    if empty:
        raise MalformedFile(
            table.file, None, f"label {shorten(empty[0])} is empty in every row.", "Leave it out of `labels=`."
        )
    return values


def _wrong_labels(table: ColumnTable, wrong: Sequence[tuple[str, int, object]]) -> MalformedFile:
    name, row, cell = wrong[0]
    got = shorten(str(cell))
    if len(wrong) > 1:
        others = ", ".join(f"{shorten(other)} ({shorten(str(value))})" for other, _, value in wrong[1:6])
        got += f"; likewise {others}{', ...' if len(wrong) > 6 else ''}"
    return wrong_label(table, row, name, got)


def _as_frame(columns: Cells, n_rows: int) -> DataFrame:
    try:
        import pandas as pd
    except ImportError as error:
        raise ImportError("tables need pandas: pip install 'bncc[data]'.") from error
    arrays = {name: _column(cells) for name, cells in columns.items()}
    return pd.DataFrame(arrays, index=range(n_rows))


def _column(cells: Sequence[object]) -> Floats | np.ndarray[tuple[int], np.dtype[np.object_]]:
    """Cells as an array: of numbers where they are numbers, else of objects."""
    if all(cell is None or (isinstance(cell, int | float) and not isinstance(cell, bool)) for cell in cells):
        return np.array([np.nan if cell is None else cell for cell in cells], np.float64)
    out = np.empty(len(cells), object)
    out[:] = cells
    return out
