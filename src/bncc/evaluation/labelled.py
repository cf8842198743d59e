"""Labelled rows as methods meet them: features with what is known of their columns, and named labels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypedDict, cast

import numpy as np
from scipy import sparse

from bncc._rows import take_rows
from bncc._typing import CSR, Array, DataFrame, Floats, Labels, Longs, Rows, Table
from bncc.datasets import Dataset, make_dataset
from bncc.evaluation.row_origin import parse_times
from bncc.tables import ColumnDecision, TableDecisions, TableFeatures
from bncc.tables.columns import RawColumn, read_columns
from bncc.tables.decisions import GOES_TO, LEFT_OUT
from bncc.tables.encoders import Scale
from bncc.tables.kinds import ColumnReading, as_flags, as_numbers, as_texts
from bncc.tables.table_features import Gaps, decide_columns, has_words

__all__ = [
    "ColumnKind",
    "LabelledData",
    "MatrixSchema",
    "Schema",
    "TableSchema",
    "as_labelled",
    "column_kinds",
    "kinds_settings",
    "label_table",
    "tidy_table",
]

ColumnKind = Literal["number", "boolean", "category", "text", "date"]


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
    Y : DataFrame of 0/1 with label names, NaN for unknown labels
    schema : dict
        What a model must remember to read other rows the same way; plain JSON values.
    train, test : arrays of row numbers or None
    decisions : TableDecisions or None
        What the columns of a table were found to be, also those that are left out.
    groups : list of values or None
        What each row belongs to (a customer, a patient): rows of one value are never divided by a fold.
    times : array or None
        When each row is from: folds test on later rows than they learn from.
    """

    name: str
    origin: str
    X: Any
    Y: Any
    schema: Schema
    train: Longs | None = None
    test: Longs | None = None
    decisions: TableDecisions | None = None
    groups: Sequence[object] | None = None
    times: Floats | None = None

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
        """The labels as a sparse matrix; unknown ones are 0."""
        if self.has_unknown:
            return sparse.csr_array((self.Y.to_numpy() == 1).astype(np.int8))
        dense = all(dtype == np.int8 for dtype in self.Y.dtypes)
        return sparse.csr_array(self.Y.to_numpy()) if dense else sparse.csr_array(self.Y.sparse.to_coo())

    @property
    def known_labels(self) -> CSR | Floats:
        """The labels as a matrix, with NaN where they are unknown; sparse where all are known."""
        return np.asarray(self.Y.to_numpy(), np.float64) if self.has_unknown else self.label_matrix

    @property
    def unknown_note(self) -> str:
        """How many labels are unknown, and how descriptions of them take these; empty where all are known."""
        if not self.has_unknown:
            return ""
        share = float(np.isnan(np.asarray(self.Y.to_numpy(), np.float64)).mean())
        return f"{100 * share:.1f} % of the labels are unknown: here they are drawn from what the others of a row say."

    @property
    def has_unknown(self) -> bool:
        """Whether some labels are unknown."""
        return any(getattr(dtype, "kind", "O") == "f" for dtype in self.Y.dtypes)

    def part(self, which: str) -> LabelledData:
        """The rows of the split that is asked for: "all", "train" or "test"."""
        if which not in ("all", "train", "test"):
            raise ValueError(f"`part=` must be all, train or test; got {which!r}.")
        if which == "all":
            return self
        rows = self.train if which == "train" else self.test
        if rows is None:
            raise ValueError(f"{self.name!r} comes without a {which} part. Leave out `part=`, or give a folder.")
        return self.take(rows)

    def take(self, rows: Rows) -> LabelledData:
        """The data of some rows, in the order given, without the split."""
        return replace(
            self,
            X=take_rows(self.X, rows),
            Y=self.Y.iloc[rows],
            train=None,
            test=None,
            groups=None if self.groups is None else take_rows(self.groups, rows),
            times=None if self.times is None else self.times[rows],
        )


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


