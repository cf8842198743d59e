"""Labels written as one column of tags (``rain;wind``) instead of one 0/1 column each."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import sparse

from bncc._typing import CSR

__all__ = ["cell_tags", "other_separator", "split_tags", "tags_to_labels"]


def split_tags(text: str | None, separator: str) -> list[str]:
    """The distinct tags of one cell, trimmed; an empty cell has none.

    >>> split_tags(" rain; wind;rain", ";")
    ['rain', 'wind']
    """
    parts = (part.strip() for part in (text or "").split(separator))
    return list(dict.fromkeys(part for part in parts if part))


def cell_tags(cell: object, separator: str) -> list[str]:
    """The tags of a cell: a list, or one text that is split."""
    if isinstance(cell, list):
        return list(dict.fromkeys(str(tag) for tag in cell if tag is not None))
    return split_tags(None if cell is None else str(cell), separator)


def other_separator(tags: Sequence[str], separator: str) -> str | None:
    """The first usual separator that occurs within tags, as when they were split at the wrong one.

    >>> other_separator(["rain;wind", "rain"], ","), other_separator(["rain", "wind"], ",")
    (';', None)
    """
    return next((mark for mark in ";|" if mark != separator and any(mark in tag for tag in tags)), None)


def tags_to_labels(rows: Sequence[Sequence[str]]) -> tuple[CSR, list[str]]:
    """A csr_array of 0/1 with one column per tag, and the tags in alphabetical order.

    >>> labels, names = tags_to_labels([["wind"], ["rain", "wind"], []])
    >>> names, labels.toarray().tolist()
    (['rain', 'wind'], [[0, 1], [1, 1], [0, 0]])
    """
    names = sorted({tag for row in rows for tag in row})
    label_of_tag = {tag: i for i, tag in enumerate(names)}
    indices = np.array([label_of_tag[tag] for row in rows for tag in row], np.int64)
    indptr = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64)
    ones = np.ones(len(indices), np.int8)
    return sparse.csr_array((ones, indices, indptr), shape=(len(rows), len(names))), names
