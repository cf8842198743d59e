"""Conditional probability tables: how likely a label is under each configuration of its parents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from bncc._typing import CSC, Floats, Longs
from bncc.labels import LabelCounts
from bncc.structure.local_scores import configuration_counts

__all__ = ["ConditionalTable", "count_table"]


@dataclass(frozen=True, eq=False)
class ConditionalTable:
    """Counts of one label under the configurations of its parents that occur.

    Attributes
    ----------
    parents : tuple of int
    configurations : array of shape (q,), sorted
        Bit i of a configuration is the value of ``parents[i]``.
    totals, positives : arrays of shape (q,)
        Rows in each configuration, and those of them that carry the label.
    """

    parents: tuple[int, ...]
    configurations: Longs
    totals: Floats
    positives: Floats

    def probability(self, configurations: ArrayLike | None = None, *, smoothing: float = 1.0) -> Floats:
        """P(label = 1 | configuration), for all 2^k configurations or the given ones.

        Smoothing adds that many rows to each configuration, with the label as frequent in them as it is overall
        (itself smoothed towards 1/2). A configuration that never occurred gets that overall frequency.
        """
        if not 0 <= smoothing < np.inf:
            raise ValueError(f"`smoothing` must be a number, at least 0; got {smoothing}.")
        if configurations is None:
            configurations = np.arange(2 ** len(self.parents))
        asked_for = np.asarray(configurations, np.int64)
        nearest = np.minimum(np.searchsorted(self.configurations, asked_for), self.configurations.size - 1)
        seen = self.configurations[nearest] == asked_for
        total, ones = np.where(seen, self.totals[nearest], 0.0), np.where(seen, self.positives[nearest], 0.0)
        overall = (self.positives.sum() + smoothing / 2) / (self.totals.sum() + smoothing)
        known = total + smoothing > 0
        rate = np.divide(ones + smoothing * overall, total + smoothing, out=np.full(total.shape, overall), where=known)
        return np.asarray(rate)

    def configurations_of(self, Y: CSC) -> Longs:
        """The configuration of each row of a checked sparse label matrix (CSC)."""
        code = np.zeros(Y.shape[0], np.int64)
        for bit, parent in enumerate(self.parents):
            code[Y.indices[Y.indptr[parent] : Y.indptr[parent + 1]]] |= 1 << bit
        return code


def count_table(counts: LabelCounts, child: int, parents: Sequence[int]) -> ConditionalTable:
    """Count the table of one label.

    >>> from bncc.labels import count_labels
    >>> table = count_table(count_labels([[0, 0], [0, 0], [1, 1], [1, 0]]), child=1, parents=[0])
    >>> table.probability(smoothing=0).tolist()
    [0.0, 0.5]
    """
    configurations, totals, positives = configuration_counts(counts, child, parents)
    return ConditionalTable(tuple(parents), configurations, totals, positives)
