"""The links of a method on folds of shared rows: what cross-validation hands to an engine, and what comes back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bncc._typing import Floats, Fold, KernelName, Signs, Words
from bncc.svm.distances import Distances
from bncc.svm.link_table import LinkTable
from bncc.svm.walk_plan import check_rows

__all__ = ["FoldDecisions", "FoldProblems", "KernelGrid", "disjoint_runs", "fold_problems", "work_of_folds"]


@dataclass(frozen=True, eq=False)
class FoldProblems:
    """Links over the rows of folds, without kernel parameters (make one with `fold_problems`).

    Attributes
    ----------
    distances : Distances
    targets : (n_targets, n_rows), int8
        +1 / -1; the links choose from its rows.
    links : tuple of LinkTable
        One per fold, of equal length.
    folds : tuple of (training rows, test rows)
    words : (n_words, n_rows), uint32, or None
        Packed labels, for links with context.
    weights : (n_lines, n_rows), float64, or None
        Factors of C: one line for all, one per fold, or any number where the links say which is theirs.
    kernel : "rbf" or "linear"
    """

    distances: Distances
    targets: Signs
    links: tuple[LinkTable, ...]
    folds: tuple[Fold, ...]
    words: Words | None = None
    weights: Floats | None = None
    kernel: KernelName = "rbf"

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.distances.n_rows

    @property
    def n_links(self) -> int:
        """Number of links of each fold."""
        return len(self.links[0])

    def work(self) -> float:
        """Work of all problems at one gamma and C, as `choose_engine` weighs it."""
        return work_of_folds(self.links, self.folds)

    def weight_lines(self) -> NDArray[np.int32]:
        """Line of `weights` of each link of each fold, shape (n_folds, n_links); -1 where there are no weights."""
        if self.weights is None or len(self.weights) == 1:
            return np.full((len(self.folds), self.n_links), -1 if self.weights is None else 0, np.int32)
        of_fold = enumerate(self.links)
        lines = [np.full(self.n_links, fold) if each.weight is None else each.weight for fold, each in of_fold]
        return np.stack(lines).astype(np.int32)


@dataclass(frozen=True, eq=False)
class KernelGrid:
    """Values of gamma and C to try, crossed."""

    gammas: Floats
    costs: Floats

    @property
    def size(self) -> int:
        """Number of pairs."""
        return int(self.gammas.size * self.costs.size)


@dataclass(frozen=True, eq=False)
class FoldDecisions:
    """Decisions (n_gamma, n_C, n_rows, n_links), NaN for rows that no fold tests, and the seconds they took."""

    decisions: Floats
    train_seconds: float
    test_seconds: float


def disjoint_runs(folds: Sequence[Fold], n_rows: int) -> list[slice]:
    """The folds in runs of which none tests a row twice: decisions of a run have one place for each row.

    >>> one, other = (np.arange(2), np.array([2])), (np.arange(1), np.array([1, 2]))
    >>> disjoint_runs([one, other, one], 3), disjoint_runs([one], 3)
    ([slice(0, 1, None), slice(1, 2, None), slice(2, 3, None)], [slice(0, 1, None)])
    """
    starts, tested = [0], np.zeros(n_rows, bool)
    for number, (_, test) in enumerate(folds):
        if tested[test].any():
            starts.append(number)
            tested[:] = False
        tested[test] = True
    return [slice(*ends) for ends in zip(starts, [*starts[1:], len(folds)], strict=True)]


def work_of_folds(links: Sequence[LinkTable], folds: Sequence[Fold]) -> float:
    """Sum of the squared numbers of rows of the links of all folds."""
    out = 0.0
    for table, (train, _) in zip(links, folds, strict=True):
        out += len(train) ** 2 * len(table) if table.rows is None else sum(rows.size**2 for rows in table.rows)
    return out


def fold_problems(
    distances: Distances,
    targets: ArrayLike,
    links: LinkTable | Sequence[LinkTable],
    folds: Sequence[Fold],
    *,
    words: Words | None = None,
    weights: ArrayLike | None = None,
    kernel: KernelName = "rbf",
) -> FoldProblems:
    """Check links and folds against each other; `links` is one for all folds or one per fold."""
    tables = (links,) * len(folds) if isinstance(links, LinkTable) else tuple(links)
    if len(tables) != len(folds) or len({len(each) for each in tables}) > 1:
        raise ValueError(f"`links` must be one for all or one per fold ({len(folds)}), of equal length.")
    check_rows([test for _, test in folds], len(folds), distances.n_rows)
    lines = None if weights is None else np.atleast_2d(np.asarray(weights, np.float64))
    if lines is not None and len(lines) not in (1, len(tables)) and tables[0].weight is None:
        raise ValueError(f"`weights` must have one line or one per fold ({len(tables)}); got {len(lines)}.")
    return FoldProblems(distances, np.asarray(targets), tables, tuple(folds), words, lines, kernel)
