"""What the fields of a record must be: types, shapes and ranges, and how they belong together.

Sizes have names. ``Array("f8", "c d")`` is a matrix whose sizes are called c and d; whatever else in the record has a
size of that name must agree. A part of a record shares names with it where the field says so.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias, TypeVar

import numpy as np
from scipy import sparse

from bncc._typing import Array as AnyArray
from bncc.multilabel.model_files.refusals import Refused

__all__ = [
    "Anything",
    "Array",
    "BuiltPart",
    "Either",
    "Flag",
    "Indices",
    "Kind",
    "Many",
    "Names",
    "Nothing",
    "Number",
    "ObjectTable",
    "Optional",
    "Part",
    "Pointers",
    "Rows",
    "Sizes",
    "Sparse",
    "Text",
    "Values",
    "Whole",
    "check_pointers",
    "held",
    "takes_parts",
]

Values: TypeAlias = Mapping[str, Any]  # fields of a record, before anybody has looked at them

Value = TypeVar("Value")


@dataclass(frozen=True)
class BuiltPart:
    """A record that was read: the name of its type, and its sizes by name."""

    name: str
    sizes: Mapping[str, int]


@dataclass
class Sizes:
    """Sizes by name within one record; `part_of` knows the parts that were read before."""

    part_of: Callable[[object], BuiltPart | None]
    named: dict[str, int] = field(default_factory=dict)

    def bind(self, name: str, size: int, where: str) -> None:
        """Say that a size is called so; another size of that name must be the same. A number is its own size."""
        if name == "_":
            return
        known = int(name) if name.isdigit() else self.named.setdefault(name, size)
        if known != size:
            raise Refused(f"{where} has {size} where {known} are needed")


class Kind(Protocol):
    """What a value must be."""

    def check(self, value: object, where: str, sizes: Sizes) -> None:
        """Raise Refused unless the value is of this kind; sizes are bound, and looked up, by name."""


@dataclass(frozen=True)
class Anything:
    """Any plain value, array, or estimator: for what Python code checks when it uses it."""

    def check(self, value: object, where: str, sizes: Sizes) -> None:
        """Nothing to check: the reader makes plain things only."""


@dataclass(frozen=True)
class Nothing:
    """None."""

    def check(self, value: object, where: str, sizes: Sizes) -> None:
        """None alone."""
        if value is not None:
            raise Refused(f"{where} must be empty")


@dataclass(frozen=True)
class Flag:
    """True or False; `only` one of them where the other has no place in a file."""

    only: bool | None = None

    def check(self, value: object, where: str, sizes: Sizes) -> None:
        """A bool."""
        if not isinstance(value, bool | np.bool_) or (self.only is not None and bool(value) is not self.only):
            raise Refused(f"{where} must be {'True or False' if self.only is None else self.only}")


@dataclass(frozen=True)
class Whole:
    """A whole number from `least` to `most`; called `size` where others must agree."""

    least: int = 0
    most: int = 2**31 - 1
    size: str = "_"

    def check(self, value: object, where: str, sizes: Sizes) -> None:
        """An int, or NumPy's."""
        if isinstance(value, bool) or not isinstance(value, int | np.integer) or not self.least <= value <= self.most:
            raise Refused(f"{where} must be a whole number from {self.least} to {self.most}")
        sizes.bind(self.size, int(value), where)


@dataclass(frozen=True)
class Number:
    """A real number from `least` to `most`, not NaN."""

    least: float = -np.inf
    most: float = np.inf

    def check(self, value: object, where: str, sizes: Sizes) -> None:
        """An int or a float, or NumPy's."""
        real = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
        if not real or not self.least <= float(value) <= self.most:  # type: ignore[arg-type]
            raise Refused(f"{where} must be a number from {self.least} to {self.most}")


@dataclass(frozen=True)
class Text:
    """Text; one of `choices` where there are any."""

    choices: tuple[str, ...] = ()

    def check(self, value: object, where: str, sizes: Sizes) -> None:
        """A str."""
        if not isinstance(value, str) or (self.choices and value not in self.choices):
            raise Refused(f"{where} must be text{f' out of {self.choices}' if self.choices else ''}")


