import numpy as np
import pandas as pd
import pytest

from bncc.tables.columns import read_columns
from bncc.tables.kinds import as_dates, as_flags, as_levels, as_numbers, decide_kind, force_kind

SENTENCES = [
    f"the {word} dog saw a {other} cat" for word in ["red", "old", "big", "shy"] for other in ["fat", "wet", "odd"]
]


def column(cells, name="c"):
    return read_columns({name: cells})[name]


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        ([None, "", "NA"], "empty"),
        (["x"] * 5, "constant"),
        ([7] * 5, "constant"),
        (["x", None] * 5, "category"),
        (["yes", "No", ""] * 3, "boolean"),
        ([True, False], "boolean"),
        (["1", "2.5", "-3e2"], "number"),
        (["1,5", "2,75", "3"], "number"),
        ([str(i / 7) for i in range(60)] + ["about 9"], "number"),
        (["04109", "80331", "04109", "80331"], "category"),
        (["2024-01-05", "2024-02-28"], "date"),
        (["20240105", "20240228", "20231231"], "date"),
        (["05/01/2024", "28/02/2024"], "date"),
        ([f"T-{i}" for i in range(20)], "id"),
        ([f"user{i}@example.org" for i in range(20)], "id"),
        (list(range(100, 120)), "id"),
        ([1.5 * i for i in range(20)], "number"),
        (["red", "blue", "red", "green"] * 5, "category"),
        (SENTENCES, "text"),
        (SENTENCES * 3, "text"),
        (["strongly agree with what was said", "do not agree with what was said"] * 30, "category"),
        (["この製品は起動しません", "請求書の金額が間違っています", "ログインできない状態です"], "text"),
    ],
)
def test_what_columns_hold(cells, kind):
    assert decide_kind(column(cells)).kind == kind


def test_names_tell_ids():
    cells = [5, 900, 31, 77]
    assert decide_kind(column(cells, "customer_id")).kind == "id"
    assert decide_kind(column(cells, "orderId")).kind == "id"
    assert decide_kind(column(cells, "paid")).kind == "number"


def test_long_levels_are_told():
    reading = decide_kind(column(["strongly agree with what was said", "do not agree with what was said"] * 30))
    assert "text=" in reading.why


def test_strays_are_counted_and_told():
    reading = decide_kind(column([str(i / 7) for i in range(60)] + ["about 9"]))
    assert (reading.strays, "'about 9' count as missing" in reading.why) == (1, True)


def test_ambiguous_dates_are_told():
    assert "month/day" in decide_kind(column(["03/04/2024", "05/06/2024"])).why
    assert "month/day" not in decide_kind(column(["03/04/2024", "25/06/2024"])).why


def test_what_was_said_counts():
    assert force_kind(column([1, 2, 3]), "category").kind == "category"
    assert force_kind(column(["1", "x", "3"]), "number").strays == 1
    assert force_kind(column([None]), "date").kind == "date"
    with pytest.raises(ValueError, match="2 of 3 cells are no date, such as 'x'"):
        force_kind(column(["x", "y", "2024-01-01"]), "date")
    with pytest.raises(ValueError, match="it holds numbers, and no dates"):
        force_kind(column([1.5, 2.5]), "date")


def test_cells_of_other_types_are_read_as_what_was_decided():
    assert as_numbers(column(["1,5", "x", None]), True)[0] == 1.5
    assert np.isnan(as_numbers(column(["1,5", "x", None]), True)[1:]).all()
    assert as_dates(column(["02.01.1970"]), True).tolist() == [86_400.0]
    assert as_flags(column(["Yes", "0", "maybe"]))[:2].tolist() == [1.0, 0.0]
    assert as_levels(column([1.0, None, 2.5])).tolist() == ["1", None, "2.5"]
    assert as_levels(column([True, None])).tolist() == ["True", None]


def test_months_are_dates_and_seasons_are_not():
    months = pd.period_range("2019-01", periods=40, freq="M")
    for cells in (pd.DataFrame({"c": months}), {"c": months.astype(str).tolist()}):
        assert decide_kind(read_columns(cells)["c"]).kind == "date"
    assert decide_kind(read_columns({"c": ["2009-10", "2010-11", "2011-12"] * 20})["c"]).kind == "category"
