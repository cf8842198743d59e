"""From plain JSON values back to frozen records, checked by their annotations.

Written by hand, since names come from data and may hold bytes that are no text (a lone surrogate, in Python): the
libraries made for this refuse such names, and a page or a result store must give them back.
"""

from __future__ import annotations

import types
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

__all__ = ["revive"]

T = TypeVar("T")


def revive(kind: type[T], value: Any, where: str) -> T:
    """A value of the annotated type; ValueError says where the text does not fit it.

    Types known: dataclasses, tuples, mappings from str, unions, literals, the plain values of JSON, and Any.

    >>> revive(tuple[int, ...], [1, 2], "counts")
    (1, 2)
    """
    return _revive(kind, value, where)


def _revive(kind: Any, value: Any, where: str) -> Any:
    if is_dataclass(kind):
        return _record(kind, value, where)
    origin, arguments = get_origin(kind), get_args(kind)
    if kind is Any:
        return value
    if origin in (Union, types.UnionType):
        return _revive(_member(arguments, value), value, where)
    if origin is Literal:
        return _literal(arguments, value, where)
    if origin is tuple and isinstance(value, list):
        return _tuple(arguments, value, where)
    if origin is Mapping and isinstance(value, dict):
        return {key: _revive(arguments[1], entry, f"{where}.{key}") for key, entry in value.items()}
    return _plain(kind, value, where)


def _member(kinds: tuple[Any, ...], value: Any) -> Any:
    """The member of a union that a value is read as: the one of its type, else the first that is not None."""
    plain_type = tuple if isinstance(value, list) else type(value)
    same = [kind for kind in kinds if (get_origin(kind) or kind) is plain_type]
    return (same or [kind for kind in kinds if kind is not types.NoneType])[0]


def _literal(allowed: tuple[Any, ...], value: Any, where: str) -> Any:
    if value not in allowed:
        raise ValueError(f"`{where}` must be one of {', '.join(map(repr, allowed))}; got {value!r}.")
    return value


def _plain(kind: Any, value: Any, where: str) -> Any:
    if kind is types.NoneType and value is None:
        return None
    if kind is float and type(value) is int:
        return float(value)
    if type(value) is not kind:
        raise ValueError(f"`{where}` must be {getattr(kind, '__name__', kind)}; got {type(value).__name__}.")
    return value


def _tuple(arguments: tuple[Any, ...], value: list[Any], where: str) -> tuple[Any, ...]:
    if arguments[-1] is Ellipsis:
        kind = arguments[0]
        if kind in (int, str, bool) and {type(entry) for entry in value} <= {kind}:
            return tuple(value)
        return tuple(_revive(kind, entry, f"{where}[{i}]") for i, entry in enumerate(value))
    if len(value) != len(arguments):
        raise ValueError(f"`{where}` must have {len(arguments)} entries; got {len(value)}.")
    return tuple(_revive(kind, entry, where) for kind, entry in zip(arguments, value, strict=True))


def _record(kind: Any, value: Any, where: str) -> Any:
    if not isinstance(value, dict):
        raise ValueError(f"`{where}` must be an object; got {type(value).__name__}.")
    hints, known = _hints(kind), {field.name: field for field in fields(kind)}
    unknown = sorted(set(value) - set(known))
    needed = {name for name, field in known.items() if field.default is MISSING and field.default_factory is MISSING}
    missing = sorted(needed - set(value))
    if unknown or missing:
        raise ValueError(f"`{where}` has unknown fields {unknown[:5]} and lacks {missing[:5]}.")
    return kind(**{name: _revive(hints[name], entry, f"{where}.{name}") for name, entry in value.items()})


@cache
def _hints(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind)
