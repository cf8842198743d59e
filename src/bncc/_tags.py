"""Labels written as tags (``rain;wind``, lists, JSON lists) instead of one 0/1 column each."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from scipy import sparse

from bncc._missing import is_missing
from bncc._typing import CSR

__all__ = ["find_separator", "is_tag_list", "read_tags", "shared_parts", "split_tags", "tags_to_labels"]

_MARKS = (";", "|", ",", "\t", "\n", "/")
_SPACE = " "
_JSON_LIST = re.compile(r"\s*\[.*\]\s*\Z", re.S)
_BEGINS_A_LIST = re.compile(r"""\s*\[\s*["']""")
_MOST_LOOKED_AT = 5000
# Cells that hold one of the usual words for nothing have no tags.
_NO_TAGS = frozenset({"", "nan", "na", "n/a", "none", "null", "<na>", "[]"})


def split_tags(text: str | None, separator: str | None) -> list[str]:
    """The distinct tags of one cell, trimmed; an empty cell has none.

    >>> split_tags(" rain; wind;rain", ";")
    ['rain', 'wind']
    """
    whole = text or ""
    parts = [part.strip() for part in (whole.split(separator) if separator else [whole])]
    return list(dict.fromkeys(part for part in parts if part))


def is_tag_list(cell: object) -> bool:
    """Whether a cell is a list, tuple, set or array of tags."""
    return isinstance(cell, list | tuple | set | frozenset | np.ndarray)


def read_tags(cell: object, separator: str | None) -> list[str]:
    """The tags of a cell: a list or set, a JSON list, or text that is split; none for nothing.

    >>> read_tags({"wind", "rain"}, None), read_tags('["rain", "wind"]', ";"), read_tags(None, ";")
    (['rain', 'wind'], ['rain', 'wind'], [])
    """
    if isinstance(cell, Mapping):
        raise _no_tag(cell)
    if is_tag_list(cell):
        listed: list[object] = list(cell)  # type: ignore[call-overload]
        nested = next((tag for tag in listed if is_tag_list(tag) or isinstance(tag, Mapping)), None)
        if nested is not None:
            raise _no_tag(nested)
        tags = [str(tag).strip() for tag in listed if not is_missing(tag)]
        tags = sorted(tags) if isinstance(cell, set | frozenset) else tags
        return list(dict.fromkeys(tag for tag in tags if tag))
    if is_missing(cell) or str(cell).strip().lower() in _NO_TAGS:
        return []
    text = str(cell)
    listed_in_text = _json_list(text)
    if listed_in_text is not None:
        return read_tags(listed_in_text, None)
    if _BEGINS_A_LIST.match(text):
        raise ValueError(
            f"a list of tags is not closed, or holds more than texts and numbers; got {text.strip()[:40]}. Write it "
            'like ["rain", "wind"].'
        )
    return split_tags(text, separator)


def _no_tag(value: object) -> ValueError:
    return ValueError(f"a tag must be text or a number; got {str(value)[:40]}. Give a row's tags as one flat list.")


def _json_list(text: str) -> list[object] | None:
    if not _JSON_LIST.match(text):
        return None
    try:
        value = json.loads(text)
    except ValueError:
        try:
            value = json.loads(text.replace("'", '"'))  # as Python prints a list
        except ValueError:
            return None
    flat = isinstance(value, list) and all(isinstance(each, str | int | float | None) for each in value)
    return value if flat else None


def find_separator(cells: Iterable[object]) -> str | None:
    """What stands between tags: of the usual marks the one that makes tags which stand elsewhere too; None for none.

    Marks within tags ("and/or") cut them into pieces that occur nowhere else; tags repeat.

    >>> find_separator(["rain;wind", "rain", "wind"]), find_separator(["rain", "wind"])
    (';', None)
    >>> find_separator(["New York, NY; rain", "rain"]), find_separator(["and/or", "rain"])
    (';', None)
    """
    texts = [str(cell) for cell in cells if isinstance(cell, str) and cell.strip() and _json_list(cell) is None]
    texts = texts[:_MOST_LOOKED_AT]
    scores = {mark: shared_parts(texts, mark) for mark in _MARKS}
    best = max(_MARKS, key=lambda mark: scores[mark])  # of equal ones the first
    if scores[best] > 0:
        return best
    holding = {mark: sum(mark in text for text in texts) for mark in (";", "|", ",")}
    mark = max(holding, key=lambda each: holding[each])
    if holding[mark]:
        return mark
    return _SPACE if texts and shared_parts(texts, _SPACE) > 0.5 * len(texts) and _are_words(texts) else None


def _are_words(texts: Sequence[str]) -> bool:
    """Whether blanks separate tags: the same few words come in many combinations."""
    words = Counter(word for text in texts for word in text.split())
    return len(words) <= max(3, len(set(texts)) / 2)


def shared_parts(texts: Sequence[str], mark: str) -> float:
    """How many cells hold the mark between parts that other cells hold too, less those that hold parts of their own."""
    held = Counter(part for text in set(texts) for part in split_tags(text, mark))
    cut = [split_tags(text, mark) for text in texts if mark in text.strip(mark)]
    shared = sum(all(held[part] > 1 for part in parts) for parts in cut)
    return shared - 0.5 * (len(cut) - shared)


def tags_to_labels(rows: Sequence[Sequence[str]], names: Sequence[str] | None = None) -> tuple[CSR, list[str]]:
    """A csr_array of 0/1 with one column per tag, and the tags: in alphabetical order, or those in `names` alone.

    >>> labels, names = tags_to_labels([["wind"], ["rain", "wind"], []])
    >>> names, labels.toarray().tolist()
    (['rain', 'wind'], [[0, 1], [1, 1], [0, 0]])
    """
    listed = sorted({tag for row in rows for tag in row}) if names is None else list(names)
    label_of_tag = {tag: i for i, tag in enumerate(listed)}
    kept = [[label_of_tag[tag] for tag in row if tag in label_of_tag] for row in rows]
    indices = np.array([label for row in kept for label in row], np.int64)
    indptr = np.concatenate([[0], np.cumsum([len(row) for row in kept])]).astype(np.int64)
    ones = np.ones(len(indices), np.int8)
    return sparse.csr_array((ones, indices, indptr), shape=(len(rows), len(listed))), listed
