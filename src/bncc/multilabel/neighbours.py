"""The nearest rows, with ties broken by row number."""

from __future__ import annotations

from typing import Any

import numpy as np

from bncc._typing import Floats, Longs

__all__ = ["nearest_rows"]

_SAME = 1e-9  # relative difference below which distances are equal
_CELLS = 1 << 22  # neighbours held at a time


def nearest_rows(search: Any, rows: Any, X: Any, k: int) -> Longs:
    """The k rows nearest to each row of X, in no particular order: shape (rows of X, k).

    Of rows at the same distance, those with the lower numbers: a search by itself takes those that it met first, which
    depends on its threads, and features of few values have many ties.

    Parameters
    ----------
    search : NearestNeighbors, fitted to `rows`
    rows : array or sparse matrix
    X : array, sparse matrix or None
        None is `rows`, each without itself.
    k : int
        At most the number of rows that there are, for X = None one less.

    >>> from sklearn.neighbors import NearestNeighbors
    >>> rows = np.array([[0.0], [1.0], [-1.0], [1.0]])
    >>> nearest_rows(NearestNeighbors().fit(rows), rows, None, 2).tolist()
    [[1, 2], [3, 0], [0, 1], [1, 0]]
    """
    asked, alone = (rows, 1) if X is None else (X, 0)
    most = rows.shape[0] - alone
    out = np.empty((asked.shape[0], k), np.int64)
    waiting = _blocks(np.arange(asked.shape[0]), min(k + 1, most))
    while waiting:
        asked_rows, width = waiting.pop()
        distance, index = search.kneighbors(asked[asked_rows], n_neighbors=width + alone)
        if alone:
            distance = np.where(index == asked_rows[:, None], np.inf, distance)
        last = np.partition(distance, k - 1, axis=1)[:, [k - 1]] * (1.0 + _SAME)
        farthest = np.max(distance, axis=1, where=np.isfinite(distance), initial=0.0)
        settled = (farthest > last[:, 0]) | (width == most)
        out[asked_rows[settled]] = _lowest(distance[settled], index[settled], last[settled], k)
        waiting += _blocks(asked_rows[~settled], min(4 * width, most))
    return out


def _blocks(rows: Longs, width: int) -> list[tuple[Longs, int]]:
    """Rows to ask for so many neighbours, few enough at a time to hold them."""
    step = max(1, _CELLS // width)
    return [(rows[start : start + step], width) for start in range(0, rows.size, step)]


def _lowest(distance: Floats, index: Longs, last: Floats, k: int) -> Longs:
    """Of the candidates up to the last distance, those nearer, and of those as far the ones with the lowest numbers."""
    nearer = distance < last * (1.0 - 2.0 * _SAME)
    rank = np.where(nearer, -1, np.where(distance <= last, index, np.iinfo(np.int64).max))
    return np.take_along_axis(index, np.argsort(rank, axis=1, kind="stable")[:, :k], axis=1)
