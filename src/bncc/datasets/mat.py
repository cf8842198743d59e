"""MATLAB files of version 5 (what MATLAB's ``-v6`` and ``-v7`` write): numeric, logical and sparse matrices.

The format is walked here, not by a general reader, because a header may claim any size: nothing is allocated before
the bytes behind the claim are there. Cells, structs, objects and text are passed over. File layout: MathWorks,
"MAT-File Format", chapter 1.
"""

from __future__ import annotations

import math
import os
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from scipy import sparse

from bncc._typing import CSR, Array
from bncc.datasets.budgets import Budget
from bncc.datasets.dataset import Dataset, make_dataset
from bncc.datasets.errors import MAX_BYTES, MalformedFile
from bncc.datasets.file_format import FileFormat
from bncc.datasets.files import plain_stem, read_bytes

__all__ = ["FORMAT", "read_mat", "read_variables"]

_TYPES = {1: "i1", 2: "u1", 3: "i2", 4: "u2", 5: "i4", 6: "u4", 7: "f4", 9: "f8", 12: "i8", 13: "u8"}
_CLASSES = {6: "f8", 7: "f4", 8: "i1", 9: "u1", 10: "i2", 11: "u2", 12: "i4", 13: "u4", 14: "i8", 15: "u8"}
_MATRIX, _COMPRESSED, _SPARSE = 14, 15, 5
_LOGICAL, _COMPLEX = 0x0200, 0x0800

Variables: TypeAlias = dict[str, Array | CSR]

_WHOLE = (
    ("data", "targets"),
    ("data", "target"),
    ("data", "labels"),
    ("data", "label"),
    ("x", "y"),
    ("features", "labels"),
)
_PARTS = (
    (("data_train", "label_train"), ("data_test", "label_test")),
    (("train_data", "train_target"), ("test_data", "test_target")),
    (("xtrain", "ytrain"), ("xtest", "ytest")),
    (("x_train", "y_train"), ("x_test", "y_test")),
)


def read_mat(
    path: str | os.PathLike[str], *, features: str | None = None, labels: str | None = None, max_bytes: int = MAX_BYTES
) -> Dataset:
    """Read a MATLAB file of version 5.

    `features` and `labels` name the variables. Without them the names in common use are tried: data/targets, X/Y,
    and train and test parts (data_train/label_train and so on), which are joined, train first. Labels may be 0/1 or
    -1/1, and one row per label where the number of rows says so.
    """
    file = Path(path)
    variables = read_variables(file, max_bytes=max_bytes)
    pairs = _pairs(variables, features, labels, file)
    parts = [_part(variables[x], variables[y], x, y, file) for x, y in pairs]
    if len({(X.shape[1], Y.shape[1]) for X, Y in parts}) != 1:
        raise MalformedFile(file, None, "the train and test parts differ in their columns.", "Write the file again.")
    X = _stack([X for X, _ in parts])
    Y = _stack([Y for _, Y in parts])
    n_train = parts[0][0].shape[0]
    split: dict[str, Any] = (
        {} if len(parts) == 1 else {"train": np.arange(n_train), "test": np.arange(n_train, X.shape[0])}
    )
    try:
        return make_dataset(X, Y, name=plain_stem(file), source=str(file), **split)
    except ValueError as error:
        raise MalformedFile(file, None, str(error), "Name the variables with `features=` and `labels=`.") from None


def _pairs(variables: Variables, features: str | None, labels: str | None, file: Path) -> list[tuple[str, str]]:
    if features is not None and labels is not None:
        if features in variables and labels in variables:
            return [(features, labels)]
    elif features is None and labels is None:
        lowered = {name.lower(): name for name in variables}
        for parts in (*_PARTS, *((pair,) for pair in _WHOLE)):
            if all(name in lowered for pair in parts for name in pair):
                return [(lowered[x], lowered[y]) for x, y in parts]
    shown = ", ".join(f"{name} {value.shape}" for name, value in list(variables.items())[:12])
    raise MalformedFile(
        file,
        None,
        f"cannot tell features and labels apart; the variables are {shown or '(none)'}.",
        "Name both, as in features='data', labels='targets'.",
    )


def _part(X: Array | CSR, Y: Array | CSR, x: str, y: str, file: Path) -> tuple[Array | CSR, Array | CSR]:
    if X.ndim != 2 or Y.ndim != 2:
        raise MalformedFile(file, None, f"{x!r} and {y!r} must be matrices; got shapes {X.shape} and {Y.shape}.")
    if Y.shape[0] != X.shape[0] and Y.shape[1] == X.shape[0]:
        Y = Y.T
    if Y.shape[0] != X.shape[0]:
        raise MalformedFile(
            file, None, f"{x!r} has {X.shape[0]} rows, {y!r} has shape {Y.shape}.", "One row per example is expected."
        )
    if isinstance(Y, np.ndarray):
        return X, np.where(Y == -1, 0, Y)
    Y = Y.copy()
    Y.data = np.where(Y.data == -1, 0, Y.data)
    return X, Y


def _stack(parts: list[Array | CSR]) -> Array | CSR:
    if any(sparse.issparse(part) for part in parts):
        return sparse.vstack([sparse.csr_array(part) for part in parts], format="csr")
    return np.vstack(parts)


# The file format


@dataclass(frozen=True)
class _Layout:
    file: Path
    order: str
    budget: Budget  # of what is unpacked

    def broken(self, problem: str) -> MalformedFile:
        return MalformedFile(self.file, None, problem, "Save it again in MATLAB with '-v7', or as CSV.")


