"""Sparse matrices as `scipy.sparse.save_npz` writes them (``.npz``), with the labels in a second file beside them.

``posts.npz`` holds the features and ``posts-labels.npz`` the labels; ``X.npz`` has its labels in ``Y.npz``. Both may
hold names too: `feature_names` and `label_names`. No pickles, and what a header claims is checked.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from bncc._atomic import written_whole
from bncc._typing import CSR, Array, Longs
from bncc.datasets.array_archive import ArrayArchive
from bncc.datasets.dataset import Dataset, make_dataset
from bncc.datasets.errors import MAX_BYTES, MAX_COLUMNS, MalformedFile
from bncc.datasets.files import plain_stem

__all__ = ["labels_beside", "read_sparse_archive", "read_sparse_features", "write_sparse_archive"]

_INDEX_ARRAYS = {"csr": ("indices", "indptr"), "csc": ("indices", "indptr"), "coo": ("row", "col")}


def labels_beside(file: Path) -> Path:
    """The file with the labels of a file with features.

    >>> labels_beside(Path("posts.npz")).name, labels_beside(Path("X.npz")).name
    ('posts-labels.npz', 'Y.npz')
    """
    beside = {"X": "Y", "x": "y"}.get(plain_stem(file), f"{plain_stem(file)}-labels")
    return file.with_name(f"{beside}.npz")


def read_sparse_archive(
    archive: ArrayArchive, labels: str | os.PathLike[str] | None = None, max_bytes: int = MAX_BYTES
) -> Dataset:
    """Features from this archive, labels from the file that `labels` names, or from the one beside it."""
    label_file = labels_beside(archive.file) if labels is None else Path(labels)
    if not label_file.is_file():
        raise MalformedFile(
            archive.file,
            None,
            f"it holds features alone, and there is no file {label_file.name} with the labels.",
            "Write them beside it with scipy.sparse.save_npz, or name another file: labels='Y.npz'.",
        )
    label_archive = ArrayArchive(label_file, max_bytes)
    X, Y = read_matrix(archive), read_label_matrix(label_archive)
    if X.shape[0] != Y.shape[0]:
        problem = f"it has {X.shape[0]} rows, {label_file.name} has {Y.shape[0]}."
        raise MalformedFile(archive.file, None, problem, "Write both again.")
    try:
        return make_dataset(
            X,
            Y,
            feature_names=archive.names("feature_names"),
            label_names=label_archive.names("label_names"),
            name=plain_stem(archive.file),
            source=str(archive.file),
        )
    except ValueError as error:
        raise MalformedFile(archive.file, None, str(error), "Write both files again.") from None


def read_sparse_features(file: Path, max_bytes: int = MAX_BYTES) -> CSR | None:
    """The features of an archive of one sparse matrix; None for other archives."""
    archive = ArrayArchive(file, max_bytes)
    return read_matrix(archive) if holds_sparse_matrix(archive) else None


def holds_sparse_matrix(archive: ArrayArchive) -> bool:
    """Whether an archive is what `scipy.sparse.save_npz` writes."""
    return {"format", "shape", "data"} <= set(archive.members)


def read_label_matrix(archive: ArrayArchive) -> CSR | Array:
    """The labels of an archive: one sparse matrix, or an array `Y`."""
    if holds_sparse_matrix(archive):
        return read_matrix(archive)
    return archive.matrix("Y")


def read_matrix(archive: ArrayArchive) -> CSR:
    """The sparse matrix of an archive, in CSR format."""
    format_name = _format(archive)
    n_rows, n_columns = _shape(archive)
    archive.budget.take(8 * (n_rows + 1))  # rows cost memory even where nothing is stored in them
    data, *indices = (archive.read(name) for name in ("data", *_INDEX_ARRAYS[format_name]))
    if data.ndim != 1 or data.dtype.kind not in "biuf":
        raise _wrong(archive, f"'data' must be a list of numbers; got {data.dtype} of shape {data.shape}.")
    first, second = (_whole_numbers(archive, array) for array in indices)
    if format_name == "coo":
        rows, columns = first, second
    else:
        n_lines = n_rows if format_name == "csr" else n_columns
        lines, columns = _spelled_out(archive, second, n_lines, data.size), first
        rows, columns = (lines, columns) if format_name == "csr" else (columns, lines)
    for what, numbers, limit in (("row", rows, n_rows), ("column", columns, n_columns)):
        if numbers.size != data.size or (numbers.size and not 0 <= numbers.min() <= numbers.max() < limit):
            raise _wrong(archive, f"every value must have a {what} from 0 to {limit - 1}.")
    values = data.astype(data.dtype.newbyteorder("="))
    values = values.astype(np.float64) if values.dtype not in (np.float32, np.float64) else values
    matrix = sparse.csr_array((values, (rows, columns)), shape=(n_rows, n_columns))
    matrix.sum_duplicates()
    return matrix


def _format(archive: ArrayArchive) -> str:
    array = archive.read("format")
    name = array.reshape(-1)[0] if array.size == 1 and array.dtype.kind in "US" else None
    text = name.decode("latin-1") if isinstance(name, bytes) else str(name)
    if text not in _INDEX_ARRAYS:
        raise _wrong(archive, f"matrices in CSR, CSC or COO format are read; got {text[:20]!r}.")
    return text


def _shape(archive: ArrayArchive) -> tuple[int, int]:
    shape = archive.read("shape")
    if shape.shape != (2,) or shape.dtype.kind not in "iu" or int(shape.min()) < 0:
        raise _wrong(archive, "'shape' must be the number of rows and that of columns.")
    n_rows, n_columns = (int(size) for size in shape.tolist())
    if n_columns > MAX_COLUMNS:
        raise _wrong(archive, f"the matrix claims {n_columns} columns; at most {MAX_COLUMNS} are read.")
    return n_rows, n_columns


def _whole_numbers(archive: ArrayArchive, array: Array) -> Longs:
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise _wrong(archive, f"places must be a list of whole numbers; got {array.dtype} of shape {array.shape}.")
    if array.size and array.dtype == np.uint64 and int(array.max()) > np.iinfo(np.int64).max:
        raise _wrong(archive, "places must be below 2**63.")
    return array.astype(np.int64)


def _spelled_out(archive: ArrayArchive, starts: Longs, n_lines: int, n_values: int) -> Longs:
    """The line of every value, from where each line starts."""
    counts = np.diff(starts)
    if starts.size != n_lines + 1 or starts[0] != 0 or starts[-1] != n_values or (counts < 0).any():
        raise _wrong(archive, f"'indptr' must rise from 0 to {n_values} in {n_lines} steps.")
    return np.repeat(np.arange(n_lines, dtype=np.int64), counts)


def _wrong(archive: ArrayArchive, problem: str) -> MalformedFile:
    return MalformedFile(archive.file, None, problem, "Write it again with scipy.sparse.save_npz.")


def write_sparse_archive(data: Dataset, file: Path) -> list[Path]:
    """Features and labels as two files of `scipy.sparse.save_npz`, with their names in them."""
    label_file = labels_beside(file)
    _write_matrix(file, sparse.csr_array(data.X), feature_names=data.feature_names)
    _write_matrix(label_file, data.Y_sparse, label_names=data.label_names)
    return [file, label_file]


def _write_matrix(file: Path, matrix: CSR, **names: tuple[str, ...]) -> None:
    arrays: dict[str, Any] = {"format": np.array(b"csr"), "shape": np.array(matrix.shape), "_is_array": np.array(1)}
    arrays |= {"data": matrix.data, "indices": matrix.indices, "indptr": matrix.indptr}
    arrays |= {name: np.array(texts, dtype=str) for name, texts in names.items()}
    with written_whole(file) as draft, draft.open("wb") as stream:
        np.savez_compressed(stream, **arrays)
