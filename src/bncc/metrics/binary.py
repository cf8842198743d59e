"""Binary metrics on counts.

A binary metric is any function of the counts ``tp, fp, fn, tn`` (arrays of one shape) that returns an array of that
shape, NaN where it is undefined; plain division gives that NaN by itself. `averaged` turns it into a multi-label
metric.
"""

from __future__ import annotations

import math
from typing import TypeAlias

from bncc._typing import Floats

__all__ = ["f_beta", "jaccard", "precision", "recall"]

Counts: TypeAlias = Floats


def precision(tp: Counts, fp: Counts, fn: Counts, tn: Counts) -> Counts:
    """TP / (TP + FP): how much of what was predicted is true."""
    return tp / (tp + fp)


def recall(tp: Counts, fp: Counts, fn: Counts, tn: Counts) -> Counts:
    """TP / (TP + FN): how much of what is true was predicted."""
    return tp / (tp + fn)


def f_beta(tp: Counts, fp: Counts, fn: Counts, tn: Counts, beta: float = 1.0) -> Counts:
    """Harmonic mean of precision and recall, recall counting `beta` times as much; 2TP / (2TP + FP + FN) for beta 1.

    Undefined only where nothing is true and nothing predicted. Where precision and recall are both 0 it is 0.
    """
    if not beta >= 0:
        raise ValueError(f"`beta` must be a number >= 0; got {beta!r}.")
    if beta == 0:
        return precision(tp, fp, fn, tn)
    if math.isinf(beta):
        return recall(tp, fp, fn, tn)
    hits = (1 + beta**2) * tp
    return hits / (hits + beta**2 * fn + fp)


def jaccard(tp: Counts, fp: Counts, fn: Counts, tn: Counts) -> Counts:
    """TP / (TP + FP + FN): size of the intersection over size of the union."""
    return tp / (tp + fp + fn)
