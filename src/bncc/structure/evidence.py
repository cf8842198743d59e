"""Which edges of a network are more than chance: a test of every edge given the other parents, and what to leave out.

The p-value of an edge tests whether its child is independent of its parent given the child's other parents. A search
looks at all M (M - 1) / 2 pairs of labels and takes the best, so a small p-value is no surprise among so many: the
corrected p-value is how often the smallest of that many is as small (Sidak). Where all labels are independent, the
p-value of a pair named beforehand is uniform, and so is the corrected p-value of the strongest edge.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from bncc._typing import Floats
from bncc.graph import Parents
from bncc.labels import IndependenceTest, LabelCounts
from bncc.labels.independence import Strata, sidak, strata_test
from bncc.structure.local_scores import CountScore, LocalScore, LocalScorer, configuration_counts, get_score

__all__ = [
    "ALPHA",
    "NOISE_SHARE",
    "EdgeEvidence",
    "EdgeTable",
    "edges_beyond_chance",
    "make_edge_table",
    "parent_tests",
]

ALPHA = 0.05
#: Edges of pure noise come back in fewer resamples than this, nearly always; see `benchmarks/bench_known_networks.py`.
NOISE_SHARE = 0.9


@dataclass(frozen=True)
class EdgeEvidence:
    """What speaks for one edge.

    Attributes
    ----------
    parent, child : int
    gain : float
        What the parent adds to the score of its child, beside the child's other parents; in bits.
    statistic, degrees_of_freedom : float and int
        Of the G test of independence given the other parents.
    p_value : float
    corrected_p_value : float
        The p-value, corrected for the number of pairs looked at.
    share : float or None
        How often the edge, either way round, came back in resamples; None where none were drawn.
    sure : bool
        The corrected p-value is at most `alpha`, and the share, if known, is more than noise reaches.
    """

    parent: int
    child: int
    gain: float
    statistic: float
    degrees_of_freedom: int
    p_value: float
    corrected_p_value: float
    share: float | None
    sure: bool


@dataclass(frozen=True)
class EdgeTable:
    """The evidence of every edge, strongest first.

    Attributes
    ----------
    edges : tuple of EdgeEvidence
        By p-value, then by gain.
    label_names : tuple of str
    n_pairs : int
        Pairs of labels that the correction counts.
    n_resamples : int
    alpha : float
    """

    edges: tuple[EdgeEvidence, ...]
    label_names: tuple[str, ...]
    n_pairs: int
    n_resamples: int
    alpha: float

    def __len__(self) -> int:
        return len(self.edges)

    def __iter__(self) -> Iterator[EdgeEvidence]:
        return iter(self.edges)

    def columns(self) -> dict[str, list[object]]:
        """The table by column, labels by name: ``pandas.DataFrame(table.columns())``."""
        out: dict[str, list[object]] = {
            "parent": [self.label_names[edge.parent] for edge in self.edges],
            "child": [self.label_names[edge.child] for edge in self.edges],
        }
        for name in ("gain", "statistic", "degrees_of_freedom", "p_value", "corrected_p_value", "share", "sure"):
            out[name] = [getattr(edge, name) for edge in self.edges]
        return out


def parent_tests(counts: LabelCounts, child: int, parents: Sequence[int]) -> list[IndependenceTest]:
    """For each parent: is the child independent of it, given the others?"""
    configurations, totals, positives = configuration_counts(counts, child, parents)
    out = []
    for bit in range(len(parents)):
        others = configurations & ~(1 << bit)
        stratum = np.unique(others, return_inverse=True)[1].ravel()
        has = (configurations >> bit & 1).astype(np.float64)
        counted = (totals, totals * has, positives, positives * has)
        sums = [np.asarray(np.bincount(stratum, weights=rows), np.float64) for rows in counted]
        out.append(strata_test(Strata(*sums)))
    return out


def make_edge_table(
    counts: LabelCounts,
    parents: Parents,
    label_names: tuple[str, ...],
    *,
    score: CountScore | LocalScore | str = "bic",
    shares: Floats | None = None,
    n_resamples: int = 0,
    alpha: float = ALPHA,
) -> EdgeTable:
    """Evidence of the edges of a network; `shares` by edge, child by child as in `edges_of`."""
    chosen = get_score(score)
    scorer = LocalScorer(counts, chosen) if isinstance(chosen, CountScore) else chosen
    n_pairs = counts.n_labels * (counts.n_labels - 1) // 2
    out: list[EdgeEvidence] = []
    for child, group in enumerate(parents):
        best = scorer.local_score(child, group) if group else 0.0
        for parent, test in zip(group, parent_tests(counts, child, group), strict=True):
            share = None if shares is None else float(shares[len(out)])
            corrected = float(sidak(test.p_value, n_pairs))
            rest = tuple(other for other in group if other != parent)
            out.append(
                EdgeEvidence(
                    parent=parent,
                    child=child,
                    gain=float(best - scorer.local_score(child, rest)),
                    statistic=test.statistic,
                    degrees_of_freedom=test.degrees_of_freedom,
                    p_value=test.p_value,
                    corrected_p_value=corrected,
                    share=share,
                    sure=corrected <= alpha and (share is None or share >= NOISE_SHARE),
                )
            )
    out.sort(key=lambda edge: (edge.p_value, -edge.gain, edge.parent, edge.child))
    return EdgeTable(tuple(out), label_names, n_pairs, n_resamples, alpha)


def edges_beyond_chance(counts: LabelCounts, parents: Parents, *, alpha: float = ALPHA) -> Parents:
    """The parents that are left when edges whose corrected p-value exceeds `alpha` are taken away.

    Of each child the weakest parent goes first, and the others are tested again without it.
    """
    n_pairs = counts.n_labels * (counts.n_labels - 1) // 2
    out = []
    for child, group in enumerate(parents):
        kept = list(group)
        while kept:
            p_values = [test.p_value for test in parent_tests(counts, child, kept)]
            weakest = max(range(len(kept)), key=lambda at: (p_values[at], at))
            if sidak(p_values[weakest], n_pairs) <= alpha:
                break
            del kept[weakest]
        out.append(tuple(kept))
    return tuple(out)