@dataclass(frozen=True)
class Names:
    """A tuple of texts, as many as `size`."""

    size: str

    def check(self, value: object, where: str, sizes: Sizes) -> None:
        """All str."""
        if type(value) is not tuple or not all(isinstance(each, str) for each in value):
            raise Refused(f"{where} must be a tuple of names")
        sizes.bind(self.size, len(value), where)


@dataclass(frozen=True)
class Array:
    """An array of one of the `dtypes` ("f8 f4") whose sizes are called `dims`; "*" is any type that is not an object.

    `least` and `below` bound its values (`below` may be the name of a size); `finite` keeps NaN and infinity out.
    Arrays are C-contiguous where `in_order`, as compiled code wants them.
    """

    dtypes: str
    dims: str
    least: int | None = None
    below: str = ""
    finite: bool = False
    in_order: bool = False

    def check(self, value: object, where: str, sizes: Sizes) -> None:
        """Type, number of dimensions, sizes, then values."""
        array = _plain_array(value, self.dtypes, where)
        names = self.dims.split()
        if array.ndim != len(names):
            raise Refused(f"{where} must have {len(names)} dimensions")
        if self.in_order and not array.flags.c_contiguous:
            raise Refused(f"{where} must lie row by row")
        for name, size in zip(names, array.shape, strict=True):
            sizes.bind(name, size, where)
        if self.finite and not np.isfinite(array).all():
            raise Refused(f"{where} must be finite")
        if self.least is not None and array.size and array.min() < self.least:
            raise Refused(f"{where} must be at least {self.least}")
        if self.below and array.size and array.max() >= _limit(self.below, sizes, where):
            raise Refused(f"{where} points beyond what there is")


@dataclass(frozen=True)
class Indices:
    """A tuple or list of whole numbers from `least`, below a size that is known before."""

    below: str
    size: str = "_"
    least: int = 0
    distinct: bool = False

    def check(self, value: object, where: str, sizes: Sizes) -> None:
        """Each a number of one of what there is."""
        if not isinstance(value, tuple | list) or not all(type(each) is int for each in value):
            raise Refused(f"{where} must be a tuple of whole numbers")
        limit = _limit(self.below, sizes, where)
        if value and not (self.least <= min(value) and max(value) < limit):
            raise Refused(f"{where} points beyond what there is")
        if self.distinct and len(set(value)) < len(value):
            raise Refused(f"{where} must not repeat a number")
        sizes.bind(self.size, len(value), where)


@dataclass(frozen=True)
class Pointers:
    """``int64[n + 1]`` that ascends from 0 to the size called `of`; n is called `size`."""

    size: str
    of: str

    def check(self, value: object, where: str, sizes: Sizes) -> None:
        """Where each of n parts begins and the last one ends."""
        pointers = _plain_array(value, "i8", where)
        if pointers.ndim != 1 or not pointers.size or not pointers.flags.c_contiguous:
            raise Refused(f"{where} must be a row of pointers")
        sizes.bind(self.size, pointers.size - 1, where)
        check_pointers(pointers, _limit(self.of, sizes, where), where)


@dataclass(frozen=True)
class Sparse:
    """A sparse matrix in one of the `formats`, of one of the `dtypes`, whose sizes are called `dims`."""

    formats: str
    dtypes: str
    dims: str

    def check(self, value: object, where: str, sizes: Sizes) -> None:
        """The reader has checked its arrays against each other."""
        matrix: Any = value
        if not sparse.issparse(matrix) or matrix.format not in self.formats.split():
            raise Refused(f"{where} must be a sparse matrix ({self.formats})")
        _plain_array(matrix.data, self.dtypes, where)
        for name, size in zip(self.dims.split(), matrix.shape, strict=True):
            sizes.bind(name, size, where)


@dataclass(frozen=True)
class Many:
    """A tuple or list of things of one kind, as many as `size`; sizes that `apart` names belong to each alone."""

    each: Kind
    size: str = "_"
    apart: str = ""

    def check(self, value: object, where: str, sizes: Sizes) -> None:
        """Each of its kind."""
        if not isinstance(value, tuple | list):
            raise Refused(f"{where} must be a tuple or a list")
        sizes.bind(self.size, len(value), where)
        for number, part in enumerate(value):
            for name in self.apart.split():
                sizes.named.pop(name, None)
            self.each.check(part, f"{where}[{number}]", sizes)


