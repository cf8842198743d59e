"""Out-of-fold decisions of a method for many sigmas and C at once, on shared distances.

All folds of a link with the same gamma and C share kernel rows and start from the solution on all their rows, so that
the tenth fold costs a fraction of the first. Measured on yeast (13 sigmas, 10 folds): `benchmarks/bench_selection.py`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bncc.svm.cuda.crossval import fold_decisions
from bncc.svm.cuda.device import current_device
from bncc.svm.distances import Distances
from bncc.svm.engines import EngineChoice, choose_engine, solve
from bncc.svm.links import Links
from bncc.svm.problems import Batch, Kernel, Solutions, make_batch
from bncc.svm.row_sets import Fold, RowSets, training_sets
from bncc.svm.walks import rows_of_walks, walk_known

__all__ = ["cross_val_decisions", "fold_engine"]


def cross_val_decisions(
    distances: Distances,
    targets: ArrayLike,
    links: Links | Sequence[Links],
    folds: Sequence[Fold],
    *,
    gamma: ArrayLike,
    C: ArrayLike,
    words: NDArray[np.uint32] | None = None,
    weights: ArrayLike | None = None,
    kernel: Kernel = "rbf",
    tol: float = 1e-3,
    max_iter: int = -1,
    cache_size: float = 2000.0,
    n_jobs: int | None = None,
    engine: str = "auto",
    progress: Callable[[int], object] | None = None,
    seconds: dict[str, float] | None = None,
) -> NDArray[np.float64]:
    """Decisions of every link for rows it did not learn from.

    Parameters
    ----------
    distances : Distances
    targets : array of shape (n_targets, n_rows)
        +1 / -1; `links` choose from its rows.
    links : Links, or one per fold
        One per fold where the method learns its structure from the training rows.
    folds : sequence of (training rows, test rows)
    gamma, C : values to try, crossed
    words : array of shape (n_words, n_rows), default=None
        Packed labels, for links with context.
    weights : array of shape (n_rows,) or (n_folds, n_rows), default=None
        Factors of C. Any number of lines where the links say which is theirs.
    seconds : dict, default=None
        Filled with the seconds of "train" and "test".

    Returns
    -------
    array of shape (n_gamma, n_C, n_rows, n_links)
        NaN for rows that no fold tests.
    """
    gammas, costs = np.atleast_1d(np.asarray(gamma, np.float64)), np.atleast_1d(np.asarray(C, np.float64))
    per_fold = [links] * len(folds) if isinstance(links, Links) else list(links)
    if len(per_fold) != len(folds) or len({len(each) for each in per_fold}) > 1:
        raise ValueError(f"`links` must be one for all or one per fold ({len(folds)}), of equal length.")
    rows_of_walks([test for _, test in folds], len(folds), distances.n_rows)
    begin = time.perf_counter()
    table = _weight_table(weights, per_fold)
    chosen = fold_engine(engine, per_fold, folds, gammas.size * costs.size).name
    if chosen == "cuda":
        return fold_decisions(
            current_device(),
            distances,
            targets,
            per_fold,
            folds,
            gammas=gammas,
            costs=costs,
            words=words,
            weights=table,
            kernel=kernel,
            tol=tol,
            max_iter=max_iter,
            progress=progress,
            seconds=seconds,
        )
    plan = _Plan(distances.n_rows, per_fold, folds, gammas, costs)
    batch = plan.batch(distances, targets, words, table, kernel)
    options: dict[str, Any] = {"n_jobs": n_jobs, "engine": chosen}
    solutions = solve(batch, tol=tol, max_iter=max_iter, cache_size=cache_size, progress=progress, **options)
    middle = time.perf_counter()
    decisions = plan.decide(batch, solutions, cache_size, options)
    if seconds is not None:
        seconds |= {"train": middle - begin, "test": time.perf_counter() - middle}
    return decisions


def fold_engine(engine: str, links: Links | Sequence[Links], folds: Sequence[Fold], n_values: int) -> EngineChoice:
    """What `cross_val_decisions` solves with, for that many pairs of gamma and C."""
    work = 0.0
    for fold, (train, _) in enumerate(folds):
        each = links if isinstance(links, Links) else links[fold]
        work += len(train) ** 2 * len(each) if each.rows is None else sum(rows.size**2 for rows in each.rows)
    return choose_engine(engine, work=work * n_values)


def _weight_table(weights: ArrayLike | None, links: Sequence[Links]) -> NDArray[np.float64] | None:
    if weights is None:
        return None
    table = np.atleast_2d(np.asarray(weights, np.float64))
    if len(table) not in (1, len(links)) and links[0].weight is None:
        raise ValueError(f"`weights` must have one line or one per fold ({len(links)}); got {len(table)}.")
    return table


class _Plan:
    """Which problem is which link of which fold, and which share a group."""

    def __init__(
        self,
        n_rows: int,
        links: list[Links],
        folds: Sequence[Fold],
        gammas: NDArray[np.float64],
        costs: NDArray[np.float64],
    ) -> None:
        self.n_rows, self.links, self.folds = n_rows, links, folds
        self.gammas, self.costs = gammas, costs
        self.unions: dict[frozenset[int], int] = {}
        self.sets = RowSets()
        self.row_set = training_sets(self.sets, links, folds, n_rows)
        self.columns: dict[str, list[Any]] = {
            name: [] for name in ("target", "row_set", "gamma", "C", "context", "weight", "group", "start")
        }
        # problem[g, c, fold, link]
        self.problem = np.zeros((gammas.size, costs.size, len(folds), len(links[0])), np.int32)
        groups = [(members, *self._row_sets_of(members)) for members in self._shared()]
        for g in range(gammas.size):
            for members, row_sets, whole in groups:
                self._add_group(g, members, row_sets, whole)

    def _shared(self) -> list[list[tuple[int, int]]]:
        """(fold, link) pairs by target and context: what may share kernel rows."""
        groups: dict[tuple[int, bytes, int], list[tuple[int, int]]] = {}
        for fold, links in enumerate(self.links):
            for link in range(len(links)):
                # Links with rows of their own (pairs of classes) differ from each other in more than the fold.
                own = link if links.rows is not None else -1
                key = (int(links.target[link]), links.context[link].tobytes(), own)
                groups.setdefault(key, []).append((fold, link))
        return list(groups.values())

    def _row_sets_of(self, members: list[tuple[int, int]]) -> tuple[list[int], int]:
        """The row set of each member, and that of all of them together (-1 where it would not pay)."""
        row_sets = [int(self.row_set[member]) for member in members]
        if len(members) < 3:
            return row_sets, -1
        return row_sets, self._union(frozenset(row_sets))

    def _union(self, row_sets: frozenset[int]) -> int:
        if row_sets not in self.unions:
            inside = np.zeros(self.n_rows, bool)
            for row_set in row_sets:
                inside[self.sets.sets[row_set]] = True
            self.unions[row_sets] = self.sets.place(np.flatnonzero(inside).astype(np.int32))
        return self.unions[row_sets]

    def _add_group(self, g: int, members: list[tuple[int, int]], row_sets: list[int], whole: int) -> None:
        group = self.columns["group"][-1] + 1 if self.columns["group"] else 0
        anchor = -1
        for c, cost in enumerate(self.costs):
            if whole >= 0:
                anchor = self._add(g, cost, members[0], whole, group, anchor)
            for (fold, link), row_set in zip(members, row_sets, strict=True):
                self.problem[g, c, fold, link] = self._add(g, cost, (fold, link), row_set, group, anchor)

    def _add(self, g: int, cost: float, member: tuple[int, int], row_set: int, group: int, start: int) -> int:
        fold, link = member
        links = self.links[fold]
        weight = fold if links.weight is None else links.weight[link]
        values = (links.target[link], row_set, self.gammas[g], cost, links.context[link], weight, group, start)
        for name, value in zip(self.columns, values, strict=True):
            self.columns[name].append(value)
        return len(self.columns["target"]) - 1

    def batch(
        self,
        distances: Distances,
        targets: ArrayLike,
        words: NDArray[np.uint32] | None,
        table: NDArray[np.float64] | None,
        kernel: Kernel,
    ) -> Batch:
        columns = dict(self.columns)
        context = np.array(columns.pop("context"), np.uint32).reshape(len(columns["target"]), -1)
        if table is None or len(table) == 1:
            columns["weight"] = [-1 if table is None else 0]
        return make_batch(
            distances,
            targets,
            kernel=kernel,
            rows=self.sets.sets,
            words=words,
            context=context if words is not None else None,
            weights=table,
            **columns,
        )

    def decide(
        self, batch: Batch, solutions: Solutions, cache_size: float, options: dict[str, Any]
    ) -> NDArray[np.float64]:
        out = np.full((self.gammas.size, self.costs.size, self.n_rows, self.problem.shape[3]), np.nan)
        for fold, (_, test) in enumerate(self.folds):
            chains = self.links[fold].chains
            problems = self.problem[:, :, fold][:, :, chains].reshape(-1, chains.shape[1])
            writes = np.broadcast_to(
                self.links[fold].writes[chains], (self.gammas.size * self.costs.size, *chains.shape)
            )
            rows, flat = np.asarray(test, np.int64), writes.reshape(problems.shape)
            found = walk_known(batch, solutions, rows, problems, writes=flat, cache_size=cache_size, **options)
            found = found.reshape(self.gammas.size, self.costs.size, len(chains), rows.size, chains.shape[1])
            out[:, :, rows[:, None, None], chains] = np.moveaxis(found, 2, 3)
        return out
