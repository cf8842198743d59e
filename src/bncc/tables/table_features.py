"""A table in, features out: what each column holds is found, told, and done again for other rows."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.utils.validation import check_is_fitted

from bncc._names import did_you_mean
from bncc._typing import Array, DataFrame, Labels, Matrix, Rowwise, Table, Transformer
from bncc.tables.columns import RawColumn, read_columns
from bncc.tables.decisions import LEFT_OUT, ColumnDecision, ReadAs, TableDecisions
from bncc.tables.encoders import (
    CategoryEncoder,
    Encoder,
    Scale,
    fit_category,
    fit_date,
    fit_flag,
    fit_number,
    fit_text,
)
from bncc.tables.kinds import ColumnReading, as_levels, as_numbers, as_texts, decide_kind, force_kind
from bncc.tables.surprises import Surprise, TableWarning, in_words

__all__ = ["Gaps", "TableFeatures", "decide_columns", "has_words"]

Gaps = Literal["impute", "keep"]
ColumnNames = str | Iterable[str] | None

_WORD = re.compile(r"\b\w\w+\b")
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
# A feature matrix is dense where at least this share of it would be stored.
_DENSE_FROM = 0.3
_MOST_WORDS = 50_000
_SENTENCE = 4


def decide_columns(X: Table, said: Mapping[str, ReadAs] | None = None) -> dict[str, tuple[RawColumn, ColumnReading]]:
    """The columns of a table and what each is read as; `said` is what somebody has decided by name.

    ValueError names every column that cannot be what was said, with the remedy.
    """
    columns, said, wrong = read_columns(X), said or {}, list[str]()
    for name in said:
        if name not in columns:
            wrong.append(f"no column is named {name!r}; {did_you_mean(name, list(columns))}")
    readings = {}
    for name, column in columns.items():
        try:
            readings[name] = (column, force_kind(column, said[name]) if name in said else _decide(column))
        except ValueError as error:
            wrong.append(f"column {name!r}: {error}")
    if wrong:
        raise ValueError(_collected(wrong))
    if all(reading.kind in LEFT_OUT for _, reading in readings.values()):
        return {name: (column, _as_last_resort(column, reading)) for name, (column, reading) in readings.items()}
    return readings


def _as_last_resort(column: RawColumn, reading: ColumnReading) -> ColumnReading:
    """Ids and constants are better than nothing."""
    if reading.kind not in ("id", "constant"):
        return reading
    if column.kind == "date":
        return replace(reading, kind="date", why=f"{reading.why}, but no other column is left")
    is_number = column.values.dtype != object or not np.isnan(as_numbers(column, False)).any()
    n_words = max((len(text.split()) for text in as_texts(column)), default=0)
    kind: ReadAs = "number" if is_number else "text" if n_words >= _SENTENCE else "category"
    return replace(reading, kind=kind, why=f"{reading.why}, but no other column is left")


def _decide(column: RawColumn) -> ColumnReading:
    if column.kind == "lists":
        raise ValueError(f"it holds lists or dicts. Leave it out: drop={column.name!r}.")
    return decide_kind(column)


def _collected(wrong: Sequence[str]) -> str:
    return wrong[0] if len(wrong) == 1 else f"{len(wrong)} columns cannot be read:\n- " + "\n- ".join(wrong)


class TableFeatures(TransformerMixin, BaseEstimator):
    """Features from a table as people have it: numbers, categories, free text, dates, booleans, ids and gaps.

    What each column holds is found by its type and its values; `decisions_` says what, and why. Columns are known by
    their names, so that their order is free. Rows that differ from those learned from are told of in a `TableWarning`.

    ========  ===========================================================================================
    number    scaled by the spread of most rows, far values drawn in
    boolean   0/1
    category  one column of 0/1 per level; of many levels the frequent ones, the others share a column
    text      TF-IDF weights of words
    date      distance in days, and month, day, weekday, hour as shares of their periods, with sine and cosine
    ========  ===========================================================================================

    Ids (another value in every row), columns with one value, and empty ones are left out.

    Parameters
    ----------
    text, category, number, date, boolean, drop : names of columns, default=()
        What they are read as, whatever is found; one name or several. `drop` leaves them out.
    vectorizer : transformer or None, default=None
        Turns the texts of a column into numbers, as scikit-learn's vectorizers do; a clone of it for each text column.
        None is TF-IDF over words.
    gaps : "impute" or "keep", default="impute"
        Missing numbers, dates and booleans become the median (0 for booleans) with a column that marks them, or stay
        NaN for estimators that take it.
    scale : "soft", "range" or "none", default="soft"
        Numbers are counted from the median in steps of their usual spread, with far ones drawn in; or divided by their
        range, gaps unmarked; or left as they are.
    most_levels : int, default=400
        Categories with more levels keep the most frequent ones apart, as far as three rows have them.
    keep_categories : bool, default=False
        True: the answer is a pandas DataFrame in which categories are columns of pandas' category type, for bases that
        use them, such as ``HistGradientBoostingClassifier(categorical_features="from_dtype")``.

    Attributes
    ----------
    decisions_ : TableDecisions
        Column, read as, why, distinct, missing, goes to.
    feature_names_in_ : array of str
        Columns of the table.

    Examples
    --------
    >>> from bncc.datasets import make_tickets
    >>> tickets = make_tickets(300)
    >>> tags = tickets.pop("tags")
    >>> features = TableFeatures().fit(tickets)
    >>> features.decisions_.kinds()["body"], features.decisions_["ticket"].goes_to
    ('text', 'left out')
    >>> print(features.surprises({**tickets, "plan": ["platinum"] * 300})[0])
    column 'plan' holds levels that were not learned from (300 of 300 rows)
    """

    # Whether features are a dense array, as most of what was learned from is. Files of earlier releases do not say it:
    # there, the rows that come in decide.
    _dense: bool | None = None

    def __init__(
        self,
        *,
        text: ColumnNames = (),
        category: ColumnNames = (),
        number: ColumnNames = (),
        date: ColumnNames = (),
        boolean: ColumnNames = (),
        drop: ColumnNames = (),
        vectorizer: Transformer = None,
        gaps: Gaps = "impute",
        scale: Scale = "soft",
        most_levels: int = 400,
        keep_categories: bool = False,
    ) -> None:
        self.text = text
        self.category = category
        self.number = number
        self.date = date
        self.boolean = boolean
        self.drop = drop
        self.vectorizer = vectorizer
        self.gaps = gaps
        self.scale = scale
        self.most_levels = most_levels
        self.keep_categories = keep_categories

    def fit(self, X: Table, y: Labels = None) -> TableFeatures:
        """Find out what the columns hold, and how they become numbers.

        X is a DataFrame of pandas or polars, an Arrow table, a dict of columns, a list of dicts, or a matrix; y is not
        looked at.
        """
        self._learn(X)
        return self

    def _learn(self, X: Table) -> list[Rowwise]:
        """The features of each column that is used; none of them where a DataFrame is what comes out."""
        self._check_settings()
        readings = decide_columns(X, self.said())
        n_rows = max((len(column.values) for column, _ in readings.values()), default=0)
        if not n_rows:
            raise ValueError("a table must have at least one row and one column; got none.")
        encoders: list[Encoder] = []
        decisions: list[ColumnDecision] = []
        for name, (column, reading) in readings.items():
            encoder, decision = self._settle(name, column, reading)
            decisions.append(decision)
            encoders += [] if encoder is None else [encoder]
        if not encoders:
            raise ValueError(
                "no column of the table can be a feature: all are empty or dropped. Name one in "
                "`text=`, `category=` or `number=`.\n" + repr(TableDecisions(tuple(decisions)))
            )
        self.encoders_ = tuple(encoders)
        self.decisions_ = TableDecisions(tuple(decisions))
        self.feature_names_in_ = np.array(list(readings), object)
        self.n_features_in_ = len(readings)
        if self.keep_categories:
            return []
        parts = [encoder.encode(readings[encoder.name][0]) for encoder in encoders]
        self._dense = _are_dense(parts)
        return parts

    def _check_settings(self) -> None:
        if self.gaps not in ("impute", "keep"):
            raise ValueError(f'`gaps` must be "impute" or "keep"; got {self.gaps!r}.')
        if self.scale not in ("soft", "range", "none"):
            raise ValueError(f'`scale` must be "soft", "range" or "none"; got {self.scale!r}.')
        if self.vectorizer is not None and not hasattr(self.vectorizer, "transform"):
            raise ValueError(f"`vectorizer` must be a transformer of texts, or None; got {self.vectorizer!r}.")
        if not isinstance(self.most_levels, int) or self.most_levels < 2:
            raise ValueError(f"`most_levels` must be a whole number of 2 or more; got {self.most_levels!r}.")

    def said(self) -> dict[str, ReadAs]:
        """What the settings say of columns, by name."""
        said: dict[str, ReadAs] = {}
        twice: list[str] = []
        kinds: tuple[tuple[ReadAs, ColumnNames], ...] = (
            ("text", self.text),
            ("category", self.category),
            ("number", self.number),
            ("date", self.date),
            ("boolean", self.boolean),
            ("dropped", self.drop),
        )
        for kind, names in kinds:
            for name in [names] if isinstance(names, str) else list(names or ()):
                twice += [str(name)] if said.get(str(name), kind) != kind else []
                said[str(name)] = kind
        if twice:
            raise ValueError(f"a column can be one thing only; got {sorted(set(twice))} in two of the lists.")
        return said

    def _settle(self, name: str, column: RawColumn, reading: ColumnReading) -> tuple[Encoder | None, ColumnDecision]:
        """How a column becomes numbers, and what is told of it."""
        decision = ColumnDecision(name, reading.kind, reading.why, reading.distinct, reading.missing)
        if not decision.is_used:
            return None, decision
        if reading.kind == "text" and self.vectorizer is None and not has_words(column):
            return None, replace(decision, read_as="dropped", why=f"{reading.why}, but no word of two letters")
        encoder = self._fit_encoder(column, reading)
        return encoder, replace(decision, goes_to=_goes_to(encoder, self.keep_categories))

    def _fit_encoder(self, column: RawColumn, reading: ColumnReading) -> Encoder:
        fills = self.gaps == "impute"
        if reading.kind == "number":
            return fit_number(column, reading, fills_gaps=fills, scale=self.scale)
        if reading.kind == "boolean":
            return fit_flag(column, reading, fills_gaps=fills)
        if reading.kind == "date":
            return fit_date(column, reading, fills_gaps=fills, scale=self.scale)
        if reading.kind == "category":
            return fit_category(column, most_levels=self.most_levels)
        return fit_text(column, _usual_vectorizer(column) if self.vectorizer is None else clone(self.vectorizer))

    def transform(self, X: Table) -> Rowwise:
        """Features of other rows: columns by name, in any order; what is missing counts as gaps.

        A dense array, a csr_array where most features of the rows learned from are 0, or a DataFrame
        (`keep_categories`).
        """
        check_is_fitted(self)
        columns, absent = self._find_columns(X)
        surprises = self._surprises(columns, absent)
        if surprises:
            warnings.warn(TableWarning(in_words(surprises), surprises), stacklevel=3)
        return self._encode(columns)

    def fit_transform(self, X: Table, y: Labels = None, **_: object) -> Rowwise:
        """As `fit`, then `transform`, without looking for what differs."""
        parts = self._learn(X)
        return _joined(parts, self._dense) if parts else self._encode(self._find_columns(X)[0])

    def surprises(self, X: Table) -> list[Surprise]:
        """What is odd about other rows, as `transform` warns of it: by column, how many rows."""
        check_is_fitted(self)
        return self._surprises(*self._find_columns(X))

    def _find_columns(self, X: Table) -> tuple[list[RawColumn], set[str]]:
        """The column of each encoder, and the names of those that are not there: these are all gaps."""
        given = read_columns(X)
        wanted = [encoder.name for encoder in self.encoders_]
        absent = {name for name in wanted if name not in given}
        if len(absent) == len(wanted):
            held = ", ".join(list(given)[:8]) or "no columns"
            raise ValueError(
                f"none of the columns that were learned from is there: {', '.join(wanted[:8])}. The table has {held}."
            )
        nothing = np.full(max(len(column.values) for column in given.values()), None, object)
        return [given.get(name) or RawColumn(name, "words", nothing) for name in wanted], absent

    def _surprises(self, columns: Sequence[RawColumn], absent: set[str]) -> list[Surprise]:
        found: list[Surprise] = []
        for encoder, column in zip(self.encoders_, columns, strict=True):
            n_rows, n_gaps = len(column.values), int(column.missing.sum())
            if encoder.name in absent:
                found.append(Surprise(encoder.name, "is missing", n_rows, n_rows))
            elif n_rows > 1 and n_gaps == n_rows:
                found.append(Surprise(encoder.name, "is empty", n_rows, n_rows))
            else:
                odd = [(what, count) for what, count in encoder.surprises(column) if count]
                found += [Surprise(encoder.name, what, count, n_rows) for what, count in odd]
        return found

    def _encode(self, columns: Sequence[RawColumn]) -> Rowwise:
        chosen = list(zip(self.encoders_, columns, strict=True))
        if self.keep_categories:
            return _as_frame(chosen)
        return _joined([encoder.encode(column) for encoder, column in chosen], self._dense)

    def get_feature_names_out(self, input_features: object = None) -> Array:
        """Names of the features: that of the column, and what of it."""
        check_is_fitted(self)
        names = [name for encoder in self.encoders_ for name in self._names_of(encoder)]
        return np.array(names, object)

    def _names_of(self, encoder: Encoder) -> list[str]:
        return [encoder.name] if self.keep_categories and isinstance(encoder, CategoryEncoder) else encoder.names()

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags


def has_words(column: RawColumn) -> bool:
    """Whether TF-IDF has something to count in a column of texts: a word of two letters."""
    return any(_WORD.search(text) for text in as_texts(column))


def _usual_vectorizer(column: RawColumn) -> TfidfVectorizer:
    """TF-IDF over words; over letters and pairs of them, for scripts that leave no blanks between words."""
    texts = [text for text in as_texts(column)[:1000] if text]
    unspaced = sum(bool(_UNSPACED.search(text)) for text in texts) > len(texts) / 2
    by_letters = {"analyzer": "char", "ngram_range": (1, 2)} if unspaced else {}
    return TfidfVectorizer(sublinear_tf=True, max_features=_MOST_WORDS, **by_letters)


def _goes_to(encoder: Encoder, keep_categories: bool) -> str:
    width = len(encoder.names())
    if isinstance(encoder, CategoryEncoder):
        if keep_categories:
            return "one category"
        return f"{width} columns of 0/1" if not encoder.others else f"{width} columns of 0/1, rare levels in one"
    if hasattr(encoder, "vectorizer"):
        return f"{width:,} word weights" if hasattr(encoder.vectorizer, "vocabulary_") else f"{width:,} numbers"
    return "1 number" if width == 1 else f"{width} numbers"


def _are_dense(parts: Sequence[Rowwise]) -> bool:
    n_rows, width = parts[0].shape[0], sum(part.shape[1] for part in parts)
    stored = sum(part.nnz if sparse.issparse(part) else part.size for part in parts)
    return bool(stored >= _DENSE_FROM * n_rows * width)


def _joined(parts: Sequence[Rowwise], dense: bool | None) -> Matrix:
    """The columns side by side; dense or sparse as these rows have it, where nobody says."""
    if _are_dense(parts) if dense is None else dense:
        arrays = [part.toarray() if sparse.issparse(part) else part for part in parts]
        return np.ascontiguousarray(np.column_stack(arrays), np.float64)
    return sparse.csr_array(sparse.hstack([sparse.csr_array(part) for part in parts], format="csr"))


def _as_frame(chosen: Sequence[tuple[Encoder, RawColumn]]) -> DataFrame:
    import pandas as pd

    columns: dict[str, Any] = {}
    for encoder, column in chosen:
        if isinstance(encoder, CategoryEncoder):
            known = [*encoder.levels, *encoder.others]
            columns[encoder.name] = pd.Categorical(as_levels(column), categories=known)
            continue
        made: Rowwise = encoder.encode(column)
        dense = made.toarray() if sparse.issparse(made) else made
        columns |= dict(zip(encoder.names(), dense.T, strict=True))
    return pd.DataFrame(columns)
