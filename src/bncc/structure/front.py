"""Networks between much explained and little said: the front of those that no other network beats in both.

The paper's score has one price for size, half of log2 N for a free parameter. A front leaves the price open: it holds,
for every size, the network that explains most, and the choice is the reader's.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, get_args

import numpy as np

from bncc._checks import check_count, split_unknown
from bncc._typing import Floats, Labels, Longs, Random
from bncc.graph import Parents
from bncc.labels import LabelCounts, count_labels
from bncc.structure.candidate_scores import CandidateScorer
from bncc.structure.evolved_front import evolved_front
from bncc.structure.exact_front import MOST_EXACT, exact_front
from bncc.structure.explained import HeldOutScorer, dependence_scorer
from bncc.structure.front_points import FrontPoint, Simplicity, cost_by_parents, non_dominated
from bncc.structure.learn import MOST_CLIMBED, learn_network
from bncc.structure.local_scores import MOST_PARENTS
from bncc.structure.network import LabelNetwork
from bncc.structure.penalty_path import penalty_path

__all__ = ["NetworkFront", "network_front"]

Explains = Literal["dependence", "held_out"]
FrontMethod = Literal["exact", "sweep", "nsga2"]
_MOST_EXACT_PARENTS = 6  # a table of free parameters is one column per cost


@dataclass(frozen=True, eq=False)
class NetworkFront:
    """Networks from the simplest to the one that explains most; none is beaten in both by another one.

    A front is a sequence: ``front[0]`` is the simplest network, ``len(front)`` how many there are. A network is made
    when it is asked for.

    Attributes
    ----------
    explained : array of shape (n,), rising
        Bits that each network explains: the paper's score without its penalty, or the log2-likelihood of held-out rows.
    cost : array of shape (n,), rising
        Edges or free parameters of each network.
    parents : tuple of parents
        Parents of each label, network by network.
    explains, simplicity, method : str
        What was weighed, and how the front was found.
    counts : LabelCounts
    """

    explained: Floats
    cost: Longs
    parents: tuple[Parents, ...]
    explains: Explains
    simplicity: Simplicity
    method: FrontMethod
    counts: LabelCounts

    def __len__(self) -> int:
        return len(self.parents)

    def __getitem__(self, place: int) -> LabelNetwork:
        """The network at a place of the front; negative places count from the end."""
        return learn_network(self.counts, search=self.parents[place], max_children=None)

    def __iter__(self) -> Iterator[LabelNetwork]:
        return iter(self.networks)

    @cached_property
    def networks(self) -> tuple[LabelNetwork, ...]:
        """All networks of the front, the simplest first."""
        return tuple(self[place] for place in range(len(self)))

    @property
    def knee_place(self) -> int:
        """Where the front bends most: furthest above the line between its ends, both axes scaled to one.

        Of equals the simplest; 0 on a front of one or two networks, which has no bend.
        """
        if len(self) < 3:
            return 0
        cost = (self.cost - self.cost[0]) / (self.cost[-1] - self.cost[0])
        explained = (self.explained - self.explained[0]) / (self.explained[-1] - self.explained[0])
        return int(np.argmax(np.round(explained - cost, 10)))

    def knee(self) -> LabelNetwork:
        """The network where the front bends most: from there on, more edges explain little more."""
        return self[self.knee_place]

    def within(self, cost: int) -> LabelNetwork:
        """The network that explains most for at most this cost."""
        places = np.flatnonzero(self.cost <= cost)
        if not places.size:
            raise ValueError(f"No network of the front costs at most {cost}; the simplest costs {self.cost[0]}.")
        return self[int(places[-1])]

    def hypervolume(self, explained: float, cost: float) -> float:
        """The area that the front dominates, above so many bits and below such a cost: of two fronts, more is better.

        >>> front = network_front([[1, 1], [0, 0], [1, 1], [0, 0]])
        >>> front.cost.tolist(), front.explained.tolist(), front.hypervolume(0, 2)
        ([0, 1], [0.0, 4.0], 4.0)
        """
        widths = np.diff(np.append(np.minimum(self.cost, cost), cost))
        return float(widths @ np.maximum(self.explained - explained, 0.0))

    def __repr__(self) -> str:
        ends = f"{self.cost[0]} to {self.cost[-1]} {self.simplicity}"
        return f"NetworkFront({len(self)} networks, {ends}, knee at {self.cost[self.knee_place]})"


def network_front(
    Y: Labels | LabelCounts,
    *,
    explains: Explains = "dependence",
    simplicity: Simplicity = "edges",
    method: FrontMethod | None = None,
    max_parents: int = 3,
    n_folds: int = 5,
    n_generations: int = 200,
    population_size: int = 100,
    label_names: Sequence[str] | None = None,
    random_state: Random = 0,
) -> NetworkFront:
    """The networks that explain most, for every size: simple ones first, none beaten in both by another one.

    Parameters
    ----------
    Y : array, sparse matrix or DataFrame of shape (n_rows, n_labels), 0/1 or bool
        As for `learn_network`; unknown labels count as 0.
    explains : {"dependence", "held_out"}, default="dependence"
        What a network should do: the paper's score without its penalty, sum over labels of N (1 - H(l | parents)),
        which always rises with more edges; or the log2-likelihood of rows that its tables were not counted on, by
        cross-validation in `n_folds`, which falls again where edges learn noise.
    simplicity : {"edges", "parameters"}, default="edges"
        What a network should be short of: edges, or free parameters (2 to the number of parents, for each label).
    method : {"exact", "sweep", "nsga2"} or None, default=None
        "exact": the whole front, up to 12 labels. "sweep": hill climbing from no edges and from the spanning tree on,
        while the price of size falls; up to 2,000 labels. "nsga2": a genetic algorithm (pymoo, the extra `front`),
        which takes longer (`benchmarks/bench_network_front.py`). None: "exact" up to 10 labels, "sweep" beyond.
    max_parents : int, default=3
        At most this many parents per label.
    n_folds : int, default=5
        Folds of "held_out".
    n_generations, population_size : int
        Of "nsga2".
    label_names : sequence of str or None
    random_state : seed, NumPy generator or None
        Draws the folds of "held_out", and what "nsga2" draws.

    Returns
    -------
    NetworkFront

    Examples
    --------
    >>> from bncc.datasets import make_scenes
    >>> front = network_front(make_scenes(300).Y)
    >>> front
    NetworkFront(25 networks, 0 to 24 edges, knee at 8)
    >>> len(front.knee().edges), len(front.within(3).edges)
    (8, 3)
    """
    counts = count_labels(Y if isinstance(Y, LabelCounts) else split_unknown(Y)[0], label_names=label_names)
    n_labels = counts.n_labels
    _check_choice("explains", explains, get_args(Explains))
    _check_choice("simplicity", simplicity, get_args(Simplicity))
    check_count("max_parents", max_parents, 0, MOST_PARENTS)
    limit = min(max_parents, n_labels - 1)
    chosen = _method(method, n_labels, limit)
    costs = cost_by_parents(simplicity, limit)
    random = np.random.default_rng(random_state)
    scorer = _scorer(counts, explains, limit, n_folds, random)
    if chosen == "exact":
        points = exact_front(scorer, n_labels, costs)
    elif chosen == "sweep":
        points = non_dominated(penalty_path(scorer, n_labels, costs))
    else:
        check_count("n_generations", n_generations, 1, 1_000_000)
        check_count("population_size", population_size, 2, 1_000_000)
        seed = int(random.integers(2**31))
        points = evolved_front(
            scorer, counts, costs, n_generations=n_generations, population_size=population_size, seed=seed
        )
    return _front(points, explains, simplicity, chosen, counts)


def _front(
    points: Sequence[FrontPoint], explains: Explains, simplicity: Simplicity, method: FrontMethod, counts: LabelCounts
) -> NetworkFront:
    return NetworkFront(
        explained=np.array([point.explained for point in points]),
        cost=np.array([point.cost for point in points], np.int64),
        parents=tuple(point.parents for point in points),
        explains=explains,
        simplicity=simplicity,
        method=method,
        counts=counts,
    )


def _scorer(
    counts: LabelCounts, explains: Explains, max_parents: int, n_folds: int, random: np.random.Generator
) -> CandidateScorer:
    if explains == "dependence":
        return dependence_scorer(counts, max_parents)
    check_count("n_folds", n_folds, 2, counts.n_rows)
    return HeldOutScorer(counts, n_folds=n_folds, random_state=random)


def _method(method: FrontMethod | None, n_labels: int, max_parents: int) -> FrontMethod:
    if method is None:
        method = "exact" if n_labels <= 10 and max_parents <= 3 else "sweep"
    _check_choice("method", method, get_args(FrontMethod))
    if method == "exact" and (n_labels > MOST_EXACT or max_parents > _MOST_EXACT_PARENTS):
        raise ValueError(
            f"`method='exact'` is for up to {MOST_EXACT} labels and {_MOST_EXACT_PARENTS} parents; got {n_labels} and "
            f"{max_parents}. Use 'sweep'."
        )
    if n_labels > MOST_CLIMBED:
        raise ValueError(
            f"A front keeps a gain for every pair of labels, up to {MOST_CLIMBED:,} labels; got {n_labels:,}. Choose "
            "some of them."
        )
    return method


def _check_choice(argument: str, value: object, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise ValueError(
            f"`{argument}` must be {', '.join(map(repr, choices[:-1]))} or {choices[-1]!r}; got {value!r}."
        )
