import math

import pytest

from bncc.tables.numbers import has_leading_zeros, parse_number, uses_decimal_comma


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1", 1.0),
        ("-1.5e3", -1500.0),
        (".5", 0.5),
        ("1,234,567.5", 1234567.5),
        ("$1,200", 1200.0),
        ("12 %", 12.0),
        ("1 234 567", 1234567.0),
        ("1'234", 1234.0),
        ("99 EUR", 99.0),
    ],
)
def test_numbers_with_points(text, value):
    assert parse_number(text) == value


@pytest.mark.parametrize(("text", "value"), [("1,5", 1.5), ("1.234,5", 1234.5), ("1.234", 1234.0), ("-0,25 €", -0.25)])
def test_numbers_with_commas(text, value):
    assert parse_number(text, decimal_comma=True) == value


@pytest.mark.parametrize("text", ["", "abc", "1_000", "1e999", "inf", "nan", "1.2.3", "0x1f", "1 2", "12 apples"])
def test_other_things_are_no_numbers(text):
    assert math.isnan(parse_number(text))


def test_a_column_says_what_its_commas_mean():
    assert uses_decimal_comma(["1,5", "2"])
    assert uses_decimal_comma(["1.234,5", "1,234"])
    assert not uses_decimal_comma(["1,234", "12"])
    assert not uses_decimal_comma(["1,5", "words, and more"])


def test_codes_have_leading_zeros():
    assert has_leading_zeros(["12345", "04109"])
    assert not has_leading_zeros(["0", "0.5", "10"])
