"""Model files of formats 1 and 2, which are archives of skops: their schema becomes a structure of today's format.

Nothing of skops is used, and nothing but JSON is read here. What the schema says of types is looked up in our own list;
what it says of loaders is believed only for the plain ones. The structure then goes through the same reader, and the
same checks, as that of a file of today.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence

from bncc._typing import JSONObject
from bncc.multilabel.model_files.functions import NUMBER_TYPES, function_named
from bncc.multilabel.model_files.refusals import Refused
from bncc.multilabel.model_files.registry import Record, record_of

__all__ = ["SCHEMA", "structure_of_schema"]

# What skops calls an array that is kept in a file of its own.
_BINARY_ARRAY = "numpy"

SCHEMA = "schema.json"
_DEEPEST = 300


def structure_of_schema(schema: object, is_trusted: Callable[[str], bool]) -> object:
    """The structure that a schema of skops describes.

    >>> node = {"__class__": "int", "__module__": "builtins", "__loader__": "JsonNode", "content": "3"}
    >>> structure_of_schema({"__class__": "tuple", "__loader__": "TupleNode", "content": [node]}, lambda name: False)
    {'tuple': [3]}
    """
    return _Translator(is_trusted).node(schema, 0)


class _Translator:
    def __init__(self, is_trusted: Callable[[str], bool]) -> None:
        self._is_trusted = is_trusted

    def node(self, schema: object, depth: int) -> object:
        if not isinstance(schema, dict) or depth > _DEEPEST:
            raise Refused("its schema has a part of unknown form")
        loader = schema.get("__loader__")
        if not isinstance(loader, str) or loader not in _LOADERS:
            raise Refused(f"it asks for a loader that is not trusted: {str(loader)[:60]}")
        return _LOADERS[loader](self, schema, depth + 1)

    def json(self, schema: JSONObject, depth: int) -> object:
        try:
            value = json.loads(_text(schema.get("content")))
        except (ValueError, RecursionError) as error:
            raise Refused("a value that is no JSON") from error
        if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
            return {"float": str(value)}
        if value is not None and not isinstance(value, bool | int | float | str):
            raise Refused("a value that is no number and no text")
        return value

    def items(self, schema: JSONObject, depth: int) -> object:
        kind = {"ListNode": "list", "TupleNode": "tuple", "SetNode": "set"}[schema["__loader__"]]
        content = schema.get("content")
        return {kind: [self.node(each, depth) for each in _list(content)]}

    def mapping(self, schema: JSONObject, depth: int) -> object:
        content = schema.get("content")
        if not isinstance(content, dict):
            raise Refused("a dictionary of unknown form")
        types = schema.get("key_types")
        names = [_text(_dict(each).get("__class__")) for each in _list(_dict(types).get("content"))]
        if len(names) != len(content):
            raise Refused("a dictionary whose keys have no types")
        pairs = [
            [_key(key, name), self.node(value, depth)]
            for name, (key, value) in zip(names, content.items(), strict=True)
        ]
        return {"bunch" if schema.get("__class__") == "Bunch" else "dict": pairs}

    def array(self, schema: JSONObject, depth: int) -> object:
        is_scalar = schema.get("__class__") != "ndarray"
        if schema.get("type") == "json" and not is_scalar:
            shape = _dict(self.node(schema.get("shape"), depth)).get("tuple")
            items = [self.node(each, depth) for each in _list(schema.get("content"))]
            return {"objects": [shape, _flat(items, len(_list(shape)))]}
        if schema.get("type") != _BINARY_ARRAY:
            raise Refused("an array of unknown form")
        return {"stored scalar" if is_scalar else "array": schema.get("file")}

    def masked(self, schema: JSONObject, depth: int) -> object:
        content = _dict(schema.get("content"))
        return {"masked": [self.node(content.get(part), depth) for part in ("data", "mask")]}

    def dtype(self, schema: JSONObject, depth: int) -> object:
        content = _dict(schema.get("content"))
        return {"dtype": "|O"} if content.get("type") == "json" else {"dtype of": content.get("file")}

    def matrix(self, schema: JSONObject, depth: int) -> object:
        if schema.get("type") != "scipy":
            raise Refused("a sparse matrix of unknown form")
        return {"stored matrix": [schema.get("__class__"), schema.get("file")]}

    def random_state(self, schema: JSONObject, depth: int) -> object:
        state = _fields(self.node(schema.get("content"), depth))
        inside = _fields(state.pop("state", None))
        return {"record": ["RandomState", {**state, **inside}]}

    def slice(self, schema: JSONObject, depth: int) -> object:
        content = _dict(schema.get("content"))
        return {"slice": [content.get(end) for end in ("start", "stop", "step")]}

    def type(self, schema: JSONObject, depth: int) -> object:
        name = schema.get("__class__")
        if schema.get("__module__") not in ("builtins", "numpy") or name not in NUMBER_TYPES:
            raise Refused(f"it holds types that are not trusted: {str(name)[:80]}")
        return {"type": name}

    def function(self, schema: JSONObject, depth: int) -> object:
        name = f"{_text(schema.get('__module__'))}.{_text(schema.get('__class__'))}"
        if function_named(name) is None and not self._is_trusted(name):
            raise Refused(f"it holds types that are not trusted: {name[:80]}")
        return {"function": name}

    def tree(self, schema: JSONObject, depth: int) -> object:
        arguments = _dict(self.node(_dict(schema.get("__reduce__")).get("args"), depth)).get("tuple")
        given = dict(zip(("n_features", "n_classes", "n_outputs"), _list(arguments), strict=True))
        fields = _fields(self.node(schema.get("content"), depth))
        fields.pop("node_count", None)
        return {"record": ["Tree", {**given, **fields}]}

    def loss(self, schema: JSONObject, depth: int) -> object:
        return None  # made again where it is needed

    def _sparse_array(self, name: str, fields: JSONObject, depth: int) -> object:
        """A sparse array as skops wrote it before it had a form of its own for them: by its attributes."""
        shape = _dict(self.node(fields.get("_shape"), depth)).get("tuple")
        arrays = [self.node(fields.get(part), depth) for part in ("data", "indices", "indptr")]
        return {"sparse": [_SPARSE_ARRAYS[name], shape, *arrays]}

    def object(self, schema: JSONObject, depth: int) -> object:
        name = f"{_text(schema.get('__module__'))}:{_text(schema.get('__class__'))}"
        record = record_of(name)
        state = schema.get("content")
        if name in _SPARSE_ARRAYS:
            return self._sparse_array(name, _dict(_dict(state).get("content")), depth)
        if record is not None and not record.loose and not record.path.startswith("bncc."):
            found = {name: self.node(value, depth) for name, value in _known_fields(record, state).items()}
            return {"record": [record.name, found]}
        ignored = () if record is None else record.ignores
        held = None if state is None else self.node(_without(_dict(state), ignored), depth)
        fields = {} if held is None else _fields(held)
        if record is None:
            full = name.replace(":", ".")
            if not self._is_trusted(full):
                raise Refused(f"it holds types that are not trusted: {full[:80]}")
            return {"foreign": [full, [], {"dict": [[key, value] for key, value in fields.items()]}]}
        return {"record": [record.name, fields]}


_SPARSE_ARRAYS = {f"scipy.sparse._{kind}:{kind}_array": f"{kind}_array" for kind in ("csr", "csc")}

_LOADERS: Mapping[str, Callable[[_Translator, JSONObject, int], object]] = {
    "JsonNode": _Translator.json,
    "ListNode": _Translator.items,
    "TupleNode": _Translator.items,
    "SetNode": _Translator.items,
    "DictNode": _Translator.mapping,
    "NdArrayNode": _Translator.array,
    "MaskedArrayNode": _Translator.masked,
    "DTypeNode": _Translator.dtype,
    "SparseMatrixNode": _Translator.matrix,
    "RandomStateNode": _Translator.random_state,
    "SliceNode": _Translator.slice,
    "TypeNode": _Translator.type,
    "FunctionNode": _Translator.function,
    "TreeNode": _Translator.tree,
    "SGDNode": _Translator.loss,
    "LossNode": _Translator.loss,
    "ObjectNode": _Translator.object,
}


def _known_fields(record: Record, state: object) -> JSONObject:
    """The fields that a record of scikit-learn has today; what else the file holds is not looked at."""
    known = (record.fields.keys() | record.settings() | {"_sklearn_version"}) - set(record.ignores)
    content: JSONObject = {} if state is None else _dict(_dict(state).get("content"))
    return {name: value for name, value in content.items() if name in known}


def _without(state: JSONObject, ignored: Sequence[str]) -> JSONObject:
    """The schema of a dictionary without some keys, which are not looked at."""
    content = state.get("content")
    if not ignored or not isinstance(content, dict) or not content.keys() & set(ignored):
        return state
    types = _dict(state.get("key_types"))
    named = list(zip(content.items(), _list(types.get("content")), strict=False))
    kept = [(pair, kind) for pair, kind in named if pair[0] not in ignored]
    return {
        **state,
        "content": dict(pair for pair, _ in kept),
        "key_types": {**types, "content": [kind for _, kind in kept]},
    }


def _flat(items: list[object], n_dims: int) -> list[object]:
    """Items of nested lists, as deep as an array has dimensions."""
    for _ in range(n_dims - 1):
        items = [inner for each in items for inner in _list(_dict(each).get("list"))]
    return items


def _fields(node: object) -> dict[str, object]:
    """Fields by name from the structure of a dictionary."""
    pairs = _dict(node).get("dict")
    return {_text(_list(pair)[0]): _list(pair)[1] for pair in _list(pairs)}


_KEYS: Mapping[str, Callable[[str], object]] = {"str": str, "int": int, "float": float}


def _key(text: str, name: str) -> object:
    try:
        return None if name == "NoneType" else _KEYS[name](text)
    except (KeyError, ValueError) as error:
        raise Refused("a dictionary with keys that are not text or numbers") from error


def _list(value: object) -> list[object]:
    if not isinstance(value, list):
        raise Refused("its schema has a part of unknown form")
    return value


def _dict(value: object) -> JSONObject:
    if not isinstance(value, dict):
        raise Refused("its schema has a part of unknown form")
    return value


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise Refused("its schema has a part of unknown form")
    return value
