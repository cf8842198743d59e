"""Sums over pairs of classes, for each class of what its pairs say."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from bncc._typing import Array, Floats

__all__ = ["pair_sums"]


def pair_sums(for_first: Array, for_second: Array, n_classes: int) -> Floats:
    """For each class the sum over its pairs, of `for_first` where it is the first of a pair and else of `for_second`.

    Both are (n_rows, n_pairs), of pairs (a, b) with a < b in order. A class is the second of its pairs before it is the
    first, so that sums are the same, to the last bit, whether pairs are gone through one by one, as is quick for many
    rows, or row by row, as is quick for many classes.

    >>> pair_sums(np.array([[1, 2, 4]]), np.array([[10, 20, 40]]), 3).tolist()
    [[3.0, 14.0, 60.0]]
    """
    n_rows, n_pairs = for_first.shape
    out = np.zeros((n_rows, n_classes))
    if n_rows < n_pairs:
        first, second = np.triu_indices(n_classes, 1)
        for sums, of_first, of_second in zip(out, for_first, for_second, strict=True):
            np.add.at(sums, second, of_second)
            np.add.at(sums, first, of_first)
        return out
    for pair, (a, b) in enumerate(combinations(range(n_classes), 2)):
        out[:, a] += for_first[:, pair]
        out[:, b] += for_second[:, pair]
    return out
