"""What a column holds, decided by its values: numbers, categories, free text, dates, ids, or nothing."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from bncc._typing import Array, Floats
from bncc.tables.columns import RawColumn
from bncc.tables.dates import DateStyle, are_seasons, date_style, looks_like_date, parse_date
from bncc.tables.decisions import ReadAs
from bncc.tables.numbers import has_leading_zeros, parse_number, parse_numbers, uses_decimal_comma

__all__ = [
    "FLAG_WORDS",
    "ColumnReading",
    "as_dates",
    "as_flags",
    "as_levels",
    "as_numbers",
    "as_texts",
    "decide_kind",
    "force_kind",
]

FLAG_WORDS = {"true": 1.0, "false": 0.0, "yes": 1.0, "no": 0.0, "y": 1.0, "n": 0.0, "t": 1.0, "f": 0.0} | {
    "on": 1.0,
    "off": 0.0,
}
"""Words for 1 and 0, in lower case."""

_FLAG_PAIRS = ({"true", "false"}, {"yes", "no"}, {"y", "n"}, {"t", "f"}, {"on", "off"})
_ID_NAME = re.compile(r"(?:^|[_\s.-])(?:id|ids|uuid|guid|key|index|idx|nr|no|number|row|rowid)$|^unnamed: ?\d+$", re.I)
_CAMEL_ID = re.compile(r"[a-z](?:Id|ID|Key|Uuid)$")
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
# A share of cells that may be something else: what most cells are is what the column is.
_MOSTLY = 0.95
_FEW_LEVELS = 20
_LOOKED_AT = 200
_FEWEST_FOR_ID = 8


@dataclass(frozen=True)
class ColumnReading:
    """What a column is read as, why, and how its cells are written.

    Attributes
    ----------
    kind : see `ColumnDecision.read_as`
    why : str
    distinct, missing : int
    decimal_comma : bool
        How numbers are written.
    day_first : bool
        How dates are written.
    strays : int
        Cells that are something else; they count as gaps.
    """

    kind: ReadAs
    why: str
    distinct: int
    missing: int
    decimal_comma: bool = False
    day_first: DateStyle = False
    strays: int = 0


@dataclass(frozen=True)
class _Words:
    """The texts of a column, counted once."""

    name: str
    texts: Sequence[str]
    levels: Sequence[str]
    n_rows: int

    @property
    def missing(self) -> int:
        return self.n_rows - len(self.texts)

    def reading(self, kind: ReadAs, why: str, strays: int = 0, **style: bool) -> ColumnReading:
        return ColumnReading(kind, why, len(self.levels), self.missing, strays=strays, **style)


def decide_kind(column: RawColumn) -> ColumnReading:
    """What a column is read as where nobody has said it.

    >>> decide_kind(RawColumn("x", "words", np.array(["1,5", "2,25", None], object))).kind
    'number'
    """
    if column.values.dtype != object:
        return _decide_numbers(column)
    words = _count_words(column)
    if not words.texts:
        return words.reading("empty", "no value in any row")
    if column.kind == "category":
        return words.reading("category", "its type is categorical")
    if len(words.levels) == 1 and not words.missing:
        return words.reading("constant", "the same value in every row")
    for decide in (_as_flags_if, _as_numbers_if, _as_dates_if, _as_id_if, _as_text_if):
        reading = decide(words)
        if reading is not None:
            return reading
    return _category(words)


def force_kind(column: RawColumn, kind: ReadAs) -> ColumnReading:
    """What a column is where somebody has said it; ValueError where its cells cannot be that."""
    n_missing = int(column.missing.sum())
    distinct = len(_distinct(column))
    said = ColumnReading(kind, f"you said {kind}", distinct, n_missing)
    if kind in ("text", "category", "dropped") or n_missing == len(column.values):
        return said
    if column.values.dtype != object:
        if kind == "date" and column.kind == "number":
            raise ValueError("it holds numbers, and no dates. Turn them into dates first, or leave it out of `date=`.")
        return said
    words = _count_words(column)
    style, wrong = _forced_style(words, kind)
    strays = [text for text in words.texts if wrong(text)]
    if len(strays) > len(words.texts) / 2:
        raise ValueError(
            f"{len(strays)} of {len(words.texts)} cells are no {kind}, such as {strays[0][:40]!r}. "
            f"Leave it out of `{kind}=`, or name it in `drop=`."
        )
    note = f", {len(strays)} cells are none" if strays else ""
    return words.reading(kind, f"you said {kind}{note}", len(strays), **style)


def _forced_style(words: _Words, kind: ReadAs) -> tuple[dict[str, bool], Callable[[str], bool]]:
    if kind == "date":
        day_first, _ = date_style(words.levels)
        return {"day_first": day_first}, lambda text: np.isnan(parse_date(text, day_first))
    if kind == "boolean":
        return {}, lambda text: text.lower() not in FLAG_WORDS and text not in ("0", "1", "0.0", "1.0")
    decimal_comma = uses_decimal_comma(words.levels)
    return {"decimal_comma": decimal_comma}, lambda text: np.isnan(parse_number(text, decimal_comma))


def _count_words(column: RawColumn) -> _Words:
    texts = [cell for cell in column.values.tolist() if cell is not None]
    return _Words(column.name, texts, list(dict.fromkeys(texts)), len(column.values))


def _distinct(column: RawColumn) -> set[object]:
    return set(column.values[~column.missing].tolist())


def _decide_numbers(column: RawColumn) -> ColumnReading:
    """Columns whose type says what they hold; only ids and constants are to be found."""
    known: Floats = column.values[~column.missing]
    distinct, missing = np.unique(known).size, len(column.values) - known.size

    def reading(kind: ReadAs, why: str) -> ColumnReading:
        return ColumnReading(kind, why, distinct, missing)

    if not known.size:
        return reading("empty", "no value in any row")
    if distinct == 1 and not missing:
        return reading("constant", "the same value in every row")
    if column.kind == "boolean":
        return reading("boolean", "its type is boolean")
    if column.kind == "date":
        return reading("date", "its type is a date")
    if _numbers_rows(column.name, known, missing):
        return reading("id", "whole numbers, another one in every row")
    return reading("number", "its type is a number")


def _numbers_rows(name: str, known: Floats, missing: int) -> bool:
    """Whether whole numbers tell rows apart and nothing else: all differ, and they are called so or leave no gap."""
    if missing or known.size < 2 or np.unique(known).size < known.size or (known != np.floor(known)).any():
        return False
    dense = known.size >= _FEWEST_FOR_ID and known.max() - known.min() == known.size - 1
    return bool(_is_id_name(name) or dense)


def _is_id_name(name: str) -> bool:
    return bool(_ID_NAME.search(name) or _CAMEL_ID.search(name))


def _as_flags_if(words: _Words) -> ColumnReading | None:
    lowered = {text.lower() for text in words.levels}
    if any(lowered <= pair for pair in _FLAG_PAIRS):
        return words.reading("boolean", f"{' and '.join(sorted(lowered))} only")
    return None


def _as_numbers_if(words: _Words) -> ColumnReading | None:
    if _are_others(words, lambda text: np.isnan(parse_number(text)) and np.isnan(parse_number(text, True))):
        return None
    decimal_comma = uses_decimal_comma(words.levels)
    value_of = dict(zip(words.levels, parse_numbers(words.levels, decimal_comma).tolist(), strict=True))
    strays = {text for text, value in value_of.items() if value != value}
    n_strays = _count(words.texts, strays)
    if n_strays > (1 - _MOSTLY) * len(words.texts) or (strays and len(words.levels) <= _FEW_LEVELS):
        return None
    if has_leading_zeros(words.levels):
        return None  # codes, whose zeros would be lost
    if not strays and _are_dates_of_digits(words):
        return words.reading("date", "eight digits that are dates")
    values = np.array([value_of[text] for text in words.texts if text not in strays])
    if not strays and _numbers_rows(words.name, values, words.missing):
        return words.reading("id", "whole numbers, another one in every row")
    why = "numbers, with decimal commas" if decimal_comma else "numbers"
    why += f"; {n_strays} cells such as {_example(strays)} count as missing" if strays else ""
    return words.reading("number", why, n_strays, decimal_comma=decimal_comma)


def _are_others(words: _Words, is_other: Callable[[str], bool]) -> bool:
    """Whether most of the first values are something else: a column of sentences need not be looked at whole."""
    first = words.levels[:_LOOKED_AT]
    return sum(map(is_other, first)) > len(first) / 2


def _are_dates_of_digits(words: _Words) -> bool:
    return len(words.levels) >= 3 and all(
        len(text) == 8 and text.isdigit() and not np.isnan(parse_date(text, False)) for text in words.levels
    )


def _as_dates_if(words: _Words) -> ColumnReading | None:
    if _are_others(words, lambda text: not looks_like_date(text)) or are_seasons(words.levels):
        return None
    day_first, is_said = date_style(words.levels)
    strays = {text for text in words.levels if np.isnan(parse_date(text, day_first))}
    n_strays = _count(words.texts, strays)
    if n_strays > (1 - _MOSTLY) * len(words.texts):
        return None
    why = "dates"
    if not is_said and len(strays) < len(words.levels) and _are_ambiguous(words.levels):
        why += ", taken as month/day/year"
    why += f"; {n_strays} cells such as {_example(strays)} count as missing" if strays else ""
    return words.reading("date", why, n_strays, day_first=day_first)


def _are_ambiguous(texts: Iterable[str]) -> bool:
    return any(parse_date(text, True) != parse_date(text, False) for text in texts)


def _as_id_if(words: _Words) -> ColumnReading | None:
    """Codes of one word, another one in every row: nothing can be learned from them for other rows."""
    if len(words.levels) < len(words.texts) or len(words.texts) < 2:
        return None
    if _mean_words(words.levels) > 1.2 or any(_UNSPACED.search(text) for text in words.levels[:50]):
        return None
    if len(words.texts) >= _FEWEST_FOR_ID or _is_id_name(words.name):
        return words.reading("id", "another word in every row")
    return None


def _as_text_if(words: _Words) -> ColumnReading | None:
    """Free text: sentences, or several words that hardly repeat."""
    per_cell = _mean_words(words.levels)
    n_levels, repeats = len(words.levels), len(words.texts) / len(words.levels)
    if n_levels <= _FEW_LEVELS and repeats >= 10:
        return None  # answers to choose from, however long
    if any(_UNSPACED.search(text) for text in words.levels[:50]) and np.mean([len(t) for t in words.levels]) > 8:
        return words.reading("text", "sentences without blanks") if repeats < 10 else None
    if per_cell >= 4 or (per_cell >= 2.5 and repeats < 10) or (per_cell >= 1.5 and repeats < 2):
        return words.reading("text", f"{per_cell:.1f} words per cell, {n_levels:,} different")
    return None


def _category(words: _Words) -> ColumnReading:
    n_levels = len(words.levels)
    why = f"{n_levels:,} value{'s' if n_levels > 1 else ''}"
    per_cell = _mean_words(words.levels)
    if per_cell >= 2.5:
        why += f" of {per_cell:.1f} words, each in {len(words.texts) / n_levels:.0f} rows; text= if free text"
    elif has_leading_zeros(words.levels):
        why += ", codes with leading zeros"
    return words.reading("category", why)


def _mean_words(texts: Sequence[str]) -> float:
    return sum(len(text.split()) for text in texts) / len(texts)


def _count(texts: Iterable[str], strays: set[str]) -> int:
    return sum(text in strays for text in texts) if strays else 0


def _example(strays: set[str]) -> str:
    return repr(min(strays)[:24])


def as_numbers(column: RawColumn, decimal_comma: bool) -> Floats:
    """The cells of a column as numbers, NaN where they are none, as dates."""
    if column.kind == "date":
        return np.full(len(column.values), np.nan)
    return _parsed(column, lambda texts: parse_numbers(texts, decimal_comma))


def as_dates(column: RawColumn, day_first: DateStyle) -> Floats:
    """The cells of a column as seconds since 1970, NaN where they are no dates; numbers may be eight digits."""
    if column.kind in ("number", "boolean"):
        column = replace(column, kind="words", values=as_levels(column))
    return _parsed(column, lambda texts: np.array([parse_date(text, day_first) for text in texts], np.float64))


def as_flags(column: RawColumn) -> Floats:
    """The cells of a column as 1 and 0, NaN where they are neither."""
    values = _parsed(
        column,
        lambda texts: np.array([FLAG_WORDS.get(text.lower(), parse_number(text)) for text in texts], np.float64),
    )
    return np.where((values == 0) | (values == 1), values, np.nan)


def as_levels(column: RawColumn) -> Array:
    """The cells of a column as texts, None for gaps: equal numbers and booleans are written alike."""
    if column.values.dtype == object:
        return column.values
    out = np.empty(len(column.values), object)
    if column.kind == "boolean":
        out[:] = [None if value != value else str(bool(value)) for value in column.values.tolist()]
    else:
        out[:] = [None if value != value else f"{value:.15g}" for value in column.values.tolist()]
    return out


def as_texts(column: RawColumn) -> list[str]:
    """The cells of a column as texts, empty for gaps."""
    return ["" if cell is None else cell for cell in as_levels(column).tolist()]


def _parsed(column: RawColumn, parse: Callable[[Sequence[str]], Floats]) -> Floats:
    """Numbers of a column; texts are parsed once each."""
    if column.values.dtype != object:
        return np.asarray(column.values, np.float64)
    cells = column.values.tolist()
    texts = list({cell for cell in cells if cell is not None})
    known = dict(zip(texts, parse(texts).tolist(), strict=True))
    return np.array([np.nan if cell is None else known[cell] for cell in cells], np.float64)
