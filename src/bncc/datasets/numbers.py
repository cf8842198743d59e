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
# Which bits hold digits, what adds each to ten (hundred, ten thousand) times its left neighbour, where the sum stands.
_JOINS = [
    (np.uint64(0x0F0F0F0F0F0F0F0F), np.uint64(10 * 2**8 + 1), np.uint64(8)),
    (np.uint64(0x00FF00FF00FF00FF), np.uint64(100 * 2**16 + 1), np.uint64(16)),
    (np.uint64(0x0000FFFF0000FFFF), np.uint64(10000 * 2**32 + 1), np.uint64(32)),
]
_PANDAS_PAYS_OFF = 2**24  # bytes; below, importing pandas takes longer than it saves
_SNIFFED = 2**16
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
    within = np.zeros(len(codes) + 2, np.bool_)
    np.not_equal(codes, marks[0], out=within[1:-1])
    for mark in marks[1:]:
        within[1:-1] &= codes != mark
    turns = np.flatnonzero(within[1:] != within[:-1])
    return turns[::2], turns[1::2]


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
    removed = np.zeros(len(starts), np.int64)
    removed[pointed] = 1
    removed[signed] += 1
    stops, lengths = ends - np.cumsum(removed), ends - starts - removed
    if lengths.min() < 1 or lengths.max() > 15:
        return None
    values = _whole_numbers(np.frombuffer(text.translate(None, b".-"), np.uint8), stops, lengths)
    values[pointed] /= _POWERS_OF_TEN[ends[pointed] - 1 - points]
    values[signed] *= -1
    return values


def _whole_numbers(codes: NDArray[np.uint8], ends: Longs, lengths: Longs) -> Floats:
    """The numbers that words of at most 16 digits spell, up to eight digits at a time."""
    padded = np.concatenate([np.zeros(16, np.uint8), codes])
    windows: NDArray[np.uint64] = np.ndarray((len(padded) - 7,), "<u8", padded, 0, (1,))
    values = _eight_digits(windows[ends + 8], np.minimum(lengths, 8))
    long = np.flatnonzero(lengths > 8)
    values[long] += 1e8 * _eight_digits(windows[ends[long]], lengths[long] - 8)
    return values


def _eight_digits(words_of_eight: NDArray[np.uint64], lengths: Longs) -> Floats:
    """What the last `lengths` bytes of eight spell: neighbours are joined to pairs, these to fours, these to eight."""
    values = words_of_eight & (np.uint64(2**64 - 1) << (64 - 8 * lengths).astype(np.uint64))
    for digits, factor, width in _JOINS:
        values &= digits
        values *= factor
        values >>= width
    return values.astype(np.float64)


def plain_matrix(
    text: bytes, n_columns: int, *, delimiter: bytes = b",", missing: bytes | None = b"?"
) -> Floats | None:
    """The matrix in delimited lines without blank ones; a cell that is `missing` becomes NaN.

    >>> plain_matrix(b"1,2\\n3,?", 2).tolist()
    [[1.0, 2.0], [3.0, nan]]
    >>> plain_matrix(b"1,2\\n3", 2) is None
    True
    """
    plain = _NUMBER_BYTES + b" \n" + delimiter + (missing or b"")
    if not text or text[:_SNIFFED].translate(None, plain):  # so that a large file of text is not copied
        return None
    if text.isspace() or text.endswith(b"\n") or text.translate(None, plain):
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