def label_table(
    X: Table,
    Y: Labels,
    *,
    text: Iterable[str] = (),
    category: Iterable[str] = (),
    number: Iterable[str] = (),
    date: Iterable[str] = (),
    drop: Iterable[str] = (),
    name: str = "data",
    group: str | None = None,
    time: str | None = None,
) -> LabelledData:
    """A table and its labels; needs pandas.

    Parameters
    ----------
    X : DataFrame of pandas or polars, or dict of columns
        What its columns hold is found as `TableFeatures` finds it; ``decisions`` says what.
    Y : labels in any form that estimators take
        A DataFrame's names are kept, tags are names.
    text, category, number, date, drop : names of columns
        What they are read as, whatever is found.
    name : str, default="data"
        Folds are dealt by it.
    group : str or None, default=None
        A column that says what a row belongs to; its rows stay together in every fold, and it is no feature.
    time : str or None, default=None
        A column that says when a row is from, in numbers or dates; tests are on later rows, and it is no feature.

    Examples
    --------
    >>> import pandas as pd
    >>> X = pd.DataFrame({"body": ["red fox", "grey wolf"], "length": [1.2, None], "from": ["wood", None]})
    >>> data = label_table(X, pd.DataFrame({"fox": [1, 0]}), text=["body"])
    >>> data.schema["columns"]
    {'body': 'text', 'length': 'number', 'from': 'category'}
    """
    apart = [column for column in (group, time) if column is not None]
    cells = {column: read_columns(X)[column].values.tolist() for column in apart}
    features = TableFeatures(text=text, category=category, number=number, date=date, drop=[*drop, *apart])
    tidied, decisions = tidy_table(X, features)
    labels = make_dataset(np.zeros((tidied.shape[0], 1)), Y, name=name)
    schema: Schema = {"kind": "table", "columns": column_kinds(decisions)}
    return LabelledData(
        name,
        labels.source,
        tidied,
        labels.Y_frame,
        schema,
        decisions=decisions,
        groups=None if group is None else cells[group],
        times=None if time is None else parse_times(cells[time], time),
    )


def column_kinds(decisions: TableDecisions) -> dict[str, ColumnKind]:
    """What the columns that become features are read as."""
    return cast("dict[str, ColumnKind]", decisions.kinds())


def kinds_settings(columns: Mapping[str, ColumnKind], gaps: Gaps = "impute") -> TableFeatures:
    """The transformer that reads columns as what they are known to be.

    A table of numbers alone becomes what a matrix of these numbers becomes: divided by ranges, or left to a blend.
    """
    named: dict[str, Any] = {kind: [name for name, each in columns.items() if each == kind] for kind in GOES_TO}
    plain = set(columns.values()) <= {"number", "boolean"}
    scale: Scale = "soft" if not plain else "range" if gaps == "impute" else "none"
    return TableFeatures(**named, gaps=gaps, scale=scale)


def tidy_table(X: Table, features: TableFeatures) -> tuple[DataFrame, TableDecisions]:
    """The columns that become features, as a DataFrame, and what was decided of all columns.

    Numbers are floats and all else but dates is text, empty where it is missing. How dates are written, and numbers
    with decimal commas, is left for models to learn, which meet them again in other files.
    """
    import pandas as pd

    readings = decide_columns(X, features.said())
    for name, (column, reading) in readings.items():
        if reading.kind == "text" and not has_words(column):
            raise ValueError(
                f"the text column {name!r} holds no word of two letters or more in any row. Leave it out: "
                f"drop={name!r}."
            )
    decisions = TableDecisions(tuple(_decision(name, reading) for name, (_, reading) in readings.items()))
    columns = {name: _tidy(*readings[name]) for name in decisions.kinds()}
    n_rows = max((len(column.values) for column, _ in readings.values()), default=0)
    return pd.DataFrame(columns, index=range(n_rows)), decisions


def _decision(name: str, reading: ColumnReading) -> ColumnDecision:
    goes_to = "left out" if reading.kind in LEFT_OUT else GOES_TO[reading.kind]
    return ColumnDecision(name, reading.kind, reading.why, reading.distinct, reading.missing, goes_to)


def _tidy(column: RawColumn, reading: ColumnReading) -> Array:
    if reading.kind == "number" and not reading.decimal_comma:
        return as_numbers(column, False)
    if reading.kind == "boolean":
        return as_flags(column)
    if reading.kind == "date" and column.values.dtype != object:
        moments = np.where(column.missing, 0.0, column.values).astype(np.int64).astype("datetime64[s]")
        return np.where(column.missing, np.datetime64("NaT", "s"), moments)
    return np.array(as_texts(column), object)
