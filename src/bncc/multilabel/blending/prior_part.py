"""The share of rows that have a label: the answer where nothing else could be learned."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bncc._typing import Floats, Matrix
from bncc.multilabel.blending.family import FittedPart
from bncc.multilabel.targets import Targets

__all__ = ["PriorPart"]


@dataclass(frozen=True, eq=False)
class PriorPart(FittedPart):
    """The same probabilities for every row."""

    shares: Floats

    @classmethod
    def of(cls, targets: Targets) -> PriorPart:
        """Shares among the rows where a label is known, one row of each value added to them."""
        positive = np.asarray(targets.positives.sum(axis=0), np.float64).ravel()
        known = np.full(targets.n_labels, float(targets.n_rows))
        if targets.unknown is not None:
            known -= np.asarray(targets.unknown.sum(axis=0), np.float64).ravel()
        return cls((positive + 0.5) / (known + 1.0))

    def rates(self, X: Matrix) -> Floats:
        """The shares."""
        return np.tile(self.shares, (X.shape[0], 1))
