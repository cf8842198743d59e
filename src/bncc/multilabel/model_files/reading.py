"""Objects from the structure of a model file: plain values, arrays, and records that are checked before they are made.

Nothing that a file names is called. What it costs to make an object, over all references to it, is counted beforehand
and must not exceed a small multiple of what the file holds.
"""

from __future__ import annotations

import io
import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from sklearn.utils import Bunch

from bncc._typing import Array
from bncc.multilabel.model_files.archive import Archive
from bncc.multilabel.model_files.arrays import is_plain_dtype, read_array
from bncc.multilabel.model_files.fields import BuiltPart, Sizes, takes_parts
from bncc.multilabel.model_files.foreign import make_foreign
from bncc.multilabel.model_files.functions import NUMBER_TYPES, function_named
from bncc.multilabel.model_files.json_content import FREE_BYTES, MULTIPLE, PER_NODE
from bncc.multilabel.model_files.refusals import Refused
from bncc.multilabel.model_files.registry import Record, check_record, record_named
from bncc.multilabel.model_files.sparse_matrices import make_sparse

__all__ = ["Reader", "build"]

_DEEPEST = 80
_WITH_OPTIONS = ("sklearn.utils.validation.check_array", "bncc.metrics.binary.f_beta")
Node: TypeAlias = object


@dataclass
class _Shared:
    """Something that may be referred to again, and what it costs each time."""

    value: Any
    cost: int


