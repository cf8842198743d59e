"""Rules that choose thresholds from held-out scores, by name: what `TunedThresholds` calls `how`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from bncc._typing import Bools, Floats
from bncc.multilabel.thresholds import Objective, best_threshold, best_thresholds, counts_threshold, shrink

__all__ = ["RULES", "HeldOut", "ThresholdRule"]


@dataclass(frozen=True, eq=False)
class HeldOut:
    """What a rule may look at.

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

    def objective(self) -> Objective:
        """The metric as a function of predictions."""
        return Objective(self.metric, self.truth, self.weight, self.known)


#: From held-out scores to a threshold per label.
ThresholdRule = Callable[[HeldOut], Floats]


def _counts(held_out: HeldOut) -> Floats:
    scores = held_out.scores if held_out.known is None else held_out.scores[held_out.known]
    return np.full(held_out.truth.shape[1], counts_threshold(scores, held_out.truth.sum()))


def _global(held_out: HeldOut) -> Floats:
    return np.full(held_out.truth.shape[1], best_threshold(held_out.scores, held_out.objective()))


def _per_label(held_out: HeldOut) -> Floats:
    objective = held_out.objective()
    shared = best_threshold(held_out.scores, objective)
    of_labels = best_thresholds(held_out.scores, objective, shared)
    return shrink(of_labels, shared, held_out.truth.sum(axis=0), held_out.shrinkage)


RULES: dict[str, ThresholdRule] = {"global": _global, "per_label": _per_label, "counts": _counts}
