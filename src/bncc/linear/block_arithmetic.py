"""Products and losses of a block of problems in NumPy and SciPy: what a device does, for the tests to compare with."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import expit

from bncc._typing import Array
from bncc.linear.problems import Batch, Loss, labels_seen

__all__ = ["HostArithmetic", "HostCurve", "host_arithmetic"]


@dataclass(frozen=True, eq=False)
class HostArithmetic:
    """See `BlockArithmetic`. `seen` is None where no problem sees labels, else (n_labels, width)."""

    features: Any
    labels: Any
    bias_feature: float
    loss: Loss
    seen: Array | None = None
    xp: Any = np

    def times(self, weights: Array) -> Array:
        """Scores of all rows."""
        n_features = self.features.shape[1]
        out = self.features @ weights[:n_features] + weights.dtype.type(self.bias_feature) * weights[-1]
        return out if self.seen is None else out + self.labels @ weights[n_features:-1]

    def losses(self, scores: Array, costs: Array) -> Array:
        """The cost of each problem."""
        margins = np.sign(costs) * scores
        if self.loss == "logistic":
            value = np.logaddexp(0.0, -margins)
        else:
            value = np.maximum(1.0 - margins, 0.0) ** 2
        total: Array = (np.abs(costs) * value).sum(axis=0, dtype=np.float64)
        return total

    def dots(self, left: Array, right: Array) -> Array:
        """Sums of products over every column."""
        total: Array = (left * right).sum(axis=0, dtype=np.float64)
        return total

    def curve(self, scores: Array, costs: Array) -> HostCurve:
        """The costs around the scores."""
        margins = np.sign(costs) * scores
        if self.loss == "logistic":
            p = expit(-margins)
            return HostCurve(self, -costs * p, np.abs(costs) * p * (1.0 - p))
        lack = np.maximum(1.0 - margins, 0.0)
        return HostCurve(self, -2.0 * costs * lack, 2.0 * np.abs(costs) * (lack > 0))

    def collect(self, rows: Array, *, squared: bool = False) -> Array:
        """The transposed product of `times`; with the squares of all values if `squared`."""
        features = _squares(self.features) if squared else self.features
        bias = self.bias_feature**2 if squared else self.bias_feature
        of_labels = np.zeros((self.labels.shape[1], rows.shape[1]), rows.dtype)
        if self.seen is not None:
            of_labels = (self.labels.T @ rows) * self.seen
        return np.vstack([features.T @ rows, of_labels, bias * rows.sum(axis=0, keepdims=True)]).astype(rows.dtype)

    def seeing(self, context: NDArray[np.uint32] | None) -> HostArithmetic:
        """The same for problems that see these labels."""
        return replace(self, seen=None if context is None else labels_seen(context, self.labels.shape[1]).T)

    def narrow(self, kept: NDArray[np.intp]) -> HostArithmetic:
        """The same for some of the problems."""
        return self if self.seen is None else replace(self, seen=self.seen[:, kept])

    def host(self, table: Array) -> Array:
        """The table itself."""
        return table


@dataclass(frozen=True, eq=False)
class HostCurve:
    """See `Curve`: first and second derivatives by the scores (n_rows, width)."""

    arithmetic: HostArithmetic
    slope: Array
    curvature: Array

    def gradient(self) -> Array:
        """Derivatives by the weights."""
        return self.arithmetic.collect(self.slope)

    def diagonal(self) -> Array:
        """The diagonal of the second derivatives."""
        return self.arithmetic.collect(self.curvature, squared=True)

    def bend(self, weights: Array) -> Array:
        """Second derivatives times weights."""
        return self.arithmetic.collect(self.curvature * self.arithmetic.times(weights))

    def keeps_signs(self, change: Array) -> NDArray[np.bool_]:
        """Of which problems no row's derivative changes its sign along a change of the scores."""
        kept: NDArray[np.bool_] = (self.slope * (self.slope + self.curvature * change) >= 0).all(axis=0)
        return kept

    def narrow(self, kept: NDArray[np.intp]) -> HostCurve:
        """The same for some of the problems."""
        return HostCurve(self.arithmetic.narrow(kept), self.slope[:, kept], self.curvature[:, kept])


def host_arithmetic(batch: Batch) -> HostArithmetic:
    """The arithmetic of a batch whose features have the precision that it is to have."""
    dtype = batch.features.values.dtype
    labels = sparse.csr_array(batch.labels().astype(dtype))
    return HostArithmetic(batch.features.matrix(), labels, batch.bias_feature, batch.loss)


def _squares(matrix: Any) -> Any:
    return matrix.multiply(matrix) if sparse.issparse(matrix) else matrix * matrix