@dataclass(frozen=True)
class Either:
    """Any of some kinds."""

    kinds: tuple[Kind, ...]

    def check(self, value: object, where: str, sizes: Sizes) -> None:
        """The first that fits; what the last one says where none does."""
        for kind in self.kinds[:-1]:
            held = dict(sizes.named)
            try:
                kind.check(value, where, sizes)
            except Refused:
                sizes.named.clear()
                sizes.named.update(held)
            else:
                return
        self.kinds[-1].check(value, where, sizes)


@dataclass(frozen=True)
class Optional:
    """A field that may be missing or None."""

    kind: Kind

    def check(self, value: object, where: str, sizes: Sizes) -> None:
        """None, or of its kind."""
        if value is not None:
            self.kind.check(value, where, sizes)


@dataclass(frozen=True)
class Part:
    """A record of one of the types `names`; sizes called so in `same` are those of the record around it."""

    names: tuple[str, ...]
    same: str = ""

    def check(self, value: object, where: str, sizes: Sizes) -> None:
        """The reader remembers the sizes of every record that it has made."""
        part = sizes.part_of(value)
        if part is None or part.name not in self.names:
            raise Refused(f"{where} must be {' or '.join(self.names)}; got {type(value).__name__}")
        for name in self.same.split():
            if name in part.sizes:
                sizes.bind(name, part.sizes[name], where)


@dataclass(frozen=True)
class Rows:
    """A row of records of numbers, as many as `size`, with at least these fields; for nodes of trees."""

    fields: str
    size: str

    def check(self, value: object, where: str, sizes: Sizes) -> None:
        """A one-dimensional array whose type has the fields."""
        if type(value) is not np.ndarray or value.ndim != 1 or value.dtype.names is None:
            raise Refused(f"{where} must be a row of records")
        if missing := set(self.fields.split()) - set(value.dtype.names):
            raise Refused(f"{where} has no {', '.join(sorted(missing))}")
        sizes.bind(self.size, value.size, where)


def takes_parts(kind: Kind | None) -> bool:
    """Whether a field asks for inner records by name: these may stand nowhere else."""
    if isinstance(kind, Many):
        return takes_parts(kind.each)
    if isinstance(kind, Optional):
        return takes_parts(kind.kind)
    if isinstance(kind, Either):
        return any(takes_parts(each) for each in kind.kinds)
    if isinstance(kind, ObjectTable):
        return takes_parts(kind.each)
    return isinstance(kind, Part | Rows)


@dataclass(frozen=True)
class ObjectTable:
    """An array of objects of shape `dims`, each of one kind."""

    each: Kind
    dims: str

    def check(self, value: object, where: str, sizes: Sizes) -> None:
        """Each of its kind."""
        names = self.dims.split()
        if type(value) is not np.ndarray or value.dtype != object or value.ndim != len(names):
            raise Refused(f"{where} must be an array of objects")
        for name, size in zip(names, value.shape, strict=True):
            sizes.bind(name, size, where)
        for part in value.ravel().tolist():
            self.each.check(part, where, sizes)


def held(values: Values, name: str, kind: type[Value]) -> Value:
    """A field, which must be of a type: for checks of how fields belong together.

    >>> held({"order": (1, 0)}, "order", tuple)
    (1, 0)
    """
    value = values.get(name)
    if not isinstance(value, kind):
        raise Refused(f"{name} must be of type {kind.__name__}")
    return value


def check_pointers(pointers: AnyArray, n_entries: int, where: str) -> None:
    """Raise Refused unless pointers ascend from 0 to the number of entries."""
    if pointers[0] != 0 or pointers[-1] != n_entries or (pointers[1:] < pointers[:-1]).any():
        raise Refused(f"{where} must ascend from 0 to {n_entries}")


def _plain_array(value: object, dtypes: str, where: str) -> AnyArray:
    if type(value) is not np.ndarray or value.dtype == object or (dtypes == "*" and value.dtype.names is not None):
        raise Refused(f"{where} must be an array of {dtypes}")
    if dtypes != "*" and value.dtype not in [np.dtype(name) for name in dtypes.split()]:
        raise Refused(f"{where} must be an array of {dtypes}; got {value.dtype}")
    return value


def _limit(name: str, sizes: Sizes, where: str) -> int:
    if name.isdigit():
        return int(name)
    if name not in sizes.named:
        raise Refused(f"{where} needs a size that the record does not have")
    return sizes.named[name]
