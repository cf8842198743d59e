"""Numbers as people write them: with thousands, a decimal comma, a currency or a per cent sign."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence

import numpy as np

from bncc._typing import Floats

__all__ = ["has_leading_zeros", "parse_number", "parse_numbers", "uses_decimal_comma"]

_AROUND = re.compile(r"^[$€£¥]\s?|\s?(?:[$€£¥%]|USD|EUR|GBP|CHF)$")
_THOUSANDS = re.compile(r"(?<=\d)['’\u00a0\u202f ](?=\d{3}(?:\D|$))")
_PLAIN = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?\Z")
_COMMA = re.compile(r"[+-]?\d{1,3}(?:\.\d{3})*,\d+\Z|[+-]?\d+,\d+\Z|[+-]?\d{1,3}(?:\.\d{3})+\Z")
_GROUPED = re.compile(r"[+-]?\d{1,3}(?:,\d{3})+(?:\.\d+)?\Z")
_LONGEST = 40


def parse_number(text: str, decimal_comma: bool = False) -> float:
    """The number that a text spells, NaN where it spells none.

    >>> parse_number("-1.5e3"), parse_number("1,234.50 €"), parse_number("12%"), parse_number("1_000")
    (-1500.0, 1234.5, 12.0, nan)
    >>> parse_number("1.234,5", decimal_comma=True)
    1234.5
    """
    if len(text) > _LONGEST:
        return math.nan
    if not decimal_comma and _PLAIN.match(text):
        return _finite(text)
    bare = _THOUSANDS.sub("", _AROUND.sub("", text).strip())
    if decimal_comma and _COMMA.match(bare):
        return _finite(bare.replace(".", "").replace(",", "."))
    if _GROUPED.match(bare) and not decimal_comma:
        return _finite(bare.replace(",", ""))
    return _finite(bare) if _PLAIN.match(bare) else math.nan


def parse_numbers(texts: Sequence[str], decimal_comma: bool = False) -> Floats:
    """`parse_number` of each text; at once where all are plain.

    >>> parse_numbers(["1.5", "-2", "3e4"]).tolist(), parse_numbers(["1.5", "n/a"]).tolist()
    ([1.5, -2.0, 30000.0], [1.5, nan])
    """
    if not decimal_comma and all(map(_PLAIN.match, texts)) and max(map(len, texts), default=0) <= _LONGEST:
        values = np.array(list(map(float, texts)), np.float64)
        return np.where(np.isfinite(values), values, np.nan)
    return np.array([parse_number(text, decimal_comma) for text in texts], np.float64)


def uses_decimal_comma(texts: Iterable[str]) -> bool:
    """Whether the commas of a column stand before decimals: one is not followed by three digits, none by a point.

    >>> uses_decimal_comma(["1,5", "12"]), uses_decimal_comma(["1,234", "5,678.9"]), uses_decimal_comma(["1,234"])
    (True, False, False)
    """
    found = False
    for text in texts:
        if "," not in text:
            continue
        bare = _THOUSANDS.sub("", _AROUND.sub("", text).strip())
        if not _COMMA.match(bare):
            return False
        found = found or not _GROUPED.match(bare)
    return found


def has_leading_zeros(texts: Iterable[str]) -> bool:
    """Whether numbers are written as codes are, as 00123 and 04109.

    >>> has_leading_zeros(["04109", "80331"]), has_leading_zeros(["0", "0.5"])
    (True, False)
    """
    return any(len(text) > 1 and text[0] == "0" and text.isdigit() for text in texts)


def _finite(text: str) -> float:
    value = float(text)
    return value if math.isfinite(value) else math.nan
