"""Labels as a factor graph: each row brings its own evidence for each label, and all rows share what joins labels.

A label set of a row has the weight ``exp(sum of log_odds[label] over its labels + sum of factors)``. Where elimination
(see `inference`) makes few enough numbers per row, answers are exact: sums give the marginals, maxima the mode.
Beyond, messages go round until they settle (see `loopy`), and the answer says so.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import expit

from bncc._typing import Bools, Floats
from bncc.structure.inference import Elimination, eliminate_graph
from bncc.structure.loopy import climb, pass_messages

__all__ = ["FactorGraph", "GraphAnswer", "LabelFactor"]

#: Numbers per row, in all tables of an elimination together, up to which answers are exact.
MOST_CELLS_OF_ROW = 1 << 16
_CELLS = 1 << 22  # held at a time

# Tables over some labels and all rows: axis i is the value of labels[i], the last axis is the rows.
_RowTable = tuple[tuple[int, ...], Floats]
_Summed = Callable[[Floats, Floats], Floats]


@dataclass(frozen=True, eq=False)
class LabelFactor:
    """What joins some labels: a number for each of their states, as a logarithm; axis i is the value of labels[i]."""

    labels: tuple[int, ...]
    log_table: Floats


@dataclass(frozen=True, eq=False)
class GraphAnswer:
    """What a factor graph says of rows.

    Attributes
    ----------
    log_odds : array of shape (n_rows, n_labels)
        Logarithm of the odds of each label by itself (its marginal).
    mode : array of shape (n_rows, n_labels), bool
        The label set of the highest weight; of equal ones, the one without the label that was eliminated last.
    exact : bool
        Else the odds are those of belief propagation, and no single label can be changed to improve the mode.
    n_rounds : int
        Rounds of messages; 0 where the answer is exact.
    n_unsettled : int
        Rows whose messages still moved when the rounds were over.
    """

    log_odds: Floats
    mode: Bools
    exact: bool
    n_rounds: int = 0
    n_unsettled: int = 0

    @property
    def marginals(self) -> Floats:
        """Probability of each label."""
        return np.asarray(expit(self.log_odds))


@dataclass(frozen=True, eq=False)
class FactorGraph:
    """Factors over labels 0..n_labels-1, for any number of rows.

    Parameters
    ----------
    n_labels : int
    factors : sequence of LabelFactor
        Over at most 20 labels each, with finite logarithms.
    most_cells : int
        Numbers per row up to which answers are exact; 0 for messages always.

    Examples
    --------
    Two labels that go together, and evidence for the first alone:

    >>> graph = FactorGraph(2, (LabelFactor((0, 1), np.log([[2.0, 1.0], [1.0, 2.0]])),))
    >>> answer = graph.infer(np.array([[2.0, 0.0]]))
    >>> answer.marginals.round(2).tolist(), answer.mode.tolist(), answer.exact
    ([[0.88, 0.63]], [[True, True]], True)
    """

    n_labels: int
    factors: tuple[LabelFactor, ...]
    most_cells: int = MOST_CELLS_OF_ROW

    def __post_init__(self) -> None:
        for factor in self.factors:
            _check_factor(factor, self.n_labels)

    @cached_property
    def plan(self) -> Elimination:
        """The order in which labels are eliminated, and what that takes."""
        joined: dict[int, set[int]] = {label: set() for label in range(self.n_labels)}
        for factor in self.factors:
            for label in factor.labels:
                joined[label].update(other for other in factor.labels if other != label)
        return eliminate_graph(joined)

    @property
    def exact(self) -> bool:
        """Whether answers are exact."""
        return self.plan.is_narrow and self.plan.n_cells <= self.most_cells

    def infer(self, log_odds: Floats) -> GraphAnswer:
        """Marginals and mode of rows, given the log odds of each label by itself (n_rows, n_labels), which are finite.

        Rows are taken some at a time, so that no more than some megabytes are held.
        """
        if log_odds.ndim != 2 or log_odds.shape[1] != self.n_labels or not np.isfinite(log_odds).all():
            raise ValueError(
                f"`log_odds` must be finite, of shape (n_rows, {self.n_labels}); got shape {log_odds.shape}. Clip "
                "probabilities of 0 and 1 first."
            )
        step = max(1, _CELLS // max(1, self._cells_of_row()))
        parts = [self._infer(log_odds[start : start + step].T) for start in range(0, len(log_odds), step)]
        if not parts:
            return GraphAnswer(np.zeros(log_odds.shape), np.zeros(log_odds.shape, bool), self.exact)
        return GraphAnswer(
            np.concatenate([part.log_odds for part in parts]),
            np.concatenate([part.mode for part in parts]),
            self.exact,
            max(part.n_rounds for part in parts),
            sum(part.n_unsettled for part in parts),
        )

    def log_weights(self, log_odds: Floats, labels: Bools) -> Floats:
        """Logarithm of the weight of one label set per row (n_rows, n_labels), without what would make them add to 1.

        >>> graph = FactorGraph(2, (LabelFactor((0, 1), np.array([[0.0, 1.0], [2.0, 3.0]])),))
        >>> graph.log_weights(np.array([[0.5, 0.25]]), np.array([[True, False]])).tolist()
        [2.5]
        """
        out = np.where(labels, log_odds, 0.0).sum(axis=1)
        for factor in self.factors:
            out += factor.log_table[tuple(labels[:, label].astype(np.int64) for label in factor.labels)]
        return out

    def _cells_of_row(self) -> int:
        if self.exact:
            return self.plan.n_cells
        return max((factor.log_table.size for factor in self.factors), default=1) * 4 + sum(
            len(factor.labels) for factor in self.factors
        )

    def _infer(self, log_odds: Floats) -> GraphAnswer:
        """Of some rows, which are columns here."""
        if self.exact:
            return GraphAnswer(_log_odds(self, log_odds).T, _mode(self, log_odds).T, True)
        scopes = [factor.labels for factor in self.factors]
        tables = [factor.log_table for factor in self.factors]
        messages = pass_messages(scopes, tables, log_odds)
        mode = climb(scopes, tables, log_odds, messages.log_odds > 0)
        return GraphAnswer(messages.log_odds.T, mode.T, False, messages.n_rounds, messages.n_unsettled)


def _check_factor(factor: LabelFactor, n_labels: int) -> None:
    labels, table = factor.labels, factor.log_table
    if not labels or len(set(labels)) < len(labels) or not set(labels) <= set(range(n_labels)) or len(labels) > 20:
        raise ValueError(f"A factor must join 1 to 20 different labels out of 0..{n_labels - 1}; got {labels}.")
    if table.shape != (2,) * len(labels) or not np.isfinite(table).all():
        raise ValueError(
            f"The table of a factor over {len(labels)} label(s) must have shape {(2,) * len(labels)} and finite "
            f"logarithms; got shape {table.shape}."
        )


def _eliminated(graph: FactorGraph, log_odds: Floats, summed: _Summed) -> tuple[list[_RowTable], list[_RowTable]]:
    """The table of each label when its turn comes, its own axis first, and what is left of it for the others."""
    order, n_rows = graph.plan.order, log_odds.shape[1]
    turn = {label: at for at, label in enumerate(order)}
    buckets: list[list[_RowTable]] = [[] for _ in order]
    for factor in graph.factors:
        buckets[min(turn[label] for label in factor.labels)].append((factor.labels, factor.log_table[..., None]))
    cliques: list[_RowTable] = []
    messages: list[_RowTable] = []
    for at, label in enumerate(order):
        own: _RowTable = (label,), np.stack([np.zeros(n_rows), log_odds[label]])
        clique = _joined([own, *buckets[at]], label)
        message = clique[0][1:], summed(clique[1][0], clique[1][1])
        cliques.append(clique)
        messages.append(message)
        if message[0]:
            buckets[min(turn[other] for other in message[0])].append(message)
    return cliques, messages


def _joined(tables: Sequence[_RowTable], label: int) -> _RowTable:
    """Tables added up, with the label as the first axis."""
    others = sorted({other for labels, _ in tables for other in labels if other != label})
    labels = (label, *others)
    n_rows = max(table.shape[-1] for _, table in tables)
    out = np.zeros((2,) * len(labels) + (n_rows,))
    for own, table in tables:
        ranked = sorted(range(len(own)), key=lambda axis: labels.index(own[axis]))
        out += table.transpose([*ranked, len(own)]).reshape(
            [*(2 if each in own else 1 for each in labels), table.shape[-1]]
        )
    return labels, out


def _log_odds(graph: FactorGraph, log_odds: Floats) -> Floats:
    """From the last label to the first: each table hears what the rest of the graph knows."""
    cliques, messages = _eliminated(graph, log_odds, np.logaddexp)
    order = graph.plan.order
    turn = {label: at for at, label in enumerate(order)}
    out = np.empty(log_odds.shape)
    for at in range(len(order) - 1, -1, -1):
        labels, table = cliques[at]
        separator, sent = messages[at]
        if separator:
            above_labels, above = cliques[min(turn[other] for other in separator)]
            table = table + (_summed_to(above_labels, above, separator) - sent)[None]
            cliques[at] = labels, table
        no, yes = _summed_to(labels, table, labels[:1])
        out[order[at]] = yes - no
    return out


def _summed_to(labels: Sequence[int], table: Floats, kept: Sequence[int]) -> Floats:
    """A table summed over all labels but some, whose axes come in the order given."""
    gone = tuple(axis for axis, label in enumerate(labels) if label not in kept)
    summed = np.logaddexp.reduce(table, axis=gone) if gone else table
    left = [label for label in labels if label in kept]
    return np.asarray(summed.transpose([*(left.index(label) for label in kept), len(left)]))


def _mode(graph: FactorGraph, log_odds: Floats) -> Bools:
    """From the last label to the first: the better value, given those that are settled."""
    cliques, _ = _eliminated(graph, log_odds, np.maximum)
    rows = np.arange(log_odds.shape[1])
    out = np.zeros(log_odds.shape, bool)
    for at in range(len(cliques) - 1, -1, -1):
        (label, *others), table = cliques[at]
        settled = tuple(out[other].astype(np.int64) for other in others)
        out[label] = table[(1, *settled, rows)] > table[(0, *settled, rows)]
    return out
