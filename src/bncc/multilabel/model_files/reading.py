"""Objects from the structure of a model file: plain values, arrays, and records that are checked before they are made.

Nothing that a file names is called. What it costs to make an object, over all references to it, is counted beforehand
and must not exceed a small multiple of what the file holds.
"""

from __future__ import annotations

import io
import math
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from sklearn.utils import Bunch

from bncc._typing import Array
from bncc.multilabel.model_files.archive import Archive
from bncc.multilabel.model_files.arrays import check_unpaid, read_array
from bncc.multilabel.model_files.budget import Budget
from bncc.multilabel.model_files.fields import BuiltPart, Sizes
from bncc.multilabel.model_files.foreign import make_foreign
from bncc.multilabel.model_files.functions import NUMBER_TYPES, function_named
from bncc.multilabel.model_files.json_content import PER_NODE
from bncc.multilabel.model_files.keys import as_key, count_comparisons
from bncc.multilabel.model_files.mentions import mentions_of_members
from bncc.multilabel.model_files.number_types import check_types_of_answers, named_type, plain_type
from bncc.multilabel.model_files.questions import Questions, check_questions
from bncc.multilabel.model_files.refusals import Refused, check_place
from bncc.multilabel.model_files.registry import COLUMNS, Record, check_record, record_named
from bncc.multilabel.model_files.shown_text import letters_shown
from bncc.multilabel.model_files.sparse_matrices import make_sparse

__all__ = ["Reader", "build"]

_DEEPEST = 80
_MOST_LETTERS = 2**20  # of one text: what is wrong with it is told with all of them
_MOST_INNER = 16  # members of an archive in the archive: SciPy writes six for a matrix
_OPENING, _OPENING_EFFORT = 10_000, 64  # bytes and time that count for an archive in the archive, beside its content
_WITH_OPTIONS = ("sklearn.utils.validation.check_array", "bncc.metrics.binary.f_beta")
_FIELDS_PER_EFFORT = 4
Node: TypeAlias = object


