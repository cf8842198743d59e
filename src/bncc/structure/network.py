"""The label network: what was learned about how labels depend on each other."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from html import escape

import numpy as np
from numpy.typing import NDArray

from bncc._checks import as_label_matrix, check_count
from bncc._typing import Floats, Labels, Random
from bncc.graph import Parents, edges_of, topological_order
from bncc.labels import LabelCounts, dependence, dependence_of
from bncc.structure.evidence import ALPHA, EdgeTable, edges_beyond_chance, make_edge_table
from bncc.structure.inference import LabelProbabilities, Probability
from bncc.structure.parent_search import Step
from bncc.structure.queries import LabelValues, independent, label_probabilities, probability
from bncc.structure.recipe import Recipe
from bncc.structure.tables import ConditionalTable, count_table

__all__ = ["LabelNetwork", "Trace"]

_MOST_EDGES_SHOWN = 500


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
    recipe : Recipe or None
        How it was learned; None for a network that was read from a file.
    left_out : tuple of (parent, child)
        Edges that `pruned` took away, because chance would explain them.
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
    recipe: Recipe | None = None
    left_out: tuple[tuple[int, int], ...] = ()

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

    def edge_table(self, *, n_resamples: int = 100, alpha: float = ALPHA, random_state: Random = 0) -> EdgeTable:
        """What speaks for each edge: its gain, a p-value given the other parents, and how often it comes back.

        Parameters
        ----------
        n_resamples : int
            Networks learned from rows drawn anew, to see how often an edge comes back; 0 for none. A given structure
            and a network with a score of the caller's are never learned again.
        alpha : float
            Edges with a corrected p-value of at most this, and a share that noise does not reach, are `sure`.

        >>> from bncc import learn_network
        >>> net = learn_network([[1, 1], [1, 1], [0, 0], [0, 0]] * 20, label_names=["sun", "warm"])
        >>> [(edge.parent, edge.child, edge.share, edge.sure) for edge in net.edge_table()]
        [(0, 1, 1.0, True)]
        """
        from bncc.structure.bootstrap import bootstrap_shares

        counts = self._require_counts("edge_table")
        check_count("n_resamples", n_resamples, 0, 1_000_000)
        recipe, shares = self.recipe, None
        if n_resamples and recipe is not None and recipe.repeatable:
            shares = bootstrap_shares(counts, recipe, self.edges, n_resamples=n_resamples, random_state=random_state)
        return make_edge_table(
            counts,
            self.parents,
            self.label_names,
            score="bic" if recipe is None else recipe.score,
            shares=shares,
            n_resamples=0 if shares is None else n_resamples,
            alpha=alpha,
        )

    def pruned(self, *, alpha: float = ALPHA) -> LabelNetwork:
        """The network without the edges that chance would explain; they are named in `left_out`.

        Of each label the weakest parent goes first, while its corrected p-value exceeds `alpha`. The order stays.
        """
        kept = edges_beyond_chance(self._require_counts("pruned"), self.parents, alpha=alpha)
        gone = tuple((parent, child) for parent, child in self.edges if parent not in kept[child])
        cyclic = tuple(
            tuple(parent for parent in group if (parent, child) not in set(gone))
            for child, group in enumerate(self.cyclic_parents)
        )
        return replace(self, parents=kept, cyclic_parents=cyclic, _tables=None, left_out=(*self.left_out, *gone))

    def without_rows(self) -> LabelNetwork:
        """The network without the label matrix it was learned from; its tables and dependence degrees are kept.

        Dependence degrees of more than 2,000 labels are left out as well: they would take more room than the rows.
        """
        if self.counts is None:
            return self
        out = replace(self, counts=None, _tables=self.tables, recipe=None)
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
        if not isinstance(n_rows, int | np.integer) or n_rows < 0:
            raise ValueError(f"`n_rows` must be a whole number, at least 0; got {n_rows!r}.")
        random = np.random.default_rng(random_state)
        out = np.zeros((n_rows, self.n_labels), np.int8)
        for child in self.order:
            table = self.tables[child]
            bits = 1 << np.arange(len(table.parents), dtype=np.int64)
            configuration = out[:, list(table.parents)].astype(np.int64) @ bits
            out[:, child] = random.random(n_rows) < table.probability(configuration, smoothing=smoothing)
        return out

    def independent(self, first: int | str, second: int | str, given: Sequence[int | str] = ()) -> bool:
        """Whether the network makes two labels independent given others, by its edges alone (d-separation).

        What the rows say is `bncc.labels.independence_test`.

        >>> from bncc import learn_network
        >>> chain = learn_network([[1, 1, 1], [0, 0, 0]], search=[(), (0,), (1,)])
        >>> chain.independent(0, 2), chain.independent(0, 2, given=[1])
        (False, True)
        """
        return independent(self, first, second, given)

    def probabilities(
        self,
        given: LabelValues | None = None,
        *,
        n_samples: int = 20_000,
        smoothing: float = 1.0,
        random_state: Random = 0,
    ) -> LabelProbabilities:
        """How likely every label is, given some: ``net.probabilities({"rain": 1})["umbrella"]``.

        Exact on networks of a width of up to 20; beyond, a mean over `n_samples` weighted rows with a standard error.
        """
        return label_probabilities(
            self, given or {}, n_samples=n_samples, smoothing=smoothing, random_state=random_state
        )

    def probability(
        self,
        of: LabelValues,
        given: LabelValues | None = None,
        *,
        n_samples: int = 20_000,
        smoothing: float = 1.0,
        random_state: Random = 0,
    ) -> Probability:
        """How likely labels have these values together, given others; exact or sampled as `probabilities`.

        >>> from bncc import learn_network
        >>> net = learn_network([[1, 1], [1, 1], [1, 0], [0, 0]], label_names=["rain", "umbrella"])
        >>> net.probability({"umbrella": 1}, given={"rain": 1}, smoothing=0).value
        0.6666666666666666
        """
        return probability(self, of, given or {}, n_samples=n_samples, smoothing=smoothing, random_state=random_state)

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
            fate = " (left out: chance would explain it)" if (step.parent, child) in self.left_out else fate
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
        """What a notebook shows: the order, and a drawing where it has few enough edges to be seen and to be quick."""
        from bncc.structure.draw import network_svg

        names = [escape(self.label_names[label]) for label in self.order[:100]]
        more = " → ..." if self.n_labels > 100 else ""
        drawing = network_svg(self) if self.n_labels <= 100 and len(self.edges) <= _MOST_EDGES_SHOWN else ""
        return f"<div><p><b>Chain order:</b> {' → '.join(names)}{more}</p>{drawing}</div>"

    def __repr__(self) -> str:
        shown = ", ".join(self.label_names[label] for label in self.order[:8])
        more = ", ..." if self.n_labels > 8 else ""
        return f"LabelNetwork({self.n_labels} labels, {len(self.edges)} edges, order: {shown}{more})"
