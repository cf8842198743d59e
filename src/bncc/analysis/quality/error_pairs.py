"""Pairs of labels that go wrong together: one said instead of the other, or both missed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse, stats

from bncc._typing import CSR, Bools, Floats, Longs
from bncc.analysis.quality.predictions import Predictions

__all__ = ["ErrorPair", "confused_labels", "missed_together"]


@dataclass(frozen=True)
class ErrorPair:
    """Two labels that go wrong in the same rows.

    Attributes
    ----------
    first, second : int
        Confused: the label that was missed, and the one said instead. Missed together: lower index first.
    rows : int
        Rows in which it happened.
    expected : float
        Rows that chance alone would show, were the two errors independent.
    p_value : float
        Chance of as many rows or more (hypergeometric), times the number of pairs that were looked at (at most 1).
    """

    first: int
    second: int
    rows: int
    expected: float
    p_value: float


def confused_labels(found: Predictions, most: int = 200) -> tuple[ErrorPair, ...]:
    """Pairs (missed, said instead), those with most rows beyond chance first; ties by label.

    >>> from bncc.analysis.quality.predictions import read_predictions
    >>> Y, said = [[1, 0], [1, 0], [0, 1], [0, 1]], [[0, 1], [0, 1], [0, 1], [0, 1]]
    >>> [(pair.first, pair.second, pair.rows) for pair in confused_labels(read_predictions(Y, Y_pred=said))]
    [(0, 1, 2)]
    """
    missed, said = _missed(found), _csr(found.predicted & ~found.truth & found.known)
    together = sparse.coo_array(missed.T @ said)
    return _pairs(together, (missed, said), _ground(found), most)


def missed_together(found: Predictions, most: int = 200) -> tuple[ErrorPair, ...]:
    """Pairs of labels missed in the same rows, those with most rows beyond chance first; ties by label.

    Chance is reckoned among the rows that have both labels, so that labels which merely occur together are no news.
    """
    missed, true = _missed(found), _csr(found.truth)
    together = sparse.coo_array(sparse.triu(missed.T @ missed, k=1))
    first, second = together.coords
    both = _values_at(true.T @ true, first, second)
    # Misses of each label in rows with both labels: in rows where the other one holds.
    missed_while = missed.T @ true
    of_first, of_second = _values_at(missed_while, first, second), _values_at(missed_while, second, first)
    return _tested(together, of_first, of_second, both, found.n_labels * (found.n_labels - 1) // 2, most)


def _missed(found: Predictions) -> CSR:
    return _csr(found.truth & ~found.predicted)


def _csr(cells: Bools) -> CSR:
    return sparse.csr_array(cells.astype(np.int32))


def _values_at(matrix: CSR, rows: Longs, columns: Longs) -> Floats:
    """Entries of a square sparse matrix; 0 where none is stored."""
    stored = sparse.coo_array(matrix)
    size = matrix.shape[1]
    keys = stored.coords[0].astype(np.int64) * size + stored.coords[1]
    order = np.argsort(keys)
    wanted = rows.astype(np.int64) * size + columns
    at = np.minimum(np.searchsorted(keys[order], wanted), max(0, keys.size - 1))
    hit = keys[order][at] == wanted if keys.size else np.zeros(wanted.size, np.bool_)
    out = np.zeros(wanted.size)
    out[hit] = stored.data[order][at[hit]]
    return out


def _ground(found: Predictions) -> float:
    return float(found.known.any(axis=1).sum())


def _pairs(together: sparse.coo_array, errors: tuple[CSR, CSR], n_rows: float, most: int) -> tuple[ErrorPair, ...]:
    first, second = together.coords
    missed, said = (np.asarray(each.sum(axis=0), np.float64).ravel() for each in errors)
    n_labels = missed.size
    ground = np.full(first.size, n_rows)
    return _tested(together, missed[first], said[second], ground, n_labels * (n_labels - 1), most)


def _tested(
    together: sparse.coo_array, of_first: Floats, of_second: Floats, ground: Floats, n_pairs: int, most: int
) -> tuple[ErrorPair, ...]:
    rows = together.data.astype(np.float64)
    expected = of_first * of_second / np.maximum(ground, 1.0)
    first, second = (part.astype(np.int64) for part in together.coords)
    chosen: Longs = np.lexsort((second, first, -(rows - expected)))
    chosen = chosen[rows[chosen] > 0][:most]
    chance = stats.hypergeom.sf(rows[chosen] - 1, ground[chosen], of_first[chosen], of_second[chosen])
    adjusted = np.clip(chance * max(1, n_pairs), 0.0, 1.0)
    columns = (first[chosen], second[chosen], rows[chosen].astype(np.int64), expected[chosen], adjusted)
    return tuple(ErrorPair(*entry) for entry in zip(*(column.tolist() for column in columns), strict=True))
