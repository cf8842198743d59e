"""Dates as people write them: ISO, with slashes, dots or dashes, with names of months, eight digits, and ISO months."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from datetime import date

__all__ = ["DateStyle", "are_seasons", "date_style", "looks_like_date", "parse_date"]

_DAY = 86_400.0
_EPOCH = date(1970, 1, 1).toordinal()
_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "jan january januar janv janvier ene enero",
            "feb february februar febr fev février fevrier febrero",
            "mar march märz mär mrz mars marzo",
            "apr april avr avril abr abril",
            "may mai mayo",
            "jun june juni juin junio",
            "jul july juli juil juillet julio",
            "aug august août aout ago agosto",
            "sep sept september septembre septiembre",
            "oct october okt oktober octobre octubre",
            "nov november novembre noviembre",
            "dec december dez dezember déc décembre dic diciembre",
        ),
        start=1,
    )
    for name in names.split()
}
_CLOCK = (
    r"(?:(?:[T ]|, ?| at )\s*(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2})(?:[.,]\d{1,9})?)?"
    r" ?(?P<half>[AaPp]\.?[Mm]\.?)?)?"
    r" ?(?P<zone>Z|UTC|GMT|[+-]\d{2}:?\d{2})?"
)
_WEEKDAY = r"(?:[^\W\d_]{2,10}\.?,? )?"
_MONTH_NAME = r"(?P<name>[^\W\d_]{3,10})\.?"
_PATTERNS = tuple(
    re.compile(pattern + _CLOCK + r"\Z")
    for pattern in (
        r"(?P<year>\d{4})(?P<mark>[-/.])(?P<month>\d{1,2})(?P=mark)(?P<day>\d{1,2})",
        r"(?P<first>\d{1,2})(?P<mark>[-/.])(?P<other>\d{1,2})(?P=mark)(?P<year>\d{4}|\d{2})",
        _WEEKDAY + r"(?P<day>\d{1,2})(?:st|nd|rd|th|\.)?[ -]" + _MONTH_NAME + r",?[ -](?P<year>\d{4})",
        _WEEKDAY + _MONTH_NAME + r" (?P<day>\d{1,2})(?:st|nd|rd|th)?,? (?P<year>\d{4})",
        r"(?P<year>(?:19|20)\d{2})(?P<month>\d{2})(?P<day>\d{2})",
    )
)
_NUMERIC = _PATTERNS[1]
_MONTH = re.compile(r"((?:19|20)\d{2})-(0[1-9]|1[0-2])\Z")
_LONGEST = 40

DateStyle = bool
"""Whether the day comes before the month where both are numbers."""


def looks_like_date(text: str) -> bool:
    """Whether a text is a date in any of the styles.

    >>> [looks_like_date(text) for text in ("2024-03-01 17:45", "3/25/2024", "1 March 2024", "20240301", "1.2.3")]
    [True, True, True, True, False]
    """
    return not math.isnan(parse_date(text, True)) or not math.isnan(parse_date(text, False))


def date_style(texts: Iterable[str]) -> tuple[DateStyle, bool]:
    """Whether the day stands before the month in a column, and whether the column itself says so.

    >>> date_style(["03/25/2024"]), date_style(["25/03/2024"]), date_style(["03/04/2024"]), date_style(["3.4.2024"])
    ((False, True), (True, True), (False, False), (True, True))
    """
    day_first = month_first = dotted = slashed = 0
    for text in texts:
        match = _NUMERIC.match(text)
        if match is None:
            continue
        day_first += int(match["first"]) > 12
        month_first += int(match["other"]) > 12
        dotted += match["mark"] == "."
        slashed += match["mark"] != "."
    if day_first or month_first:
        return day_first > month_first, True
    return dotted > slashed, not slashed


def are_seasons(texts: Iterable[str]) -> bool:
    """Whether what could be months are years and the next ones, as ``2010-11``: every one would have to be.

    >>> are_seasons(["2009-10", "2010-11"]), are_seasons(["2009-10", "2009-11"])
    (True, False)
    """
    matches = map(_MONTH.match, texts)
    return all(match is not None and int(match[2]) == int(match[1]) % 100 + 1 for match in matches)


def parse_date(text: str, day_first: DateStyle) -> float:
    """Seconds since 1970 of a date, NaN for what is none; a zone is taken away, so that all are in UTC.

    A month in the ISO style (``2024-03``) is its first day.

    >>> parse_date("1970-01-02", False), parse_date("2 January 1970, 01:00", False), parse_date("noon", False)
    (86400.0, 90000.0, nan)
    """
    if not 6 <= len(text) <= _LONGEST:
        return math.nan
    for pattern in _PATTERNS:
        match = pattern.match(text)
        if match is not None:
            return _moment(match, day_first)
    month = _MONTH.match(text)
    return math.nan if month is None else (date(int(month[1]), int(month[2]), 1).toordinal() - _EPOCH) * _DAY


def _moment(match: re.Match[str], day_first: bool) -> float:
    parts = match.groupdict()
    if "first" in parts:
        day, month = (parts["first"], parts["other"]) if day_first else (parts["other"], parts["first"])
    else:
        day, month = parts["day"], parts.get("month") or str(_MONTHS.get((parts.get("name") or "").lower(), 0))
    year = int(parts["year"])
    if len(parts["year"]) == 2:
        year += 2000 if year < 70 else 1900
    try:
        seconds = (date(year, int(month), int(day)).toordinal() - _EPOCH) * _DAY
    except ValueError:  # a 13th month
        return math.nan
    return seconds + _time_of_day(parts)


def _time_of_day(parts: dict[str, str | None]) -> float:
    if parts["hour"] is None:
        return 0.0
    hour, minute, second = (int(parts[name] or 0) for name in ("hour", "minute", "second"))
    if parts["half"]:
        hour = hour % 12 + 12 * (parts["half"][0] in "pP")
    if hour > 24 or minute > 59 or second > 60:
        return math.nan
    return hour * 3600.0 + minute * 60.0 + second - _offset(parts["zone"])


def _offset(zone: str | None) -> float:
    if zone is None or zone[0] not in "+-":
        return 0.0
    digits = zone[1:].replace(":", "")
    return (1 if zone[0] == "+" else -1) * (int(digits[:2]) * 3600.0 + int(digits[2:]) * 60.0)
