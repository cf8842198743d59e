"""Other rows with the features of a data set: for a model that learned from one file and meets another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from bncc._typing import CSR, Array, Floats, Matrix
from bncc.datasets.column_table import ColumnTable, category_codes
from bncc.datasets.dataset import Dataset, narrowed
from bncc.datasets.errors import MalformedFile
from bncc.datasets.files import shorten
from bncc.datasets.formats import format_of
from bncc.datasets.load import load

__all__ = ["read_features_like"]


def read_features_like(
    source: str | Path, features: Sequence[str], categories: Mapping[str, Sequence[str]], **options: Any
) -> Matrix:
    """The feature matrix of a file, in the columns (and with the category codes) of another data set.

    In tables (ARFF, CSV, Parquet) columns are found by name and labels need not be there; in other formats (read by
    `load` with `options`) all features must be there, in the same order.
    """
    path = Path(source)
    file_format = format_of(path) if path.is_file() else None
    if file_format is not None and file_format.read_table is not None:
        return narrowed(_from_table(file_format.read_table(path), features, categories))
    read = None if file_format is None else file_format.read_features
    X = None if read is None else read(path)
    if X is not None:
        return narrowed(_widened(X, len(features), path))
    return _from_dataset(load(source, **options), features, categories)


def _from_table(table: ColumnTable, features: Sequence[str], categories: Mapping[str, Sequence[str]]) -> Matrix:
    column_of_name = {column.name: i for i, column in enumerate(table.columns)}
    absent = [name for name in features if name not in column_of_name]
    if absent:
        shown = ", ".join(map(shorten, absent[:5])) + (", ..." if len(absent) > 5 else "")
        problem = f"{len(absent)} of the {len(features)} features of the model are missing: {shown}."
        raise MalformedFile(table.file, None, problem, "Give a file with the columns that the model learned from.")
    columns = [column_of_name[name] for name in features]
    X: Matrix = table.values[:, columns]
    wrong = [name for name in features if name not in categories and not _is_number(table, column_of_name[name])]
    if wrong:
        raise MalformedFile(table.file, None, f"column {shorten(wrong[0])} must hold numbers; got text.")
    changed = {
        feature: column
        for feature, (name, column) in enumerate(zip(features, columns, strict=True))
        if name in categories and table.columns[column].categories != tuple(categories[name])
    }
    return _recoded(X, changed, table, categories) if changed else X


def _is_number(table: ColumnTable, column: int) -> bool:
    return not table.columns[column].is_text and table.columns[column].has_numeric_codes


def _recoded(
    X: Matrix, changed: Mapping[int, int], table: ColumnTable, categories: Mapping[str, Sequence[str]]
) -> Matrix:
    """`X` with the codes of some features, read from columns of a table, turned into those of the model."""
    out = X if isinstance(X, np.ndarray) else sparse.lil_array(X)  # once for all of them: it takes as long as reading
    for feature, origin in changed.items():
        given = out[:, [feature]]
        values = (given if isinstance(given, np.ndarray) else given.toarray()).ravel()
        out[:, [feature]] = _codes(values, table, origin, categories[table.columns[origin].name])[:, None]
    return out if isinstance(out, np.ndarray) else sparse.csr_array(out)


def _codes(values: Array, table: ColumnTable, origin: int, known: Sequence[str]) -> Floats:
    """The codes of the model for those of a column."""
    column = table.columns[origin]
    number_of = dict(zip(known, category_codes(known).tolist(), strict=True))
    texts = column.categories or ()
    known_codes = (
        dict(zip(column.codes.tolist(), (number_of.get(text) for text in texts), strict=True)) if texts else {}
    )
    codes = [np.nan if value != value else known_codes.get(value) for value in values.tolist()]
    if None in codes:
        value = values[codes.index(None)]
        text = dict(zip(column.codes.tolist(), texts, strict=True)).get(value, f"{value:g}")
        problem = f"column {shorten(column.name)} holds {shorten(text)}, which the model does not know."
        raise MalformedFile(table.file, None, problem, f"It knows {', '.join(map(shorten, known[:8]))}.")
    return np.asarray(codes, np.float64)


def _widened(X: CSR, n_features: int, path: Path) -> CSR:
    """A sparse file does not say how many features there are beyond the last that occurs."""
    if X.shape[1] > n_features:
        problem = f"feature {X.shape[1]} occurs; the model knows {n_features}."
        raise MalformedFile(path, None, problem, "Give a file with the features that the model learned from.")
    return sparse.csr_array((X.data, X.indices, X.indptr), shape=(X.shape[0], n_features))


def _from_dataset(data: Dataset, features: Sequence[str], categories: Mapping[str, Sequence[str]]) -> Matrix:
    if data.feature_names != tuple(features):
        column_of_name = {name: i for i, name in enumerate(data.feature_names)}
        if not set(features) <= set(column_of_name):
            problem = f"its {data.n_features} features are not the {len(features)} that the model learned from."
            raise MalformedFile(data.source, None, problem, "Give data with the same features.")
        return _from_dataset_columns(data, [column_of_name[name] for name in features])
    other = [name for name in data.categories if tuple(categories.get(name, ())) != data.categories[name]]
    if other:
        raise MalformedFile(data.source, None, f"feature {shorten(other[0])} has other categories than the model's.")
    return data.X


def _from_dataset_columns(data: Dataset, columns: Sequence[int]) -> Matrix:
    if data.categories:
        raise MalformedFile(data.source, None, "its features are not those that the model learned from.")
    return data.X[:, list(columns)]
