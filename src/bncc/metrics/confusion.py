"""True against predicted label sets: one pass counts everything that the set-based metrics need."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from scipy import sparse

from bncc._typing import CSR, Array, Bools, DType, Floats, Labels, Weights
from bncc.metrics._inputs import read_weight, weigh_known
from bncc.metrics._pairs import read_pair

__all__ = ["Comparison", "Confusion", "compare"]

# Cells per block: a block of single-precision cells stays in the second-level cache.
_BLOCK = 1 << 16


class Confusion(NamedTuple):
    """The four cells of binary confusion, as arrays of one shape (per label, per example, or pooled)."""

    tp: Floats
    fp: Floats
    fn: Floats
    tn: Floats


class Margins(NamedTuple):
    """How many cells of a 0/1 matrix are set, per label (rows weighted) and per example (rows not weighted)."""

    per_label: Floats
    per_example: Floats


@dataclass(frozen=True, eq=False)
class Comparison:
    """Counts of a label matrix against a prediction; every set-based metric accepts it in place of the matrices.

    Attributes
    ----------
    hits, actual, predicted : Margins
        Cells that are set in both matrices, in `Y_true`, and in `Y_pred`.
    row_weight : array of shape (n_rows,) or None
    known : Margins or None
        Cells whose label is known; None: all are. The others count nowhere.
    """

    hits: Margins
    actual: Margins
    predicted: Margins
    row_weight: Floats | None = None
    known: Margins | None = None

    @property
    def n_rows(self) -> int:
        """Number of examples N."""
        return int(self.hits.per_example.size)

    @property
    def n_labels(self) -> int:
        """Number of labels M."""
        return int(self.hits.per_label.size)

    @property
    def total_weight(self) -> float:
        """Sum of the row weights; N without weights."""
        return float(self.n_rows if self.row_weight is None else self.row_weight.sum())

    @property
    def per_label(self) -> Confusion:
        """Confusion of each label over the (weighted) rows, arrays of shape (n_labels,)."""
        total = self.total_weight if self.known is None else self.known[0]
        return _confusion(self.hits[0], self.actual[0], self.predicted[0], total)

    @property
    def per_example(self) -> Confusion:
        """Confusion of each row over its labels, arrays of shape (n_rows,)."""
        total = float(self.n_labels) if self.known is None else self.known[1]
        return _confusion(self.hits[1], self.actual[1], self.predicted[1], total)

    @property
    def pooled(self) -> Confusion:
        """Confusion over all (row, label) cells, arrays of shape (1,)."""
        return Confusion(*(cell.sum(keepdims=True) for cell in self.per_label))


def compare(
    Y_true: Labels | Comparison, Y_pred: Labels | None = None, *, sample_weight: Weights | None = None
) -> Comparison:
    """Count true against predicted label sets.

    Both matrices have shape (n_rows, n_labels) and may be arrays, nested lists, DataFrames (with equal columns) or
    sparse; a sparse one is never densified. Tags and dicts are compared by name, with a DataFrame too: a label that one
    side alone names is in no row of the other, and is one of the labels that means are taken over. NaN in `Y_true`
    means that a label is not known: the cell counts nowhere, whatever is predicted, and a row without any known label
    is left out. A `Comparison` is returned as it is, so that many metrics can share one:

    >>> both = compare([[1, 1, 0], [0, 0, 1]], [[1, 0, 0], [0, 1, 1]])
    >>> both.per_label.tp.tolist(), both.per_example.fn.tolist()
    ([1.0, 0.0, 1.0], [1.0, 0.0])
    """
    if isinstance(Y_true, Comparison):
        if Y_pred is not None or sample_weight is not None:
            raise ValueError("A `Comparison` already holds prediction and weights; give it alone.")
        return Y_true
    if Y_pred is None:
        raise ValueError("`Y_pred` is missing: give the predicted label matrix.")
    true, unknown, pred = read_pair(Y_true, Y_pred)
    weight = read_weight(sample_weight, true.shape[0])
    if unknown is not None:
        return compare_known(true, pred, unknown, weight)
    if isinstance(true, np.ndarray) and isinstance(pred, np.ndarray):
        return compare_dense(true, pred, weight)
    return compare_sparse(sparse.csr_array(true), sparse.csr_array(pred), weight)


def compare_known(true: Bools | CSR, pred: Bools | CSR, unknown: Bools | CSR, weight: Floats | None) -> Comparison:
    """`compare` for checked matrices, without the cells whose label is unknown."""
    weight = weigh_known(unknown, weight)
    if isinstance(true, np.ndarray) and isinstance(pred, np.ndarray) and isinstance(unknown, np.ndarray):
        counted, lost = compare_dense(true, pred & ~unknown, weight), dense_margins(unknown, None, weight)
    else:
        hidden, shown = sparse.csr_array(unknown), sparse.csr_array(pred)
        seen = sparse.csr_array(shown - shown.multiply(hidden))
        seen.eliminate_zeros()
        counted = compare_sparse(sparse.csr_array(true), seen, weight)
        lost = _sparse_margins(hidden, weight)
    known = Margins(counted.total_weight - lost.per_label, true.shape[1] - lost.per_example)
    return replace(counted, known=known)


def compare_dense(
    true: Bools,
    pred: Bools,
    weight: Floats | None = None,
    actual: Margins | None = None,
) -> Comparison:
    """`compare` for checked boolean arrays; `actual` saves counting the same truth again."""
    if actual is None:
        actual = dense_margins(true, None, weight)
    return Comparison(dense_margins(true, pred, weight), actual, dense_margins(pred, None, weight), weight)


def dense_margins(first: Bools, second: Bools | None, weight: Floats | None) -> Margins:
    """Margins of `first`, or of `first & second`.

    Sums of booleans are slow in NumPy, products of floats are not; 0/1 sums below 2**24 are exact in single precision.
    """
    n_rows, n_labels = first.shape
    dtype: DType = np.dtype(np.float32 if weight is None else np.float64)
    per_label, per_example = np.zeros(n_labels), np.empty(n_rows)
    step = max(1, _BLOCK // n_labels)
    row_weight: Array = np.ones(n_rows, dtype) if weight is None else weight
    ones: Array = np.ones(n_labels, dtype)
    for start in range(0, n_rows, step):
        block = slice(start, start + step)
        cells: Array = (first[block] if second is None else first[block] & second[block]).astype(dtype)
        # Some BLAS kernels look at memory beyond a short row and raise a flag for what lies there.
        with np.errstate(invalid="ignore", over="ignore"):
            per_label += row_weight[block] @ cells
            per_example[block] = cells @ ones
    return Margins(per_label, per_example)


def compare_sparse(true: CSR, pred: CSR, weight: Floats | None) -> Comparison:
    """`compare` for checked csr arrays."""
    hits = sparse.csr_array(true.multiply(pred))
    return Comparison(
        _sparse_margins(hits, weight), _sparse_margins(true, weight), _sparse_margins(pred, weight), weight
    )


def _sparse_margins(matrix: CSR, weight: Floats | None) -> Margins:
    per_example = np.diff(matrix.indptr)
    cell_weight = None if weight is None else np.repeat(weight, per_example)
    per_label = np.bincount(matrix.indices, weights=cell_weight, minlength=matrix.shape[1])
    return Margins(per_label.astype(np.float64), per_example.astype(np.float64))


def _confusion(hits: Floats, actual: Floats, predicted: Floats, total: Floats | float) -> Confusion:
    return Confusion(hits, predicted - hits, actual - hits, total - actual - predicted + hits)
