"""Of the scores of rows held out, those that thresholds can depend on, collected some rows at a time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bncc._typing import Bools, Floats, Integers, Longs

__all__ = ["KeptCells", "ScoreKeeper"]

# Cells beside those that are wanted, until the others are thrown away.
_SLACK = 1 << 20


@dataclass(frozen=True, eq=False)
class KeptCells:
    """Scores of some cells (row, label), by label and within a label by row."""

    rows: Integers
    labels: Integers
    scores: Floats

    def __len__(self) -> int:
        return int(self.scores.size)


class ScoreKeeper:
    """Keeps the scores above 0, the highest ones of all cells and, where it is asked to, the highest of each label.

    A threshold that predicts at most so many labels depends on these alone, and is found as from all scores. Memory
    grows with what is wanted, not with rows times labels.

    Parameters
    ----------
    wanted : int
        How many of the highest finite scores are kept at least, of all cells.
    wanted_of_labels : array of shape (n_labels,), or None
        And of each label.
    """

    def __init__(self, wanted: int, wanted_of_labels: Longs | None = None) -> None:
        self._wanted, self._wanted_of_labels = wanted, wanted_of_labels
        self._floor = -np.inf
        self._floors = None if wanted_of_labels is None else np.full(wanted_of_labels.size, -np.inf)
        self._parts: list[KeptCells] = []
        self._size, self._most = 0, _SLACK

    def add(self, rows: Integers, scores: Floats, known: Bools | None = None) -> None:
        """Look at the scores of some rows (n_rows, n_labels); cells that are not known are left out."""
        keep = self._are_kept(scores, None if self._floors is None else self._floors[None, :])
        if known is not None:
            keep &= known
        place, labels = np.nonzero(keep)
        part = KeptCells(np.asarray(rows, np.int32)[place], labels.astype(np.int32), scores[place, labels])
        self._parts.append(part)
        self._size += len(part)
        if self._size > self._most:
            self._prune()

    def _are_kept(self, scores: Floats, floors: Floats | None) -> Bools:
        keep = (scores > 0) | (scores >= self._floor)
        if floors is not None:
            keep |= scores >= floors
        keep &= scores > -np.inf
        return keep

    def _prune(self) -> None:
        """Raise the floors to the last scores that are wanted, and throw away what lies below them."""
        cells = _joined(self._parts)
        finite = np.isfinite(cells.scores)
        self._floor = _last_wanted(cells.scores[finite], self._wanted)
        if self._wanted_of_labels is not None:
            self._floors = _last_wanted_of_labels(cells.labels[finite], cells.scores[finite], self._wanted_of_labels)
        keep = self._are_kept(cells.scores, None if self._floors is None else self._floors[cells.labels])
        self._parts = [KeptCells(cells.rows[keep], cells.labels[keep], cells.scores[keep])]
        self._size = int(keep.sum())
        self._most = 2 * self._size + _SLACK

    def cells(self) -> KeptCells:
        """What is kept."""
        self._prune()
        (cells,) = self._parts
        order = np.lexsort((cells.rows, cells.labels))
        return KeptCells(cells.rows[order], cells.labels[order], cells.scores[order])


def _joined(parts: list[KeptCells]) -> KeptCells:
    if not parts:
        return KeptCells(np.zeros(0, np.int32), np.zeros(0, np.int32), np.zeros(0))
    return KeptCells(
        np.concatenate([part.rows for part in parts]),
        np.concatenate([part.labels for part in parts]),
        np.concatenate([part.scores for part in parts]),
    )


def _last_wanted(scores: Floats, wanted: int) -> float:
    """The score of that rank, highest first; minus infinity where there are not so many.

    >>> _last_wanted(np.array([3.0, 1.0, 2.0]), 2)
    2.0
    """
    if scores.size < wanted:
        return -np.inf
    place = scores.size - wanted
    return float(np.partition(scores, place)[place])


def _last_wanted_of_labels(labels: Integers, scores: Floats, wanted: Longs) -> Floats:
    order = np.lexsort((-scores, labels))
    counts = np.bincount(labels, minlength=wanted.size)
    first = np.concatenate([[0], np.cumsum(counts)[:-1]])
    enough = counts >= wanted
    out = np.full(wanted.size, -np.inf)
    out[enough] = scores[order[first[enough] + wanted[enough] - 1]]
    return out
