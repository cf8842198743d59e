"""NumPy archives (``.npz``): `X`, `Y` and optionally names and a split; no pickles, and headers are not believed."""

from __future__ import annotations

import io
import math
import os
import zipfile
import zlib
from pathlib import Path

import numpy as np

from bncc._typing import Array
from bncc.datasets.budgets import Budget, most_in_a_cell, too_long_cell
from bncc.datasets.dataset import Dataset, make_dataset
from bncc.datasets.errors import MAX_BYTES, MalformedFile
from bncc.datasets.file_format import FileFormat
from bncc.datasets.files import check_readable, plain_stem

__all__ = ["FORMAT", "read_numpy"]


def read_numpy(
    path: str | os.PathLike[str], *, features: str = "X", labels: str = "Y", max_bytes: int = MAX_BYTES
) -> Dataset:
    """Read a NumPy archive: arrays `features` and `labels`, and where present `feature_names`, `label_names`,
    and a split as `n_train` (so many rows first) or as row numbers `train` and `test`.
    """
    file = Path(path)
    arrays = _Archive(file, max_bytes)
    X, Y = arrays.matrix(features), arrays.matrix(labels)
    if X.shape[0] != Y.shape[0]:
        raise MalformedFile(file, None, f"{features!r} has {X.shape[0]} rows, {labels!r} has {Y.shape[0]}.")
    train, test = _split(arrays, X.shape[0])
    try:
        return make_dataset(
            X,
            np.where(Y == -1, 0, Y),
            feature_names=arrays.names("feature_names"),
            label_names=arrays.names("label_names"),
            name=plain_stem(file),
            source=str(file),
            train=train,
            test=test,
        )
    except ValueError as error:
        raise MalformedFile(file, None, str(error), "Write the archive again.") from None


def _split(arrays: _Archive, n_rows: int) -> tuple[Array | None, Array | None]:
    if "n_train" in arrays.members:
        count = arrays.read("n_train")
        if count.size != 1 or count.dtype.kind not in "iu" or not 0 <= int(count.reshape(())) <= n_rows:
            raise MalformedFile(arrays.file, None, f"'n_train' must be a whole number from 0 to {n_rows}.")
        first = int(count.reshape(()))
        return np.arange(first), np.arange(first, n_rows)
    parts = [arrays.read(name) if name in arrays.members else None for name in ("train", "test")]
    for part in parts:
        if part is not None and part.dtype.kind not in "iu":
            raise MalformedFile(arrays.file, None, "'train' and 'test' must be arrays of row numbers.")
    return parts[0], parts[1]


def _are_characters(array: Array) -> bool:
    codes = np.frombuffer(array.tobytes(), np.dtype(np.uint32).newbyteorder(array.dtype.byteorder))
    return not ((codes > 0x10FFFF) | ((codes >= 0xD800) & (codes <= 0xDFFF))).any()


class _Archive:
    """The arrays of an archive by name, all of them read within one size limit."""

    def __init__(self, file: Path, max_bytes: int) -> None:
        self.file = file
        self.budget = Budget(file, max_bytes)
        check_readable(file)
        try:
            with zipfile.ZipFile(file) as archive:
                self.members = {name.removesuffix(".npy"): name for name in archive.namelist()}
        except (zipfile.BadZipFile, OSError, NotImplementedError, ValueError, UnicodeDecodeError) as error:
            raise MalformedFile(
                file, None, f"this is no NumPy archive ({error}).", "Write it with numpy.savez."
            ) from None

    def read(self, name: str) -> Array:
        if name not in self.members:
            raise MalformedFile(
                self.file,
                None,
                f"there is no array {name!r}; got {sorted(self.members)[:12]}.",
                "Name the arrays with `features=` and `labels=`.",
            )
        try:
            return self._array(self._bytes(self.members[name]))
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError) as error:
            raise MalformedFile(self.file, None, f"array {name!r} is damaged ({error}).", "Write it again.") from None
        except MalformedFile:
            raise
        except Exception as error:
            # NumPy parses the header as a Python literal, which can fail in many ways, none of them unsafe.
            raise MalformedFile(
                self.file, None, f"array {name!r} has a bad header ({error}).", "Write it again."
            ) from None

    def _bytes(self, member: str) -> bytes:
        with zipfile.ZipFile(self.file) as archive, archive.open(member) as stream:
            return self.budget.read(stream)

    def _array(self, content: bytes) -> Array:
        stream = io.BytesIO(content)
        version = np.lib.format.read_magic(stream)
        reader = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        shape, by_column, dtype = reader(stream)
        if dtype.hasobject or dtype.kind not in "biufUS":
            raise MalformedFile(
                self.file, None, f"arrays of {dtype} are not read.", "Save numbers or fixed-width text."
            )
        if dtype.kind in "US" and dtype.itemsize > most_in_a_cell() * (4 if dtype.kind == "U" else 1):
            raise too_long_cell(self.file, None, f"text of {dtype}")
        count = math.prod(shape)
        if min(shape, default=0) < 0 or count * dtype.itemsize != len(content) - stream.tell():
            raise MalformedFile(
                self.file, None, f"an array of shape {shape} does not fit its bytes.", "Write it again."
            )
        values = np.frombuffer(content, dtype, count, offset=stream.tell()) if count else np.empty(0, dtype)
        return values.reshape(shape, order="F" if by_column else "C")

    def matrix(self, name: str) -> Array:
        array = self.read(name)
        if array.ndim != 2 or array.dtype.kind not in "biuf":
            raise MalformedFile(
                self.file,
                None,
                f"array {name!r} must be a matrix of numbers; got {array.dtype} of shape {array.shape}.",
            )
        return np.array(array, dtype=array.dtype.newbyteorder("="))

    def names(self, name: str) -> list[str] | None:
        if name not in self.members:
            return None
        array = self.read(name)
        if array.ndim != 1 or array.dtype.kind not in "US":
            raise MalformedFile(self.file, None, f"array {name!r} must be a list of texts.")
        if array.dtype.kind == "U" and not _are_characters(array):
            raise MalformedFile(self.file, None, f"array {name!r} holds what are no characters.", "Write it again.")
        return [value.decode("latin-1") if isinstance(value, bytes) else str(value) for value in array.tolist()]


FORMAT = FileFormat(name="NumPy", suffixes=(".npz",), read=read_numpy, labels="matrix")