def read_variables(path: Path, *, max_bytes: int = MAX_BYTES) -> Variables:
    """All real numeric, logical and sparse variables by name."""
    content = read_bytes(path, max_bytes)
    layout = _Layout(path, _byte_order(content, path), Budget(path, max_bytes))
    out: Variables = {}
    at = 128
    while at + 8 <= len(content):
        kind, data, at = _element(content, at, layout)
        if kind == _COMPRESSED:
            inner = _unpack(data, layout)
            kind, data, _ = _element(inner, 0, layout)
        if kind == _MATRIX and len(data):
            name, value = _matrix(data, layout)
            if value is not None:
                out[name] = value
    return out


def _byte_order(content: bytes, file: Path) -> str:
    if content[:8] == b"\x89HDF\r\n\x1a\n" or content[:10] == b"MATLAB 7.3":
        raise MalformedFile(
            file, None, "this is a MATLAB 7.3 file (HDF5), which is not read.", "Save it in MATLAB with '-v7'."
        )
    marks = {b"IM": "<", b"MI": ">"}
    if len(content) < 128 or content[126:128] not in marks:
        hint = "Save it in MATLAB with '-v7'."
        raise MalformedFile(file, None, "this is no MATLAB file of version 5.", hint)
    order = marks[content[126:128]]
    if int(np.frombuffer(content, order + "u2", 1, offset=124)[0]) >> 8 != 1:
        raise MalformedFile(file, None, "this is no MATLAB file of version 5.", "Save it in MATLAB with '-v7'.")
    return order


def _unpack(data: bytes, layout: _Layout) -> bytes:
    stream = zlib.decompressobj()
    try:
        out = stream.decompress(data, layout.budget.left + 1)
    except zlib.error as error:
        raise layout.broken(f"a compressed variable is damaged ({error}).") from None
    layout.budget.take(len(out))
    return out


def _element(content: bytes, at: int, layout: _Layout) -> tuple[int, bytes, int]:
    """Type, bytes and end of the data element at some place."""
    if at + 8 > len(content):
        raise layout.broken("the file ends within a variable.")
    kind, size = (int(v) for v in np.frombuffer(content, layout.order + "u4", 2, offset=at))
    if kind >> 16:
        kind, size = kind & 0xFFFF, kind >> 16
        if size > 4:
            raise layout.broken("a small data element claims more than 4 bytes.")
        return kind, content[at + 4 : at + 4 + size], at + 8
    end = at + 8 + size
    if end > len(content):
        raise layout.broken(f"a data element claims {size} bytes, more than the file holds.")
    return kind, content[at + 8 : end], end if kind == _COMPRESSED else end + (-size % 8)


def _matrix(data: bytes, layout: _Layout) -> tuple[str, Array | CSR | None]:
    _, flag_bytes, at = _element(data, 0, layout)
    _, shape_bytes, at = _element(data, at, layout)
    _, name_bytes, at = _element(data, at, layout)
    if len(flag_bytes) < 4 or len(shape_bytes) % 4:
        raise layout.broken("the header of a variable is damaged.")
    flags = int(np.frombuffer(flag_bytes, layout.order + "u4", 1)[0])
    shape = tuple(int(v) for v in np.frombuffer(shape_bytes, layout.order + "i4"))
    kind, name = flags & 0xFF, name_bytes.decode("latin-1")
    if min(shape, default=-1) < 0:
        raise layout.broken(f"variable {name!r} claims the shape {shape}.")
    if flags & _COMPLEX or (kind not in _CLASSES and kind != _SPARSE):
        return name, None
    if kind == _SPARSE:
        return name, _sparse_values(data, at, shape, name, layout)
    values, _ = _numbers(data, at, layout)
    if values.size != math.prod(shape):
        raise layout.broken(f"variable {name!r} claims the shape {shape} but holds {values.size} values.")
    dtype = np.dtype(np.uint8 if flags & _LOGICAL else _CLASSES[kind])
    layout.budget.take(max(0, values.size * dtype.itemsize - values.nbytes))  # stored in fewer bytes than it is
    with np.errstate(invalid="ignore"):
        return name, values.astype(dtype).reshape(shape, order="F")


def _numbers(data: bytes, at: int, layout: _Layout) -> tuple[Array, int]:
    kind, content, end = _element(data, at, layout)
    if kind not in _TYPES:
        raise layout.broken(f"a variable holds values of the unknown type {kind}.")
    dtype = np.dtype(layout.order + _TYPES[kind])
    if len(content) % dtype.itemsize:
        raise layout.broken("a variable ends within a value.")
    return np.frombuffer(content, dtype), end


def _sparse_values(data: bytes, at: int, shape: tuple[int, ...], name: str, layout: _Layout) -> CSR:
    rows, at = _numbers(data, at, layout)
    starts, at = _numbers(data, at, layout)
    values, _ = _numbers(data, at, layout)
    if len(shape) != 2 or len(starts) != shape[1] + 1:
        raise layout.broken(f"the sparse variable {name!r} claims the shape {shape} but has {len(starts) - 1} columns.")
    if shape[0] > layout.budget.limit // 8:
        raise layout.broken(f"the sparse variable {name!r} claims {shape[0]} rows.")
    rows, starts = rows.astype(np.int64), starts.astype(np.int64)
    n = int(starts[-1])
    if starts[0] != 0 or (np.diff(starts) < 0).any() or n > len(rows) or n > len(values):
        raise layout.broken(f"the column starts of the sparse variable {name!r} are damaged.")
    rows = rows[:n]
    if n and (rows.min() < 0 or rows.max() >= shape[0]):
        raise layout.broken(f"the sparse variable {name!r} has a row number outside its shape {shape}.")
    return sparse.csc_array((values[:n].astype(np.float64), rows, starts), shape=shape).tocsr()


FORMAT = FileFormat(name="MATLAB", suffixes=(".mat",), read=read_mat, labels="matrix")
