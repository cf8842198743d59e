"""Unknown labels, drawn from what the known ones say: a label that nobody looked at is not a label that is absent.

Cells are first drawn by how frequent their label is where it is known. Then a network is learned from the whole, and
each cell is drawn anew given the other labels of its row, some times over (stochastic EM; Friedman 1998 for networks).
What is learned from the result is right where a cell is unknown by chance, or for a reason that the known labels tell.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from bncc._typing import CSC, Bools, Floats, Random
from bncc.structure.network import LabelNetwork
from bncc.structure.tables import ConditionalTable

__all__ = ["fill_unknown"]

_ROUNDS = 4
_SWEEPS = 2  # over all unknown cells, in each round
_MOST_CELLS = 200_000_000  # of the rows with unknown labels; beyond, labels are drawn by their frequency alone

Rows = NDArray[np.int8]


def fill_unknown(
    positives: CSC, unknown: CSC | None, learn: Callable[[CSC], LabelNetwork], *, random_state: Random = 0
) -> CSC:
    """A label matrix with its unknown cells drawn; the same where there are none.

    Parameters
    ----------
    positives, unknown : csc_arrays of shape (n_rows, n_labels)
        Where labels are 1, and where they are not known.
    learn : function of a label matrix
        Learns the network by which cells are drawn.
    """
    if unknown is None or not unknown.nnz:
        return positives
    random = np.random.default_rng(random_state)
    among = np.unique(sparse.coo_array(unknown).row)
    missing = np.asarray(unknown.tocsr()[among].toarray(), np.bool_) if _fits(among.size, unknown.shape[1]) else None
    if missing is None:
        return _drawn_by_frequency(positives, unknown, random)
    values = np.asarray(positives.tocsr()[among].toarray(), np.int8)
    rates = _known_rates(positives, unknown)
    values[missing] = (random.random(missing.shape) < rates)[missing]
    for _ in range(_ROUNDS):
        net = learn(_joined(positives, among, values))
        for _ in range(_SWEEPS):
            _draw_anew(values, missing, net.parents, net.tables, random)
    return _joined(positives, among, values)


def _fits(n_rows: int, n_labels: int) -> bool:
    return n_rows * n_labels <= _MOST_CELLS


def _known_rates(positives: CSC, unknown: CSC) -> Floats:
    """How frequent each label is where it is known; one row is added that has as many labels as others."""
    ones = np.diff(positives.indptr).astype(np.float64)
    n_known = positives.shape[0] - np.diff(unknown.indptr)
    overall = ones.sum() / max(n_known.sum(), 1)
    return np.asarray((ones + overall) / (n_known + 1.0))


def _drawn_by_frequency(positives: CSC, unknown: CSC, random: np.random.Generator) -> CSC:
    cells = sparse.coo_array(unknown)
    chosen = random.random(cells.nnz) < _known_rates(positives, unknown)[cells.col]
    ones = np.ones(int(chosen.sum()), np.int8)
    drawn = sparse.csc_array((ones, (cells.row[chosen], cells.col[chosen])), shape=positives.shape)
    return sparse.csc_array(positives + drawn, dtype=np.int8)


def _joined(positives: CSC, among: NDArray[np.int64], values: Rows) -> CSC:
    """All rows, those with unknown labels as they are filled now."""
    whole = sparse.coo_array(positives)
    kept = ~np.isin(whole.row, among)
    row, column = np.nonzero(values)
    rows, columns = np.concatenate([whole.row[kept], among[row]]), np.concatenate([whole.col[kept], column])
    return sparse.csc_array((np.ones(rows.size, np.int8), (rows, columns)), shape=positives.shape)


def _draw_anew(
    values: Rows,
    missing: Bools,
    parents: Sequence[Sequence[int]],
    tables: Sequence[ConditionalTable],
    random: np.random.Generator,
) -> None:
    """One sweep: each unknown cell given all other labels of its row (Gibbs), label by label."""
    children: list[list[int]] = [[] for _ in parents]
    for child, group in enumerate(parents):
        for parent in group:
            children[parent].append(child)
    for label in np.flatnonzero(missing.any(axis=0)).tolist():
        rows = np.flatnonzero(missing[:, label])
        log_odds = np.zeros(rows.size)
        for value, sign in ((1, 1.0), (0, -1.0)):
            asked = values[rows]
            asked[:, label] = value
            for one in (label, *children[label]):
                rate = _rate(asked, parents[one], tables[one])
                log_odds += sign * np.log(np.where(asked[:, one] == 1, rate, 1.0 - rate))
        values[rows, label] = random.random(rows.size) < 1.0 / (1.0 + np.exp(-log_odds))


def _rate(rows: Rows, parents: Sequence[int], table: ConditionalTable) -> Floats:
    bits = 1 << np.arange(len(parents), dtype=np.int64)
    return table.probability(rows[:, list(parents)].astype(np.int64) @ bits)
