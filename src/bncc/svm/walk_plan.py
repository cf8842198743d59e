"""Walks: chains of solved problems to be decided for some rows, checked against the batch they belong to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bncc._typing import Longs, Rows, Words
from bncc.svm.problems import Batch, Solutions

__all__ = ["Walks", "check_rows", "check_solutions", "plan_walks"]


@dataclass(frozen=True, eq=False)
class Walks:
    """What is walked: problems, what they write, and what is known beforehand (make one with `plan_walks`).

    Attributes
    ----------
    problems : (n_walks, length), int32
    writes : (n_walks, length), int32
        Label that each problem settles for the later ones of its walk; -1 for none.
    rows : tuple of n_walks index arrays
        Rows, of those to be decided, that each walk decides.
    words : (n_words, n_new), uint32, or None
        Packed labels that are known beforehand; None is none.
    """

    problems: NDArray[np.int32]
    writes: NDArray[np.int32]
    rows: tuple[Longs, ...]
    words: Words | None

    def block(self, part: slice) -> Walks:
        """The same walks for a run of the rows, where every walk decides all of them."""
        words = None if self.words is None else np.ascontiguousarray(self.words[:, part])
        return replace(self, rows=(np.arange(part.stop - part.start),) * len(self.problems), words=words)

    def pointer(self) -> Longs:
        """Where the rows of each walk begin when all are laid end to end."""
        return np.concatenate([[0], np.cumsum([rows.size for rows in self.rows])]).astype(np.int64)

    def evaluations(self, solutions: Solutions) -> float:
        """Kernel values that the walks read."""
        support = np.diff(solutions.support_ptr)
        sizes = np.array([rows.size for rows in self.rows], np.float64)
        return float(support[self.problems].sum(axis=1) @ sizes)


def plan_walks(
    batch: Batch,
    problems: ArrayLike,
    n_new: int,
    *,
    rows: Sequence[ArrayLike] | None = None,
    writes: ArrayLike | None = None,
    words: Words | None = None,
) -> Walks:
    """Check walks over `n_new` rows against the batch; see `walk` for what each of them is."""
    chain = np.ascontiguousarray(np.atleast_2d(problems), np.int32)
    labels = np.full_like(chain, -1) if writes is None else np.ascontiguousarray(np.atleast_2d(writes), np.int32)
    known = None if words is None else np.ascontiguousarray(words, np.uint32)
    parts = check_rows([np.arange(n_new)] * len(chain) if rows is None else rows, len(chain), n_new)
    if chain.size and (chain.min() < 0 or chain.max() >= len(batch)):
        raise ValueError(f"`problems` must lie in 0..{len(batch) - 1}; got {chain.min()}..{chain.max()}.")
    if labels.shape != chain.shape:
        raise ValueError(f"`writes` must have the shape of `problems` {chain.shape}; got {labels.shape}.")
    if labels.size and (labels.min() < -1 or labels.max() >= 32 * len(batch.words)):
        limit = 32 * len(batch.words) - 1
        raise ValueError(f"`writes` must lie in -1..{limit}; got {labels.min()}..{labels.max()}.")
    if known is not None and known.shape != (len(batch.words), n_new):
        raise ValueError(f"`words` must have shape {(len(batch.words), n_new)}; got {known.shape}.")
    return Walks(chain, labels, parts, known)


def check_rows(rows: Sequence[ArrayLike], n_walks: int, n_new: int) -> tuple[Longs, ...]:
    """The rows that each walk decides, or ValueError if they are not among the rows at hand."""
    if len(rows) != n_walks:
        raise ValueError(f"`rows` must have one entry per walk ({n_walks}); got {len(rows)}.")
    parts: dict[int, Longs] = {}  # walks share arrays of rows by the thousand: look at each once
    for given in rows:
        if id(given) not in parts:
            parts[id(given)] = _checked(given, n_new)
    return tuple(parts[id(given)] for given in rows)


def _checked(rows: ArrayLike, n_new: int) -> Longs:
    given: Rows = np.asarray(rows)
    if given.ndim != 1 or (given.size and given.dtype.kind not in "iu"):
        raise ValueError(f"`rows` must be row numbers; got an array of {given.dtype} and shape {given.shape}.")
    if given.size and (given.min() < 0 or given.max() >= n_new):
        raise ValueError(f"`rows` must lie in 0..{n_new - 1}; got {given.min()}..{given.max()}.")
    return given.astype(np.int64, copy=False)


def check_solutions(batch: Batch, solutions: Solutions) -> None:
    """Raise ValueError unless the solutions are those of the batch."""
    if len(solutions) != len(batch):
        raise ValueError(f"`solutions` must be those of the batch ({len(batch)} problems); got {len(solutions)}.")
    if solutions.token != batch.token:
        raise ValueError("`solutions` must be those of the batch; they were found for another one.")
    if solutions.support.size and int(solutions.support.max()) >= batch.n_rows:
        raise ValueError(f"`solutions` must be those of the batch; they name rows beyond its {batch.n_rows}.")
