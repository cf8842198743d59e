"""Arrays as bytes: NumPy's ``.npy``, read by a parser of our own that makes plain arrays of plain numbers and text."""

from __future__ import annotations

import ast
import io
import math
import re
import warnings
from functools import lru_cache

import numpy as np

from bncc._typing import Array, DType
from bncc.multilabel.model_files.refusals import Refused

__all__ = ["array_bytes", "check_unpaid", "is_plain_dtype", "read_array"]

_MAGIC = b"\x93NUMPY"
_MOST_HEADER = 10_000
_SHORT_HEADER = 256  # letters of one that is remembered
_MOST_UNPAID = 2**16  # cells that the shape of an empty array may claim, if nothing else pays for them
_PLAIN = re.compile(r"[<|=]?(?:b1|[iu][1248]|f[248]|[US](?:0|[1-9][0-9]{0,3}))\Z")  # text of 9,999 characters at most


def is_plain_dtype(dtype: DType) -> bool:
    """Whether arrays of a type can stand in a model file: numbers, booleans and text of this machine's byte order.

    >>> is_plain_dtype(np.dtype("f8")), is_plain_dtype(np.dtype(object)), is_plain_dtype(np.dtype("M8[s]"))
    (True, False, False)
    """
    return dtype.names is None and dtype.subdtype is None and _PLAIN.match(dtype.str) is not None


def array_bytes(array: Array) -> bytes:
    """The array as a ``.npy`` file."""
    out = io.BytesIO()
    np.save(out, array, allow_pickle=False)
    return out.getvalue()


def read_array(content: bytes, paid_cells: int = 0) -> Array:
    """The array of a ``.npy`` file; its shape must be that of its bytes, and its type plain or a record of plain ones.

    If it is empty, the other sizes of its shape may claim a few cells, and `paid_cells`.

    >>> read_array(array_bytes(np.arange(3.0))).tolist()
    [0.0, 1.0, 2.0]
    """
    header, start = _header(content)
    dtype, shape, by_column = _facts_again(header) if len(header) <= _SHORT_HEADER else _facts(header)
    if math.prod(shape) * dtype.itemsize != len(content) - start:
        raise Refused(f"an array that claims shape {shape} of {dtype} and has {len(content) - start} bytes")
    check_unpaid(shape, paid_cells)
    flat: Array = np.frombuffer(content, dtype, offset=start).copy()
    _check_values(flat)
    return flat.reshape(shape, order="F" if by_column else "C")


def check_unpaid(shape: tuple[int, ...], paid_cells: int) -> None:
    """Refuse an empty array whose other sizes are large: they cost nothing, and what meets it takes on its shape."""
    most = max(_MOST_UNPAID, paid_cells)
    if 0 in shape and math.prod(size for size in shape if size) > most:
        raise Refused(f"an empty array of shape {shape}, whose other sizes make more than {most}")


def _header(content: bytes) -> tuple[str, int]:
    """The text of the header, and where the values begin."""
    if content[:6] != _MAGIC or content[6:8] not in (b"\x01\x00", b"\x02\x00", b"\x03\x00"):
        raise Refused("an array that is no .npy file")
    wide = content[6] > 1
    start = 12 if wide else 10
    length = int.from_bytes(content[8:start], "little")
    if length > _MOST_HEADER or len(content) < start + length:
        raise Refused("an array whose header is too long")
    try:
        text = content[start : start + length].decode("utf-8" if content[6] == 3 else "latin-1")
    except ValueError as error:
        raise Refused("an array whose header cannot be read") from error
    return text.strip(), start + length


def _facts(text: str) -> tuple[DType, tuple[int, ...], bool]:
    """Type, shape and whether the values lie column by column."""
    try:
        with warnings.catch_warnings(action="ignore"):  # of what Python thinks of the text
            header = ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError) as error:
        raise Refused("an array whose header cannot be read") from error
    if not isinstance(header, dict) or set(header) != {"descr", "fortran_order", "shape"}:
        raise Refused("an array without type, order and shape")
    dtype, shape, by_column = _dtype(header["descr"]), header["shape"], header["fortran_order"]
    if not isinstance(shape, tuple) or len(shape) > 8 or not isinstance(by_column, bool):
        raise Refused("an array whose shape is no tuple of at most 8 numbers")
    if any(type(size) is not int or size < 0 for size in shape):
        raise Refused("an array with a negative or broken size")
    return dtype, shape, by_column


#: The same, remembered: thousands of small parts have arrays of the same type and shape.
_facts_again = lru_cache(maxsize=1024)(_facts)


def _dtype(descr: object) -> DType:
    """A plain type, or a record of plain types as trees of earlier formats have it."""
    if isinstance(descr, str) and _PLAIN.match(descr):
        return np.dtype(descr)
    if isinstance(descr, list) and 0 < len(descr) <= 32:
        for field in descr:
            named = isinstance(field, tuple) and len(field) == 2 and all(isinstance(part, str) for part in field)
            if not named or not (_PLAIN.match(field[1]) or re.fullmatch(r"\|V[0-9]{1,2}", field[1])):
                raise Refused("an array of records that are not plain")
        try:
            return np.dtype(descr)
        except (ValueError, TypeError) as error:
            raise Refused("an array of records that are not plain") from error
    raise Refused(f"an array of type {str(descr)[:40]!r}; numbers, and text of at most 9999 characters, are read")


def _check_values(flat: Array) -> None:
    """Text must be text and booleans 0 or 1: other bits are read differently by different code."""
    if flat.dtype.kind == "U" and flat.itemsize:
        codes = flat.view(np.uint32)
        if codes.size and ((codes > 0x10FFFF) | ((codes >= 0xD800) & (codes <= 0xDFFF))).any():
            raise Refused("an array of text with characters that do not exist")
    elif flat.dtype.kind == "b" and flat.size and flat.view(np.uint8).max() > 1:
        raise Refused("an array of booleans that are neither true nor false")
