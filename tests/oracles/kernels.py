"""Kernels and optimality of the SVM dual, written straight from their definitions."""

from __future__ import annotations

import math

import numpy as np


def distance(x, z) -> float:
    return math.fsum((float(a) - float(b)) ** 2 for a, b in zip(x, z, strict=True))


def kernel(x, z, own, other, context, gamma: float) -> float:
    """RBF kernel on features with the context labels appended."""
    differ = sum(int(own[label] != other[label]) for label in context)
    return math.exp(-gamma * (distance(x, z) + differ))


def gram(X, Y, context, gamma: float) -> np.ndarray:
    n = len(X)
    return np.array([[kernel(X[i], X[t], Y[i], Y[t], context, gamma) for t in range(n)] for i in range(n)])


def violation(K, y, alpha, bound) -> float:
    """Largest violation of the optimality conditions: max f of rows that may go up - min f of rows that may go down."""
    f = y - K @ (alpha * y)
    up = np.where(y > 0, alpha < bound, alpha > 0)
    down = np.where(y > 0, alpha > 0, alpha < bound)
    return float(f[up].max() - f[down].min())
