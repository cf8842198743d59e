"""The width of the RBF kernel: from sigma, from gamma, or from the data."""

from __future__ import annotations

import numpy as np

from bncc._checks import check_number
from bncc._typing import Matrix

__all__ = ["resolve_gamma"]


def resolve_gamma(X: Matrix, *, sigma: float | str = "auto", gamma: float | None = None) -> float:
    """The gamma that `sigma` and `gamma` of a KernelSVC stand for on data X.

    >>> resolve_gamma(np.eye(2), sigma=2.0), resolve_gamma(np.eye(2)), resolve_gamma(np.eye(2), gamma=3)
    (0.125, 2.0, 3.0)
    """
    if gamma is not None:
        return check_number("gamma", gamma, 1e-300, 1e300)
    if not isinstance(sigma, str):
        return 0.5 / check_number("sigma", sigma, 1e-150, 1e150) ** 2
    if sigma != "auto":
        raise ValueError(f'`sigma` must be a positive number or "auto"; got {sigma!r}.')
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        variance = _variance(X)
    if 1e-280 < variance < 1e280:
        return 1.0 / (X.shape[1] * variance)
    return _gamma_of_scaled(X)


def _variance(X: Matrix) -> float:
    """Of all values; zeros of a sparse matrix count."""
    if isinstance(X, np.ndarray):
        return float(np.var(X, dtype=np.float64))
    size = float(X.shape[0]) * X.shape[1]
    mean = X.sum() / size
    return float(X.multiply(X).sum() / size - mean**2)


def _gamma_of_scaled(X: Matrix) -> float:
    """As sigma="auto", for values whose squares leave the doubles, or that do not differ at all."""
    largest = float(np.abs(X if isinstance(X, np.ndarray) else X.data).max(initial=0.0))
    if largest == 0.0:
        return 1.0
    variance = _variance(X / largest)
    if variance <= 0.0:
        return 1.0
    if not 1e-140 <= largest * np.sqrt(variance) <= 1e140:
        raise ValueError(
            'With sigma="auto", the values of `X` must have a standard deviation from 1e-140 to 1e140; got '
            f"{largest * np.sqrt(variance):g}. Scale it first."
        )
    return float(1.0 / (X.shape[1] * variance) / largest / largest)
