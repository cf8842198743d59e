"""Plain numbers out of text at C speed; anything that is not plain is left to the careful parsers.

Every function here returns None where the text is not of the plain kind (or is wrong). The careful parser then reads
it again line by line, so that errors get line numbers and both ways agree on every text.
"""

from __future__ import annotations

import functools
import io
import sys
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bncc._typing import Floats, Longs

__all__ = ["plain_matrix", "plain_numbers", "words"]

_NUMBER_BYTES = b"0123456789+-.eE"
_POWERS_OF_TEN = np.array([float(f"1e{exponent}") for exponent in range(16)])
_PANDAS_PAYS_OFF = 2**24  # bytes; below, importing pandas takes longer than it saves
_HARD = [
    "0.1234567890123456",
    "9007199254740993",
    "2.2250738585072011e-308",
    "5.9604644775390618",
    "8.988465674311579e307",
]


def words(codes: NDArray[np.uint8], marks: bytes) -> tuple[Longs, Longs]:
    """Where the words between marks start and end.

    >>> starts, ends = words(np.frombuffer(b"{12 3}", np.uint8), b"{ }")
    >>> starts.tolist(), ends.tolist()
    ([1, 4], [3, 5])
    """
    table = np.zeros(256, np.int8)
    table[np.frombuffer(marks, np.uint8)] = 1
    steps = np.diff(table[codes], prepend=1, append=1)
    return np.flatnonzero(steps == -1), np.flatnonzero(steps == 1)


def plain_numbers(text: bytes, starts: Longs, ends: Longs, marks: bytes) -> Floats | None:
    """The numbers that the words of a text spell; NaN for a question mark.

    >>> text = b"{12 3.5}"
    >>> plain_numbers(text, *words(np.frombuffer(text, np.uint8), b"{ }"), b"{ }").tolist()
    [12.0, 3.5]
    """
    if not len(starts):
        return np.empty(0)
    if not text.translate(None, b"0123456789.-" + marks):
        values = _short_decimals(text, starts, ends)
        if values is not None:
            return values
    text = text.translate(bytes.maketrans(marks, b" " * len(marks)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            values = np.fromstring(text.replace(b"?", b" nan ") if b"?" in text else text, sep=" ")
        except (ValueError, DeprecationWarning):
            return None
    return values if len(values) == len(starts) else None


def _short_decimals(text: bytes, starts: Longs, ends: Longs) -> Floats | None:
    """Words of at most 15 digits, several times faster than one by one.

    The digits make a whole number below 2^53, and a power of ten up to 10^15 is exact too, so that their quotient is
    the float64 nearest to what is written.
    """
    codes = np.frombuffer(text, np.uint8)
    points, signs = np.flatnonzero(codes == ord(".")), np.flatnonzero(codes == ord("-"))
    pointed, signed = (np.searchsorted(starts, marks, "right") - 1 for marks in (points, signs))
    if (np.diff(pointed) == 0).any() or (starts[signed] != signs).any():
        return None
    removed = np.sort(np.concatenate([points, signs]))
    stops = ends - np.searchsorted(removed, ends)
    lengths = stops - starts + np.searchsorted(removed, starts)
    if lengths.min() < 1 or lengths.max() > 15:
        return None
    values = _whole_numbers(np.frombuffer(text.translate(None, b".-"), np.uint8), stops, lengths)
    values[pointed] /= _POWERS_OF_TEN[ends[pointed] - 1 - points]
    values[signed] *= -1
    return values


def _whole_numbers(codes: NDArray[np.uint8], ends: Longs, lengths: Longs) -> Floats:
    """Digits summed place by place, over all words that have that place."""
    values = (codes[ends - 1] - np.uint8(48)).astype(np.float64)
    left, digit = np.flatnonzero(lengths > 1), 1
    while len(left):
        values[left] += (codes[ends[left] - 1 - digit] - np.uint8(48)) * _POWERS_OF_TEN[digit]
        digit += 1
        left = left[lengths[left] > digit]
    return values


def plain_matrix(
    text: bytes, n_columns: int, *, delimiter: bytes = b",", missing: bytes | None = b"?"
) -> Floats | None:
    """The matrix in delimited lines without blank ones; a cell that is `missing` becomes NaN.

    >>> plain_matrix(b"1,2\\n3,?", 2).tolist()
    [[1.0, 2.0], [3.0, nan]]
    >>> plain_matrix(b"1,2\\n3", 2) is None
    True
    """
    if (
        not text
        or text.isspace()
        or text.endswith(b"\n")
        or text.translate(None, _NUMBER_BYTES + b" \n" + delimiter + (missing or b""))
    ):
        return None
    has_missing = missing is not None and missing in text
    if missing is not None and has_missing:
        if b"-" + missing in text or b"+" + missing in text or not _is_rectangular(text, n_columns, delimiter):
            return None  # -? would read as -nan, and pandas fills up short rows with missing values
        text = text.replace(missing, b"nan")
    try:
        values = (
            _with_pandas(text, delimiter, has_missing) if _pandas_serves(len(text)) else _with_numpy(text, delimiter)
        )
    except (ValueError, OverflowError):
        return None
    return values if values.shape[1] == n_columns else None


def _is_rectangular(text: bytes, n_columns: int, delimiter: bytes) -> bool:
    codes = np.frombuffer(text, np.uint8)
    ends = np.append(np.flatnonzero(codes == 10), len(codes))
    marks = np.flatnonzero(codes == delimiter[0])
    if len(marks) != len(ends) * (n_columns - 1):
        return False
    return bool((np.searchsorted(marks, ends) == np.arange(1, len(ends) + 1) * (n_columns - 1)).all())


def _with_numpy(text: bytes, delimiter: bytes) -> Floats:
    values = np.loadtxt(io.BytesIO(text), delimiter=delimiter.decode(), ndmin=2, comments=None)
    if len(values) != text.count(b"\n") + 1:
        raise ValueError("a blank line was passed over")
    return values


def _with_pandas(text: bytes, delimiter: bytes, has_missing: bool) -> Floats:
    import pandas as pd

    frame = pd.read_csv(
        io.BytesIO(text),
        header=None,
        sep=delimiter.decode(),
        dtype=np.float64,
        na_filter=has_missing,
        keep_default_na=False,
        na_values=["nan"],
        skip_blank_lines=False,
        skipinitialspace=b" " in text,
    )
    return frame.to_numpy()


def _pandas_serves(n_bytes: int) -> bool:
    return (n_bytes >= _PANDAS_PAYS_OFF or "pandas" in sys.modules) and _pandas_is_exact()


@functools.cache
def _pandas_is_exact() -> bool:
    """Whether pandas is there and rounds as Python does; releases before 3.0 were off by one unit on long numbers."""
    try:
        import pandas as pd

        read: Any = pd.read_csv(io.StringIO("\n".join(_HARD)), header=None, dtype=np.float64)
        return read[0].tolist() == [float(text) for text in _HARD]
    except (ImportError, ValueError):
        return False
