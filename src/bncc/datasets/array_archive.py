"""The arrays of a NumPy archive (``.npz``) by name: no pickles, and headers are not believed."""

from __future__ import annotations

import io
import math
import zipfile
import zlib
from pathlib import Path

import numpy as np

from bncc._typing import Array
from bncc.datasets.budgets import Budget, most_in_a_cell, too_long_cell
from bncc.datasets.errors import MalformedFile
from bncc.datasets.files import check_readable

__all__ = ["ArrayArchive"]


def _are_characters(array: Array) -> bool:
    codes = np.frombuffer(array.tobytes(), np.dtype(np.uint32).newbyteorder(array.dtype.byteorder))
    return not ((codes > 0x10FFFF) | ((codes >= 0xD800) & (codes <= 0xDFFF))).any()


class ArrayArchive:
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
        """The array of this name, of numbers or texts."""
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
        """The array of this name, which must be a matrix of numbers; in the byte order of this machine."""
        array = self.read(name)
        if array.ndim != 2 or array.dtype.kind not in "biuf":
            raise MalformedFile(
                self.file,
                None,
                f"array {name!r} must be a matrix of numbers; got {array.dtype} of shape {array.shape}.",
            )
        return np.array(array, dtype=array.dtype.newbyteorder("="))

    def names(self, name: str) -> list[str] | None:
        """The texts of the array of this name; None where there is none."""
        if name not in self.members:
            return None
        array = self.read(name)
        if array.ndim != 1 or array.dtype.kind not in "US":
            raise MalformedFile(self.file, None, f"array {name!r} must be a list of texts.")
        if array.dtype.kind == "U" and not _are_characters(array):
            raise MalformedFile(self.file, None, f"array {name!r} holds what are no characters.", "Write it again.")
        return [value.decode("latin-1") if isinstance(value, bytes) else str(value) for value in array.tolist()]