class Reader:
    """Makes the objects of one file.

    Parameters
    ----------
    archive : Archive
        Where its arrays are.
    is_trusted : callable
        Whether a type or function outside the list may be made, by its full name: the caller's word.
    """

    def __init__(self, archive: Archive, is_trusted: Callable[[str], bool]) -> None:
        self._archive = archive
        self._is_trusted = is_trusted
        self._content = archive.unpacked
        self._spent = 0
        self._arrays: dict[str, _Shared] = {}
        self._records: dict[int, _Shared] = {}
        self._parts: dict[int, BuiltPart] = {}
        self._kept: list[object] = []  # so that no id is used twice

    def read(self, node: Node) -> object:
        """The object of a structure."""
        self._check_references(node)
        return self._value(node, 0, False)

    def _check_references(self, node: Node) -> None:
        """Refuse before any array is read what names arrays so often that they are many times the file."""
        named = Counter(_arrays_named(node))
        total = sum(times * self._archive.size(name) for name, times in named.items() if name in self._archive)
        if total > FREE_BYTES + MULTIPLE * self._content:
            raise Refused("what it refers to, counted as often as it does, is many times what it holds")

    def part_of(self, value: object) -> BuiltPart | None:
        """What is known of a record that was made before."""
        return self._parts.get(id(value))

    def _spend(self, cost: int) -> None:
        self._spent += cost
        if self._spent > FREE_BYTES + MULTIPLE * self._content:
            raise Refused("what it refers to, counted as often as it does, is many times what it holds")

    def _value(self, node: Node, depth: int, inner: bool) -> object:
        """An object; `inner` where the field around it asks for a record by name."""
        self._spend(PER_NODE)
        if node is None or isinstance(node, bool | str):
            return node
        if isinstance(node, int | float):
            return _number(node)
        if depth > _DEEPEST:
            raise Refused("it is nested too deeply")
        if not isinstance(node, dict) or len(node) != 1:
            raise Refused("its structure has a part of unknown form")
        ((kind, content),) = node.items()
        if kind not in _READERS:
            raise Refused(f"its structure has a part of unknown form, {str(kind)[:40]!r}")
        return _READERS[kind](self, content, depth + 1, inner)

    def _values(self, nodes: Node, depth: int, inner: bool) -> list[object]:
        return [self._value(each, depth, inner) for each in _as_list(nodes)]

    def _list(self, content: Node, depth: int, inner: bool) -> object:
        return self._values(content, depth, inner)

    def _tuple(self, content: Node, depth: int, inner: bool) -> object:
        return tuple(self._values(content, depth, inner))

    def _set(self, content: Node, depth: int, inner: bool) -> object:
        return set(map(_as_key, self._values(content, depth, False)))

    def _frozenset(self, content: Node, depth: int, inner: bool) -> object:
        return frozenset(map(_as_key, self._values(content, depth, False)))

    def _dict(self, content: Node, depth: int, inner: bool) -> dict[object, object]:
        made: dict[object, object] = {}
        for pair in _as_list(content):
            key, value = _as_list(pair, 2)
            made[_as_key(self._value(key, depth, False))] = self._value(value, depth, inner)
        if len(made) < len(_as_list(content)):
            raise Refused("a dictionary with a key that stands twice")
        return made

    def _bunch(self, content: Node, depth: int, inner: bool) -> object:
        made = self._dict(content, depth, inner)
        if not all(isinstance(key, str) and key.isidentifier() for key in made):
            raise Refused("a collection with a key that is no name")
        return Bunch(**{str(key): value for key, value in made.items()})

    def _slice(self, content: Node, depth: int, inner: bool) -> object:
        ends = _as_list(content, 3)
        if not all(end is None or type(end) is int for end in ends):
            raise Refused("a slice with ends that are no numbers")
        return slice(*ends)

    def _float(self, content: Node, depth: int, inner: bool) -> float:
        if content not in ("nan", "inf", "-inf"):
            raise Refused("a number of unknown form")
        return float(str(content))

    def _member(self, content: Node) -> Array:
        if not isinstance(content, str):
            raise Refused("an array without a name")
        if content not in self._arrays:
            array = read_array(self._archive.read(content))
            self._arrays[content] = _Shared(array, array.nbytes)
        shared = self._arrays[content]
        self._spend(shared.cost)
        return shared.value

    def _array(self, content: Node, depth: int, inner: bool) -> Array:
        array = self._member(content)
        if array.dtype.names is not None and not inner:
            raise Refused("an array of records where none belongs")
        return array

    def _scalar(self, content: Node, depth: int, inner: bool) -> object:
        name, value = _as_list(content, 2)
        dtype = self._dtype(name, depth, inner)
        if not isinstance(value, bool | int | float | str | dict):
            raise Refused("a number of unknown form")
        if dtype.kind in "iu" and type(value) is int:  # NumPy 1 would take it modulo
            limits = np.iinfo(dtype.name)
            if not limits.min <= value <= limits.max:
                raise Refused("a number that its type cannot hold")
        try:
            made: Array = np.array(self._value(value, depth, False), dtype)
        except (ValueError, TypeError, OverflowError) as error:
            raise Refused("a number that its type cannot hold") from error
        if made.ndim:
            raise Refused("a number of unknown form")
        return made[()]

    def _stored_scalar(self, content: Node, depth: int, inner: bool) -> object:
        array = self._member(content)
        if array.ndim or array.dtype.names is not None:
            raise Refused("a number of unknown form")
        return array[()]

    def _dtype(self, content: Node, depth: int, inner: bool) -> np.dtype[np.generic]:
        if content == "|O":
            return np.dtype(object)
        try:
            dtype = np.dtype(content) if isinstance(content, str) and len(content) < 12 else None
        except (TypeError, ValueError, SyntaxError) as error:
            raise Refused("a type of numbers that does not exist") from error
        if dtype is None or not is_plain_dtype(dtype):
            raise Refused("a type of numbers that is not plain")
        return dtype

    def _dtype_of(self, content: Node, depth: int, inner: bool) -> object:
        dtype = self._member(content).dtype
        if not is_plain_dtype(dtype):
            raise Refused("a type of numbers that is not plain")
        return dtype

    def _type(self, content: Node, depth: int, inner: bool) -> object:
        if not isinstance(content, str) or content not in NUMBER_TYPES:
            raise Refused(f"it holds types that are not trusted: {str(content)[:80]}")
        return NUMBER_TYPES[content]

    def _function(self, content: Node, depth: int, inner: bool) -> object:
        if not isinstance(content, str):
            raise Refused("a function without a name")
        found = function_named(content)
        if found is None and not self._is_trusted(content):
            raise Refused(f"it holds functions that are not trusted: {content[:80]}")
        return found if found is not None else make_foreign("function", content, None, None)

    def _partial(self, content: Node, depth: int, inner: bool) -> object:
        name, options = _as_list(content, 2)
        keywords = self._dict(options, depth, False)
        if name not in _WITH_OPTIONS or not all(isinstance(key, str) for key in keywords):
            raise Refused("a function with arguments")
        return partial(self._callable(str(name)), **{str(key): value for key, value in keywords.items()})

    def _callable(self, name: str) -> Callable[..., object]:
        found = function_named(name)
        if found is None:
            raise Refused(f"it holds functions that are not trusted: {name[:80]}")
        return found

    def _objects(self, content: Node, depth: int, inner: bool) -> Array:
        """An array of objects, item by item; what a field asks for by name may stand in it."""
        shape, items = _as_list(content, 2)
        sizes = [size for size in _as_list(shape) if type(size) is int and size >= 0]
        values = self._values(items, depth, inner)
        if len(sizes) != len(_as_list(shape)) or len(sizes) > 8 or math.prod(sizes) != len(values):
            raise Refused("an array of objects whose shape is another")
        made: Array = np.empty(len(values), object)
        made[:] = values if len(values) != 1 else [None]
        for place, value in enumerate(values):
            made[place] = value
        return made.reshape(sizes)

    def _masked(self, content: Node, depth: int, inner: bool) -> object:
        data, mask = (self._value(each, depth, False) for each in _as_list(content, 2))
        if not isinstance(data, np.ndarray) or not isinstance(mask, np.ndarray | np.bool_ | bool):
            raise Refused("a masked array without data or mask")
        hidden: Array = np.asarray(mask)
        if hidden.dtype != bool or hidden.shape not in ((), data.shape):
            raise Refused("a masked array whose mask is another's")
        return np.ma.MaskedArray(data, hidden)

    def _sparse(self, content: Node, depth: int, inner: bool) -> object:
        kind, shape, *nodes = _as_list(content, 5)
        sizes = _as_list(shape, 2)
        arrays: list[Array] = [self._value(each, depth, False) for each in nodes]  # type: ignore[misc]
        return make_sparse(kind, sizes, arrays)

    def _stored_matrix(self, content: Node, depth: int, inner: bool) -> object:
        """A matrix in an archive of its own, as SciPy writes it: a member of files of earlier formats."""
        kind, name = _as_list(content, 2)
        if not isinstance(name, str):
            raise Refused("a sparse matrix without a name")
        held = Archive(io.BytesIO(self._archive.read(name)))
        self._content += held.unpacked
        self._spend(held.unpacked)
        parts = {each: read_array(held.read(f"{each}.npy")) for each in ("shape", "data", "indices", "indptr")}
        return make_sparse(kind, parts["shape"].tolist(), [parts[each] for each in ("data", "indices", "indptr")])

    def _record(self, content: Node, depth: int, inner: bool) -> object:
        parts = _as_list(content)
        if len(parts) not in (2, 3) or not isinstance(parts[0], str) or not isinstance(parts[1], dict):
            raise Refused("a record of unknown form")
        record = record_named(parts[0])
        if record.inner and not inner:
            raise Refused(f"a {record.name} where none belongs")
        before = self._spent
        values: dict[str, object] = {}
        for name, node in parts[1].items():
            values[name] = self._value(node, depth, takes_parts(record.fields.get(name)))
        made = self._made(record, values)
        if len(parts) == 3:
            self._share(parts[2], made, self._spent - before)
        return made

    def _made(self, record: Record, values: dict[str, object]) -> object:
        sizes = Sizes(self.part_of)
        check_record(record, values, sizes)
        made = build(record, values)
        self._parts[id(made)] = BuiltPart(record.name, dict(sizes.named))
        self._kept.append(made)
        return made

    def _share(self, number: Node, value: object, cost: int) -> None:
        if type(number) is not int or number in self._records:
            raise Refused("a record with a number that is no number, or another's")
        self._records[number] = _Shared(value, cost)

    def _same(self, content: Node, depth: int, inner: bool) -> object:
        if type(content) is not int or content not in self._records:
            raise Refused("a reference to what is not there, or not yet")
        shared = self._records[content]
        part = self.part_of(shared.value)
        if part is not None and record_named(part.name).inner and not inner:
            raise Refused(f"a {part.name} where none belongs")
        self._spend(shared.cost)
        return shared.value

    def _foreign(self, content: Node, depth: int, inner: bool) -> object:
        name, arguments, state = _as_list(content, 3)
        if not isinstance(name, str) or not self._is_trusted(name):
            raise Refused(f"it holds types that are not trusted: {str(name)[:80]}")
        given = tuple(self._values(arguments, depth, False))
        return make_foreign("object", name, given, self._value(state, depth, False))

    def _bytes(self, content: Node, depth: int, inner: bool) -> object:
        return self._member(content).tobytes()


