"""The text format of the Extreme Classification repository.

The first line is ``rows features labels``; then one line per row, ``3,17 0:0.5 812:1.25``: its labels and its features,
both numbered from 0. The line of a row without labels begins with a space.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TextIO

from bncc._typing import CSR
from bncc.datasets.dataset import Dataset
from bncc.datasets.errors import MAX_BYTES
from bncc.datasets.file_format import FileFormat
from bncc.datasets.files import check_readable, read_chunks
from bncc.datasets.libsvm import read_labelled_rows
from bncc.datasets.sparse_text import find_size_line, read_sparse_text
from bncc.datasets.sparse_text_writer import write_sparse_rows
from bncc.datasets.text_writing import write_text

__all__ = ["FORMAT", "read_extreme", "read_extreme_features", "write_extreme"]


def read_extreme(path: str | os.PathLike[str], *, max_bytes: int = MAX_BYTES) -> Dataset:
    """Read a file of the Extreme Classification repository; `X` is CSR, labels are named by their numbers.

    The file is read in blocks: beside the data set, memory holds a few megabytes of text and one copy of one of its
    arrays. The whole file counts for `max_bytes`; the largest sets of the repository need more than its default.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "toy.txt").write_text("2 5 4\\n0,3 0:1 4:2\\n 1:0.5\\n")
    ...     data = read_extreme(f"{folder}/toy.txt")
    >>> data.X.toarray().tolist(), data.Y.tolist()
    ([[1.0, 0.0, 0.0, 0.0, 2.0], [0.0, 0.5, 0.0, 0.0, 0.0]], [[1, 0, 0, 1], [0, 0, 0, 0]])
    """
    return read_labelled_rows(Path(path), zero_based=None, max_bytes=max_bytes, sized=True)


def read_extreme_features(file: Path, *, max_bytes: int = MAX_BYTES) -> CSR:
    """The features of such a file as CSR, whether its rows have labels or not."""
    return read_sparse_text(file, zero_based=None, max_bytes=max_bytes, sized=True).X


def write_extreme(data: Dataset, file: Path) -> list[Path]:
    """A file with its size line; labels and features are numbers in it, and their names are not kept."""

    def write(out: TextIO) -> None:
        out.write(f"{data.n_rows} {data.n_features} {data.n_labels}\n")
        write_sparse_rows(data, out, [str(label) for label in range(data.n_labels)], first_feature=0)

    write_text(file, write)
    return [file]


def begins_with_sizes(path: Path) -> bool:
    """Whether a text file is one of these, by its first line."""
    check_readable(path)
    start = next(read_chunks(path, 2**62, 2**10), b"")
    return find_size_line(start.removeprefix(b"\xef\xbb\xbf").splitlines()[0]) is not None if start.strip() else False


FORMAT = FileFormat(
    name="Extreme Classification",
    suffixes=(".txt",),
    read=read_extreme,
    labels="rows",
    writers={"extreme": write_extreme},
    read_features=read_extreme_features,
    recognises=begins_with_sizes,
)
