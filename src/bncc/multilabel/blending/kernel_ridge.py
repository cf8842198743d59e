"""Kernel ridge regression of all labels at once, with answers for rows held out in closed form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import linalg

from bncc._typing import Floats, Fold, Matrix

__all__ = ["KernelRidge", "gaussian", "ridge_answers", "squared_distances_between"]

# Rows whose kernel is formed at a time in prediction.
_BLOCK = 2000


@dataclass(frozen=True, eq=False)
class KernelRidge:
    """Sums of Gaussians around the rows that were learned from.

    Attributes
    ----------
    rows : matrix of shape (n_rows, n_features)
    coefficients : array of shape (n_rows, n_labels)
    width : float
        What squared distances are divided by.
    """

    rows: Matrix
    coefficients: Floats
    width: float

    def scores(self, X: Matrix) -> Floats:
        """About 1 where a label holds, and 0 where it does not; shape (n_rows, n_labels)."""
        if X.shape[1] != self.rows.shape[1]:
            raise ValueError(f"Kernel ridge regression knows {self.rows.shape[1]} features; got {X.shape[1]}.")
        out = np.empty((X.shape[0], self.coefficients.shape[1]))
        for start in range(0, X.shape[0], _BLOCK):
            part = slice(start, start + _BLOCK)
            out[part] = gaussian(squared_distances_between(X[part], self.rows), self.width) @ self.coefficients
        return out


def squared_distances_between(A: Matrix, B: Matrix) -> Floats:
    """Squared distances between rows of A and of B, shape (n_a, n_b), dense or sparse.

    >>> squared_distances_between(np.array([[0.0], [3.0]]), np.array([[1.0]])).tolist()
    [[1.0], [4.0]]
    """
    products = A @ B.T
    dense = np.asarray(products if isinstance(products, np.ndarray) else products.toarray(), np.float64)
    dense *= -2.0
    dense += _squares(A)[:, None]
    dense += _squares(B)
    return np.maximum(dense, 0.0, out=dense)


def _squares(X: Matrix) -> Floats:
    squared = X * X if isinstance(X, np.ndarray) else X.multiply(X)
    return np.asarray(squared.sum(axis=1), np.float64).ravel()


def gaussian(distances: Floats, width: float) -> Floats:
    """``1 + exp(-distance / width)``: the constant is what all rows share, the mean of a label."""
    return 1.0 + np.exp(distances / -width)


def ridge_answers(
    kernel: Floats, penalty: Floats, target: Floats, folds: Sequence[Fold]
) -> tuple[Floats, Floats] | None:
    """Answers for the rows that each fold holds out, as if the others were all; and coefficients of all rows.

    With C the kernel plus the penalties of the rows, coefficients are ``a = inv(C) t``, and what a fit without the rows
    F answers for them is ``t - inv(inv(C)[F, F]) a`` there. None where rounding has made C singular.

    >>> kernel = gaussian(np.array([[0.0, 1.0, 4.0], [1.0, 0.0, 1.0], [4.0, 1.0, 0.0]]), 1.0)
    >>> target = np.array([[1.0], [0.0], [1.0]])
    >>> held, _ = ridge_answers(kernel, np.ones(3), target, [(np.array([0, 1]), np.array([2]))])
    >>> without = np.linalg.solve(kernel[:2, :2] + np.eye(2), target[:2])
    >>> bool(np.isclose(held[2], kernel[2, :2] @ without)[0])
    True
    """
    inverse = _inverse(kernel, penalty)
    if inverse is None:
        return None
    coefficients = inverse @ target
    held = np.zeros(target.shape)
    for _, test in folds:
        part = linalg.solve(inverse[np.ix_(test, test)], coefficients[test], assume_a="pos", check_finite=False)
        held[test] = target[test] - part
    return held, coefficients


def _inverse(kernel: Floats, penalty: Floats) -> Floats | None:
    """By Cholesky's factors, in half of the time of a general inverse; None where there are none."""
    matrix = kernel.copy()
    np.einsum("ii->i", matrix)[:] += penalty
    factor, failed = linalg.lapack.dpotrf(matrix.T, lower=1, overwrite_a=1)
    if failed:
        return None
    inverse, failed = linalg.lapack.dpotri(factor, lower=1, overwrite_c=1)
    if failed:
        return None
    lower = np.tril(inverse, -1)
    return np.asarray(lower + lower.T + np.diag(np.diag(inverse)))
