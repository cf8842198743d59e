"""How often the structure of a model file mentions each of its members."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

__all__ = ["mentions_of_members"]

_BY_NAME = frozenset(("array", "bytes", "dtype of", "stored scalar"))
_BY_KIND_AND_NAME = "stored matrix"


def mentions_of_members(structure: object) -> Counter[str]:
    """The number of mentions by name; some that are none may be counted too, as of a field that is called array.

    >>> mentions_of_members({"list": [{"array": "0.npy"}, {"bytes": "1.npy"}, {"array": "0.npy"}]})
    Counter({'0.npy': 2, '1.npy': 1})
    """
    return Counter(_names(structure))


def _names(structure: object) -> Iterator[str]:
    waiting = [structure]
    while waiting:
        part = waiting.pop()
        if isinstance(part, list):
            waiting += [each for each in part if isinstance(each, list | dict)]
        elif isinstance(part, dict):
            for kind, content in part.items():
                name = _last(content) if kind == _BY_KIND_AND_NAME else content
                if isinstance(name, str) and (kind in _BY_NAME or kind == _BY_KIND_AND_NAME):
                    yield name
                if isinstance(content, list | dict):
                    waiting.append(content)


def _last(parts: object) -> object:
    return parts[-1] if isinstance(parts, list) and parts else None
