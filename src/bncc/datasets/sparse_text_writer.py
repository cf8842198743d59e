"""Rows of ``labels number:value number:value ...``, written."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TextIO

import numpy as np
from scipy import sparse

from bncc.datasets.dataset import Dataset
from bncc.datasets.text_writing import number_text, stored_rows

__all__ = ["write_sparse_rows"]

# Rows whose cells are Python objects at a time.
_BLOCK = 4096


def write_sparse_rows(data: Dataset, out: TextIO, label_texts: Sequence[str], *, first_feature: int) -> None:
    """Write all rows, cells of 0 left out; missing values have no place in such a file."""
    stored = data.X if isinstance(data.X, np.ndarray) else data.X.data
    if not np.isfinite(stored).all():
        raise ValueError(
            "such a file holds finite numbers only; `X` has missing or infinite ones. Fill them, or write .csv."
        )
    for start in range(0, data.n_rows, _BLOCK):
        rows = slice(start, start + _BLOCK)
        X = sparse.csr_array(data.X[rows])
        for cells, labels in zip(stored_rows(X), stored_rows(data.Y_sparse[rows]), strict=True):
            features = (f"{first_feature + j}:{number_text(value)}" for j, value in cells if value)
            out.write(" ".join([",".join(label_texts[label] for label, _ in labels), *features]) + "\n")
