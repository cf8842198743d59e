"""What may be a key of a dictionary or stand in a set: text, numbers and tuples, of which the latter can share a hash.

Python salts the hash of text. Whoever chooses numbers chooses their hashes, and each of one hash is compared with all.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bncc.multilabel.model_files.refusals import Refused

__all__ = ["as_key", "count_comparisons"]

_MOST_TUPLES = 4096  # in one collection
_NUMBERS_PER_TUPLE = 16  # that take as long: only few have one hash, but many can have one place after another
_NUMBERS = ("float", "scalar", "stored scalar")


def as_key(value: object) -> object:
    """The value, if it is plain and has a hash."""
    if not isinstance(value, str | int | float | bool | tuple | np.generic | type(None)):
        raise Refused("a key that is no number, text or tuple")
    try:
        hash(value)
    except TypeError as error:
        raise Refused("a key that is no number, text or tuple") from error
    return value


def count_comparisons(nodes: Sequence[object]) -> int:
    """Pairs of tuples that are compared, at most, to put the parts of a structure into a set or a dictionary.

    >>> count_comparisons([{"tuple": [1]}, {"tuple": [2]}, "text", None])
    4
    """
    tuples = sum(isinstance(node, dict) and "tuple" in node for node in nodes)
    if tuples > _MOST_TUPLES:
        raise Refused(f"a collection of {tuples} tuples, more than {_MOST_TUPLES}")
    return tuples**2 + (sum(map(_is_number, nodes)) // _NUMBERS_PER_TUPLE) ** 2


def _is_number(node: object) -> bool:
    if isinstance(node, dict):
        return any(kind in node for kind in _NUMBERS)
    return isinstance(node, int | float)
