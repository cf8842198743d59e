"""Newton's direction by orthogonal transformations of the rows, where products of rows lose what matters.

The Hessian is I + B'B, with the rows times the roots of their stiffness in B. With more rows than columns, the
direction is the least squares solution of [B; I]; else it is what is left of weights and pulls after a projection on
[B'; I].
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import qr, solve_triangular

__all__ = ["Direction", "orthogonal_direction", "pays"]

Vector = NDArray[np.float64]
_MOST_WORK = 2e8  # multiplications, about


@dataclass(frozen=True, eq=False)
class Direction:
    """A step, and a function of a vector and of its rounding: how long it is at most under the Hessian's inverse."""

    step: Vector
    measure: Callable[[Vector, Vector], float]


def pays(n_weights: int, n_stiff: int) -> bool:
    """Whether it takes little enough.

    >>> pays(100, 10**4), pays(10**4, 10**4)
    (True, False)
    """
    return (n_weights + n_stiff) * min(n_weights, n_stiff) ** 2 <= _MOST_WORK


def orthogonal_direction(B: Vector, force: Vector, rest: Vector) -> Direction:
    """Minus the inverse of I + B'B, times `rest` - B' `force`; B (n_rows, n_weights) has at least one row.

    >>> round(float(orthogonal_direction(np.array([[3.0]]), np.array([2.0]), np.array([1.0])).step[0]), 6)
    0.5
    """
    tall = B.shape[0] >= B.shape[1]
    stacked = np.vstack([B, np.eye(B.shape[1])] if tall else [B.T, np.eye(B.shape[0])])
    scale = np.abs(stacked).max(axis=0)
    stacked = stacked / scale
    order = np.argsort(-np.abs(stacked).max(axis=1), kind="stable")  # so every row keeps its own precision
    Q, R, columns = qr(stacked[order], mode="economic", pivoting=True)
    if tall:
        return _least_squares(Q, R, columns, scale, np.concatenate([force, -rest])[order])

    def left_of(vector: Vector) -> Vector:
        left = np.concatenate([vector, force if vector is rest else np.zeros_like(force)])[order]
        for _ in range(2):
            left = left - Q @ (Q.T @ left)
        out = np.empty_like(left)
        out[order] = left
        return out

    def measure(vector: Vector, rounding: Vector) -> float:
        return float(np.linalg.norm(left_of(vector)) + np.linalg.norm(rounding))

    return Direction(-left_of(rest)[: rest.size], measure)


def _least_squares(Q: Vector, R: Vector, columns: NDArray[np.int64], scale: Vector, right: Vector) -> Direction:
    step = np.empty(R.shape[1])
    step[columns] = solve_triangular(R, Q.T @ right)
    scale = scale[columns]

    def measure(vector: Vector, rounding: Vector) -> float:
        inverse = solve_triangular(R, np.eye(R.shape[1]), trans="T")
        length = solve_triangular(R, vector[columns] / scale, trans="T")
        return float(np.linalg.norm(length) + np.linalg.norm(np.abs(inverse) @ (rounding[columns] / scale)))

    step[columns] /= scale
    return Direction(step, measure)