@dataclass
class _Shared:
    """A record that may be referred to again: what it costs each time, its records, its steps, and its questions."""

    value: Any
    cost: int
    records: int
    steps: int
    asked: Questions


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
        self._budget = Budget(archive.unpacked)
        self._mentions: Counter[str] = Counter()
        self._arrays: dict[str, Array] = {}
        self._records: dict[int, _Shared] = {}
        self._field = ""  # that is being read, of the record around it
        self._asked = Questions()  # of the records so far, within the one that is being read
        self._parts: dict[int, BuiltPart] = {}
        self._kept: list[object] = []  # so that no id is used twice

    def read(self, node: Node) -> object:
        """The object of a structure."""
        self._mentions = mentions_of_members(node)
        named = [(name, times) for name, times in self._mentions.items() if name in self._archive]
        self._budget.check_mentioned(sum(times * self._archive.size(name) for name, times in named))
        return self._value(node, 0, False)

    def part_of(self, value: object) -> BuiltPart | None:
        """What is known of a record that was made before."""
        return self._parts.get(id(value))

    def _value(self, node: Node, depth: int, inner: bool) -> object:
        """An object; `inner` where the field around it asks for a record by name."""
        self._budget.spend(PER_NODE)
        if isinstance(node, str) and len(node) > _MOST_LETTERS:
            raise Refused(f"a text of {len(node)} letters, more than {_MOST_LETTERS}")
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
        self._budget.compare(count_comparisons(_as_list(content)))
        return set(map(as_key, self._values(content, depth, False)))

    def _frozenset(self, content: Node, depth: int, inner: bool) -> object:
        self._budget.compare(count_comparisons(_as_list(content)))
        return frozenset(map(as_key, self._values(content, depth, False)))

    def _dict(self, content: Node, depth: int, inner: bool) -> dict[object, object]:
        made: dict[object, object] = {}
        pairs = [_as_list(pair, 2) for pair in _as_list(content)]
        self._budget.compare(count_comparisons([key for key, _ in pairs]))
        for key, value in pairs:
            made[as_key(self._value(key, depth, False))] = self._value(value, depth, inner)
        if len(made) < len(pairs):
            raise Refused("a dictionary with a key that stands twice")
        return made

    def _bunch(self, content: Node, depth: int, inner: bool) -> object:
        check_place("collection with names", self._field, "named_estimators_")
        made = self._dict(content, depth, inner)
        if not all(isinstance(key, str) and key.isidentifier() and not key.startswith("__") for key in made):
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
        """An array that no other mention has: what was checked here must not change by what is done there."""
        if not isinstance(content, str):
            raise Refused("an array without a name")
        if content not in self._arrays:
            self._arrays[content] = read_array(self._archive.read(content), self._budget.cells)
        self._budget.spend(self._arrays[content].nbytes)
        self._budget.take_time(1)
        self._mentions[content] -= 1
        if self._mentions[content] <= 0:  # the last; were there another, it would be read again
            return self._arrays.pop(content)
        return self._arrays[content].copy(order="K")

    def _array(self, content: Node, depth: int, inner: bool) -> Array:
        array = self._member(content)
        if array.dtype.names is not None and not inner:
            raise Refused("an array of records where none belongs")
        return array

    def _scalar(self, content: Node, depth: int, inner: bool) -> object:
        name, value = _as_list(content, 2)
        dtype = plain_type(name)
        self._budget.spend(dtype.itemsize)
        is_plain = isinstance(value, bool | int | float | str) or (isinstance(value, dict) and list(value) == ["float"])
        if not is_plain:
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
        return named_type(np.dtype(object) if content == "|O" else plain_type(content))

    def _dtype_of(self, content: Node, depth: int, inner: bool) -> object:
        return named_type(self._member(content).dtype)

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
        given = {str(key): value for key, value in keywords.items()}
        check_types_of_answers(given)
        return partial(self._callable(str(name)), **given)

    def _callable(self, name: str) -> Callable[..., object]:
        found = function_named(name)
        if found is None:
            raise Refused(f"it holds functions that are not trusted: {name[:80]}")
        return found

    def _objects(self, content: Node, depth: int, inner: bool) -> Array:
        """An array of objects, item by item; what a field asks for by name may stand in it."""
        shape, items = _as_list(content, 2)
        sizes = [size for size in _as_list(shape) if type(size) is int and size >= 0]
        self._budget.compare(count_comparisons(_as_list(items)))
        values = self._values(items, depth, inner)
        if len(sizes) != len(_as_list(shape)) or len(sizes) > 8 or math.prod(sizes) != len(values):
            raise Refused("an array of objects whose shape is another")
        check_unpaid(tuple(sizes), self._budget.cells)
        made: Array = np.empty(len(values), object)
        made[:] = values if len(values) != 1 else [None]
        for place, value in enumerate(values):
            made[place] = value
        return made.reshape(sizes)

    def _masked(self, content: Node, depth: int, inner: bool) -> object:
        check_place("masked array", self._field, "cv_results_")
        data, mask = (self._value(each, depth, False) for each in _as_list(content, 2))
        if type(data) is not np.ndarray or not isinstance(mask, np.ndarray | np.bool_ | bool):
            raise Refused("a masked array without data or mask")
        hidden: Array = np.asarray(mask)
        if hidden.dtype != bool or hidden.shape not in ((), data.shape):
            raise Refused("a masked array whose mask is another's")
        return np.ma.MaskedArray(np.where(hidden, np.zeros((), data.dtype), data), hidden)

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
        self._budget.spend(self._archive.size(name) + _OPENING)
        self._budget.take_time(_OPENING_EFFORT)
        held = Archive(io.BytesIO(self._archive.read(name)), _MOST_INNER)
        names = [f"{part}.npy" for part in ("shape", "data", "indices", "indptr")]
        self._budget.spend(sum(held.size(part) for part in names))
        shape, *arrays = (read_array(held.read(part), self._budget.cells) for part in names)
        return make_sparse(kind, shape.tolist(), arrays)

    def _record(self, content: Node, depth: int, inner: bool) -> object:
        parts = _as_list(content)
        if len(parts) not in (2, 3) or not isinstance(parts[0], str) or not isinstance(parts[1], dict):
            raise Refused("a record of unknown form")
        record = record_named(parts[0])
        if record.inner and not inner:
            raise Refused(f"a {record.name} where none belongs")
        before, outer, steps = self._budget.spent, self._budget.records, self._budget.steps
        self._budget.add_record()
        self._budget.take_time(record.effort + len(parts[1]) // _FIELDS_PER_EFFORT)
        beside, self._asked = self._asked, Questions()
        values: dict[str, object] = {}
        outside = self._field
        for name, node in parts[1].items():
            self._field = name
            value = self._value(node, depth, name in record.asks_for_parts)
            values[name] = int(value) if isinstance(value, np.integer) else value  # limits are about plain numbers
        self._field = outside
        check_types_of_answers(values)
        made = self._made(record, values, self._budget.spent - before)
        asked, self._asked = self._asked, beside.beside(self._asked)
        if len(parts) == 3:
            costs = (self._budget.spent - before, self._budget.records - outer, self._budget.steps - steps)
            self._share(parts[2], _Shared(made, *costs, asked))
        return made

    def _made(self, record: Record, values: dict[str, object], size: int) -> object:
        sizes = Sizes(self.part_of)
        check_record(record, values, sizes)
        self._budget.show(letters_shown(values[name] for name in record.settings() & values.keys()))
        self._budget.add_steps(record.work(values, sizes) if record.work is not None else 0)
        if record.columns is not None:
            sizes.named[COLUMNS] = record.columns(values, sizes)
            self._budget.check_columns(record.name, sizes.named[COLUMNS])
        self._asked = self._asked.around(record.name, values, size)
        check_questions(self._asked, self._budget.made, self._archive.unpacked)
        made = build(record, values)
        self._parts[id(made)] = BuiltPart(record.name, dict(sizes.named))
        self._kept.append(made)
        return made

    def _share(self, number: Node, shared: _Shared) -> None:
        if type(number) is not int or number in self._records:
            raise Refused("a record with a number that is no number, or another's")
        self._records[number] = shared

    def _same(self, content: Node, depth: int, inner: bool) -> object:
        if type(content) is not int or content not in self._records:
            raise Refused("a reference to what is not there, or not yet")
        shared = self._records[content]
        part = self.part_of(shared.value)
        if part is not None and record_named(part.name).inner and not inner:
            raise Refused(f"a {part.name} where none belongs")
        self._budget.spend(shared.cost)
        self._budget.add_reference(shared.records)
        self._budget.add_steps(shared.steps)
        self._asked = self._asked.beside(shared.asked)
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