def build(record: Record, values: dict[str, object]) -> object:
    """An object of checked fields, without calling its constructor unless the record says how."""
    if record.make is not None:
        return record.make(values)
    made: object = object.__new__(record.type())
    restore = getattr(made, "__setstate__", None)
    if restore is not None:
        restore(values)
    else:
        made.__dict__.update(values)
    return made


def _arrays_named(node: Node) -> Iterator[str]:
    """Every mention of an array in a structure, in any order."""
    waiting = [node]
    while waiting:
        part = waiting.pop()
        if isinstance(part, list):
            waiting += part
        elif isinstance(part, dict):
            waiting += part.values()
            if isinstance(name := part.get("array"), str):
                yield name


def _number(value: int | float) -> int | float:
    if isinstance(value, float) and not math.isfinite(value):
        raise Refused("a number that is none")
    if isinstance(value, int) and abs(value) >= 2**64:
        raise Refused("a whole number beyond 64 bits")
    return value


def _as_list(node: Node, length: int | None = None) -> list[object]:
    if not isinstance(node, list) or (length is not None and len(node) != length):
        raise Refused("its structure has a part of unknown form")
    return node


def _as_key(value: object) -> object:
    if not isinstance(value, str | int | float | bool | tuple | np.generic | type(None)):
        raise Refused("a key that is no number, text or tuple")
    try:
        hash(value)
    except TypeError as error:
        raise Refused("a key that is no number, text or tuple") from error
    return value


_READERS: Mapping[str, Callable[[Reader, Node, int, bool], object]] = {
    "array": Reader._array,
    "bunch": Reader._bunch,
    "bytes": Reader._bytes,
    "dict": Reader._dict,
    "dtype": Reader._dtype,
    "dtype of": Reader._dtype_of,
    "float": Reader._float,
    "foreign": Reader._foreign,
    "frozenset": Reader._frozenset,
    "function": Reader._function,
    "list": Reader._list,
    "masked": Reader._masked,
    "objects": Reader._objects,
    "partial": Reader._partial,
    "record": Reader._record,
    "same": Reader._same,
    "scalar": Reader._scalar,
    "set": Reader._set,
    "slice": Reader._slice,
    "sparse": Reader._sparse,
    "stored matrix": Reader._stored_matrix,
    "stored scalar": Reader._stored_scalar,
    "tuple": Reader._tuple,
    "type": Reader._type,
}
