"""What stands in the first k places of each row's ranking: the gains that every metric at k adds up.

A label's gain is 0 where it is not relevant. Ties count against the prediction: of labels with equal scores, the one
of the smaller gain stands first, so that no order of the label columns can matter. In a sparse score matrix a cell
that is not stored scores below every cell that is (as -inf does); a stored zero is a score of 0.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy import sparse

from bncc._typing import CSR, Bools, Floats, Integers, Longs
from bncc.metrics._inputs import dense_labels

__all__ = ["best_gains", "top_gains"]

# Cells per block of rows; bounds the memory for sorted copies.
_BLOCK = 1 << 20


def top_gains(true: Bools | CSR, scores: Floats | CSR, gain_of_label: Floats, k: int) -> Floats:
    """The gains in the first places, best score first; shape (n_rows, min(k, n_labels)).

    >>> true, scores = np.array([[True, False, True]]), np.array([[0.2, 0.9, 0.5]])
    >>> top_gains(true, scores, np.ones(3), 2).tolist()
    [[0.0, 1.0]]
    """
    n_rows, n_labels = true.shape
    out = np.zeros((n_rows, min(k, n_labels)))
    if isinstance(scores, np.ndarray):
        step = max(1, _BLOCK // n_labels)
        for start in range(0, n_rows, step):
            rows = slice(start, start + step)
            _fill_dense(out[rows], dense_labels(true[rows]), scores[rows], gain_of_label)
        return out
    relevant = sparse.csr_array(true)
    for rows in _row_blocks(scores.indptr, relevant.indptr):
        _fill_sparse(out[rows], relevant[rows], scores[rows], gain_of_label)
    return out


def best_gains(true: Bools | CSR, gain_of_label: Floats, k: int) -> Floats:
    """The gains in the first places of the best ranking there is; shape (n_rows, min(k, n_labels)).

    >>> best_gains(np.array([[True, False, True]]), np.array([1.0, 2.0, 3.0]), 3).tolist()
    [[3.0, 1.0, 0.0]]
    """
    out = np.zeros((true.shape[0], min(k, true.shape[1])))
    rows, labels = sparse.csr_array(true).nonzero()
    gains = gain_of_label[labels]
    order = np.lexsort((-gains, rows))
    _place(out, rows[order], _places(rows[order]), gains[order])
    return out


def _row_blocks(*starts_of_rows: Integers) -> Iterator[slice]:
    """Blocks of rows whose stored cells, of all matrices together, number about `_BLOCK`; one row at least."""
    cells = np.sum([starts.astype(np.int64) for starts in starts_of_rows], axis=0)
    row, n_rows = 0, len(cells) - 1
    while row < n_rows:
        end = max(row + 1, int(np.searchsorted(cells, cells[row] + _BLOCK, "right")) - 1)
        yield slice(row, end)
        row = end


def _fill_dense(out: Floats, relevant: Bools, scores: Floats, gain_of_label: Floats) -> None:
    depth, n_labels = out.shape[1], scores.shape[1]
    # Only labels that score at least as high as the one in the last place can be among the first.
    lowest = np.partition(scores, n_labels - depth, axis=1)[:, [n_labels - depth]]
    rows, labels = np.nonzero(scores >= lowest)
    gains = np.where(relevant[rows, labels], gain_of_label[labels], 0.0)
    order = np.lexsort((gains, -scores[rows, labels], rows))
    _place(out, rows[order], _places(rows[order]), gains[order])


def _fill_sparse(out: Floats, relevant: CSR, scores: CSR, gain_of_label: Floats) -> None:
    n_rows, n_labels = relevant.shape
    scored_rows, scored_labels = _cells(scores)
    ranked = scores.data > -np.inf
    scored_rows, scored_labels, values = scored_rows[ranked], scored_labels[ranked], scores.data[ranked]
    true_rows, true_labels = _cells(relevant)
    scored_keys, true_keys = scored_rows * n_labels + scored_labels, true_rows * n_labels + true_labels
    gains = np.where(np.isin(scored_keys, true_keys), gain_of_label[scored_labels], 0.0)
    order = np.lexsort((gains, -values, scored_rows))
    _place(out, scored_rows[order], _places(scored_rows[order]), gains[order])
    # Relevant labels without a score come last, behind all others without one.
    absent = ~np.isin(true_keys, scored_keys)
    rows, gains = true_rows[absent], gain_of_label[true_labels[absent]]
    order = np.lexsort((gains, rows))
    first_place = n_labels - np.bincount(rows, minlength=n_rows)
    _place(out, rows[order], first_place[rows[order]] + _places(rows[order]), gains[order])


def _cells(matrix: CSR) -> tuple[Longs, Longs]:
    """Row and column of every stored cell, row by row."""
    rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    return rows, matrix.indices.astype(np.int64)


def _places(rows: Longs) -> Longs:
    """0, 1, 2, ... within each run of equal row numbers."""
    starts = np.flatnonzero(np.diff(rows, prepend=-1))
    return np.arange(len(rows)) - np.repeat(starts, np.diff(np.append(starts, len(rows))))


def _place(out: Floats, rows: Longs, places: Longs, gains: Floats) -> None:
    kept = places < out.shape[1]
    out[rows[kept], places[kept]] = gains[kept]
