"""The structure of a model file from objects: the opposite of `reading`, with the same list of types."""

from __future__ import annotations

import math
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Mapping
from functools import partial
from types import BuiltinFunctionType, FunctionType
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils import Bunch

from bncc._typing import Array
from bncc.multilabel.model_files.arrays import array_bytes, is_plain_dtype
from bncc.multilabel.model_files.foreign import parts_of_foreign
from bncc.multilabel.model_files.functions import NUMBER_TYPES, name_of_function
from bncc.multilabel.model_files.registry import Record, record_of

__all__ = ["Writer", "state_of"]

_DEEPEST = 80
_TYPE_NAMES: Mapping[type, str] = {kind: name for name, kind in NUMBER_TYPES.items()}


class Writer:
    """Turns objects into the structure of a model file.

    Attributes
    ----------
    members : dict of name to bytes
        The arrays that the structure names.
    strange : set of str
        Full names of types and functions that are not on the list, and not trusted.
    """

    def __init__(self, is_trusted: Callable[[str], bool]) -> None:
        self._is_trusted = is_trusted
        self._numbers: dict[int, int] = {}
        self._arrays: dict[int, str] = {}
        self._kept: list[object] = []  # so that no id is used twice
        self.members: dict[str, bytes] = {}
        self.strange: set[str] = set()

    def write(self, value: object, depth: int = 0) -> object:
        """The structure of an object; what it may not hold is noted in `strange`."""
        if value is None or type(value) in (bool, str):
            return value
        if type(value) is int:
            return value if abs(value) < 2**64 else self._refuse("a whole number beyond 64 bits")
        if type(value) is float:
            return value if math.isfinite(value) else {"float": str(value)}
        if depth > _DEEPEST:
            raise TypeError("`model` is nested too deeply, or holds itself.")
        written = self._container(value, depth + 1)
        if written is None:
            written = self._numeric(value, depth + 1)
        if written is None:
            written = self._named(value, depth + 1)
        return written

    def _container(self, value: object, depth: int) -> object:
        kind = type(value)
        if isinstance(value, list | tuple | set | frozenset) and kind in (list, tuple, set, frozenset):
            items = sorted(value, key=repr) if isinstance(value, set | frozenset) else value
            return {kind.__name__: [self.write(each, depth) for each in items]}
        # A fitted model only reads: of dicts with a default (as LightGBM keeps) the entries are enough.
        if isinstance(value, dict) and kind in (dict, Bunch, OrderedDict, defaultdict):
            pairs = [[self.write(key, depth), self.write(each, depth)] for key, each in value.items()]
            return {"bunch" if kind is Bunch else "dict": pairs}
        if isinstance(value, slice):
            return {"slice": [value.start, value.stop, value.step]}
        if isinstance(value, bytes | bytearray):
            return {"bytes": self._member(np.frombuffer(bytes(value), np.uint8))}
        return None

    def _numeric(self, value: object, depth: int) -> object:
        if isinstance(value, np.ma.MaskedArray):
            return {"masked": [self.write(np.asarray(value.data), depth), self.write(value.mask, depth)]}
        if isinstance(value, np.ndarray):
            return self._array(value, depth)
        if isinstance(value, np.generic):
            plain = is_plain_dtype(value.dtype)
            return {"scalar": [value.dtype.str, self.write(value.item(), depth)]} if plain else None
        if sparse.issparse(value):
            return self._sparse(value, depth)
        if isinstance(value, np.dtype):
            return {"dtype": value.str} if is_plain_dtype(value) or value.kind == "O" else None
        if isinstance(value, type) and value in _TYPE_NAMES:
            return {"type": _TYPE_NAMES[value]}
        return None

    def _array(self, array: Array, depth: int) -> object:
        if type(array) is not np.ndarray:
            array = np.array(array)  # a file that was mapped into memory, for one
        if array.dtype == object:
            return {"objects": [list(array.shape), [self.write(each, depth) for each in array.ravel().tolist()]]}
        if array.dtype.names is None and not is_plain_dtype(array.dtype):
            return self._refuse(f"numpy.{array.dtype}")
        return {"array": self._member(array)}

    def _member(self, array: Array) -> str:
        """The name of an array's member; one that stands in several places is written once."""
        if id(array) not in self._arrays:
            self._kept.append(array)
            self._arrays[id(array)] = name = f"{len(self.members)}.npy"
            self.members[name] = array_bytes(array)
        return self._arrays[id(array)]

    def _sparse(self, matrix: object, depth: int) -> object:
        kind = type(matrix).__name__
        if kind not in ("csr_array", "csc_array", "csr_matrix", "csc_matrix"):
            return self._refuse(f"scipy.sparse.{kind}")
        arrays = [np.asarray(getattr(matrix, name)) for name in ("data", "indices", "indptr")]
        shape = [int(size) for size in getattr(matrix, "shape", ())]
        return {"sparse": [kind, shape, *(self.write(each, depth) for each in arrays)]}

    def _named(self, value: object, depth: int) -> object:
        """A record, a function of the list, or what the caller trusts."""
        record = record_of(f"{type(value).__module__}:{type(value).__qualname__}")
        if record is not None:
            return self._record(record, value, depth)
        if (name := name_of_function(value)) is not None:
            return {"function": name}
        if isinstance(value, partial):
            if (name := name_of_function(value.func)) is not None and not value.args:
                options = self.write(dict(value.keywords), depth)
                return {"partial": [name, options["dict"] if isinstance(options, dict) else []]}
            return self._refuse("functools.partial")
        is_function = isinstance(value, FunctionType | BuiltinFunctionType | np.ufunc) or not hasattr(value, "__dict__")
        named = value if hasattr(value, "__qualname__") else type(value)
        full = f"{getattr(named, '__module__', 'builtins')}.{getattr(named, '__qualname__', '')}"
        if not self._is_trusted(full):
            return self._refuse(full)
        if is_function and named is value:
            return {"function": full}
        name, arguments, state = parts_of_foreign(value)
        return {"foreign": [name, [self.write(each, depth) for each in arguments], self.write(state, depth)]}

    def _record(self, record: Record, value: object, depth: int) -> object:
        if id(value) in self._numbers:
            return {"same": self._numbers[id(value)]}
        fields = {name: self.write(each, depth) for name, each in state_of(record, value).items()}
        self._kept.append(value)
        self._numbers[id(value)] = number = len(self._numbers)
        return {"record": [record.name, fields, number]}

    def _refuse(self, name: str) -> object:
        self.strange.add(name)
        return {"refused": name}


def state_of(record: Record, value: object) -> dict[str, object]:
    """The fields of an object that its record knows; TypeError where one of ours has others."""
    given: Any = value
    held = record.state(value) if record.state is not None else given.__getstate__()
    state = {name: each for name, each in (held or {}).items() if name not in record.ignores}
    if record.loose:
        return state
    known = record.fields.keys() | record.settings() | {"_sklearn_version"}
    others = sorted(state.keys() - known)
    if others and record.path.startswith("bncc."):
        raise TypeError(
            f"{record.name} has fields that its record does not name: {', '.join(others)}. Add them to it in "
            "`bncc.multilabel.model_files`."
        )
    return {name: each for name, each in state.items() if name in known}
