"""Records whose objects are not built as they were written: checked in use, or kept from starting processes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from bncc.multilabel.model_files.fields import Kind, Sizes, Values
from bncc.multilabel.model_files.registry import Fields, Record

__all__ = ["built_alone", "built_as", "checked_record", "path_of"]


def path_of(kind: type) -> str:
    """Where a class is, as records say it."""
    return f"{kind.__module__}:{kind.__qualname__}"


def checked_record(
    name: str,
    module: str,
    checked: type,
    fields: Mapping[str, Kind],
    check: Callable[[Values, Sizes], None] | None = None,
    work: Callable[[Values, Sizes], int] | None = None,
    columns: Callable[[Values, Sizes], int] | None = None,
    *,
    loose: bool = True,
    ignores: tuple[str, ...] = (),
) -> Record:
    """A record of a class of scikit-learn in whose place one of `checked_estimators` is built, in one process."""
    former = (path_of(checked),)
    path = f"sklearn.{module}:{name}"
    make = built_alone(lambda: checked)
    return Record(
        name,
        path,
        fields,
        loose=loose,
        make=make,
        former=former,
        check=check,
        work=work,
        columns=columns,
        ignores=ignores,
    )


def built_as(kind: type) -> Callable[[Fields], object]:
    """What makes an object of a class of ours in the place of scikit-learn's."""

    def make(values: Fields) -> object:
        made: Any = object.__new__(kind)
        made.__setstate__(values)
        return made

    return make


def built_alone(kind: Callable[[], type]) -> Callable[[Fields], object]:
    """What makes an object of a class that works in one process, however many it was fitted by."""

    def make(values: Fields) -> object:
        made: Any = object.__new__(kind())
        made.__setstate__({**values, "n_jobs": None} if "n_jobs" in values else values)
        return made

    return make
