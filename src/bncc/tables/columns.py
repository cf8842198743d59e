"""The columns of a table of any make: pandas, polars, Arrow, a dict of columns, rows as dicts, or a plain matrix.

No library is imported for it: each is known by what its tables can do.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Literal

import numpy as np
from scipy import sparse

from bncc._checks import check_sparse, is_missing
from bncc._typing import Array, Bools, Cell, DType, Floats, Rowwise, Table
from bncc._unread_forms import check_form

__all__ = ["MISSING_WORDS", "RawColumn", "RawKind", "is_table", "needs_reading", "read_columns"]

RawKind = Literal["number", "boolean", "date", "category", "words", "lists"]

MISSING_WORDS = frozenset({"", "?", "-", "na", "n/a", "nan", "null", "none", "nil", "<na>", "nat", "#n/a"})
"""What stands in a cell for nothing, in lower case."""

_LONGER_THAN_MISSING = 1 + max(map(len, MISSING_WORDS))
_TEXT_AND_GAPS = {str, type(None)}
_DAY = 86_400.0


@dataclass(frozen=True, eq=False)
class RawColumn:
    """A column as it was handed over.

    Attributes
    ----------
    name : str
    kind : "number", "boolean", "date", "category", "words" or "lists"
        What its type says; words are still to be understood.
    values : array
        float64 with NaN for gaps (numbers, booleans as 0/1, dates in seconds since 1970), or objects: text, None for a
        gap.
    """

    name: str
    kind: RawKind
    values: Array

    @property
    def missing(self) -> Bools:
        """Where there is nothing."""
        if self.values.dtype == object:
            return np.array([cell is None for cell in self.values.tolist()], bool)
        return np.asarray(np.isnan(self.values))


def is_table(X: object) -> bool:
    """Whether an object has named columns.

    >>> is_table({"a": [1, 2]}), is_table([{"a": 1}]), is_table(np.ones((2, 2)))
    (True, True, False)
    """
    if sparse.issparse(X):  # scipy's matrix by keys is a mapping
        return False
    return isinstance(X, Mapping) or _is_frame(X) or _is_arrow(X) or _is_rows(X)


def needs_reading(X: object) -> bool:
    """Whether a table has columns that are no numbers, or is not one that scikit-learn takes by itself."""
    if not is_table(X):
        return False
    if not _is_pandas(X):
        return not _is_frame(X) or any(column.kind not in ("number", "boolean") for column in read_columns(X).values())
    return any(_pandas_kind(dtype) not in ("number", "boolean") for dtype in X.dtypes)  # type: ignore[attr-defined]


def read_columns(X: Table) -> dict[str, RawColumn]:
    """Every column by its name.

    >>> read_columns({"size": [1, None], "who": ["me", ""]})["who"].values.tolist()
    ['me', None]
    """
    check_form(X)
    if sparse.issparse(X):
        raise ValueError("a table has named columns; got a sparse matrix, which estimators take as it is.")
    if not is_table(X):
        return _matrix_columns(X)
    if isinstance(X, Mapping) or _is_rows(X):
        cells = _as_lists(X)
    elif _is_pandas(X):
        return _named([str(name) for name in X.columns], [_pandas_column(X, i) for i in range(X.shape[1])])
    elif _is_arrow(X):
        cells = {name: X.column(i).to_pylist() for i, name in enumerate(X.column_names)}
    else:
        return _named([str(name) for name in X.columns], [_polars_column(X, name) for name in X.columns])
    return _named([str(name) for name in cells], [_column_of(each) for each in cells.values()])


def _named(names: Sequence[str], columns: Sequence[tuple[RawKind, Array]]) -> dict[str, RawColumn]:
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        raise ValueError(f"the columns of a table must have distinct names; got {repeated[:5]} more than once.")
    lengths = {name: len(values) for name, (_, values) in zip(names, columns, strict=True)}
    if len(set(lengths.values())) > 1:
        raise ValueError(f"the columns of a table must have one length; got {lengths}.")
    return {name: RawColumn(name, *column) for name, column in zip(names, columns, strict=True)}


def _as_lists(X: Table) -> dict[object, Rowwise]:
    """A dict of columns; of rows that are dicts, every name that one of them has."""
    if isinstance(X, Mapping):
        return {name: _listed(cells, name) for name, cells in X.items()}
    names = dict.fromkeys(name for row in X for name in row)
    return {name: [row.get(name) for row in X] for name in names}


def _listed(cells: Rowwise, name: object) -> Rowwise:
    if isinstance(cells, str | bytes) or not hasattr(cells, "__len__"):
        raise ValueError(f"a dict of columns must hold a list per column; got {cells!r} for {name!r}.")
    return cells


def _is_frame(X: object) -> bool:
    return hasattr(X, "columns") and hasattr(X, "shape") and hasattr(X, "dtypes")


def _is_pandas(X: object) -> bool:
    return _is_frame(X) and hasattr(X, "iloc")


def _is_arrow(X: object) -> bool:
    return hasattr(X, "column_names") and hasattr(X, "column") and hasattr(X, "num_rows")


def _is_rows(X: object) -> bool:
    return isinstance(X, list | tuple) and bool(X) and all(isinstance(row, Mapping) for row in X)


def _matrix_columns(X: Table) -> dict[str, RawColumn]:
    check_sparse(X)  # masked values: the mask would be lost
    array = np.asarray(X)
    if array.ndim != 2:
        raise ValueError(
            f"a table is a DataFrame, a dict of columns or a matrix; got {type(X).__name__} with {array.ndim} "
            "dimension(s)."
        )
    return _named([f"x{i}" for i in range(array.shape[1])], [_column_of(column) for column in array.T])


def _pandas_kind(dtype: DType) -> RawKind:
    if hasattr(dtype, "categories"):
        return "category"
    kind = getattr(dtype, "kind", "O")
    if kind in "iuf" or kind == "m":
        return "number"
    return "boolean" if kind == "b" else "date" if kind == "M" else "words"


def _pandas_column(X: Table, number: int) -> tuple[RawKind, Array]:
    column = X.iloc[:, number]
    kind = _pandas_kind(column.dtype)
    if kind == "category":
        return kind, _texts(column.astype(object).tolist())
    if kind == "date":
        moments = _without_zone(column).to_numpy()
        if moments.dtype.kind != "M":  # days of Arrow
            return _column_of(column.tolist())
        return kind, _seconds(np.asarray(moments, "datetime64[s]"))
    if getattr(column.dtype, "kind", "O") == "m":
        return "number", _days(column.to_numpy())
    if kind in ("number", "boolean"):
        return kind, _gaps_for_infinity(np.array(column.to_numpy(np.float64, na_value=np.nan)))
    return _column_of(column.tolist())


def _without_zone(column: Rowwise) -> Rowwise:
    dtype = getattr(column.dtype, "pyarrow_dtype", column.dtype)  # Arrow's own says its zone
    return column.dt.tz_convert(None) if getattr(dtype, "tz", None) is not None else column


def _polars_column(X: Table, name: str) -> tuple[RawKind, Array]:
    series = X[name]
    if str(series.dtype).startswith(("Categorical", "Enum")):
        return "category", _texts(series.to_list())
    if str(series.dtype).startswith(("Int", "UInt", "Float")) and "128" not in str(series.dtype):  # NumPy has none
        return "number", _gaps_for_infinity(np.array(series.to_numpy(), np.float64))
    return _column_of(series.to_list())


def _column_of(cells: Rowwise) -> tuple[RawKind, Array]:
    """A list of cells, or an array, by what the cells are."""
    if hasattr(cells, "dtype") and not hasattr(cells, "to_list"):
        array = np.asarray(cells)
        if array.dtype.kind in "biuf":
            return ("boolean" if array.dtype.kind == "b" else "number"), _gaps_for_infinity(array.astype(np.float64))
        if array.dtype.kind == "M":
            return "date", _seconds(array.astype("datetime64[s]"))
        if array.dtype.kind == "m":
            return "number", _days(array)
    listed = list(cells)
    if set(map(type, listed)) <= _TEXT_AND_GAPS:
        return "words", _texts(listed)
    known = [cell for cell in listed if not is_missing(cell)]
    if not known or all(isinstance(cell, str) for cell in known):
        return "words", _texts(listed)
    if any(isinstance(cell, list | tuple | set | frozenset | dict | np.ndarray) for cell in known):
        return "lists", _texts([None if is_missing(cell) else repr(cell) for cell in listed])
    if all(isinstance(cell, bool | np.bool_) for cell in known):
        return "boolean", np.array([math.nan if is_missing(cell) else float(cell) for cell in listed], np.float64)
    if all(isinstance(cell, int | float | np.number | np.bool_ | Decimal | Fraction) for cell in known):
        return "number", _gaps_for_infinity(np.array([_as_float(cell) for cell in listed], np.float64))
    if all(isinstance(cell, date | np.datetime64) for cell in known):
        return "date", np.array([_second(cell) for cell in listed], np.float64)
    if all(isinstance(cell, timedelta) for cell in known):
        days = [math.nan if is_missing(cell) else cell.total_seconds() / _DAY for cell in listed]
        return "number", np.array(days, np.float64)
    return "words", _texts(listed)


def _as_float(cell: Cell) -> float:
    try:
        return math.nan if is_missing(cell) else float(cell)
    except (OverflowError, TypeError):  # whole numbers beyond the doubles, complex ones
        return math.nan


def _gaps_for_infinity(values: Floats) -> Floats:
    return np.where(np.isfinite(values), values, np.nan)


def _second(cell: Cell) -> float:
    if is_missing(cell):
        return math.nan
    if isinstance(cell, datetime):
        offset = cell.utcoffset() or timedelta()  # in seconds: at the ends of the calendar no date is a day earlier
        return (datetime(cell.year, cell.month, cell.day) - datetime(1970, 1, 1)).days * _DAY + (
            cell.hour * 3600 + cell.minute * 60 + cell.second - offset.total_seconds()
        )
    if isinstance(cell, date):
        return (cell - date(1970, 1, 1)).days * _DAY
    return float(_seconds(np.array([cell], "datetime64[s]"))[0])


def _seconds(moments: Array) -> Floats:
    return np.where(np.isnat(moments), np.nan, moments.astype(np.int64).astype(np.float64))


def _days(spans: Array) -> Floats:
    seconds = spans.astype("timedelta64[s]")
    return np.where(np.isnat(seconds), np.nan, seconds.astype(np.int64) / _DAY)


def _texts(cells: Sequence[object]) -> Array:
    """Text without blanks around it; None for gaps and for words that stand for them."""
    out = np.empty(len(cells), object)
    # Most cells are plain text: no call for each.
    out[:] = [
        (text if len(text := cell.strip()) >= _LONGER_THAN_MISSING else _text(text))
        if type(cell) is str
        else None
        if is_missing(cell)
        else _text(cell)
        for cell in cells
    ]
    return out


def _text(cell: object) -> str | None:
    if isinstance(cell, bytes):
        cell = cell.decode("utf-8", "replace")
    elif isinstance(cell, float) and cell.is_integer() and abs(cell) < 1e15:
        cell = int(cell)
    elif isinstance(cell, datetime | date | time):
        cell = cell.isoformat()
    text = cell.strip() if isinstance(cell, str) else str(cell).strip()
    return None if len(text) < _LONGER_THAN_MISSING and text.lower() in MISSING_WORDS else text
