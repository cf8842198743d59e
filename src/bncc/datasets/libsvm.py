"""LIBSVM's multi-label text format: ``1,3 5:0.2 7:1`` is labels, then feature numbers with their values.

Also read: the first line ``rows features labels`` of the extreme classification collection, and ``#`` comments.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
from scipy import sparse

from bncc._typing import CSR, Floats, Longs
from bncc.datasets.column_table import number
from bncc.datasets.dataset import Dataset, make_dataset
from bncc.datasets.errors import MAX_BYTES, MAX_COLUMNS, MalformedFile
from bncc.datasets.file_format import FileFormat
from bncc.datasets.files import decode, plain_stem, read_lines_as_bytes, shorten
from bncc.datasets.numbers import plain_numbers, words
from bncc.datasets.tags import tags_to_labels

__all__ = ["FORMAT", "read_libsvm", "read_libsvm_features"]

_PLAIN = b"0123456789+-.eE: "


def read_libsvm(path: str | os.PathLike[str], *, zero_based: bool | None = None, max_bytes: int = MAX_BYTES) -> Dataset:
    """Read a multi-label LIBSVM file; `X` is CSR.

    `zero_based` says whether feature numbers start at 0; None takes 0 if that number occurs or the file has a size
    line, else 1. Labels are named by what stands in the file, in numeric order where all are numbers; with a size
    line they are ``0`` to ``labels - 1``.
    """
    file = Path(path)
    X, tags, sizes, lines = _read(file, zero_based, max_bytes)
    Y, names = _label_matrix(tags, sizes, lines, file)
    try:
        return make_dataset(X, Y, label_names=names, name=plain_stem(file), source=str(file))
    except ValueError as error:
        raise MalformedFile(file, None, str(error)) from None


def read_libsvm_features(file: Path, *, zero_based: bool | None = None, max_bytes: int = MAX_BYTES) -> CSR:
    """The features of a LIBSVM file as CSR, whether its rows have labels or not."""
    return _read(file, zero_based, max_bytes)[0]


def _read(
    file: Path, zero_based: bool | None, max_bytes: int
) -> tuple[CSR, list[bytes], tuple[int, int, int] | None, list[int]]:
    rows, lines = _rows(read_lines_as_bytes(file, max_bytes))
    sizes, rows, lines = _size_line(rows, lines, file)
    if not rows:
        raise MalformedFile(file, None, "there is no data row.", "Check that the file was written to its end.")
    tags, features = _split_labels(rows)
    counts, indices, data = _plain_features(features) or _careful_features(features, lines, file)
    return _feature_matrix(counts, indices, data, zero_based, sizes, file), tags, sizes, lines


def _rows(content: bytes) -> tuple[list[bytes], list[int]]:
    rows = content.split(b"\n")
    if b"#" in content:
        rows = [row.partition(b"#")[0] for row in rows]
    kept = [i for i, row in enumerate(rows) if row.strip()]
    return [rows[i].replace(b"\t", b" ").rstrip() for i in kept], [i + 1 for i in kept]


def _size_line(
    rows: list[bytes], lines: list[int], file: Path
) -> tuple[tuple[int, int, int] | None, list[bytes], list[int]]:
    words = rows[0].split() if rows else []
    if len(words) != 3 or not all(word.isdigit() and len(word) < 12 for word in words):
        return None, rows, lines
    n_rows, n_features, n_labels = (int(word) for word in words)
    if n_rows != len(rows) - 1:
        problem = f"the size line says {n_rows} rows, the file has {len(rows) - 1}."
        raise MalformedFile(file, lines[0], problem, "Check that the file was written to its end.")
    if not (0 < n_features <= MAX_COLUMNS and 0 < n_labels <= MAX_COLUMNS):
        raise MalformedFile(file, lines[0], f"features and labels must number from 1 to {MAX_COLUMNS}.")
    return (n_rows, n_features, n_labels), rows[1:], lines[1:]


def _split_labels(rows: list[bytes]) -> tuple[list[bytes], list[bytes]]:
    tags, features = [], []
    for row in rows:
        first, _, rest = row.partition(b" ")
        if b":" in first:
            first, rest = b"", row
        tags.append(first)
        features.append(rest)
    return tags, features


def _plain_features(features: list[bytes]) -> tuple[Longs, Longs, Floats] | None:
    text = b" ".join(features)
    if text.translate(None, _PLAIN):
        return None
    codes = np.frombuffer(text, np.uint8)
    pairs, _ = words(codes, b" ")
    colons = np.flatnonzero(codes == ord(":"))
    if len(pairs) != len(colons) or (np.searchsorted(colons, pairs) != np.arange(len(pairs))).any():
        return None
    counts = np.array([row.count(b":") for row in features], np.int64)
    tokens = plain_numbers(text, *words(codes, b" :"), b" :")
    if tokens is None or len(tokens) != 2 * len(colons):
        return None
    indices, data = tokens[::2], tokens[1::2]
    if not ((indices >= 0) & (indices <= MAX_COLUMNS) & (indices == np.floor(indices))).all():
        return None
    whole = indices.astype(np.int64)
    row = np.repeat(np.arange(len(counts)), counts)
    keys = row * (MAX_COLUMNS + 1) + whole
    if not (np.diff(keys) > 0).all() and len(np.unique(keys)) != len(keys):
        return None
    return counts, whole, data.copy()


def _careful_features(features: list[bytes], lines: list[int], file: Path) -> tuple[Longs, Longs, Floats]:
    counts: list[int] = []
    indices: list[int] = []
    data: list[float] = []
    for row, line in zip(features, lines, strict=True):
        seen: dict[int, float] = {}
        for word in decode(row).split():
            left, colon, right = word.partition(":")
            index, value = number(left), number(right)
            if not colon or index is None or value is None or not index.is_integer():
                problem = f"expected 'number:value'; got {shorten(word)}."
                raise MalformedFile(file, line, problem, "Separate labels by commas, without spaces.")
            if not 0 <= index <= MAX_COLUMNS or int(index) in seen:
                why = "appears twice" if int(index) in seen else f"is not between 0 and {MAX_COLUMNS}"
                raise MalformedFile(file, line, f"feature number {shorten(left)} {why}.", "Mend the row.")
            seen[int(index)] = value
        counts.append(len(seen))
        indices.extend(seen)
        data.extend(seen.values())
    return np.array(counts, np.int64), np.array(indices, np.int64), np.array(data, np.float64)


def _feature_matrix(
    counts: Longs,
    indices: Longs,
    data: Floats,
    zero_based: bool | None,
    sizes: tuple[int, int, int] | None,
    file: Path,
) -> CSR:
    has_zero = bool(len(indices)) and int(indices.min()) == 0
    first = 0 if zero_based or (zero_based is None and (has_zero or sizes is not None)) else 1
    if has_zero and first == 1:
        raise MalformedFile(file, None, "feature number 0 occurs.", "Pass zero_based=True.")
    width = sizes[1] if sizes else (int(indices.max()) - first + 1 if len(indices) else 0)
    if width == 0 or (len(indices) and int(indices.max()) - first >= width):
        raise MalformedFile(file, None, f"a feature number does not fit {width} features.", "Mend the size line.")
    indptr = np.concatenate([[0], np.cumsum(counts)])
    matrix = sparse.csr_array((data, indices - first, indptr), shape=(len(counts), width))
    matrix.sort_indices()
    matrix.eliminate_zeros()
    return matrix


def _label_matrix(
    tags: list[bytes], sizes: tuple[int, int, int] | None, lines: list[int], file: Path
) -> tuple[CSR, list[str]]:
    rows = [list(dict.fromkeys(filter(None, decode(tag).split(",")))) for tag in tags]
    occurring = {tag for row in rows for tag in row}
    if not occurring:
        raise MalformedFile(file, None, "no row has a label.", "A row is written as '1,3 5:0.2 7:1'.")
    whole = {tag: int(tag) if tag.isdecimal() and tag.isascii() and len(tag) < 12 else -1 for tag in occurring}
    if sizes is not None:
        names = [str(i) for i in range(sizes[2])]
        for row, line in zip(rows, lines, strict=True):
            bad = [tag for tag in row if not 0 <= whole[tag] < sizes[2]]
            if bad:
                raise MalformedFile(file, line, f"label {shorten(bad[0])} is not between 0 and {sizes[2] - 1}.")
        indices = np.array([whole[tag] for row in rows for tag in row], np.int64)
        indptr = np.concatenate([[0], np.cumsum([len(row) for row in rows])])
        return sparse.csr_array((np.ones(len(indices), np.int8), indices, indptr), shape=(len(rows), sizes[2])), names
    Y, names = tags_to_labels(rows)
    if min(whole.values()) < 0:
        return Y, names
    order = sorted(range(len(names)), key=lambda i: whole[names[i]])
    return Y[:, order], [names[i] for i in order]


FORMAT = FileFormat(
    name="LIBSVM",
    suffixes=(".svm", ".libsvm", ".svmlight"),
    read=read_libsvm,
    labels="rows",
    read_features=read_libsvm_features,
)
