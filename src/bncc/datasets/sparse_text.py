"""Rows of ``labels number:value number:value ...``, read block by block.

Two formats are written so: LIBSVM's, and that of the Extreme Classification repository, whose first line says how many
rows, features and labels there are (the size line). ``#`` begins a comment; a row whose first word holds a colon has
no labels.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from bncc._typing import CSR, Array, Bools, Floats, Longs
from bncc.datasets.column_table import number
from bncc.datasets.errors import MAX_COLUMNS, MalformedFile
from bncc.datasets.files import decode, shorten
from bncc.datasets.line_blocks import LineBlock, line_blocks
from bncc.datasets.numbers import plain_numbers, words

__all__ = ["SizeLine", "SparseText", "find_size_line", "read_sparse_text"]

_PLAIN = b"0123456789+-.eE: "
_SPACES = "Separate labels by commas, without spaces."
_QUERIES = "A data set of labels has no queries of a ranking: take the words 'qid:...' out of all rows."


class SizeLine(NamedTuple):
    """What the first line of a file says."""

    n_rows: int
    n_features: int
    n_labels: int


@dataclass(frozen=True, eq=False)
class SparseText:
    """What such a file holds.

    Attributes
    ----------
    X : csr_array of shape (n_rows, n_features)
    Y : csr_array of shape (n_rows, n_labels), int8
    label_names : list of str
        What stands in the file, in numeric order where all are whole numbers, else in alphabetical order; with a size
        line ``0`` to ``n_labels - 1``.
    """

    X: CSR
    Y: CSR
    label_names: list[str]


class _Rows(NamedTuple):
    """The rows of a block: their text without comments, their line numbers, and which are blank."""

    texts: list[bytes]
    lines: list[int]
    is_blank: list[bool]


class _Cells(NamedTuple):
    """Features of some rows: how many each has, and number and value of all."""

    counts: Longs
    indices: NDArray[np.int32]
    values: Floats


@dataclass
class _Gathered:
    """What has been read so far; labels are numbered as they come."""

    file: Path
    zero_based: bool | None
    sizes: SizeLine | None = None
    size_line_at: int = 0
    features: list[_Cells] = field(default_factory=list)
    label_counts: list[Longs] = field(default_factory=list)
    label_numbers: list[NDArray[np.int32]] = field(default_factory=list)
    is_blank: list[Bools] = field(default_factory=list)
    number_of_label: dict[str, int] = field(default_factory=dict)


def read_sparse_text(file: Path, *, zero_based: bool | None, max_bytes: int, sized: bool = False) -> SparseText:
    """Read a file of such rows; beside the result, memory holds a block and, in the end, the parts it is made from.

    `zero_based` says whether feature numbers start at 0; None takes 0 if that number occurs or the file has a size
    line, else 1. With `sized` a file without a size line is refused. A blank line is passed over, unless it takes blank
    lines to make up the rows of the size line: then it is a row without labels and features.
    """
    gathered = _Gathered(file, zero_based)
    is_first = True
    for block in line_blocks(file, max_bytes):
        rows = _split_rows(block, keep_blank=gathered.sizes is not None)
        if is_first and rows.texts:
            is_first = False
            if find_size_line(rows.texts[0]) is not None:
                rows = _begin(gathered, rows, block)
            elif sized:
                raise _no_size_line(file, rows.lines[0], rows.texts[0])
        _gather(gathered, rows)
    return _finish(gathered)


def find_size_line(row: bytes) -> SizeLine | None:
    """The three sizes that a line says; None if it is no size line.

    >>> find_size_line(b"3 100 20"), find_size_line(b"3 1:100")
    (SizeLine(n_rows=3, n_features=100, n_labels=20), None)
    """
    parts = row.split()
    if len(parts) != 3 or not all(part.isdigit() and len(part) < 12 for part in parts):
        return None
    return SizeLine(*(int(part) for part in parts))


def _no_size_line(file: Path, line: int, row: bytes) -> MalformedFile:
    problem = f"the first line must be 'rows features labels', three whole numbers; got {shorten(decode(row))}."
    return MalformedFile(file, line, problem, "Name a LIBSVM file .svm, or add that line.")


def _split_rows(block: LineBlock, *, keep_blank: bool) -> _Rows:
    texts = block.content.split(b"\n")
    has_note = [False] * len(texts)
    if b"#" in block.content:
        has_note = [b"#" in text for text in texts]
        texts = [text.partition(b"#")[0] for text in texts]
    is_blank = [not text or text.isspace() for text in texts]
    kept = [i for i, blank in enumerate(is_blank) if not blank or (keep_blank and not has_note[i])]
    return _Rows(
        [texts[i].replace(b"\t", b" ").rstrip() for i in kept],
        [block.first_line + i for i in kept],
        [is_blank[i] for i in kept],
    )


def _begin(gathered: _Gathered, rows: _Rows, block: LineBlock) -> _Rows:
    """Keep the size line, and give the rows of the block behind it."""
    sizes, line = find_size_line(rows.texts[0]), rows.lines[0]
    assert sizes is not None
    if not (0 < sizes.n_features <= MAX_COLUMNS and 0 < sizes.n_labels <= MAX_COLUMNS):
        raise MalformedFile(gathered.file, line, f"features and labels must number from 1 to {MAX_COLUMNS}.")
    gathered.sizes, gathered.size_line_at = sizes, line
    behind = block.content.split(b"\n", line - block.first_line + 1)[line - block.first_line + 1 :]
    return _split_rows(LineBlock(line + 1, behind[0]), keep_blank=True) if behind else _Rows([], [], [])


def _gather(gathered: _Gathered, rows: _Rows) -> None:
    if not rows.texts:
        return
    tags, features = _split_labels(rows.texts)
    cells = _plain_features(features) or _careful_features(features, rows.lines, gathered.file)
    _check_numbers(gathered, cells, rows.lines)
    counts, numbers = _number_labels(gathered, tags, rows.lines)
    gathered.features.append(cells)
    gathered.label_counts.append(counts)
    gathered.label_numbers.append(numbers)
    gathered.is_blank.append(np.array(rows.is_blank))


def _split_labels(rows: list[bytes]) -> tuple[list[bytes], list[bytes]]:
    tags, features = [], []
    for row in rows:
        first, _, rest = row.partition(b" ")
        if b":" in first:
            first, rest = b"", row
        tags.append(first)
        features.append(rest)
    return tags, features


def _plain_features(features: list[bytes]) -> _Cells | None:
    """All cells at once, where every word is a plain ``number:value``; None where a closer look is due."""
    text = b" ".join(features)
    if text.translate(None, _PLAIN):
        return None
    codes = np.frombuffer(text, np.uint8)
    starts, ends = words(codes, b" :")
    n_cells = int(np.count_nonzero(codes == ord(":")))
    if len(starts) != 2 * n_cells:
        return None
    if (codes[ends[::2]] != ord(":")).any() or (starts[1::2] != ends[::2] + 1).any():
        return None
    numbers = plain_numbers(text, starts, ends, b" :")
    if numbers is None:
        return None
    indices = numbers[::2]
    if not ((indices >= 0) & (indices <= MAX_COLUMNS) & (indices == np.floor(indices))).all():
        return None
    counts = np.array([row.count(b":") for row in features], np.int64)
    keys = np.repeat(np.arange(len(counts)), counts) * (MAX_COLUMNS + 1) + indices.astype(np.int64)
    if not (np.diff(keys) > 0).all() and len(np.unique(keys)) != len(keys):
        return None
    return _Cells(counts, indices.astype(np.int32), numbers[1::2].copy())


def _careful_features(features: list[bytes], lines: list[int], file: Path) -> _Cells:
    counts: list[int] = []
    indices: list[int] = []
    values: list[float] = []
    for row, line in zip(features, lines, strict=True):
        seen: dict[int, float] = {}
        for word in decode(row).split():
            left, colon, right = word.partition(":")
            index, value = number(left), number(right)
            if not colon or index is None or value is None or not index.is_integer():
                problem = f"expected 'number:value'; got {shorten(word)}."
                raise MalformedFile(file, line, problem, _QUERIES if left == "qid" else _SPACES)
            if index > MAX_COLUMNS:
                problem = f"feature number {shorten(left)} is above {MAX_COLUMNS}, the most that are read."
                raise MalformedFile(file, line, problem, "Number the features that occur anew, or hash them to fewer.")
            if index < 0 or int(index) in seen:
                why = "is below 0" if index < 0 else "appears twice"
                raise MalformedFile(file, line, f"feature number {shorten(left)} {why}.", "Mend the row.")
            seen[int(index)] = value
        counts.append(len(seen))
        indices.extend(seen)
        values.extend(seen.values())
    return _Cells(np.array(counts, np.int64), np.array(indices, np.int32), np.array(values, np.float64))


def _check_numbers(gathered: _Gathered, cells: _Cells, lines: list[int]) -> None:
    """Feature numbers must fit the size line and where counting begins."""
    lowest, highest = int(gathered.zero_based is False), MAX_COLUMNS
    if gathered.sizes is not None:
        highest = gathered.sizes.n_features - 1 + lowest
    wrong = np.flatnonzero((cells.indices < lowest) | (cells.indices > highest))
    if not len(wrong):
        return
    row = int(np.searchsorted(np.cumsum(cells.counts), wrong[0], "right"))
    found = int(cells.indices[wrong[0]])
    if found < lowest:
        raise MalformedFile(gathered.file, lines[row], "feature number 0 occurs.", "Pass zero_based=True.")
    problem = f"feature number {found} does not fit {highest + 1 - lowest} features."
    raise MalformedFile(gathered.file, lines[row], problem, "Mend the row or the size line.")


def _number_labels(gathered: _Gathered, tags: list[bytes], lines: list[int]) -> tuple[Longs, NDArray[np.int32]]:
    """How many labels each row has, and their numbers."""
    known, numbers, counts = gathered.number_of_label, list[int](), list[int]()
    for tag, line in zip(tags, lines, strict=True):
        before = len(numbers)
        if tag:
            names = [name for name in decode(tag).split(",") if name]
            for name in names:
                if name not in known:
                    known[name] = _new_number(gathered, name, line)
            numbers += dict.fromkeys(map(known.__getitem__, names))
        counts.append(len(numbers) - before)
    return np.array(counts, np.int64), np.array(numbers, np.int32)


def _new_number(gathered: _Gathered, name: str, line: int) -> int:
    if gathered.sizes is None:
        return len(gathered.number_of_label)
    whole = _whole_number(name)
    if whole is None or whole >= gathered.sizes.n_labels:
        problem = f"label {shorten(name)} is not between 0 and {gathered.sizes.n_labels - 1}."
        raise MalformedFile(gathered.file, line, problem)
    return whole


def _whole_number(name: str) -> int | None:
    return int(name) if name.isascii() and name.isdigit() and len(name) < 12 else None


def _finish(gathered: _Gathered) -> SparseText:
    if not gathered.features:
        raise MalformedFile(gathered.file, None, "there is no data row.", "Check that the file was written to its end.")
    kept = _kept_rows(gathered)
    X = _feature_matrix(gathered)
    names, column_of_number = _label_columns(gathered)
    numbers = np.concatenate(gathered.label_numbers)
    columns = numbers if column_of_number is None else column_of_number[numbers]
    ones = np.ones(len(columns), np.int8)
    Y = sparse.csr_array((ones, columns, _starts(gathered.label_counts)), shape=(X.shape[0], len(names)))
    Y.sort_indices()
    return SparseText(X, Y, names) if kept is None else SparseText(X[kept], Y[kept], names)


def _kept_rows(gathered: _Gathered) -> Bools | None:
    """Which rows there are by the size line, blank ones aside; None for all."""
    if gathered.sizes is None:
        return None
    is_blank = np.concatenate(gathered.is_blank)
    n_rows, n_filled = gathered.sizes.n_rows, int((~is_blank).sum())
    if n_rows == len(is_blank):
        return None
    if n_rows != n_filled:
        problem = f"the size line says {n_rows} rows, the file has {n_filled}."
        raise MalformedFile(
            gathered.file, gathered.size_line_at, problem, "Check that the file was written to its end."
        )
    return ~is_blank


def _feature_matrix(gathered: _Gathered) -> CSR:
    blocks, gathered.features = gathered.features, []
    indptr = _starts([cells.counts for cells in blocks])
    indices = np.concatenate([cells.indices for cells in blocks])
    values = np.concatenate([cells.values for cells in blocks])
    del blocks
    has_zero = bool(len(indices)) and int(indices.min()) == 0
    zero_based = gathered.zero_based
    first = int(not (has_zero or gathered.sizes is not None if zero_based is None else zero_based))
    width = int(indices.max()) - first + 1 if len(indices) else 0
    width = width if gathered.sizes is None else gathered.sizes.n_features
    if width == 0:
        raise MalformedFile(gathered.file, None, "no row has a feature, and a data set does not fit 0 features.")
    indices -= np.int32(first)
    matrix = sparse.csr_array((values, indices, indptr), shape=(len(indptr) - 1, width))
    matrix.sort_indices()
    matrix.eliminate_zeros()
    return matrix


def _starts(counts: list[Longs]) -> Array:
    """Where each row begins, in 32 bits where they do."""
    starts = np.concatenate([[0], np.cumsum(np.concatenate(counts))])
    return starts.astype(np.int32 if starts[-1] <= np.iinfo(np.int32).max else np.int64)


def _label_columns(gathered: _Gathered) -> tuple[list[str], NDArray[np.int32] | None]:
    """The names of the columns, and the column of each number; None where they are the same."""
    if gathered.sizes is not None:
        return [str(label) for label in range(gathered.sizes.n_labels)], None
    names = list(gathered.number_of_label)
    whole = [_whole_number(name) for name in names]
    keys = names if None in whole else [(value, name) for value, name in zip(whole, names, strict=True)]
    order = sorted(range(len(names)), key=keys.__getitem__)
    column_of_number = np.empty(len(names), np.int32)
    column_of_number[order] = np.arange(len(names), dtype=np.int32)
    return [names[number] for number in order], column_of_number
