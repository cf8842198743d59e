"""How columns become numbers: one frozen record per column, which knows how to do it again for other rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
from scipy import sparse

from bncc._typing import CSR, Array, Floats, Matrix, Transformer
from bncc.tables.columns import RawColumn
from bncc.tables.kinds import ColumnReading, as_dates, as_flags, as_levels, as_numbers, as_texts

__all__ = [
    "CategoryEncoder",
    "DateEncoder",
    "Encoder",
    "FlagEncoder",
    "NumberEncoder",
    "Scale",
    "TextEncoder",
    "fit_category",
    "fit_date",
    "fit_flag",
    "fit_number",
    "fit_text",
]

Scale = Literal["soft", "range", "none"]

_DAY = 86_400.0
_LEAST_ROWS = 3  # of a level of its own, where there are many
# A number this many spreads from the middle is drawn in to 71 per cent of it, and none goes beyond.
_SOFT_BOUND = 4.0
# Spreads end at the largest double; numbers by their spread where a square still is one.
_LARGEST = float(np.finfo(np.float64).max)
_FARTHEST = 1e150
# What linear and kernel models see of columns that are many and say little each; trees do not mind.
_MANY_LEVELS, _MANY_LEVELS_WEIGHT = 40, 0.25
_DATE_WEIGHT = 0.3
_FAR = "holds values far from those learned"
_PERIODS = (("month", 12.0), ("day", 31.0), ("weekday", 7.0), ("hour", 24.0))


class Encoder(Protocol):
    """A column as numbers."""

    @property
    def name(self) -> str:
        """That of the column."""

    def names(self) -> list[str]:
        """Names of the columns that it becomes."""

    def encode(self, column: RawColumn) -> Matrix:
        """The numbers of some rows."""

    def surprises(self, column: RawColumn) -> Iterator[tuple[str, int]]:
        """What is odd about some rows, and in how many of them."""


@dataclass(frozen=True)
class NumberEncoder:
    """A number: scaled by the spread of most rows, with what is far out drawn in; the order of values stays.

    Attributes
    ----------
    name : str
    decimal_comma : bool
        How its texts are written.
    middle, spread : float
        The median, and what a step of 1 is; a spread of 0 leaves numbers as they are.
    soft : bool
        Whether numbers are counted from the median, and far ones drawn in; else they are divided by the spread alone.
    low, high : float
        The least and the largest that were learned from.
    marks_gaps, fills_gaps : bool
        Whether a second column says where the number is missing; whether gaps become the median, or stay NaN.
    """

    name: str
    decimal_comma: bool
    middle: float
    spread: float
    soft: bool
    low: float
    high: float
    marks_gaps: bool
    fills_gaps: bool

    def names(self) -> list[str]:
        """The column, and its gaps."""
        return [self.name, *([f"{self.name} missing"] if self.marks_gaps else [])]

    def encode(self, column: RawColumn) -> Floats:
        """One or two columns."""
        return self._encode(as_numbers(column, self.decimal_comma))

    def _encode(self, values: Floats) -> Floats:
        gaps = np.isnan(values)
        if self.fills_gaps:
            values = np.where(gaps, self.middle, values)
        if self.soft:
            # Halves, since a difference may leave the doubles.
            steps = _bounded(0.5 * values - 0.5 * self.middle, 0.5 * self.spread)
            values = steps / np.sqrt(1.0 + (steps / _SOFT_BOUND) ** 2)
        elif self.spread > 0:
            values = _bounded(values, self.spread)
        return np.column_stack([values, gaps]) if self.marks_gaps else values[:, None]

    def surprises(self, column: RawColumn) -> Iterator[tuple[str, int]]:
        """Cells that are no numbers, and numbers far out."""
        values = as_numbers(column, self.decimal_comma)
        yield "holds cells that are no numbers", int((np.isnan(values) & ~column.missing).sum())
        yield _FAR, _count_far(values, self.low, self.high)


@dataclass(frozen=True)
class FlagEncoder:
    """A boolean as 0/1; gaps are 0 with a column that says so, or NaN."""

    name: str
    marks_gaps: bool
    fills_gaps: bool

    def names(self) -> list[str]:
        """The column, and its gaps."""
        return [self.name, *([f"{self.name} missing"] if self.marks_gaps else [])]

    def encode(self, column: RawColumn) -> Floats:
        """One or two columns."""
        values = as_flags(column)
        gaps = np.isnan(values)
        values = np.where(gaps, 0.0, values) if self.fills_gaps else values
        return np.column_stack([values, gaps]) if self.marks_gaps else values[:, None]

    def surprises(self, column: RawColumn) -> Iterator[tuple[str, int]]:
        """Cells that are neither."""
        yield "holds cells that are neither yes nor no", int((np.isnan(as_flags(column)) & ~column.missing).sum())


@dataclass(frozen=True)
class CategoryEncoder:
    """A category as one column of 0/1 per level.

    Attributes
    ----------
    name : str
    levels : tuple of str
        The levels with a column of their own, most frequent first.
    others : tuple of str
        Levels that are too rare for one; they share a column, with levels that are met later.
    marks_gaps : bool
        Whether gaps have a column.
    """

    name: str
    levels: tuple[str, ...]
    others: tuple[str, ...]
    marks_gaps: bool

    def names(self) -> list[str]:
        """Levels, the others, and gaps."""
        own = [f"{self.name}={level}" for level in self.levels]
        return own + [f"{self.name} other"] * bool(self.others) + [f"{self.name} missing"] * self.marks_gaps

    def encode(self, column: RawColumn) -> CSR:
        """One column per row at most: none for a level that was not learned from, where levels share no column.

        It holds a 1, or a quarter where levels are many.
        """
        codes = self.codes(column)
        rows = np.flatnonzero(codes >= 0)
        weight = _MANY_LEVELS_WEIGHT if self.others or len(self.levels) > _MANY_LEVELS else 1.0
        ones = (np.full(rows.size, weight), (rows, codes[rows]))
        return sparse.csr_array(ones, shape=(codes.size, self._width()))

    def _width(self) -> int:
        return len(self.levels) + bool(self.others) + self.marks_gaps

    def codes(self, column: RawColumn) -> Array:
        """The number of the column of each cell, -1 for none."""
        place = {level: number for number, level in enumerate(self.levels)}
        other = len(self.levels) if self.others else -1
        gap = len(self.levels) + bool(self.others) if self.marks_gaps else -1
        cells = as_levels(column).tolist()
        return np.array([gap if cell is None else place.get(cell, other) for cell in cells], np.int64)

    def surprises(self, column: RawColumn) -> Iterator[tuple[str, int]]:
        """Levels that were not learned from."""
        known = {*self.levels, *self.others}
        cells = as_levels(column).tolist()
        yield "holds levels that were not learned from", sum(cell is not None and cell not in known for cell in cells)


@dataclass(frozen=True)
class DateEncoder:
    """A date: its distance from the middle one, and where it lies in year, month, week and day.

    A part is a share of its period, with its sine and cosine, by which December lies beside January.
    """

    name: str
    day_first: bool
    distance: NumberEncoder
    has_time: bool

    def names(self) -> list[str]:
        """Distance (and its gaps), then parts."""
        parts = [part for part, _ in self._periods()]
        return self.distance.names() + [f"{self.name} {part}{how}" for part in parts for how in ("", " sin", " cos")]

    def _periods(self) -> Sequence[tuple[str, float]]:
        return _PERIODS if self.has_time else _PERIODS[:-1]

    def encode(self, column: RawColumn) -> Floats:
        """Distance in soft steps; the parts of a gap are 0, or NaN."""
        seconds = as_dates(column, self.day_first)
        shares = _shares(seconds)[:, : len(self._periods())]
        angles = 2.0 * np.pi * shares
        parts = np.stack([shares, np.sin(angles), np.cos(angles)], axis=2).reshape(len(seconds), -1)
        if self.distance.fills_gaps:
            parts = np.nan_to_num(parts)
        made = np.column_stack([self.distance._encode(seconds / _DAY), parts])
        return made * _DATE_WEIGHT if self.distance.soft else made

    def surprises(self, column: RawColumn) -> Iterator[tuple[str, int]]:
        """Cells that are no dates, and dates far out."""
        seconds = as_dates(column, self.day_first)
        yield "holds cells that are no dates", int((np.isnan(seconds) & ~column.missing).sum())
        yield "holds dates far from those learned", _count_far(seconds / _DAY, self.distance.low, self.distance.high)


@dataclass(frozen=True, eq=False)
class TextEncoder:
    """Free text by a fitted vectorizer; the names of its columns begin with that of the text."""

    name: str
    vectorizer: Transformer
    width: int

    def names(self) -> list[str]:
        """One per word that was learned."""
        if hasattr(self.vectorizer, "get_feature_names_out"):
            return [f"{self.name}: {word}" for word in self.vectorizer.get_feature_names_out()]
        return [f"{self.name} {number}" for number in range(self.width)]

    def encode(self, column: RawColumn) -> Matrix:
        """What the vectorizer gives."""
        made = self.vectorizer.transform(as_texts(column))
        if made.shape[1] != self.width:
            raise ValueError(
                f"The vectorizer of column {self.name[:60]!r} gives {made.shape[1]} columns where it gave {self.width} "
                "when it was fitted; fit it again."
            )
        return sparse.csr_array(made) if sparse.issparse(made) else np.asarray(made, np.float64)

    def surprises(self, column: RawColumn) -> Iterator[tuple[str, int]]:
        """Texts without a word that was learned."""
        if not hasattr(self.vectorizer, "vocabulary_"):
            return
        made = sparse.csr_array(self.vectorizer.transform(as_texts(column)))
        empty = np.diff(made.indptr) == 0
        yield "holds no word that was learned", int((empty & ~column.missing).sum())


def fit_number(column: RawColumn, reading: ColumnReading, *, fills_gaps: bool, scale: Scale) -> NumberEncoder:
    """Gaps are marked where there are any to learn from, and they are filled."""
    return _learn_number(column.name, as_numbers(column, reading.decimal_comma), reading, fills_gaps, scale)


def _learn_number(name: str, values: Floats, reading: ColumnReading, fills_gaps: bool, scale: Scale) -> NumberEncoder:
    known = values[~np.isnan(values)]
    low, high = (float(known.min()), float(known.max())) if known.size else (0.0, 0.0)
    middle = 4.0 * float(np.median(known / 4)) if known.size else 0.0  # a part: a sum may leave the doubles
    marks = fills_gaps and scale == "soft" and known.size < values.size
    spread = _soft_spread(known) if scale == "soft" else min(high - low, _LARGEST) or 1.0
    how = (0.0 if scale == "none" else spread, scale == "soft", low, high)
    return NumberEncoder(name, reading.decimal_comma, middle, *how, marks, fills_gaps)


def _soft_spread(known: Floats) -> float:
    """That of the middle half of the rows, or of the middle nine tenths, or of all."""
    if not known.size:
        return 1.0
    ends = np.quantile(known / 4, (0.25, 0.75, 0.05, 0.95, 0.0, 1.0)).tolist()
    widths = (ends[1] - ends[0], ends[3] - ends[2], ends[5] - ends[4])
    return next((min(4.0 * width, _LARGEST) for width in widths if width > 0), 1.0)


def _bounded(values: Floats, spread: float) -> Floats:
    """Values by their spread, within what can be squared; NaN stays."""
    with np.errstate(over="ignore"):
        return np.clip(values / spread, -_FARTHEST, _FARTHEST)


def fit_flag(column: RawColumn, reading: ColumnReading, *, fills_gaps: bool) -> FlagEncoder:
    """Gaps are marked where there are any to learn from."""
    return FlagEncoder(column.name, fills_gaps and bool(np.isnan(as_flags(column)).any()), fills_gaps)


def fit_date(column: RawColumn, reading: ColumnReading, *, fills_gaps: bool, scale: Scale) -> DateEncoder:
    """The hour is a part where any date has a time."""
    seconds = as_dates(column, reading.day_first)
    distance = _learn_number(f"{column.name} days", seconds / _DAY, reading, fills_gaps, scale)
    has_time = bool((np.nan_to_num(seconds) % _DAY != 0).any())
    return DateEncoder(column.name, reading.day_first, distance, has_time)


def fit_category(column: RawColumn, *, most_levels: int) -> CategoryEncoder:
    """Every level has a column, up to `most_levels`; of more, the most frequent ones, of some rows each."""
    counts = Counter(cell for cell in as_levels(column).tolist() if cell is not None)
    ranked = sorted(counts, key=lambda level: (-counts[level], level))
    levels = ranked
    if len(ranked) > most_levels:
        levels = [level for level in ranked[: most_levels - 1] if counts[level] >= _LEAST_ROWS]
    others = ranked[len(levels) :]
    return CategoryEncoder(column.name, tuple(levels), tuple(others), bool(column.missing.any()))


def fit_text(column: RawColumn, vectorizer: Transformer) -> TextEncoder:
    """A vectorizer fitted to the texts of a column; ValueError where they have no word."""
    made = vectorizer.fit_transform(as_texts(column))
    return TextEncoder(column.name, vectorizer, int(made.shape[1]))


def _shares(seconds: Floats) -> Floats:
    """Where dates lie in year, month, week and day, each from 0 to 1; NaN for gaps."""
    gaps = np.isnan(seconds)
    moments = np.where(gaps, 0.0, seconds).astype(np.int64).astype("datetime64[s]")
    days, months = moments.astype("datetime64[D]"), moments.astype("datetime64[M]")
    month = months.astype(np.int64) % 12
    day = (days - months.astype("datetime64[D]")).astype(np.int64)
    weekday = (days.astype(np.int64) + 3) % 7
    hour = (moments - days).astype(np.int64) / 3600.0
    shares = np.column_stack([month / 12.0, day / 31.0, weekday / 7.0, hour / 24.0])
    shares[gaps] = np.nan
    return shares


def _count_far(values: Floats, low: float, high: float) -> int:
    """How many lie outside of what was learned by more than all that lies inside."""
    reach = max(high - low, 1e-9 * max(abs(low), abs(high)))
    with np.errstate(invalid="ignore"):
        return int(((values < low - reach) | (values > high + reach)).sum())
