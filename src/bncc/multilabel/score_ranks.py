"""The highest scores of each row."""

from __future__ import annotations

import numpy as np

from bncc._typing import Floats, Longs

__all__ = ["top_scores"]


def top_scores(scores: Floats, k: int) -> tuple[Longs, Floats]:
    """Columns of the k highest scores of each row, highest first, and these; of equal scores the first columns.

    >>> columns, highest = top_scores(np.array([[0.5, 2.0, 0.5], [3.0, 1.0, 2.0]]), 2)
    >>> columns.tolist(), highest.tolist()
    ([[1, 0], [0, 2]], [[2.0, 0.5], [3.0, 2.0]])
    """
    n_columns = scores.shape[1]
    if k == n_columns:
        chosen = np.broadcast_to(np.arange(n_columns), scores.shape)
    else:
        chosen = np.argpartition(-scores, k - 1, axis=1)[:, :k]
        least = np.take_along_axis(scores, chosen, axis=1).min(axis=1, keepdims=True)
        tied = np.flatnonzero((scores >= least).sum(axis=1) > k)
        chosen[tied] = np.argsort(-scores[tied], axis=1, kind="stable")[:, :k]
    chosen = np.sort(chosen, axis=1)
    values = np.take_along_axis(scores, chosen, axis=1)
    order = np.argsort(-values, axis=1, kind="stable")
    return np.take_along_axis(chosen, order, axis=1).astype(np.int64), np.take_along_axis(values, order, axis=1)
