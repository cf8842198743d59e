from datetime import date, datetime, timedelta, timezone
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

from bncc.tables.columns import is_table, needs_reading, read_columns

CELLS = {"size": [1.5, None, 3.0], "who": ["me", " you ", None], "when": [date(2024, 3, 1), None, date(2024, 3, 2)]}
MAKES = {
    "dict": lambda: CELLS,
    "rows": lambda: [dict(zip(CELLS, row, strict=True)) for row in zip(*CELLS.values(), strict=True)],
    "pandas": lambda: pd.DataFrame(CELLS),
    "pandas types": lambda: pd.DataFrame(CELLS).convert_dtypes().astype({"when": "datetime64[ns]"}),
    "polars": lambda: pl.DataFrame(CELLS),
    "arrow": lambda: pa.table(CELLS),
}


@pytest.mark.parametrize("make", MAKES)
def test_tables_of_any_make_are_read_alike(make):
    table = MAKES[make]()
    assert is_table(table)
    assert needs_reading(table)
    columns = read_columns(table)
    assert {name: column.kind for name, column in columns.items()} == {"size": "number", "who": "words", "when": "date"}
    assert columns["who"].values.tolist() == ["me", "you", None]
    assert columns["size"].values[[0, 2]].tolist() == [1.5, 3.0]
    assert columns["when"].values[2] - columns["when"].values[0] == 86_400
    assert all(column.missing.sum() == 1 for column in columns.values())


@pytest.mark.parametrize(
    ("cells", "kind", "values"),
    [
        ([True, None, False], "boolean", [1.0, None, 0.0]),
        ([1, Decimal("2.5"), np.float32(3)], "number", [1.0, 2.5, 3.0]),
        ([1, "two", 3.0], "words", ["1", "two", "3"]),
        ([timedelta(days=2), None], "number", [2.0, None]),
        ([datetime(1970, 1, 2, tzinfo=timezone(timedelta(hours=1))), None], "date", [82_800.0, None]),
        ([np.datetime64("1970-01-02"), np.datetime64("NaT", "s")], "date", [86_400.0, None]),
        ([["a"], None], "lists", ["['a']", None]),
        ([float("inf"), 1.0], "number", [None, 1.0]),
        ([10**400, 1], "number", [None, 1.0]),
        (["NA", "n/a", "?", "x"], "words", [None, None, None, "x"]),
        ([b"caf\xc3\xa9", "x"], "words", ["café", "x"]),
        ([pd.NA, 1], "number", [None, 1.0]),
    ],
)
def test_cells_say_what_a_column_is(cells, kind, values):
    column = read_columns({"c": cells})["c"]
    assert column.kind == kind
    assert [None if gap else value for value, gap in zip(column.values.tolist(), column.missing, strict=True)] == values


@pytest.mark.parametrize(
    ("column", "kind"),
    [
        (pd.Series([1, None], dtype="Int64"), "number"),
        (pd.Series([True, None], dtype="boolean"), "boolean"),
        (pd.Series(["a", None], dtype="category"), "category"),
        (pd.Series(["a", None], dtype="string"), "words"),
        (pd.Series(pd.to_datetime(["2024-01-01", None])).dt.tz_localize("Europe/Berlin"), "date"),
        (pd.Series(pd.to_timedelta(["1 day", None])), "number"),
    ],
)
def test_types_of_pandas_are_known(column, kind):
    read = read_columns(pd.DataFrame({"c": column}))["c"]
    assert read.kind == kind
    assert read.missing.tolist() == [False, True]


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
@pytest.mark.parametrize("zone", [None, "Europe/Madrid"])
def test_moments_of_arrow_in_pandas_are_dates(unit, zone):
    moments = pd.Series(pd.to_datetime(["2024-01-01 10:00", "2024-07-01 10:00", None])).dt.tz_localize(zone)
    column = moments.astype(pd.ArrowDtype(pa.timestamp(unit, tz=zone)))
    read = read_columns(pd.DataFrame({"c": column}))["c"]
    assert read.kind == "date"
    np.testing.assert_array_equal(read.values, read_columns(pd.DataFrame({"c": moments}))["c"].values)


def test_days_of_arrow_in_pandas_are_dates():
    days = pd.Series([date(1970, 1, 2), None]).astype(pd.ArrowDtype(pa.date32()))
    read = read_columns(pd.DataFrame({"c": days}))["c"]
    assert read.kind == "date"
    np.testing.assert_array_equal(read.values, [86_400.0, np.nan])


def test_types_of_polars_are_known():
    frame = pl.DataFrame({"c": ["a", "b"], "n": [1, None], "f": [True, False]}, schema_overrides={"c": pl.Categorical})
    kinds = {name: column.kind for name, column in read_columns(frame).items()}
    assert kinds == {"c": "category", "n": "number", "f": "boolean"}
    assert read_columns(frame)["n"].missing.tolist() == [False, True]


def test_a_matrix_has_numbered_columns():
    assert list(read_columns(np.ones((2, 3)))) == ["x0", "x1", "x2"]
    assert not needs_reading(np.ones((2, 3)))
    assert not needs_reading(pd.DataFrame({"a": [1.0], "b": [True]}))
    assert not needs_reading(pl.DataFrame({"a": [1.0], "b": [True]}))


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ({"a": [1, 2], "b": [1]}, "one length"),
        ({"a": "text"}, "a list per column"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "distinct names"),
        (sparse.csr_array(np.eye(2)), "sparse"),
        (np.ones(3), "1 dimension"),
    ],
)
def test_what_is_no_table_is_refused(table, words):
    with pytest.raises(ValueError, match=words):
        read_columns(table)


def test_no_sparse_matrix_is_a_table():
    for form in (sparse.csr_array, sparse.dok_array, sparse.dok_matrix):  # the last two are mappings
        assert not is_table(form(np.eye(2)))


def test_dates_with_zones_reach_the_ends_of_the_calendar():
    east, west = (timezone(timedelta(hours=hours)) for hours in (5, -5))
    cells = [
        datetime(1, 1, 1, tzinfo=east),
        datetime(9999, 12, 31, 23, tzinfo=west),
        datetime(1970, 1, 1, 5, tzinfo=east),
    ]
    seconds = read_columns({"when": cells})["when"].values
    day = 86_400.0
    assert seconds.tolist() == [-719_162 * day - 5 * 3600, 2_932_896 * day + 28 * 3600, 0.0]


def test_masked_matrices_are_refused():
    with pytest.raises(ValueError, match="`X` has masked values, and the mask would be lost"):
        read_columns(np.ma.masked_array(np.eye(2), mask=np.eye(2)))


@pytest.mark.skipif(not hasattr(pl, "Int128"), reason="this polars has none")
def test_whole_numbers_of_128_bits_are_numbers():
    column = read_columns(pl.DataFrame({"n": pl.Series([1, None, 2**100], dtype=pl.Int128)}))["n"]
    assert column.kind == "number"
    np.testing.assert_array_equal(column.values, [1.0, np.nan, 2.0**100])
