"""Labelled rows as methods meet them: features with what is known of their columns, and named labels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypedDict

import numpy as np
from scipy import sparse

from bncc._names import did_you_mean
from bncc._rows import take_rows
from bncc._typing import CSR, DataFrame, Labels, Longs
from bncc.datasets import Dataset, make_dataset

__all__ = [
    "ColumnKind",
    "LabelledData",
    "MatrixSchema",
    "Schema",
    "TableSchema",
    "as_labelled",
    "column_kinds",
    "label_table",
]

ColumnKind = Literal["number", "category", "text"]


class TableSchema(TypedDict):
    """Of a table: its columns by name."""

    kind: Literal["table"]
    columns: Mapping[str, ColumnKind]


class MatrixSchema(TypedDict):
    """Of a matrix of numbers: names of its features, and the categories of those that stand for some."""

    kind: Literal["matrix"]
    features: list[str]
    categories: Mapping[str, Sequence[str]]


Schema = TableSchema | MatrixSchema
"""What a model must remember to read other rows the same way; plain JSON values."""


@dataclass(frozen=True, eq=False)
class LabelledData:
    """Rows with features and labels.

    Attributes
    ----------
    name, origin : str
        What it is called and where it is from.
    X : DataFrame (tables), array or csr_array
    Y : DataFrame of 0/1 with label names
    schema : dict
        What a model must remember to read other rows the same way; plain JSON values.
    train, test : arrays of row numbers or None
    """

    name: str
    origin: str
    X: Any
    Y: Any
    schema: Schema
    train: Longs | None = None
    test: Longs | None = None

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.X.shape[0])

    @property
    def label_names(self) -> tuple[str, ...]:
        """Names of the labels."""
        return tuple(map(str, self.Y.columns))

    @property
    def label_matrix(self) -> CSR:
        """The labels as a sparse matrix."""
        dense = all(dtype == np.int8 for dtype in self.Y.dtypes)
        return sparse.csr_array(self.Y.to_numpy()) if dense else sparse.csr_array(self.Y.sparse.to_coo())

    def part(self, which: str) -> LabelledData:
        """The rows of the split that is asked for: "all", "train" or "test"."""
        if which not in ("all", "train", "test"):
            raise ValueError(f"`part=` must be all, train or test; got {which!r}.")
        if which == "all":
            return self
        rows = self.train if which == "train" else self.test
        if rows is None:
            raise ValueError(f"{self.name!r} comes without a {which} part. Leave out `part=`, or give a folder.")
        return replace(self, X=take_rows(self.X, rows), Y=self.Y.iloc[rows], train=None, test=None)


def as_labelled(data: LabelledData | Dataset) -> LabelledData:
    """A data set as labelled rows; what is labelled already is returned as it is."""
    if isinstance(data, LabelledData):
        return data
    schema: Schema = {
        "kind": "matrix",
        "features": list(data.feature_names),
        "categories": {name: list(values) for name, values in data.categories.items()},
    }
    return LabelledData(data.name, data.source, data.X, data.Y_frame, schema, data.train, data.test)


def label_table(X: DataFrame, Y: Labels, *, text: Iterable[str] = (), name: str = "data") -> LabelledData:
    """A DataFrame and its labels; needs pandas.

    Parameters
    ----------
    X : DataFrame
        Columns of numbers are numbers (NaN where missing); others are categories, or free text.
    Y : array, sparse matrix or DataFrame of 0/1
        A DataFrame's names are kept.
    text : names of columns of free text
    name : str, default="data"
        Folds are dealt by it.

    Examples
    --------
    >>> import pandas as pd
    >>> X = pd.DataFrame({"body": ["red fox", "grey wolf"], "length": [1.2, None], "from": ["wood", None]})
    >>> data = label_table(X, pd.DataFrame({"fox": [1, 0]}), text=["body"])
    >>> data.schema["columns"]
    {'body': 'text', 'length': 'number', 'from': 'category'}
    """
    kinds = column_kinds(X, text)
    labels = make_dataset(np.zeros((X.shape[0], 1)), Y, name=name)
    return LabelledData(name, labels.source, _tidy(X, kinds), labels.Y_frame, {"kind": "table", "columns": kinds})


def column_kinds(X: DataFrame, text: Iterable[str] = ()) -> dict[str, ColumnKind]:
    """What the columns of a DataFrame hold, by their types and by what is said to be text."""
    frame: Any = X  # pandas says nothing of its types
    names, free_text = list(map(str, frame.columns)), [text] if isinstance(text, str) else list(text)
    for name in free_text:
        if name not in names:
            raise ValueError(f"no column is named {name!r}; {did_you_mean(name, names)}")
    kinds: dict[str, ColumnKind] = {}
    for name, dtype in zip(names, frame.dtypes, strict=True):
        number = getattr(dtype, "kind", "O") in "biuf"
        kinds[name] = "text" if name in free_text else "number" if number else "category"
    return kinds


def _tidy(X: Any, kinds: Mapping[str, ColumnKind]) -> Any:
    """Numbers as floats, all else as text that is empty where it is missing."""
    import pandas as pd

    columns = {}
    for number, (name, kind) in enumerate(kinds.items()):
        column = X.iloc[:, number]
        if kind == "number":
            columns[name] = column.to_numpy(np.float64, na_value=np.nan)
        else:
            columns[name] = column.astype(object).where(column.notna(), "").map(str).to_numpy(object)
    return pd.DataFrame(columns, index=range(len(X)))
