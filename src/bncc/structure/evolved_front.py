"""A front of networks by NSGA-II (Deb et al. 2002), as pymoo has it.

A network is a string of bits, one for every label and each of its likeliest parents (those with most mutual
information). What a string draws is made lawful: of each label the parents with most mutual information are kept, up to
the limit, then cycles are broken at their lightest edges (Algorithm 1).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bncc._typing import Bools, Floats, Longs
from bncc.graph import Parents, break_cycles, parents_of
from bncc.labels import LabelCounts, mutual_information
from bncc.structure.candidate_scores import CandidateScorer
from bncc.structure.front_points import FrontPoint, non_dominated, total_cost

if TYPE_CHECKING:
    from pymoo.core.problem import Problem

__all__ = ["evolved_front"]

_MOST_CANDIDATES = 20  # per label; strings grow with it, and weaker parents are rarely worth their place


def evolved_front(
    scorer: CandidateScorer,
    counts: LabelCounts,
    costs: tuple[int, ...],
    *,
    n_generations: int,
    population_size: int,
    seed: int,
) -> tuple[FrontPoint, ...]:
    """The non-dominated networks of the last generation."""
    try:
        from pymoo.algorithms.moo.nsga2 import NSGA2
        from pymoo.operators.crossover.ux import UniformCrossover
        from pymoo.operators.mutation.bitflip import BitflipMutation
        from pymoo.optimize import minimize
    except ImportError as error:
        raise ImportError("`method='nsga2'` needs pymoo. Install it with: pip install 'bncc[front]'") from error
    decoder = _Decoder(scorer, counts, costs)
    algorithm = NSGA2(
        pop_size=population_size,
        sampling=_first_generation(decoder.n_bits, population_size, seed),
        crossover=UniformCrossover(),
        mutation=BitflipMutation(prob_var=min(1.0, 2.0 / max(1, decoder.n_bits))),
    )
    last = minimize(_problem(decoder), algorithm, ("n_gen", n_generations), seed=seed, verbose=False)
    return non_dominated(decoder.point(bits) for bits in np.atleast_2d(last.pop.get("X")).astype(bool))


def _first_generation(n_bits: int, size: int, seed: int) -> Bools:
    """From no edges to a quarter of all."""
    density = np.linspace(0.0, 0.25, size)[:, None]
    return np.random.default_rng(seed).random((size, n_bits)) < density


def _problem(decoder: _Decoder) -> Problem:
    from pymoo.core.problem import Problem

    class Networks(Problem):
        def __init__(self) -> None:
            super().__init__(n_var=decoder.n_bits, n_obj=2, xl=0, xu=1, vtype=bool)

        def _evaluate(self, x: Bools, out: dict[str, Floats], *args: object, **kwargs: object) -> None:
            points = [decoder.point(bits) for bits in x.astype(bool)]
            out["F"] = np.array([(-point.explained, float(point.cost)) for point in points])

    return Networks()


class _Decoder:
    """From strings of bits to networks; bits of a label with given parents are computed once."""

    def __init__(self, scorer: CandidateScorer, counts: LabelCounts, costs: tuple[int, ...]) -> None:
        self.scorer, self.costs, self.n_labels = scorer, costs, counts.n_labels
        self.edges, self.weights = _candidate_edges(counts)
        self.n_bits = len(self.edges)
        self._known: dict[tuple[int, tuple[int, ...]], float] = {}

    def point(self, bits: Bools) -> FrontPoint:
        parents = self._parents(bits)
        explained = sum(self._explained(child, group) for child, group in enumerate(parents))
        return FrontPoint(parents, explained, total_cost(parents, self.costs))

    def _parents(self, bits: Bools) -> Parents:
        drawn = np.flatnonzero(bits)
        drawn = drawn[np.lexsort((self.edges[drawn, 0], -self.weights[drawn], self.edges[drawn, 1]))]
        child = self.edges[drawn, 1]
        rank_in_family = np.arange(drawn.size) - np.searchsorted(child, child)
        kept = drawn[rank_in_family < len(self.costs) - 1]
        return parents_of(break_cycles(self.edges[kept], self.weights[kept], self.n_labels), self.n_labels)

    def _explained(self, child: int, group: tuple[int, ...]) -> float:
        key = (child, group)
        if key not in self._known:
            self._known[key] = self.scorer.one(child, list(group))
        return self._known[key]


def _candidate_edges(counts: LabelCounts) -> tuple[Longs, Floats]:
    """Edges (parent, child) that strings may draw, with the mutual information of their labels."""
    edges: list[tuple[int, int]] = []
    weights: list[float] = []
    for child in range(counts.n_labels):
        information = np.asarray(mutual_information(counts, child), np.float64).copy()
        information[child] = -np.inf
        strongest = np.argsort(-information, kind="stable")[: min(_MOST_CANDIDATES, counts.n_labels - 1)]
        edges += [(int(parent), child) for parent in strongest]
        weights += information[strongest].tolist()
    return np.array(edges, np.int64).reshape(-1, 2), np.array(weights)
