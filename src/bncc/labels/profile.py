"""How many labels a row carries and how uneven the labels are (Table 3 of the paper)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bncc._typing import CSR, Floats, Labels
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


def profile_labels(Y: Labels | LabelCounts, unknown: CSR | None = None) -> LabelProfile:
    """Cardinality, density, imbalance and number of distinct label sets in one record.

    Where some labels are `unknown` (ones there, and 0 in Y), each label counts by the rows in which it is known, and
    label sets are those of rows in which all are.

    >>> from scipy import sparse
    >>> profile = profile_labels([[1, 1], [0, 0], [0, 1]], sparse.csr_array([[0, 0], [1, 0], [1, 0]]))
    >>> round(profile.cardinality, 2), profile.n_label_sets
    (1.67, 1)
    """
    counts = count_labels(Y)
    rows = counts.matrix.tocsr()
    rows.sort_indices()
    ends = rows.indptr
    whole = range(counts.n_rows) if unknown is None else np.flatnonzero(np.diff(unknown.indptr) == 0).tolist()
    sets = {rows.indices[ends[i] : ends[i + 1]].tobytes() for i in whole}
    carried, uneven = cardinality(counts), mean_imbalance(counts)
    if unknown is not None:
        known = counts.n_rows - np.asarray(unknown.sum(axis=0), np.float64).ravel()
        rates = np.divide(counts.positives, known, out=np.zeros(counts.n_labels), where=known > 0)
        carried = float(rates.sum())
        uneven = float((rates.max() / rates[rates > 0]).mean()) if rates.any() else float("nan")
    return LabelProfile(
        n_rows=counts.n_rows,
        n_labels=counts.n_labels,
        cardinality=carried,
        density=carried / counts.n_labels,
        mean_imbalance=uneven,
        n_label_sets=len(sets),
    )
