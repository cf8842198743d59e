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
        """Shares among the rows where a label is known, half a row of each value added; where none is, their mean."""
        known = targets.n_known
        shares = (targets.n_positives + 0.5) / (known + 1.0)
        return cls(np.where(known > 0, shares, shares[known > 0].mean() if known.any() else 0.5))

    def rates(self, X: Matrix) -> Floats:
        """The shares."""
        return np.tile(self.shares, (X.shape[0], 1))
