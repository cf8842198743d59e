"""Types of other packages, which a model file may hold only by an explicit word of whoever opens it.

Whatever their readers do is theirs: LightGBM and CatBoost hand the file's bytes to compiled code of their own. Nothing
here is reached unless the caller of `load_model` has named the type, or its package, in ``trusted``.
"""

from __future__ import annotations

import copyreg
from collections.abc import Callable, Iterable
from importlib import import_module

__all__ = ["is_named", "make_foreign", "parts_of_foreign"]


def is_named(name: str, trusted: Iterable[str]) -> bool:
    """Whether a full name is among those trusted, or its package is.

    >>> is_named("lightgbm.sklearn.LGBMClassifier", ["lightgbm"]), is_named("os.system", ["lightgbm"])
    (True, False)
    """
    return name in trusted or name.partition(".")[0] in trusted


def parts_of_foreign(value: object) -> tuple[str, tuple[object, ...], object]:
    """The full name of an object's type, what it is made of, and its state; TypeError where it has no such form."""
    reduced = value.__reduce_ex__(2)
    if not isinstance(reduced, tuple) or len(reduced) < 2 or any(each is not None for each in reduced[3:]):
        raise TypeError(f"{type(value).__name__} cannot be taken apart.")
    maker, arguments = reduced[:2]
    state = reduced[2] if len(reduced) > 2 else None
    if maker is copyreg.__newobj__ and arguments[0] is type(value):  # type: ignore[attr-defined]
        return _full_name(type(value)), tuple(arguments[1:]), state
    raise TypeError(f"{type(value).__name__} cannot be taken apart: it is made by {maker}.")


def make_foreign(kind: str, name: str, arguments: tuple[object, ...] | None, state: object) -> object:
    """An object, or a function, of another package. Only for names that the caller trusts."""
    module, _, member = name.rpartition(".")
    found: Callable[..., object] = getattr(import_module(module), member)
    if kind == "function":
        return found
    if not isinstance(found, type):
        raise TypeError(f"{name} is no type.")
    made: object = found.__new__(found, *(arguments or ()))
    restore = getattr(made, "__setstate__", None)
    if restore is not None and state is not None:
        restore(state)
    elif isinstance(state, dict):
        made.__dict__.update(state)
    return made


def _full_name(kind: type) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"
