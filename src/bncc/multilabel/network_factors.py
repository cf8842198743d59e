"""What a label network says of labels together, as factors: terms of its edges, or tables of labels given parents."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bncc._typing import Floats
from bncc.graph import Parents
from bncc.multilabel.targets import Targets
from bncc.structure import LabelFactor

__all__ = ["MOST_PARENTS_OF_FACTOR", "pair_terms", "parent_tables", "table_factors"]

#: A factor joins a label and its parents, and has a number for every state of them.
MOST_PARENTS_OF_FACTOR = 19


def pair_terms(targets: Targets, edges: Sequence[tuple[int, int]], weight: Floats | None = None) -> Floats:
    """``log p(a, b) / (p(a) p(b))`` for the values a, b of the two labels of each edge: (n_edges, 2, 2).

    Counted on the rows where both are known, each row with its weight; smoothed by one more row in which the two are
    independent, so that what never occurs is unlikely and not impossible.

    >>> from bncc.multilabel.targets import read_targets
    >>> pair_terms(read_targets(np.array([[0, 0], [1, 1]] * 50)), [(0, 1)]).round(2).tolist()
    [[[0.69, -4.62], [-4.62, 0.69]]]
    """
    columns = {label: targets.column(label) for edge in edges for label in edge}
    # Weighted rows count as many as rows of equal weight that would tell as much.
    mass = np.ones(targets.n_rows) if weight is None else weight * (weight.sum() / (weight**2).sum())
    out = np.zeros((len(edges), 2, 2))
    for number, (one, other) in enumerate(edges):
        known = (columns[one] >= 0) & (columns[other] >= 0)
        state = 2 * columns[one][known].astype(np.int64) + columns[other][known]
        together = np.bincount(state, weights=mass[known], minlength=4).reshape(2, 2)
        total = together.sum() + 1.0
        apart = np.outer((together.sum(axis=1) + 0.5) / total, (together.sum(axis=0) + 0.5) / total)
        out[number] = np.log((together + apart) / (total * apart))
    return out


def parent_tables(targets: Targets, parents: Parents, prior: Floats, smoothing: float) -> tuple[Floats, ...]:
    """P(label | configuration of its parents) for each label: arrays of 2^k numbers; bit i is the value of parents[i].

    Counted on the rows where all of them are known; `2 smoothing` rows are added to each configuration, with the label
    as frequent as its prior says. A label without parents has its prior.
    """
    tables = []
    for child, group in enumerate(parents):
        if len(group) > MOST_PARENTS_OF_FACTOR:
            raise ValueError(
                f"A label may have up to {MOST_PARENTS_OF_FACTOR} parents here; got {len(group)} for label {child}. "
                "Set `max_parents`."
            )
        if not group:
            tables.append(np.array([prior[child]]))
            continue
        columns = np.stack([targets.column(label) for label in (child, *group)]).astype(np.int64)
        own, *others = columns[:, (columns >= 0).all(axis=0)]
        state = sum((column << bit for bit, column in enumerate(others)), np.zeros(own.size, np.int64))
        total, positive = (np.bincount(part, minlength=2 ** len(group)) for part in (state, state[own == 1]))
        tables.append((positive + 2.0 * smoothing * prior[child]) / (total + 2.0 * smoothing))
    return tuple(tables)


def table_factors(parents: Parents, tables: Sequence[Floats]) -> tuple[LabelFactor, ...]:
    """The tables of `parent_tables` as factors: their product is the probability of a label set."""
    factors = []
    for child, (group, rate) in enumerate(zip(parents, tables, strict=True)):
        # Bit i of a configuration is the value of parent i: the last axis is the first parent.
        shaped = np.asarray(rate).reshape((2,) * len(group))
        factors.append(LabelFactor((child, *reversed(group)), np.stack([np.log1p(-shaped), np.log(shaped)])))
    return tuple(factors)
