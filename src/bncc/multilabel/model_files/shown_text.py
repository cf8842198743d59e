"""How much text of a model is shown when it is printed: its settings, with the first parts of each collection."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain, islice

import numpy as np

__all__ = ["letters_shown"]

_FIRST = 30  # parts of a collection that scikit-learn shows
_FIRST_OF_ARRAY = 1000


def letters_shown(values: Iterable[object]) -> int:
    """Letters of text in some values; estimators among them count by themselves.

    >>> letters_shown(["abc", {"k": ["de", 7]}, ["x"] * 100])
    36
    """
    letters, waiting = 0, list(values)
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            letters += len(value)
        elif isinstance(value, dict):
            waiting += chain.from_iterable(islice(value.items(), _FIRST))
        elif isinstance(value, list | tuple | set | frozenset):
            waiting += islice(value, _FIRST)
        elif isinstance(value, np.ndarray) and value.dtype == object:
            waiting += value.ravel()[:_FIRST_OF_ARRAY].tolist()
    return letters
