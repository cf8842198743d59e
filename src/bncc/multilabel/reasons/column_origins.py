"""Where the columns that a model sees come from: the column of the table, and the word of a text, as the user named it.

Transformers are followed from what goes in to what comes out. One-hot columns belong to their category, parts of a date
to the date; words stay words; what mixes columns is named as the transformer names it.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.pipeline import FeatureUnion, Pipeline
from sklearn.preprocessing import OneHotEncoder, PolynomialFeatures

from bncc._typing import Classifier, Rowwise

__all__ = ["Origin", "named_columns", "trace"]

_BOUNDS = "_=:. "
_MOST_POWERS = 1 << 22  # numbers (columns out x columns in) that polynomials may take to name their columns
_LONGEST = 1000  # letters of a name that is searched for the column that it is made from


@dataclass(frozen=True)
class Origin:
    """What a column of numbers was made from.

    Attributes
    ----------
    column : str or None
        The user's column; None for text that came without one.
    word : str or None
        Where it counts a word of it.
    """

    column: str | None
    word: str | None = None


class ColumnEncoder(Protocol):
    """What makes columns of numbers from one column of a table."""

    name: str

    def names(self) -> list[str]:
        """Names of the columns that it makes."""


def named_columns(names: Iterable[str]) -> list[Origin]:
    """Columns that are what the user named."""
    return [Origin(str(name)) for name in names]


def trace(transformer: Classifier, origins: Sequence[Origin], n_out: int | None = None) -> list[Origin]:
    """Origins of the columns that a fitted transformer gives, from those of the columns that it takes.

    `n_out` is how many it gives, where the caller knows.

    >>> from sklearn.preprocessing import OneHotEncoder, PolynomialFeatures
    >>> hot = OneHotEncoder().fit([["red", 1], ["blue", 2], ["red", 3]])
    >>> [origin.column for origin in trace(hot, named_columns(["colour", "size"]))]
    ['colour', 'colour', 'size', 'size', 'size']
    """
    if transformer is None or (isinstance(transformer, str) and transformer == "passthrough"):
        return list(origins)
    for kind, rule in _RULES:
        if isinstance(transformer, kind):
            return rule(transformer, origins)
    if hasattr(transformer, "encoders_"):
        return _by_encoders(transformer.encoders_)
    if hasattr(transformer, "get_support"):
        return [origin for origin, kept in zip(origins, transformer.get_support(), strict=True) if kept]
    return _by_names(transformer, origins, n_out)


def _through_steps(pipeline: Pipeline, origins: Sequence[Origin]) -> list[Origin]:
    for _, step in pipeline.steps:
        origins = trace(step, origins)
    return list(origins)


def _through_columns(columns: ColumnTransformer, origins: Sequence[Origin]) -> list[Origin]:
    width = max((part.stop for part in columns.output_indices_.values()), default=0)
    out: list[Origin] = [Origin(None)] * width
    known = [str(name) for name in getattr(columns, "feature_names_in_", ())] or [str(each.column) for each in origins]
    for name, part, chosen in columns.transformers_:
        places = columns.output_indices_[name]
        if places.stop == places.start:
            continue
        taken = [origins[number] for number in _numbers_of(chosen, known)]
        out[places] = trace(part, taken, places.stop - places.start)
    return out


def _numbers_of(chosen: Rowwise, names: Sequence[str]) -> list[int]:
    """The columns that a part of a ColumnTransformer takes, by their numbers."""
    if isinstance(chosen, slice):
        start = names.index(chosen.start) if isinstance(chosen.start, str) else chosen.start
        # Slices of names include their end.
        stop = names.index(chosen.stop) + 1 if isinstance(chosen.stop, str) else chosen.stop
        return list(range(len(names)))[slice(start, stop, chosen.step)]
    if isinstance(chosen, str | int | np.integer):
        chosen = [chosen]
    if len(chosen) and isinstance(chosen[0], bool | np.bool_):
        return np.flatnonzero(chosen).tolist()
    places = {name: place for place, name in reversed(list(enumerate(names)))}  # of equal names the first
    return [places[each] if isinstance(each, str) else range(len(names))[each] for each in chosen]


def _through_union(union: FeatureUnion, origins: Sequence[Origin]) -> list[Origin]:
    parts = [part for _, part in union.transformer_list if part != "drop"]
    return [origin for part in parts for origin in trace(part, origins)]


def _one_hot(encoder: OneHotEncoder, origins: Sequence[Origin]) -> list[Origin]:
    """As many columns as categories, less those that are infrequent (one for all) or dropped."""
    rare = getattr(encoder, "infrequent_categories_", None) or [None] * len(origins)
    dropped = encoder.drop_idx_ if encoder.drop_idx_ is not None else [None] * len(origins)
    out = []
    for origin, values, few, drop in zip(origins, encoder.categories_, rare, dropped, strict=True):
        count = len(values) - (0 if few is None else len(few) - 1) - (drop is not None)
        out += [replace(origin, word=None)] * count
    return out


def _words(vectorizer: CountVectorizer, origins: Sequence[Origin]) -> list[Origin]:
    column = origins[0].column if origins else None
    return [Origin(column, str(word)) for word in vectorizer.get_feature_names_out()]


def _by_encoders(encoders: Iterable[ColumnEncoder]) -> list[Origin]:
    """Of a transformer that has an encoder for each column of a table: those of texts have words."""
    out = []
    for encoder in encoders:
        vectorizer = getattr(encoder, "vectorizer", None)
        if isinstance(vectorizer, CountVectorizer):
            out += _words(vectorizer, [Origin(encoder.name)])
        else:
            # Columns of texts without words may be a million, and have names that say nothing.
            width = getattr(encoder, "width", None)
            out += [Origin(encoder.name)] * (len(encoder.names()) if width is None else width)
    return out


def _by_names(transformer: Classifier, origins: Sequence[Origin], n_out: int | None) -> list[Origin]:
    """By what the transformer calls its columns, and by how many they are."""
    n_out = n_out if n_out is not None else getattr(transformer, "n_output_features_", None)
    names = _names_out(transformer, origins) if _may_name(transformer, len(origins), n_out) else None
    count = len(names) if names is not None else n_out
    if count == len(origins) and (names is None or _same_names(names, origins)):
        return list(origins)
    sources = {origin.column for origin in origins}
    if len(sources) == 1 and count is not None:
        return [Origin(next(iter(sources)))] * count
    if names is not None:
        return [Origin(_source(name, sources)) for name in names]
    return list(origins) if count in (None, len(origins)) else named_columns(f"x{place}" for place in range(count or 0))


def _may_name(transformer: Classifier, n_in: int, n_out: int | None) -> bool:
    """Whether a transformer can be asked for names: it has as many as columns, and making them takes little room."""
    if n_out is None:
        return True
    if isinstance(transformer, PolynomialFeatures) and n_in * n_out > _MOST_POWERS:
        return False
    return bool(getattr(transformer, "_n_features_out", n_out) == n_out)


def _names_out(transformer: Classifier, origins: Sequence[Origin]) -> list[str] | None:
    if not hasattr(transformer, "get_feature_names_out"):
        return None
    for arguments in ((), ([str(origin.column) for origin in origins],)):
        try:
            return [str(name) for name in transformer.get_feature_names_out(*arguments)]
        except (AttributeError, NotImplementedError, TypeError, ValueError):
            continue  # some know their names only if they are told those of what goes in
    return None


def _same_names(names: Sequence[str], origins: Sequence[Origin]) -> bool:
    """Whether columns come out as they went in: under the same names, or under numbers."""
    plain = all(name == f"x{place}" for place, name in enumerate(names))
    return plain or all(name == origin.column for name, origin in zip(names, origins, strict=True))


def _source(name: str, sources: Container[str | None]) -> str:
    """The column that a name is made from, the longest that fits, at its beginning first; else the name itself."""
    if name in sources or len(name) > _LONGEST:
        return name
    bounds = [place for place, letter in enumerate(name) if letter in _BOUNDS]
    parts = [*(name[:place] for place in bounds), *(name[place + 1 :] for place in bounds)]
    parts.sort(key=len, reverse=True)  # keeps the order of equal ones
    return next((part for part in parts if part in sources), name)


_RULES: tuple[tuple[type, Any], ...] = (
    (Pipeline, _through_steps),
    (ColumnTransformer, _through_columns),
    (FeatureUnion, _through_union),
    (OneHotEncoder, _one_hot),
    (CountVectorizer, _words),
)
