"""The label network: what was learned about how labels depend on each other."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from html import escape

import numpy as np
from numpy.typing import NDArray

from bncc._checks import as_label_matrix
from bncc._typing import Floats, Labels, Random
from bncc.graph import Parents, edges_of, topological_order
from bncc.labels import LabelCounts, dependence, dependence_of
from bncc.structure.parent_search import Step
from bncc.structure.tables import ConditionalTable, count_table

__all__ = ["LabelNetwork", "Trace"]


@dataclass(frozen=True)
class Trace:
    """Why a label has the parents that the search gave it.

    Attributes
    ----------
    start_score : float
        Score of the label without parents (with its required ones, if any).
    steps : tuple of Step
        Parents in the order they were taken, each with the score that it brought.
    stop : str
        Why no further parent was taken.
    """

    start_score: float
    steps: tuple[Step, ...]
    stop: str


@dataclass(frozen=True, eq=False)
class LabelNetwork:
    """A Bayesian network over labels and the chain order that follows from it.

    Attributes
    ----------
    label_names : tuple of str
    order : tuple of int
        The chain order: position -> label, parents before children (Algorithm 2 on `parents`).
    initial_order : tuple of int
        The order in which the search took the labels; by decreasing entropy unless given.
    parents : tuple of tuples of int
        Parents of each label in the final acyclic network.
    cyclic_parents : tuple of tuples of int
        Parents as the search chose them, before cycles were broken.
    scores : tuple of float
        Local score of each label with its `cyclic_parents`.
    traces : tuple of Trace
    counts : LabelCounts or None
        The label matrix that the network was learned from; None for a network that was read from a file.
    """

    label_names: tuple[str, ...]
    order: tuple[int, ...]
    initial_order: tuple[int, ...]
    parents: Parents
    cyclic_parents: Parents
    scores: tuple[float, ...]
    traces: tuple[Trace, ...]
    counts: LabelCounts | None
    _tables: tuple[ConditionalTable, ...] | None = None

    @property
    def n_labels(self) -> int:
        """Number of labels M."""
        return len(self.parents)

    @cached_property
    def edges(self) -> tuple[tuple[int, int], ...]:
        """Edges (parent, child) of the final network."""
        return tuple((parent, child) for parent, child in edges_of(self.parents).tolist())

    @cached_property
    def dropped_edges(self) -> tuple[tuple[int, int], ...]:
        """Edges (parent, child) that the search chose and the cycle breaking took away."""
        kept = set(self.edges)
        before = (tuple(edge) for edge in edges_of(self.cyclic_parents).tolist())
        return tuple((parent, child) for parent, child in before if (parent, child) not in kept)

    @cached_property
    def dependence(self) -> Floats:
        """Dependence degrees I(parent -> child) as an (M, M) array: row = child, column = parent, diagonal 1."""
        return dependence(self._require_counts("dependence"))

    def dependence_of(self, pairs: Iterable[tuple[int, int]]) -> Floats:
        """Dependence degrees of chosen (child, parent) pairs; for any number of labels."""
        return dependence_of(self._require_counts("dependence_of"), pairs)

    @cached_property
    def tables(self) -> tuple[ConditionalTable, ...]:
        """Conditional probability table of each label given its parents in the final network."""
        if self._tables is not None:
            return self._tables
        counts = self._require_counts("tables")
        return tuple(count_table(counts, child, group) for child, group in enumerate(self.parents))

    def without_rows(self) -> LabelNetwork:
        """The network without the label matrix it was learned from; its tables and dependence degrees are kept.

        Dependence degrees of more than 2,000 labels are left out as well: they would take more room than the rows.
        """
        if self.counts is None:
            return self
        out = replace(self, counts=None, _tables=self.tables)
        if self.n_labels <= 2000:
            out.__dict__["dependence"] = self.dependence
        return out

    def log_likelihood(self, Y: Labels, *, smoothing: float = 1.0) -> Floats:
        """log2 probability of each row of a label matrix (Eq. 4).

        Without smoothing, a row that the training rows rule out gets minus infinity.
        """
        labels = as_label_matrix(Y)
        if labels.n_labels != self.n_labels:
            raise ValueError(f"`Y` must have {self.n_labels} label columns, as in training; got {labels.n_labels}.")
        known = self.label_names != tuple(f"label{label}" for label in range(self.n_labels))
        if known and labels.names is not None and labels.names != self.label_names:
            raise ValueError(f"`Y` must have the columns {list(self.label_names[:8])}, in this order; got others.")
        out = np.zeros(labels.n_rows)
        columns = labels.values
        with np.errstate(divide="ignore"):
            for child, table in enumerate(self.tables):
                rate = table.probability(table.configurations_of(columns), smoothing=smoothing)
                carries = columns.indices[columns.indptr[child] : columns.indptr[child + 1]]
                terms = np.log2(1.0 - rate)
                terms[carries] = np.log2(rate[carries])
                out += terms
        return out

    def sample(self, n_rows: int, *, smoothing: float = 1.0, random_state: Random = None) -> NDArray[np.int8]:
        """Draw label rows from the network, parents before children."""
        if n_rows < 0:
            raise ValueError(f"`n_rows` must be at least 0; got {n_rows}.")
        random = np.random.default_rng(random_state)
        out = np.zeros((n_rows, self.n_labels), np.int8)
        for child in self.order:
            table = self.tables[child]
            bits = 1 << np.arange(len(table.parents), dtype=np.int64)
            configuration = out[:, list(table.parents)].astype(np.int64) @ bits
            out[:, child] = random.random(n_rows) < table.probability(configuration, smoothing=smoothing)
        return out

    def random_order(self, random_state: Random = None) -> tuple[int, ...]:
        """Another legal chain order: parents before children, free labels drawn at random."""
        return topological_order(self.parents, random_state=np.random.default_rng(random_state))

    def explain(self, label: int | str) -> str:
        """Why a label has its parents, in words."""
        if label not in (self.label_names if isinstance(label, str) else range(self.n_labels)):
            raise ValueError(f"`label` must be a label's name or index 0..{self.n_labels - 1}; got {label!r}.")
        child = self.label_names.index(label) if isinstance(label, str) else int(label)
        name, trace = self.label_names, self.traces[child]
        taken = {step.parent for step in trace.steps}
        given = [name[parent] for parent in self.cyclic_parents[child] if parent not in taken]
        fixed = f" with {', '.join(given)}, which it was given" if given else ""
        lines = [f"{name[child]}: score {trace.start_score:.6g} to begin with{fixed}"]
        kept = set(self.parents[child])
        for step in trace.steps:
            fate = "" if step.parent in kept else " (its edge was dropped later to break a cycle)"
            lines.append(f"  takes {name[step.parent]}: score {step.score:.6g}{fate}")
        return "\n".join([*lines, f"  ends: {trace.stop}"])

    def _require_counts(self, what: str) -> LabelCounts:
        if self.counts is None:
            raise ValueError(
                f"`{what}` needs the label matrix, and this network was read from a file. Learn it again with "
                "`learn_network(Y, search=network.parents)`."
            )
        return self.counts

    def _repr_html_(self) -> str:
        """What a notebook shows: the order and a drawing."""
        from bncc.structure.draw import network_svg

        names = [escape(self.label_names[label]) for label in self.order[:100]]
        more = " → ..." if self.n_labels > 100 else ""
        drawing = network_svg(self) if self.n_labels <= 100 else ""
        return f"<div><p><b>Chain order:</b> {' → '.join(names)}{more}</p>{drawing}</div>"

    def __repr__(self) -> str:
        shown = ", ".join(self.label_names[label] for label in self.order[:8])
        more = ", ..." if self.n_labels > 8 else ""
        return f"LabelNetwork({self.n_labels} labels, {len(self.edges)} edges, order: {shown}{more})"
