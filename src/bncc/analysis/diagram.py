"""Geometry of a critical-difference diagram: what any renderer needs to draw one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from bncc.analysis.significance import NemenyiTest

__all__ = ["RankDiagram", "rank_diagram", "rank_groups"]


@dataclass(frozen=True)
class RankDiagram:
    """Methods on an axis of average ranks, from best to worst, and the groups that do not differ significantly.

    Attributes
    ----------
    methods : tuple of str
        By rising rank; ties in the order given.
    ranks : tuple of float
    groups : tuple of (int, int)
        First and last position in `methods` of each largest run whose ranks differ by less than the critical
        difference; runs of one are left out.
    lowest, highest : int
        Ends of the axis: 1 and the number of methods.
    critical_difference : float
    alpha : float
    n_datasets : int
    """

    methods: tuple[str, ...]
    ranks: tuple[float, ...]
    groups: tuple[tuple[int, int], ...]
    lowest: int
    highest: int
    critical_difference: float
    alpha: float
    n_datasets: int

    def __str__(self) -> str:
        """One line per method, with a letter for each group it is in."""
        letters = [
            "".join(_letter(g) for g, (a, b) in enumerate(self.groups) if a <= i <= b) for i in range(self.highest)
        ]
        rows = zip(self.ranks, self.methods, letters, strict=True)
        return "\n".join(f"{rank:6.2f}  {method}  {letter}".rstrip() for rank, method, letter in rows)


def rank_diagram(test: NemenyiTest) -> RankDiagram:
    """The diagram of Demsar (2006) as plain numbers.

    >>> from bncc.analysis import nemenyi
    >>> scores = [[0.9, 0.8, 0.1], [0.8, 0.7, 0.2], [0.9, 0.95, 0.3], [0.9, 0.8, 0.4], [0.6, 0.5, 0.1]]
    >>> diagram = rank_diagram(nemenyi(scores, ["BNCC", "CC", "GCC"]))
    >>> diagram.groups
    ((0, 1), (1, 2))
    >>> print(diagram)
      1.20  BNCC  a
      1.80  CC  ab
      3.00  GCC  b
    """
    order = np.argsort(test.ranks, kind="stable")
    ranks = test.ranks[order]
    return RankDiagram(
        methods=tuple(test.methods[method] for method in order),
        ranks=tuple(ranks.tolist()),
        groups=rank_groups(ranks, test.critical_difference),
        lowest=1,
        highest=len(ranks),
        critical_difference=test.critical_difference,
        alpha=test.alpha,
        n_datasets=test.n_datasets,
    )


def rank_groups(ranks: ArrayLike, critical_difference: float) -> tuple[tuple[int, int], ...]:
    """First and last positions of the largest runs of rising `ranks` that span less than the critical difference.

    >>> rank_groups([1.0, 1.5, 2.2, 4.0], 1.0)
    ((0, 1), (1, 2))
    """
    values = np.asarray(ranks, np.float64)
    if values.ndim != 1 or (np.diff(values) < 0).any():
        raise ValueError("`ranks` must be a vector in rising order; sort methods by rank first.")
    groups: list[tuple[int, int]] = []
    for first, rank in enumerate(values):
        last = int(np.searchsorted(values, rank + critical_difference, side="left")) - 1
        if last > first and (not groups or last > groups[-1][1]):
            groups.append((first, last))
    return tuple(groups)


def _letter(group: int) -> str:
    return chr(ord("a") + group % 26)
