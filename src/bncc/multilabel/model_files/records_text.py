"""Records of what turns text into numbers; patterns that could run for hours on some text are not read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

import numpy as np

from bncc.multilabel.model_files.checked_preparation import CheckedCounts, CheckedTfidf
from bncc.multilabel.model_files.fields import (
    Anything,
    Array,
    Either,
    Flag,
    Kind,
    Many,
    Nothing,
    Optional,
    Part,
    Sizes,
    Text,
    Values,
    Whole,
)
from bncc.multilabel.model_files.refusals import Refused
from bncc.multilabel.model_files.registry import Record
from bncc.multilabel.model_files.unlike_records import built_alone

__all__ = ["TEXT"]

_LONGEST = 10  # words or letters that are counted together: a text is as many times as long
_MOST_HASHES = 2**20  # columns of hashes, which no word of a file pays for; the default of scikit-learn
_MOST_IN_A_ROW = 2**17  # words of an array, each of which becomes an object

# One repetition, at the end: a search for such a pattern takes no more steps than the text has letters.
_ATOM = r"(?:\\[wdS]|\[[\w\-]{1,40}\]|[A-Za-z0-9])"
_QUICK = re.compile(rf"(?:\(\?u\))?(?:\\b(?:\\w){{0,8}}\\w\+\\b|{_ATOM}{{0,8}}{_ATOM}\+)\Z")


class Pattern:
    """A regular expression that finds its tokens in time that grows with the text alone."""

    def check(self, value: object, where: str, sizes: Sizes) -> None:
        """Text of that form."""
        if not isinstance(value, str) or not _QUICK.match(value):
            raise Refused(f"{where} must be a pattern with one repetition at its end, as {chr(39)}\\b\\w+\\b{chr(39)}")


class Words:
    """A collection of words: numbers and tuples would take far more as keys than they do in a file."""

    def check(self, value: object, where: str, sizes: Sizes) -> None:
        """A list, tuple, set or dictionary of text alone, or a row of it."""
        if not _is_row_of_words(value) and not isinstance(value, list | tuple | set | frozenset | dict):
            raise Refused(f"{where} must be a collection of words; got {type(value).__name__}")
        words: Iterable[object] = value  # type: ignore[assignment]
        if not all(isinstance(word, str) for word in words):
            raise Refused(f"{where} must hold words alone")


def _is_row_of_words(value: object) -> bool:
    """Whether it is an array of objects, which may be words, or of not too many words that are all of one width."""
    if not isinstance(value, np.ndarray) or value.ndim != 1:
        return False
    return value.dtype == object or (value.dtype.kind == "U" and value.size <= _MOST_IN_A_ROW)


def _check_vocabulary(values: Values, sizes: Sizes) -> None:
    """Words number the columns of a sparse matrix that no one checks again."""
    words = values.get("vocabulary_")
    if words is not None:
        _check_numbers(words)
        sizes.named["words"] = len(words)
    idf = values.get("_tfidf")
    known = sizes.named.get("d")
    if idf is not None and known is not None and sizes.named.get("words", known) != known:
        raise Refused("a vectorizer with weights for another number of words")


def _check_numbers(words: object) -> None:
    if not isinstance(words, dict) or not all(isinstance(word, str) for word in words):
        raise Refused("a vocabulary that is no dictionary of words")
    numbers = list(words.values())
    if not all(isinstance(number, int) or hasattr(number, "dtype") for number in numbers):
        raise Refused("a vocabulary whose words have no numbers")
    if sorted(numbers) != list(range(len(numbers))):
        raise Refused("a vocabulary whose words are not numbered from 0")


_READING: Mapping[str, Kind] = {
    "input": Text(("content",)),
    "encoding": Text(),
    "decode_error": Text(("strict", "ignore", "replace")),
    "strip_accents": Optional(Text(("ascii", "unicode"))),
    "preprocessor": Optional(Nothing()),
    "tokenizer": Optional(Nothing()),
    "analyzer": Text(("word", "char", "char_wb")),
    "token_pattern": Optional(Pattern()),
    "stop_words": Optional(Either((Text(("english",)), Words()))),
    "ngram_range": Many(Whole(1, _LONGEST), "2"),
    "dtype": Anything(),
}
_COUNTING: Mapping[str, Kind] = {
    **_READING,
    "vocabulary": Optional(Words()),
    "fixed_vocabulary_": Optional(Flag()),
    "vocabulary_": Optional(Anything()),
}
_STOP = ("_stop_words_id", "stop_words_")
_MODULE = "sklearn.feature_extraction.text"


def _counting(name: str, checked: type, fields: Mapping[str, Kind]) -> Record:
    """A vectorizer in whose place one of `checked_preparation` is built."""
    former = (f"{checked.__module__}:{checked.__qualname__}",)
    make = built_alone(lambda: checked)
    path = f"{_MODULE}:{name}"
    return Record(
        name,
        path,
        fields,
        check=_check_vocabulary,
        columns=lambda values, sizes: sizes.named.get("words", 0),
        ignores=_STOP,
        make=make,
        former=former,
    )


TEXT = (
    _counting("CountVectorizer", CheckedCounts, _COUNTING),
    _counting(
        "TfidfVectorizer", CheckedTfidf, {**_COUNTING, "_tfidf": Optional(Part(("TfidfTransformer",), same="d"))}
    ),
    Record(
        "TfidfTransformer",
        f"{_MODULE}:TfidfTransformer",
        {"n_features_in_": Optional(Whole(1, 2**31 - 1, "d")), "idf_": Optional(Array("f8 f4", "d"))},
        loose=True,
        columns=lambda values, sizes: sizes.named.get("d", 0),
    ),
    Record(
        "HashingVectorizer",
        f"{_MODULE}:HashingVectorizer",
        {**_READING, "n_features": Whole(1, _MOST_HASHES, "words")},
        ignores=_STOP,
    ),
)
