"""Rules that choose thresholds from held-out scores, by name: what `TunedThresholds` calls `how`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from bncc._typing import Bools, Floats, Longs
from bncc.multilabel.kept_thresholds import KeptHeldOut
from bncc.multilabel.thresholds import Objective, best_threshold, best_thresholds, counts_threshold, shrink

__all__ = ["RULES", "HeldOut", "ThresholdRule"]


@dataclass(frozen=True, eq=False)
class HeldOut:
    """What a rule may look at, where all scores fit in memory (else `KeptHeldOut`).

    Attributes
    ----------
    scores : (n_rows, n_labels)
        For rows that were held out.
    truth : (n_rows, n_labels), bool
    weight : (n_rows,), or None
    metric : str, Metric or callable
    shrinkage : float
    known : (n_rows, n_labels), bool, or None
        Where labels are known; None: everywhere.
    """

    scores: Floats
    truth: Bools
    weight: Floats | None
    metric: Any
    shrinkage: float
    known: Bools | None = None

    @property
    def n_labels(self) -> int:
        """Number of labels."""
        return int(self.truth.shape[1])

    @cached_property
    def n_positive(self) -> Longs:
        """How many rows each label holds in."""
        return self.truth.sum(axis=0)

    @cached_property
    def _objective(self) -> Objective:
        return Objective(self.metric, self.truth, self.weight, self.known)

    def counts_cut(self) -> float:
        """The threshold with which as many labels are predicted as there are."""
        scores = self.scores if self.known is None else self.scores[self.known]
        return counts_threshold(scores, float(self.n_positive.sum()))

    def best_cut(self) -> float:
        """The threshold for all labels that is best for the metric."""
        return best_threshold(self.scores, self._objective)

    def best_cuts(self, start: float) -> Floats:
        """A threshold per label, moved in turn from a shared one."""
        return best_thresholds(self.scores, self._objective, start)


#: From held-out scores to a threshold per label.
ThresholdRule = Callable[[HeldOut | KeptHeldOut], Floats]


def _counts(held_out: HeldOut | KeptHeldOut) -> Floats:
    return np.full(held_out.n_labels, held_out.counts_cut())


def _global(held_out: HeldOut | KeptHeldOut) -> Floats:
    return np.full(held_out.n_labels, held_out.best_cut())


def _per_label(held_out: HeldOut | KeptHeldOut) -> Floats:
    shared = held_out.best_cut()
    return shrink(held_out.best_cuts(shared), shared, held_out.n_positive, held_out.shrinkage)


RULES: dict[str, ThresholdRule] = {"global": _global, "per_label": _per_label, "counts": _counts}
