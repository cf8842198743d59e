"""Features that no row has: left out before a batch is solved, and given weights of zero afterwards."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from bncc._typing import Matrix
from bncc.linear.features import Features
from bncc.linear.problems import Batch
from bncc.linear.solutions import Solutions

__all__ = ["used_columns", "with_all_columns", "with_columns"]

# So many entries for each feature, and hardly one is without.
_FULL = 8
# Of all features, what rows may have at most for the others to be worth leaving out.
_WORTH_LEAVING_OUT = 0.5


def used_columns(features: Features) -> NDArray[np.int64] | None:
    """The features that some row has, ascending; None where they are more than half of all, or the rows are dense.

    >>> from bncc.linear import prepare_features
    >>> used_columns(prepare_features(sparse.csr_array([[0.0, 0.0, 2.0], [0.0, 0.0, 1.0]]))).tolist()
    [2]
    """
    if features.indices is None or features.indices.size >= _FULL * features.n_features:
        return None
    used = np.zeros(features.n_features, bool)
    used[features.indices] = True
    columns = np.flatnonzero(used)
    return columns if 0 < columns.size <= _WORTH_LEAVING_OUT * features.n_features else None


def with_columns(batch: Batch, columns: NDArray[np.int64]) -> Batch:
    """The same problems over these features alone, which are all that rows have."""
    features = batch.features
    assert features.indices is not None
    place = np.zeros(features.n_features, np.int32)
    place[columns] = np.arange(columns.size, dtype=np.int32)
    return replace(batch, features=replace(features, n_features=columns.size, indices=place[features.indices]))


def with_all_columns(solutions: Solutions, columns: NDArray[np.int64], n_features: int) -> Solutions:
    """The solutions over all features, those that were left out with weights of zero."""
    weights, n_labels = solutions.weights, solutions.weights.shape[1] - columns.size
    places = np.concatenate([columns, n_features + np.arange(n_labels)])
    shape = (weights.shape[0], n_features + n_labels)
    return replace(solutions, n_features=n_features, weights=_spread(weights, places, shape))


def _spread(weights: Matrix, places: NDArray[np.int64], shape: tuple[int, int]) -> Matrix:
    if isinstance(weights, np.ndarray):
        out = np.zeros(shape, weights.dtype)
        out[:, places] = weights
        return out
    columns = places[weights.indices].astype(weights.indices.dtype)
    return sparse.csr_array((weights.data, columns, weights.indptr), shape=shape)
