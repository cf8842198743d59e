"""Scores of sparse rows by dense weights in compiled code: sixteen problems side by side, on all cores."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from bncc._native import simd
from bncc._threads import n_threads
from bncc._typing import Floats, Integers, Longs
from bncc.linear.features import Features
from bncc.linear.native import extension
from bncc.linear.solutions import Solutions

__all__ = ["DenseScores", "dense_scores"]


@dataclass(frozen=True, eq=False)
class DenseScores:
    """Rows, and the problems that score them (make one with `dense_scores`).

    Attributes
    ----------
    features : Features
        Sparse, of the dtype of `weights`.
    weights : (n_lines, n_columns), float32 or float64
        Those of features come first in every line.
    problems : (n_problems,), int64
        The line of each problem.
    bias : (n_problems,), float64
    """

    features: Features
    weights: Floats
    problems: Longs
    bias: NDArray[np.float64]

    def of_rows(self, first: int, end: int, n_jobs: int | None = None) -> NDArray[np.float64]:
        """Scores of some rows by their features: (n_rows, n_problems)."""
        out = np.empty((min(end, self.features.n_rows) - first, self.problems.size))
        score = extension().score_single if self.weights.dtype == np.float32 else extension().score_double
        score(self, first, out, n_threads(n_jobs), simd())
        return out


def dense_scores(solutions: Solutions, features: Features, problems: Integers) -> DenseScores | None:
    """The scores of these problems; None where rows are dense or weights are sparse, or nothing is compiled.

    >>> from bncc.linear import make_batch, prepare_features, solve
    >>> dense_scores(solve(make_batch([[-1.0], [1.0]], [0, 1])), prepare_features([[3.0]]), np.arange(1)) is None
    True
    """
    weights = solutions.weights
    if extension() is None or not features.is_sparse or sparse.issparse(weights):
        return None
    numbers, bias = np.ascontiguousarray(problems, np.int64), solutions.bias[problems]
    dtype = np.result_type(weights.dtype, features.values.dtype)
    if weights.dtype != dtype or not weights.flags.c_contiguous:
        weights, numbers = np.ascontiguousarray(weights[problems], dtype), np.arange(numbers.size)
    return DenseScores(features.astype(dtype), weights, numbers, bias)
