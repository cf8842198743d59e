"""A table of named columns, as ARFF, CSV and Parquet files hold it, and the data set it becomes."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from bncc._tags import find_separator, read_tags, tags_to_labels
from bncc._typing import CSR, Floats, Longs
from bncc.datasets.dataset import Dataset, make_dataset
from bncc.datasets.errors import MalformedFile
from bncc.datasets.files import plain_stem, shorten, which_columns

if TYPE_CHECKING:
    from bncc.datasets.file_format import FrameReader

__all__ = [
    "Column",
    "ColumnTable",
    "category_codes",
    "coded",
    "columns_to_dataset",
    "label_columns",
    "label_values",
    "name_list",
    "number",
    "table_to_dataset",
    "tagged_to_dataset",
    "wrong_label",
]

_MOST_ONE_HOT_CELLS = 2**27
_ANSWERS = {"yes", "no", "true", "false"}


def number(text: str) -> float | None:
    """The number that a plain ASCII text spells, else None.

    >>> number(" -1.5e3 "), number("1_000"), number("abc")
    (-1500.0, None, None)
    """
    if "_" in text or not text.isascii():
        return None
    try:
        return float(text)
    except ValueError:
        return None


def category_codes(categories: Sequence[str]) -> Floats:
    """What each declared value of a nominal attribute becomes in the one column it gets.

    Numeric text keeps its number, YES/NO and true/false become 1/0, anything else its index in the list.

    >>> category_codes(["1", "2.5"]).tolist(), category_codes(["YES", "NO"]).tolist()
    ([1.0, 2.5], [1.0, 0.0])
    >>> category_codes(["red", "green", "7"]).tolist()
    [0.0, 1.0, 2.0]
    """
    return _codes(tuple(categories)).copy()


@functools.lru_cache(maxsize=64)
def _codes(categories: tuple[str, ...]) -> Floats:
    numbers = [number(text) for text in categories]
    if None not in numbers and not np.isnan(np.array(numbers, np.float64)).any() and len(set(numbers)) == len(numbers):
        return np.array(numbers, np.float64)
    lowered = [text.lower() for text in categories]
    for yes, no in (("yes", "no"), ("true", "false")):
        if set(lowered) <= {yes, no} and len(set(lowered)) == len(lowered):
            return np.array([text == yes for text in lowered], np.float64)
    return np.arange(len(categories), dtype=np.float64)


@functools.lru_cache(maxsize=64)
def _spell_numbers(categories: tuple[str, ...]) -> bool:
    return [number(text) for text in categories] == _codes(categories).tolist()


@dataclass(frozen=True)
class Column:
    """One column: a number, one of some declared categories, or text that can be no feature."""

    name: str
    categories: tuple[str, ...] | None = None
    is_text: bool = False
    declared: bool = True
    """Whether the file declares the categories; those merely found are too weak a ground for a label."""

    @cached_property
    def codes(self) -> Floats:
        """The number of each category."""
        return category_codes(self.categories or ())

    @property
    def has_numeric_codes(self) -> bool:
        """Whether the text of a value spells its number: true for numbers and for categories that are numbers."""
        return self.categories is None or _spell_numbers(self.categories)


@dataclass(frozen=True, eq=False)
class ColumnTable:
    """Columns over rows; `values` holds numbers and category codes, NaN where missing (and in text columns)."""

    values: Floats | CSR
    columns: tuple[Column, ...]
    lines: Longs
    file: str

    def line(self, row: int) -> int | None:
        """The line of the file that a row stands on, where the format has lines."""
        return int(self.lines[row]) if len(self.lines) else None


def name_list(names: Iterable[str], argument: str) -> list[str]:
    """Column names from any iterable: a list, an array, an Index, a generator.

    >>> name_list((name for name in "ab"), "drop")
    ['a', 'b']
    """
    expected = f"`{argument}` must be a list of column names"
    if isinstance(names, str | bytes):
        raise ValueError(f"{expected}; got the single text {names!r}. Write {argument}=[{names!r}].")
    if isinstance(names, bool | np.bool_) or not isinstance(names, Iterable):
        raise ValueError(f"{expected}; got {names!r}.")
    listed = list(names)
    wrong = [name for name in listed if not isinstance(name, str)]
    if wrong:
        raise ValueError(f"{expected}; got {wrong[:5]}, which are no texts.")
    return [str(name) for name in listed]


def label_columns(table: ColumnTable, labels: int | Iterable[str]) -> list[int]:
    """The label columns, in the order of the file.

    A count takes columns as a Python slice and MEKA's ``-C`` do: ``6`` the first six, ``-6`` the last six.
    """
    n_columns = len(table.columns)
    if isinstance(labels, int | np.integer) and not isinstance(labels, bool):
        if not 0 < abs(labels) < n_columns:
            raise MalformedFile(
                table.file,
                None,
                f"{abs(labels)} label columns were asked for, the file has {n_columns} columns.",
                "Give a count that leaves at least one feature, or the label names.",
            )
        return list(range(labels)) if labels > 0 else list(range(n_columns + int(labels), n_columns))
    names = name_list(labels, "labels")  # type: ignore[arg-type]
    column_of_name = {column.name: i for i, column in enumerate(table.columns)}
    absent = [name for name in names if name not in column_of_name]
    if absent:
        raise MalformedFile(
            table.file,
            None,
            f"no column is named {', '.join(map(shorten, absent[:5]))}.",
            which_columns([column.name for column in table.columns], absent[0]),
        )
    if not names:
        raise MalformedFile(table.file, None, "no label column is named.", "Give at least one.")
    return sorted({column_of_name[name] for name in names})


def columns_to_dataset(
    file: Path,
    read_columns: FrameReader,
    labels: int | str | Iterable[str],
    *,
    tag_separator: str | None,
    drop: Iterable[str],
    one_hot: bool,
) -> Dataset:
    """The data set of a file whose cells have types; the parameters are those of `read_csv`.

    A single name of labels is a column of tags, whose cells are texts or lists.
    """
    dropped = name_list(drop, "drop")
    table, cells = read_columns(file, raw={labels} if isinstance(labels, str) else set(), drop=dropped)
    kept: dict[str, Any] = {"drop": dropped, "one_hot": one_hot, "name": plain_stem(file), "source": str(file)}
    if isinstance(labels, str):
        tags, _ = read_tag_column(file, labels, cells[labels], tag_separator)
        return tagged_to_dataset(table, labels, tags, **kept)
    return table_to_dataset(table, label_columns(table, labels), **kept)


def read_tag_column(
    file: str | Path, name: str, cells: Sequence[object], separator: str | None
) -> tuple[list[list[str]], str | None]:
    """The tags of each row, and what separates them, which is found where None is given."""
    mark, tags = find_separator(cells) if separator is None else separator, []
    for row, cell in enumerate(cells, 1):
        try:
            tags.append(read_tags(cell, mark))
        except ValueError as error:
            raise MalformedFile(file, None, f"column {shorten(name)}, row {row}: {error}") from None
    return tags, mark


def table_to_dataset(
    table: ColumnTable,
    labels: Sequence[int],
    *,
    drop: Sequence[str] = (),
    one_hot: bool = False,
    name: str,
    source: str,
) -> Dataset:
    """Split a table into features and labels; `drop` names columns that are neither."""
    dropped = set(label_columns(table, drop)) if drop else set()
    kept_labels = [i for i in labels if i not in dropped]
    taken = dropped | set(kept_labels)
    features = [i for i in range(len(table.columns)) if i not in taken]
    _check_features(table, features)
    Y = label_values(table, kept_labels)
    X, names, nominal = _features(table, features, one_hot)
    label_names = [table.columns[i].name for i in kept_labels]
    kept: dict[str, Any] = {"nominal": nominal, "categories": None if one_hot else coded(table, features)}
    return make_dataset(X, Y, feature_names=names, label_names=label_names, name=name, source=source, **kept)


def tagged_to_dataset(
    table: ColumnTable,
    tag_column: str,
    tags: Sequence[Sequence[str]],
    *,
    drop: Sequence[str] = (),
    one_hot: bool = False,
    name: str,
    source: str,
) -> Dataset:
    """As `table_to_dataset`, with the labels from one column of tags."""
    taken = set(label_columns(table, [tag_column, *drop]))
    features = [i for i in range(len(table.columns)) if i not in taken]
    _check_features(table, features)
    Y, label_names = tags_to_labels(tags)
    if not label_names:
        raise MalformedFile(table.file, None, f"column {shorten(tag_column)} holds no tag.", "Name another column.")
    X, names, nominal = _features(table, features, one_hot)
    kept: dict[str, Any] = {"nominal": nominal, "categories": None if one_hot else coded(table, features)}
    return make_dataset(X, Y, feature_names=names, label_names=label_names, name=name, source=source, **kept)


def coded(table: ColumnTable, features: Sequence[int]) -> dict[str, tuple[str, ...]]:
    """The categories of features whose numbers stand for text, by name."""
    columns = [table.columns[i] for i in features]
    return {column.name: column.categories for column in columns if column.categories and not column.has_numeric_codes}


def _check_features(table: ColumnTable, features: Sequence[int]) -> None:
    if table.values.shape[0] == 0:
        raise MalformedFile(table.file, None, "there is no data row.", "Check that the file was written to its end.")
    if not features:
        raise MalformedFile(table.file, None, "every column is a label or dropped.", "Leave at least one feature.")
    texts = [table.columns[i].name for i in features if table.columns[i].is_text]
    if texts:
        raise MalformedFile(
            table.file,
            None,
            f"the text columns {', '.join(map(shorten, texts[:5]))} can be no features.",
            f"Leave them out with `drop=`: {', '.join(map(shorten, texts[:5]))}.",
        )


def label_values(table: ColumnTable, columns: Sequence[int]) -> Floats | CSR:
    """The 0/1 values of label columns, NaN for empty cells; -1, yes/no and true/false are taken for what they mean."""
    for column in (table.columns[i] for i in columns):
        if column.is_text or not (column.declared or {text.lower() for text in column.categories or ()} <= _ANSWERS):
            raise MalformedFile(
                table.file,
                None,
                f"label {shorten(column.name)} must be 0/1 (or -1/1, yes/no, true/false); got text.",
                "Give one name, as in labels='tags', for a column of tags.",
            )
    values = table.values[:, columns]
    if isinstance(values, np.ndarray):
        values = stored = np.where(values == -1, 0.0, values)
    else:
        values.data = stored = np.where(values.data == -1, 0, values.data)
    if ((stored != 0) & (stored != 1) & ~np.isnan(stored)).any():
        _refuse_label(table, columns, values)
    return values


def _refuse_label(table: ColumnTable, label_columns: Sequence[int], values: Floats | CSR) -> None:
    entries = sparse.coo_array(values)
    bad = np.flatnonzero((entries.data != 0) & (entries.data != 1) & ~np.isnan(entries.data))
    rows, columns = entries.row, entries.col
    first = bad[np.lexsort((columns[bad], rows[bad]))[0]]
    row, column, value = int(rows[first]), table.columns[label_columns[int(columns[first])]], float(entries.data[first])
    raise wrong_label(table, row, column.name, f"{value:g}")


def wrong_label(table: ColumnTable, row: int, label: str, got: str) -> MalformedFile:
    """The error for a cell of a label column that says neither yes nor no."""
    problem = f"label {shorten(label)} must be 0/1 (or -1/1, yes/no, true/false); got {got}."
    remedy = "Name the right label columns with `labels=`, or mend the file."
    return MalformedFile(table.file, table.line(row), problem, remedy)


def _features(table: ColumnTable, features: Sequence[int], one_hot: bool) -> tuple[Floats | CSR, list[str], list[bool]]:
    columns = [table.columns[i] for i in features]
    nominal = [column.categories is not None for column in columns]
    names = [column.name for column in columns]
    is_run = features[-1] - features[0] == len(features) - 1
    X = table.values[:, features[0] : features[-1] + 1] if is_run else table.values[:, features]
    X = X if sparse.issparse(X) else np.ascontiguousarray(X)
    if not one_hot or not any(_is_many(column) for column in columns):
        return X, names, nominal
    return _one_hot(X, columns)


def _is_many(column: Column) -> bool:
    return column.categories is not None and len(column.categories) > 2


def _one_hot(X: Floats | CSR, columns: Sequence[Column]) -> tuple[Floats | CSR, list[str], list[bool]]:
    """Each nominal column of more than two categories becomes one 0/1 column per category; missing stays missing."""
    width = sum(len(column.codes) if _is_many(column) else 1 for column in columns)
    if X.shape[0] * width > _MOST_ONE_HOT_CELLS:
        raise ValueError(f"one-hot columns would take {X.shape[0]} x {width} cells; read without `one_hot` instead.")
    by_column = sparse.csc_array(X) if sparse.issparse(X) else X
    blocks, names, nominal = [], [], []
    for j, column in enumerate(columns):
        block = by_column[:, [j]]
        if not _is_many(column):
            blocks.append(block)
            names.append(column.name)
            nominal.append(column.categories is not None)
            continue
        values = block if isinstance(block, np.ndarray) else block.toarray()
        hot = np.where(np.isnan(values), np.nan, values == column.codes[None, :])
        blocks.append(sparse.csc_array(hot) if sparse.issparse(X) else hot)
        names += [f"{column.name}={category}" for category in column.categories or ()]
        nominal += [True] * len(column.codes)
    joined = sparse.hstack(blocks, format="csr") if sparse.issparse(X) else np.hstack(blocks)
    return joined, names, nominal
