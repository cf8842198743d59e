"""Counts: everything in this package that is said of labels alone follows from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from bncc._checks import as_label_matrix, check_names
from bncc._typing import CSC, CSR, Labels, Longs

__all__ = ["LabelCounts", "count_labels"]

_CHUNK = 1 << 22


@dataclass(frozen=True, eq=False)
class LabelCounts:
    """A label matrix and how often its labels occur, alone and together.

    Attributes
    ----------
    matrix : csc_array of shape (n_rows, n_labels), int8
        The label matrix that was counted.
    positives : array of shape (n_labels,)
        ``c_j``, the rows that carry label j.
    label_names : tuple of str or None
    """

    matrix: CSC
    positives: Longs
    label_names: tuple[str, ...] | None = None

    @property
    def n_rows(self) -> int:
        """Number of examples N."""
        return int(self.matrix.shape[0])

    @property
    def n_labels(self) -> int:
        """Number of labels M."""
        return int(self.matrix.shape[1])

    @cached_property
    def pairs(self) -> CSR:
        """``n_jk``, the rows that carry both labels, as a sparse (M, M) matrix ``Y'Y``."""
        wide = self.matrix.astype(np.int32)
        return sparse.csr_array(wide.T @ wide)

    def pair_counts(self, first: ArrayLike, second: ArrayLike) -> Longs:
        """``n_jk`` for chosen pairs, without the (M, M) product.

        Each pair costs the rows of its rarer label.
        """
        first, second = np.broadcast_arrays(np.asarray(first, np.int64), np.asarray(second, np.int64))
        swap = self.positives[first] > self.positives[second]
        rare, common = np.where(swap, second, first).ravel(), np.where(swap, first, second).ravel()
        out = np.zeros(rare.size, np.int64)
        ends = np.cumsum(self.positives[rare])
        start = 0
        while start < rare.size:
            done = ends[start - 1] if start else 0
            stop = max(start + 1, int(np.searchsorted(ends, done + _CHUNK, side="right")))
            out[start:stop] = self._count_chunk(rare[start:stop], common[start:stop])
            start = stop
        return out.reshape(first.shape)

    def _count_chunk(self, rare: Longs, common: Longs) -> Longs:
        lengths = self.positives[rare]
        pair = np.repeat(np.arange(rare.size), lengths)
        offset = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        rows = self.matrix.indices[self.matrix.indptr[rare][pair] + offset].astype(np.int64)
        wanted = common[pair] * self.n_rows + rows
        if not self._cells.size:
            return np.zeros(rare.size, np.int64)
        nearest = np.minimum(np.searchsorted(self._cells, wanted), self._cells.size - 1)
        carries_both = self._cells[nearest] == wanted
        return np.bincount(pair[carries_both], minlength=rare.size).astype(np.int64)

    @cached_property
    def _cells(self) -> Longs:
        labels = np.repeat(np.arange(self.n_labels, dtype=np.int64), self.positives)
        return labels * self.n_rows + self.matrix.indices


def count_labels(Y: Labels | LabelCounts, *, label_names: Sequence[str] | None = None) -> LabelCounts:
    """Count a label matrix in one pass; sparse input is never densified.

    A `LabelCounts` is returned as it is (renamed, if names are given).

    >>> counts = count_labels([[1, 1, 0], [1, 0, 0], [0, 0, 1]])
    >>> counts.n_rows, counts.positives.tolist(), counts.pairs.toarray().tolist()
    (3, [2, 1, 1], [[2, 1, 0], [1, 1, 0], [0, 0, 1]])
    """
    if isinstance(Y, LabelCounts):
        if label_names is None:
            return Y
        return LabelCounts(Y.matrix, Y.positives, check_names(label_names, Y.n_labels))
    labels = as_label_matrix(Y, label_names=label_names)
    return LabelCounts(labels.values, np.diff(labels.values.indptr).astype(np.int64), labels.names)
