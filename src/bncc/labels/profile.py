"""How many labels a row carries and how uneven the labels are (Table 3 of the paper)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bncc._typing import Floats, Labels
from bncc.labels.counts import LabelCounts, count_labels

__all__ = ["LabelProfile", "cardinality", "density", "imbalance", "mean_imbalance", "profile_labels"]


def cardinality(Y: Labels | LabelCounts) -> float:
    """Mean number of labels per row (Card).

    >>> cardinality([[1, 1, 0], [1, 0, 0]])
    1.5
    """
    counts = count_labels(Y)
    return float(counts.positives.sum() / counts.n_rows)


def density(Y: Labels | LabelCounts) -> float:
    """Cardinality divided by the number of labels."""
    counts = count_labels(Y)
    return cardinality(counts) / counts.n_labels


def imbalance(Y: Labels | LabelCounts) -> Floats:
    """Imbalance ratio of each label: largest label count / its count; NaN for a label that never occurs."""
    c = count_labels(Y).positives.astype(np.float64)
    return np.divide(c.max(), c, out=np.full_like(c, np.nan), where=c > 0)


def mean_imbalance(Y: Labels | LabelCounts) -> float:
    """Mean imbalance ratio over the labels that occur (AvgIR); NaN if none does.

    >>> mean_imbalance([[1, 1, 0], [1, 0, 0]])
    1.5
    """
    ratios = imbalance(Y)
    ratios = ratios[~np.isnan(ratios)]
    return float(ratios.mean()) if ratios.size else float("nan")


@dataclass(frozen=True)
class LabelProfile:
    """The figures by which the field describes a label matrix."""

    n_rows: int
    n_labels: int
    cardinality: float
    density: float
    mean_imbalance: float
    n_label_sets: int


def profile_labels(Y: Labels | LabelCounts) -> LabelProfile:
    """Cardinality, density, imbalance and number of distinct label sets in one record."""
    counts = count_labels(Y)
    rows = counts.matrix.tocsr()
    rows.sort_indices()
    ends = rows.indptr
    sets = {rows.indices[ends[i] : ends[i + 1]].tobytes() for i in range(counts.n_rows)}
    return LabelProfile(
        n_rows=counts.n_rows,
        n_labels=counts.n_labels,
        cardinality=cardinality(counts),
        density=density(counts),
        mean_imbalance=mean_imbalance(counts),
        n_label_sets=len(sets),
    )
