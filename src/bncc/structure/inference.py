"""What a network says of labels once others are known: exact where its width allows, sampled beyond.

Exact answers come from eliminating labels one by one, and handing the messages back (bucket elimination, Dechter 1999):
one pass up and one down give the probabilities of all labels. Each elimination makes a table over the label and its
neighbours; the largest number of labels in one of them, less one, is the width. Up to a width of 20 (tables of 2
million numbers, 16 million in all) answers are exact. Beyond, rows are drawn with the known labels held fixed and
weighted by how likely these are (likelihood weighting), and each answer has a standard error.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from bncc._typing import Floats, Random
from bncc.graph import Parents
from bncc.structure.tables import ConditionalTable

__all__ = [
    "MOST_WIDTH",
    "Elimination",
    "LabelProbabilities",
    "Probability",
    "eliminate",
    "eliminate_graph",
    "exact",
    "weighted_rows",
]

MOST_WIDTH = 20
MOST_CELLS = 1 << 24  # of all tables together

# A table of numbers over some labels: axis i is the value of labels[i].
Factor = tuple[tuple[int, ...], Floats]


@dataclass(frozen=True)
class Probability:
    """A probability, its standard error (0 where it is exact) and whether it is exact."""

    value: float
    standard_error: float
    exact: bool


@dataclass(frozen=True, eq=False)
class LabelProbabilities:
    """How likely every label is, given some.

    Attributes
    ----------
    probabilities : array of shape (n_labels,)
        P(label = 1 | given); 0 or 1 for the given labels.
    standard_errors : array of shape (n_labels,)
        0 where the answer is exact.
    exact : bool
    label_names : tuple of str
    """

    probabilities: Floats
    standard_errors: Floats
    exact: bool
    label_names: tuple[str, ...]

    def __getitem__(self, label: str) -> float:
        """The probability of a label by its name."""
        return float(self.probabilities[self.label_names.index(label)])


@dataclass(frozen=True)
class Elimination:
    """Labels in the order in which they are eliminated, the width of that order, and the numbers in all its tables."""

    order: tuple[int, ...]
    width: int
    n_cells: int

    @property
    def is_narrow(self) -> bool:
        """Whether exact answers fit into memory."""
        return self.width <= MOST_WIDTH and self.n_cells <= MOST_CELLS


def eliminate(parents: Parents, given: Sequence[int] = ()) -> Elimination:
    """An order in which to eliminate the labels that are not given.

    The label with the fewest neighbours goes first, ties by index; its neighbours become neighbours of each other.

    >>> eliminate(((), (0,), (1,)))
    Elimination(order=(0, 1, 2), width=1, n_cells=10)
    """
    known = set(given)
    joined: dict[int, set[int]] = {label: set() for label in range(len(parents)) if label not in known}
    for child, group in enumerate(parents):
        clique = [label for label in (child, *group) if label not in known]
        for label in clique:
            joined[label].update(other for other in clique if other != label)
    found = eliminate_graph(joined)
    # The table of a label is written out before given labels are taken from it.
    if max(map(len, parents), default=0) > MOST_WIDTH:
        return replace(found, n_cells=found.n_cells + MOST_CELLS + 1)
    return found


def eliminate_graph(joined: dict[int, set[int]]) -> Elimination:
    """An order in which to eliminate the labels of any graph, given the neighbours of each; these are used up.

    >>> eliminate_graph({0: {1, 2}, 1: {0}, 2: {0}}).order
    (1, 0, 2)
    """
    order: list[int] = []
    width, n_cells = 0, 0
    while joined:
        label = min(joined, key=lambda one: (len(joined[one]), one))
        around = joined.pop(label)
        width, n_cells = max(width, len(around)), n_cells + (2 << len(around))
        order.append(label)
        for other in around:
            joined[other] |= around
            joined[other] -= {other, label}
        if width > MOST_WIDTH:
            break
    return Elimination((*order, *joined), width, n_cells)


def exact(
    tables: Sequence[ConditionalTable], order: Sequence[int], given: Mapping[int, int], smoothing: float
) -> tuple[Floats, float]:
    """P(label = 1 | given) of every label, and log2 of how likely the given is (minus infinity: impossible)."""
    place = {label: at for at, label in enumerate(order)}
    buckets: list[list[Factor]] = [[] for _ in order]
    log_scale = 0.0
    for child, table in enumerate(tables):
        labels, values = _reduced(child, table, given, smoothing)
        if labels:
            buckets[min(place[label] for label in labels)].append((labels, values))
        else:
            log_scale += _log2(float(values))
    cliques: list[Factor] = []
    messages: list[Factor] = []
    for at, label in enumerate(order):
        labels, product = _product(buckets[at], label)
        total = float(product.max()) or 1.0
        product = product / total
        log_scale += _log2(total) if product.any() else -np.inf
        message = (labels[1:], product.sum(axis=0))
        cliques.append((labels, product))
        messages.append(message)
        if message[0]:
            buckets[min(place[other] for other in message[0])].append(message)
        else:
            log_scale += _log2(float(message[1]))
    out = np.zeros(len(tables))
    for label, value in given.items():
        out[label] = value
    if np.isfinite(log_scale):
        _pass_down(order, place, cliques, messages, out)
    return out, log_scale


def weighted_rows(
    tables: Sequence[ConditionalTable],
    order: Sequence[int],
    given: Mapping[int, int],
    n_rows: int,
    smoothing: float,
    random_state: Random,
) -> tuple[Floats, Floats]:
    """Rows drawn parents before children with the given labels held fixed, and how likely these are in each."""
    random = np.random.default_rng(random_state)
    rows = np.zeros((n_rows, len(tables)), np.int8)
    log_weights = np.zeros(n_rows)
    for child in order:
        table = tables[child]
        bits = 1 << np.arange(len(table.parents), dtype=np.int64)
        rate = table.probability(rows[:, list(table.parents)].astype(np.int64) @ bits, smoothing=smoothing)
        if child in given:
            rows[:, child] = given[child]
            with np.errstate(divide="ignore"):
                log_weights += np.log2(rate if given[child] else 1.0 - rate)
        else:
            rows[:, child] = random.random(n_rows) < rate
    highest = log_weights.max()
    weights = np.exp2(log_weights - highest) if np.isfinite(highest) else np.zeros(n_rows)
    return rows.astype(np.float64), weights


def _log2(value: float) -> float:
    return float(np.log2(value)) if value > 0 else -np.inf


def _reduced(child: int, table: ConditionalTable, given: Mapping[int, int], smoothing: float) -> Factor:
    """The table of a label as a factor over the labels that are not given."""
    rate = table.probability(smoothing=smoothing).reshape((2,) * len(table.parents))
    # Bit i of a configuration is the value of parent i: the last axis is the first parent.
    values = np.stack([1.0 - rate, rate])
    labels = (child, *reversed(table.parents))
    at = tuple(given.get(label, slice(None)) for label in labels)
    return tuple(label for label in labels if label not in given), np.asarray(values[at])


def _product(factors: Sequence[Factor], label: int) -> Factor:
    """All factors of a bucket multiplied; its own label is the first axis."""
    others = sorted({other for labels, _ in factors for other in labels if other != label})
    labels = (label, *others)
    out = np.ones((2,) * len(labels))
    for factor in factors:
        out = out * _aligned(factor, labels)
    return labels, out


def _aligned(factor: Factor, labels: Sequence[int]) -> Floats:
    """A factor with its axes where `labels` has them, and an axis of length 1 for each label that it does not have."""
    own, values = factor
    ranked = sorted(range(len(own)), key=lambda axis: labels.index(own[axis]))
    return values.transpose(ranked).reshape([2 if label in own else 1 for label in labels])


def _pass_down(
    order: Sequence[int], place: Mapping[int, int], cliques: list[Factor], messages: list[Factor], out: Floats
) -> None:
    """From the last label to the first: each clique hears what the rest of the network knows."""
    for at in range(len(order) - 1, -1, -1):
        labels, belief = cliques[at]
        separator, sent = messages[at]
        if separator:
            above = cliques[min(place[other] for other in separator)]
            summed = _marginal(above, separator)
            belief = belief * np.divide(summed, sent, out=np.zeros_like(sent), where=sent > 0)[None]
        belief = belief / belief.sum()
        cliques[at] = labels, belief
        out[order[at]] = belief[1].sum()


def _marginal(factor: Factor, labels: Sequence[int]) -> Floats:
    own, values = factor
    summed = values.sum(axis=tuple(axis for axis, label in enumerate(own) if label not in labels))
    left = [label for label in own if label in labels]
    return np.asarray(summed.transpose([left.index(label) for label in labels]))
