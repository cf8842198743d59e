"""Counting pairwise contests: each link decides between two candidates."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from bncc._typing import Floats

__all__ = ["tally"]


def tally(decisions: Floats, first: ArrayLike, second: ArrayLike, n_candidates: int) -> tuple[Floats, Floats]:
    """Votes and summed decisions of each candidate, both of shape (n_rows, n_candidates).

    Decision (row, contest) is for the contest's `first` candidate if above 0, else for its `second` one, so a decision
    of exactly 0 is for the second. The sum takes decisions with the sign that they have for the candidate.

    >>> votes, sums = tally(np.array([[2.0, -1.0, 0.0]]), [0, 0, 1], [1, 2, 2], 3)
    >>> votes.tolist(), sums.tolist()
    ([[1.0, 0.0, 2.0]], [[1.0, -2.0, 1.0]])
    """
    for_first, for_second = (_incidence(side, n_candidates) for side in (first, second))
    wins = (decisions > 0).astype(np.float64)
    votes = wins @ for_first + (1.0 - wins) @ for_second
    return votes, decisions @ (for_first - for_second)


def _incidence(candidates: ArrayLike, n_candidates: int) -> sparse.csr_array:
    index = np.asarray(candidates, np.int64)
    cells = (np.ones(index.size), (np.arange(index.size), index))
    return sparse.csr_array(cells, shape=(index.size, n_candidates))
