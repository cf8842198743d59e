"""Counting pairwise contests: each link decides between two candidates."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from bncc._typing import Floats, Longs

__all__ = ["degrees_of", "lead_among_all", "lead_among_neighbours", "tally"]


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


def lead_among_all(own: Floats, met: Floats, pairs: Longs, *, votes: bool) -> Floats:
    """By how many votes (or how much in sum) each label leads the calibration label, over all contests of both.

    `own` are decisions (n_rows, n_labels) of labels against the calibration label, `met` those of pairs of labels.

    >>> lead_among_all(np.array([[1.0, -1.0]]), np.array([[2.0]]), np.array([[0, 1]]), votes=True).tolist()
    [[1.0, -1.0]]
    """
    n_labels, which = own.shape[1], 0 if votes else 1
    with_calibration = tally(own, np.arange(n_labels), np.full(n_labels, n_labels), n_labels + 1)[which]
    between_labels = tally(met, pairs[:, 0], pairs[:, 1], n_labels)[which]
    return with_calibration[:, :-1] + between_labels - with_calibration[:, -1:]


def lead_among_neighbours(own: Floats, met: Floats, pairs: Longs, *, votes: bool) -> Floats:
    """The same with few pairs: a label and the calibration label both compete with the label's neighbours alone.

    The calibration label's contests are those with the label itself and with each of its neighbours, the labels that
    it has a pair with: both then have one contest more than there are neighbours.

    >>> lead_among_neighbours(np.array([[1.0, -1.0, 1.0]]), np.array([[2.0]]), np.array([[0, 1]]), votes=True).tolist()
    [[1.0, -1.0, 1.0]]
    """
    n_labels = own.shape[1]
    own_wins, own_losses = ((own > 0) * 1.0, (own <= 0) * 1.0) if votes else (own, -own)
    of_pairs = tally(met, pairs[:, 0], pairs[:, 1], n_labels)[0 if votes else 1]
    cells = (np.ones(2 * len(pairs)), (pairs.ravel(), pairs[:, ::-1].ravel()))
    neighbours = sparse.csr_array(cells, shape=(n_labels, n_labels))
    return own_wins + of_pairs - own_losses - own_losses @ neighbours


def degrees_of(pairs: Longs, n_labels: int) -> Longs:
    """How many pairs each label is in.

    >>> degrees_of(np.array([[0, 1], [1, 2]]), 4).tolist()
    [1, 2, 1, 0]
    """
    return np.bincount(pairs.ravel(), minlength=n_labels)


def _incidence(candidates: ArrayLike, n_candidates: int) -> sparse.csr_array:
    index = np.asarray(candidates, np.int64)
    cells = (np.ones(index.size), (np.arange(index.size), index))
    return sparse.csr_array(cells, shape=(index.size, n_candidates))
