"""Other rows with the features of a data set: for a model that learned from one file and meets another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from bncc.datasets.arff import read_arff_table
from bncc.datasets.dataset import Dataset
from bncc.datasets.delimited import read_csv_columns
from bncc.datasets.errors import MalformedFile
from bncc.datasets.files import plain_suffix, shorten
from bncc.datasets.libsvm import read_libsvm_features
from bncc.datasets.load import load
from bncc.datasets.parquet import read_parquet_columns
from bncc.datasets.table import Table, category_codes

__all__ = ["read_features_like"]


def read_features_like(
    source: str | Path, features: Sequence[str], categories: Mapping[str, Sequence[str]], **options: Any
) -> Any:
    """The feature matrix of a file, in the columns (and with the category codes) of another data set.

    In ARFF, CSV and Parquet files columns are found by name and labels need not be there; in other formats (read by
    `load` with `options`) all features must be there, in the same order.
    """
    path = Path(source)
    suffix = plain_suffix(path)
    if path.is_file() and suffix in (".arff", ".csv", ".tsv", ".parquet"):
        return _from_table(_read_table(path, suffix), features, categories)
    if path.is_file() and suffix in (".svm", ".libsvm", ".svmlight"):
        return _widened(read_libsvm_features(path), len(features), path)
    return _from_dataset(load(source, **options), features, categories)


def _read_table(path: Path, suffix: str) -> Table:
    if suffix == ".arff":
        return read_arff_table(path)[0]
    return read_parquet_columns(path)[0] if suffix == ".parquet" else read_csv_columns(path)[0]


def _from_table(table: Table, features: Sequence[str], categories: Mapping[str, Sequence[str]]) -> Any:
    places = {column.name: i for i, column in enumerate(table.columns)}
    absent = [name for name in features if name not in places]
    if absent:
        shown = ", ".join(map(shorten, absent[:5])) + (", ..." if len(absent) > 5 else "")
        problem = f"{len(absent)} of the {len(features)} features of the model are missing: {shown}."
        raise MalformedFile(table.file, None, problem, "Give a file with the columns that the model learned from.")
    chosen = [places[name] for name in features]
    X = table.values[:, chosen]
    wrong = [name for name in features if name not in categories and not _is_number(table, places[name])]
    if wrong:
        raise MalformedFile(table.file, None, f"column {shorten(wrong[0])} must hold numbers; got text.")
    for place, name in enumerate(features):
        if name in categories and table.columns[places[name]].categories != tuple(categories[name]):
            X = _recoded(X, place, table, places[name], categories[name])
    return X


def _is_number(table: Table, place: int) -> bool:
    return not table.columns[place].is_text and table.columns[place].has_numeric_codes


def _recoded(X: Any, place: int, table: Table, origin: int, known: Sequence[str]) -> Any:
    column = table.columns[origin]
    number_of = dict(zip(known, category_codes(known).tolist(), strict=True))
    found = column.categories or ()
    values = X[:, [place]].toarray().ravel() if sparse.issparse(X) else X[:, place]
    meant = dict(zip(column.codes.tolist(), (number_of.get(text) for text in found), strict=True)) if found else {}
    codes = [np.nan if value != value else meant.get(value) for value in values.tolist()]
    if None in codes:
        value = values[codes.index(None)]
        text = dict(zip(column.codes.tolist(), found, strict=True)).get(value, f"{value:g}")
        problem = f"column {shorten(column.name)} holds {shorten(text)}, which the model does not know."
        raise MalformedFile(table.file, None, problem, f"It knows {', '.join(map(shorten, known[:8]))}.")
    out = sparse.lil_array(X) if sparse.issparse(X) else X
    out[:, [place]] = np.asarray(codes, np.float64)[:, None]
    return sparse.csr_array(out) if sparse.issparse(X) else out


def _widened(X: Any, n_features: int, path: Path) -> Any:
    """A sparse file does not say how many features there are beyond the last that occurs."""
    if X.shape[1] > n_features:
        problem = f"feature {X.shape[1]} occurs; the model knows {n_features}."
        raise MalformedFile(path, None, problem, "Give a file with the features that the model learned from.")
    return sparse.csr_array((X.data, X.indices, X.indptr), shape=(X.shape[0], n_features))


def _from_dataset(data: Dataset, features: Sequence[str], categories: Mapping[str, Sequence[str]]) -> Any:
    if data.feature_names != tuple(features):
        places = {name: i for i, name in enumerate(data.feature_names)}
        if not set(features) <= set(places):
            problem = f"its {data.n_features} features are not the {len(features)} that the model learned from."
            raise MalformedFile(data.source, None, problem, "Give data with the same features.")
        return _from_dataset_columns(data, [places[name] for name in features])
    other = [name for name in data.categories if tuple(categories.get(name, ())) != data.categories[name]]
    if other:
        raise MalformedFile(data.source, None, f"feature {shorten(other[0])} has other categories than the model's.")
    return data.X


def _from_dataset_columns(data: Dataset, places: Sequence[int]) -> Any:
    if data.categories:
        raise MalformedFile(data.source, None, "its features are not those that the model learned from.")
    return data.X[:, list(places)]
