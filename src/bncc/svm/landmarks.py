"""Landmarks: some features per row whose inner products come near the RBF kernel (Nystroem's method).

With landmarks l and ``K`` the kernel between them, the features of a row x are ``k(x, l) K^(-1/2)``: their inner
products are the kernel itself between landmarks, and its best approximation from these landmarks elsewhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral

import numpy as np
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.utils import check_random_state

from bncc._typing import Floats, Floats32, Matrix, Random

__all__ = ["LandmarkMap", "learn_landmarks"]

# Bytes of kernel values at a time.
_BLOCK_BYTES = 2**26


@dataclass(frozen=True, eq=False)
class LandmarkMap:
    """Rows to features.

    Attributes
    ----------
    landmarks : array or csr_array of shape (n_landmarks, n_features)
    gamma : float
    projection : (n_landmarks, n_landmarks), float64
    """

    landmarks: Matrix
    gamma: float
    projection: Floats

    def transform(self, X: Matrix) -> Floats32:
        """The features of rows, (n_rows, n_landmarks), in single precision."""
        out = np.empty((X.shape[0], self.projection.shape[1]), np.float32)
        step = max(1, _BLOCK_BYTES // (8 * self.projection.shape[0]))
        for start in range(0, X.shape[0], step):
            rows = slice(start, start + step)
            out[rows] = _kernel(X[rows], self.landmarks, self.gamma) @ self.projection
        return out


def learn_landmarks(X: Matrix, gamma: float, n_components: int, random_state: Random = None) -> LandmarkMap:
    """Draw landmarks from the rows, as many as there are components (all rows where there are fewer).

    None as `random_state` draws the same rows every time. Directions in which the landmarks do not differ (equal rows)
    are left out, so that rounding is not blown up along them.

    >>> X = np.array([[0.0], [1.0], [3.0]])
    >>> features = learn_landmarks(X, 0.5, 3).transform(X)
    >>> np.allclose(features @ features.T, rbf_kernel(X, gamma=0.5), atol=1e-6)
    True
    """
    if isinstance(n_components, bool) or not isinstance(n_components, Integral) or n_components < 1:
        raise ValueError(f"`n_components` must be a whole number >= 1; got {n_components!r}.")
    random = check_random_state(0 if random_state is None else random_state)
    n_rows = X.shape[0]
    drawn = random.permutation(n_rows)[: int(n_components)]
    landmarks = X[np.sort(drawn)]
    values, vectors = np.linalg.eigh(_kernel(landmarks, landmarks, gamma))
    kept = values > values[-1] * len(values) * np.finfo(np.float64).eps
    root = (vectors[:, kept] / np.sqrt(values[kept])) @ vectors[:, kept].T  # symmetric: the vectors' signs cancel
    return LandmarkMap(landmarks, float(gamma), root)


def _kernel(X: Matrix, landmarks: Matrix, gamma: float) -> Floats:
    kernel: Floats = rbf_kernel(X.astype(np.float64), landmarks.astype(np.float64), gamma=gamma)
    return kernel
