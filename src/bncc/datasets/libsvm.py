"""LIBSVM's multi-label text format: ``1,3 5:0.2 7:1`` is labels, then feature numbers with their values.

Also read: the first line ``rows features labels`` of the Extreme Classification repository, and ``#`` comments.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

from bncc._typing import CSR
from bncc.datasets.dataset import Dataset, make_dataset
from bncc.datasets.errors import MAX_BYTES, MalformedFile
from bncc.datasets.file_format import FileFormat
from bncc.datasets.files import plain_stem
from bncc.datasets.sparse_text import read_sparse_text
from bncc.datasets.sparse_text_writer import write_sparse_rows
from bncc.datasets.text_writing import write_text

__all__ = ["FORMAT", "read_libsvm", "read_libsvm_features", "write_libsvm"]


def read_libsvm(path: str | os.PathLike[str], *, zero_based: bool | None = None, max_bytes: int = MAX_BYTES) -> Dataset:
    """Read a multi-label LIBSVM file; `X` is CSR.

    `zero_based` says whether feature numbers start at 0; None takes 0 if that number occurs or the file has a size
    line, else 1. Labels are named by what stands in the file, in numeric order where all are numbers; with a size
    line they are ``0`` to ``labels - 1``. The file is read in blocks: beside the data set, memory holds a few megabytes
    of text and, while its parts are put together, a copy of it.
    """
    return read_labelled_rows(Path(path), zero_based=zero_based, max_bytes=max_bytes, sized=False)


def read_libsvm_features(file: Path, *, zero_based: bool | None = None, max_bytes: int = MAX_BYTES) -> CSR:
    """The features of a LIBSVM file as CSR, whether its rows have labels or not."""
    return read_sparse_text(file, zero_based=zero_based, max_bytes=max_bytes).X


def read_labelled_rows(file: Path, *, zero_based: bool | None, max_bytes: int, sized: bool) -> Dataset:
    """A file of sparse rows, some of which have labels."""
    text = read_sparse_text(file, zero_based=zero_based, max_bytes=max_bytes, sized=sized)
    if not text.Y.nnz:
        raise MalformedFile(file, None, "no row has a label.", "A row is written as '1,3 5:0.2 7:1'.")
    try:
        return make_dataset(text.X, text.Y, label_names=text.label_names, name=plain_stem(file), source=str(file))
    except ValueError as error:
        raise MalformedFile(file, None, str(error)) from None


def write_libsvm(data: Dataset, file: Path) -> list[Path]:
    """A LIBSVM file: features are numbered from 1, and labels by their names if all are whole numbers, else from 0.

    The format has no room for other names, for labels and features that occur in no row, and for missing values, which
    are refused.
    """

    def write(out: TextIO) -> None:
        write_sparse_rows(data, out, _label_texts(data.label_names), first_feature=1)

    write_text(file, write)
    return [file]


def _label_texts(names: Sequence[str]) -> list[str]:
    are_numbers = all(name.isascii() and name.isdigit() and str(int(name)) == name for name in names)
    return list(names) if are_numbers else [str(label) for label in range(len(names))]


FORMAT = FileFormat(
    name="LIBSVM",
    suffixes=(".svm", ".libsvm", ".svmlight"),
    read=read_libsvm,
    labels="rows",
    writers={"libsvm": write_libsvm},
    read_features=read_libsvm_features,
)
