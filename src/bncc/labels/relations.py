"""The pairs of labels that tell most about each other, and how: what makes what more or less likely."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bncc._typing import Bools, Floats, Labels, Longs
from bncc.labels.counts import LabelCounts, count_labels
from bncc.labels.entropy import entropy, pair_entropies

__all__ = ["FEWEST_ROWS", "LEAST_CHI_SQUARE", "Relation", "strongest_relations"]

_MOST_LABELS = 1000
LEAST_CHI_SQUARE = 3.841  # independent labels exceed this chi-square in one pair of twenty
FEWEST_ROWS = 3  # rows that show a positive relation: among rare labels one or two are enough for that chi-square


@dataclass(frozen=True)
class Relation:
    """How likely a child is where a parent holds and where it does not.

    Attributes
    ----------
    parent, child : int
    with_parent, without_parent : float
        Share of the rows with the child among those with and those without the parent.
    information : float
        Mutual information of the two labels, in bits.
    """

    parent: int
    child: int
    with_parent: float
    without_parent: float
    information: float

    @property
    def is_positive(self) -> bool:
        """Whether the parent makes the child more likely."""
        return self.with_parent > self.without_parent


def strongest_relations(Y: Labels | LabelCounts, n: int = 10) -> tuple[Relation, ...]:
    """The `n` strongest positive relations and then the `n` strongest negative ones, by mutual information.

    Mutual information weighs how many rows show a relation, so that a label seen twice does not win by its certainty.
    A pair is told once, from the label with the larger entropy to the other; ties go to the lower index. Pairs that may
    be chance are left out: those with a chi-square below 3.841, and positive ones seen together in fewer than three
    rows. Of more than 1,000 labels the 1,000 most frequent are looked at.

    >>> Y = [[1, 1], [1, 1], [1, 1], [0, 0], [0, 0]]
    >>> [(r.parent, r.child, r.without_parent, r.with_parent) for r in strongest_relations(Y)]
    [(0, 1, 0.0, 1.0)]
    """
    counts = count_labels(Y)
    labels = np.sort(np.argsort(-counts.positives, kind="stable")[:_MOST_LABELS])
    both, bits = _pairs(counts, labels)
    positives = counts.positives[labels]
    surplus = both * counts.n_rows - np.outer(positives, positives)
    rank = np.argsort(np.argsort(-entropy(counts)[labels].round(10), kind="stable"))
    told = (rank[:, None] < rank[None, :]) & ~_by_chance(counts.n_rows, positives, both)  # row: parent, column: child
    out: list[Relation] = []
    for sign in (1, -1):
        ranked = np.where(told & (np.sign(surplus) == sign), bits.round(10), 0.0).ravel()
        for cell in np.argsort(-ranked, kind="stable")[:n].tolist():
            parent, child = divmod(cell, labels.size)
            if ranked[cell] > 0:
                out.append(
                    _relation(
                        counts,
                        int(labels[parent]),
                        int(labels[child]),
                        int(both[parent, child]),
                        float(bits[parent, child]),
                    )
                )
    return tuple(out)


def _pairs(counts: LabelCounts, labels: Longs) -> tuple[Longs, Floats]:
    """Rows with both labels, and mutual information, of all pairs of some labels."""
    columns = counts.matrix[:, labels].astype(np.int32)
    both = np.asarray((columns.T @ columns).toarray(), np.int64)
    positives = counts.positives[labels]
    given = pair_entropies(counts.n_rows, positives[None, :], positives[:, None], both)
    return both, np.maximum(entropy(counts)[labels][None, :] - given, 0.0)


def _by_chance(n_rows: int, positives: Longs, both: Longs) -> Bools:
    """Which pairs labels that have nothing to do with each other would often show."""
    surplus = both * float(n_rows) - np.outer(positives, positives)
    spread = positives * (n_rows - positives) / np.sqrt(n_rows)
    chi_square_holds = surplus**2 >= LEAST_CHI_SQUARE * np.outer(spread, spread)
    return ~chi_square_holds | ((surplus > 0) & (both < FEWEST_ROWS))


def _relation(counts: LabelCounts, parent: int, child: int, both: int, bits: float) -> Relation:
    with_parent, n_child = int(counts.positives[parent]), int(counts.positives[child])
    without = counts.n_rows - with_parent
    return Relation(parent, child, both / with_parent, (n_child - both) / without, bits)
