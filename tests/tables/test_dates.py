import math
from datetime import datetime

import pytest

from bncc.tables.dates import are_seasons, date_style, looks_like_date, parse_date

MOMENT = datetime(2024, 3, 25, 17, 45)
SECONDS = (MOMENT - datetime(1970, 1, 1)).total_seconds()


@pytest.mark.parametrize(
    "text",
    [
        "2024-03-25 17:45",
        "2024-03-25T17:45:00",
        "2024-03-25T17:45:00.000Z",
        "2024-03-25T18:45:00+01:00",
        "2024/3/25 17:45",
        "25.03.2024 17:45",
        "25/03/2024, 17:45",
        "25-03-24 17:45",
        "03/25/2024 5:45 PM",
        "25 March 2024 17:45",
        "25-Mar-2024 17:45",
        "25th March 2024 at 5:45pm",
        "March 25, 2024 17:45",
        "Mon, 25 Mar 2024 17:45:00 GMT",
        "25. März 2024 17:45",
    ],
)
def test_dates_of_many_kinds_are_one_moment(text):
    day_first, _ = date_style([text])
    assert looks_like_date(text)
    assert parse_date(text, day_first) == SECONDS


@pytest.mark.parametrize("text", ["20240325", "2024-03-25", "25.3.2024"])
def test_days_have_no_time(text):
    assert parse_date(text, True) == SECONDS - (17 * 60 + 45) * 60


@pytest.mark.parametrize(
    "text", ["2024-13-01", "2024-02-30", "31/31/2024", "hello world", "1.2.3.4", "12345678", "2024", "", "x" * 500]
)
def test_other_things_are_no_dates(text):
    assert not looks_like_date(text)
    assert math.isnan(parse_date(text, True))


def test_the_column_tells_days_from_months():
    assert date_style(["01/02/2024", "01/25/2024"]) == (False, True)
    assert date_style(["01/02/2024", "25/01/2024"]) == (True, True)
    assert date_style(["2024-01-02"]) == (False, True)


def test_months_are_their_first_day():
    assert parse_date("2024-03", True) == parse_date("2024-03", False) == parse_date("2024-03-01", False)
    assert parse_date("1969-12", False) < 0
    for text in ("2024-13", "2024-00", "2024-3", "1024-03", "2024-03-", "2024-10-1234", "2024-03 10:00", "2024-03Z"):
        assert not looks_like_date(text)


def test_seasons_are_no_months():
    assert are_seasons(["2003-04"] * 2 + ["2011-12"])
    assert not are_seasons(["2003-04", "2003-05"])
    assert not are_seasons(["2003-04", "spring"])
