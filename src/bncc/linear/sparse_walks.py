"""Walks over sparse rows with sparse weights in compiled code: scores, the highest of them, or the positive ones.

Only what a row's features and positive labels weigh is touched, and no array of all rows and links is made unless all
scores are asked for.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from bncc._threads import n_threads
from bncc._typing import CSR, DType, Floats, Integers, Longs
from bncc.linear.features import Features
from bncc.linear.native import extension
from bncc.linear.solutions import Solutions

__all__ = ["SparseWalk", "sparse_walk"]

# Weights by features, of the chain that was walked last: turning them takes longer than walking a few rows.
_Lines: TypeAlias = tuple[NDArray[np.int64], NDArray[np.int32], Floats]
_turned: WeakKeyDictionary[Solutions, tuple[tuple[bytes, str], _Lines]] = WeakKeyDictionary()


@dataclass(frozen=True, eq=False)
class SparseWalk:
    """Rows, and the links of a chain in the order in which they decide (make one with `sparse_walk`).

    Attributes
    ----------
    features : Features
        Sparse, of the dtype of `weights`.
    line_ptr, links, weights : int64, int32, float32 or float64
        Weights of features, then of labels (CSR): an entry names a link.
    bias : (n_links,), float64
    writes : (n_links,), int32
        The label that a link decides; -1 for none.
    columns : (n_links,), int32
        The link whose score each column of an answer has.
    """

    features: Features
    line_ptr: NDArray[np.int64]
    links: NDArray[np.int32]
    weights: Floats
    bias: NDArray[np.float64]
    writes: NDArray[np.int32]
    columns: NDArray[np.int32]

    def scores(self, n_jobs: int | None = None) -> NDArray[np.float64]:
        """All of them: (n_rows, n_links), links in the order in which they decide."""
        out = np.empty((self.features.n_rows, self.bias.size))
        self._call("walk")(self, np.empty((self.features.n_rows, 0), np.int64), out, n_threads(n_jobs))
        return out

    def top(self, k: int, n_jobs: int | None = None) -> tuple[Longs, Floats]:
        """Columns of the k highest scores of each row, highest first, and these; of equal scores the first columns."""
        best, out = np.empty((self.features.n_rows, k), np.int64), np.empty((self.features.n_rows, k))
        self._call("walk")(self, best, out, n_threads(n_jobs))
        return best, out

    def positives(self, n_jobs: int | None = None) -> CSR:
        """Ones where scores are positive: (n_rows, n_columns), int8."""
        pointer, columns = self._call("positives")(self, n_threads(n_jobs))
        ones = np.ones(columns.size, np.int8)
        return sparse.csr_array((ones, columns, pointer), shape=(self.features.n_rows, self.bias.size))

    def _call(self, name: str) -> Any:
        return getattr(extension(), f"{name}_{'single' if self.weights.dtype == np.float32 else 'double'}")


def sparse_walk(
    solutions: Solutions, features: Features, links: Integers, writes: Integers, columns: Integers | None = None
) -> SparseWalk | None:
    """The walk through these links (numbers of problems); None where rows or weights are dense, or nothing is compiled.

    `columns` are the links (by their place in the walk) whose scores are the columns of answers; None is their order.
    """
    if extension() is None or not features.is_sparse or not sparse.issparse(solutions.weights):
        return None
    dtype = np.result_type(solutions.weights.dtype, features.values.dtype)
    line_ptr, entries, weights = _weights_by_features(solutions, links, dtype)
    return SparseWalk(
        features.astype(dtype),
        line_ptr,
        entries,
        weights,
        solutions.bias[links],
        np.ascontiguousarray(writes, np.int32),
        np.arange(links.size, dtype=np.int32) if columns is None else np.ascontiguousarray(columns, np.int32),
    )


def _weights_by_features(solutions: Solutions, links: Integers, dtype: DType) -> _Lines:
    key = (np.asarray(links, np.int64).tobytes(), np.dtype(dtype).str)
    held = _turned.get(solutions)
    if held is None or held[0] != key:
        every = links.size == len(solutions) and bool((links == np.arange(links.size)).all())
        lines = sparse.csr_array((solutions.weights if every else solutions.weights[links]).T)
        arrays = (
            lines.indptr.astype(np.int64, copy=False),
            lines.indices.astype(np.int32, copy=False),
            lines.data.astype(dtype, copy=False),
        )
        held = _turned[solutions] = (key, arrays)
    return held[1]
