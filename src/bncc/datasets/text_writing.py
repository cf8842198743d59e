"""What writers of text formats share: whole files, rows block by block, and numbers and categories as text."""

from __future__ import annotations

import gzip
import io
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TextIO

import numpy as np
from scipy import sparse

from bncc._atomic import written_whole
from bncc._typing import CSR, Matrix
from bncc.datasets.column_table import category_codes
from bncc.datasets.dataset import Dataset

__all__ = ["category_texts", "cell_text", "dense_rows", "number_text", "stored_rows", "write_text"]

_BLOCK = 256


def write_text(file: Path, write: Callable[[TextIO], None]) -> None:
    """Write a UTF-8 file whole or not at all, packed if its name ends in ``.gz``."""
    packed = file.suffix.lower() == ".gz"
    with written_whole(file) as draft, gzip.open(draft, "wb") if packed else draft.open("wb") as stream:
        text = io.TextIOWrapper(stream, encoding="utf-8", newline="")
        write(text)
        text.flush()
        text.detach()


def number_text(value: float) -> str:
    """The shortest text that reads back as the same number; ``?`` for a missing one.

    >>> number_text(2.0), number_text(0.1), number_text(float("nan"))
    ('2', '0.1', '?')
    """
    if value != value:
        return "?"
    return repr(float(value)).removesuffix(".0")


def cell_text(value: float, texts: Mapping[float, str] | None) -> str:
    """A number, or the category that it stands for."""
    return number_text(value) if texts is None or value != value else texts[value]


def category_texts(data: Dataset) -> dict[int, dict[float, str]]:
    """By column, the text of each number; columns with a number that has none keep their numbers."""
    out = {}
    for column, name in enumerate(data.feature_names):
        texts = data.categories.get(name)
        if texts is None:
            continue
        text_of_code = dict(sorted(zip(category_codes(texts).tolist(), texts, strict=True)))
        block = data.X[:, [column]]
        values = block if isinstance(block, np.ndarray) else block.toarray()
        if set(values[~np.isnan(values)].tolist()) <= set(text_of_code):
            out[column] = text_of_code
    return out


def dense_rows(matrix: Matrix) -> Iterator[list[float]]:
    """All cells of each row; no more than a block of rows is dense at a time."""
    for start in range(0, matrix.shape[0], _BLOCK):
        block = matrix[start : start + _BLOCK]
        yield from np.asarray(block if isinstance(block, np.ndarray) else block.toarray(), np.float64).tolist()


def stored_rows(matrix: CSR) -> Iterator[list[tuple[int, float]]]:
    """The stored cells of each row: column and value."""
    rows = sparse.csr_array(matrix)
    columns, values = rows.indices.tolist(), rows.data.astype(np.float64).tolist()
    for start, end in zip(rows.indptr[:-1].tolist(), rows.indptr[1:].tolist(), strict=True):
        yield list(zip(columns[start:end], values[start:end], strict=True))
