"""Which problem is which link of which fold: one batch for all folds and values, on shared kernel rows.

All folds of a link with the same gamma and C share kernel rows and start from the solution on all their rows, so that
the tenth fold costs a fraction of the first. Measured on yeast (13 sigmas, 10 folds): `benchmarks/bench_selection.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from bncc._typing import Floats, Longs
from bncc.svm.fold_problems import FoldProblems, KernelGrid
from bncc.svm.problems import Batch, make_batch
from bncc.svm.row_sets import RowSets, training_sets
from bncc.svm.walk_plan import Walks, plan_walks

__all__ = ["FoldPlan"]

_COLUMNS = ("target", "row_set", "gamma", "C", "context", "weight", "group", "start")

Member = tuple[int, int]  # fold, link


class FoldPlan:
    """The problems of all folds and values of a grid, and which of them share a group."""

    def __init__(self, problems: FoldProblems, grid: KernelGrid) -> None:
        self.given, self.grid = problems, grid
        self.unions: dict[frozenset[int], int] = {}
        self.sets = RowSets()
        self.row_set = training_sets(self.sets, problems.links, problems.folds, problems.n_rows)
        self.weight_lines = problems.weight_lines()
        self.columns: dict[str, list[Any]] = {name: [] for name in _COLUMNS}
        # problem[g, c, fold, link]
        shape = (grid.gammas.size, grid.costs.size, len(problems.folds), problems.n_links)
        self.problem = np.zeros(shape, np.int32)
        groups = [(members, *self._row_sets_of(members)) for members in self._shared()]
        for g in range(grid.gammas.size):
            for members, row_sets, whole in groups:
                self._add_group(g, members, row_sets, whole)

    def _shared(self) -> list[list[Member]]:
        """(fold, link) pairs by target and context: what may share kernel rows."""
        groups: dict[tuple[int, bytes, int], list[Member]] = {}
        # Links with rows of their own (pairs of classes) differ from each other in more than the fold.
        rows_of_their_own = any(links.rows is not None for links in self.given.links)
        for fold, links in enumerate(self.given.links):
            for link in range(len(links)):
                key = (int(links.target[link]), links.context[link].tobytes(), link if rows_of_their_own else -1)
                groups.setdefault(key, []).append((fold, link))
        return list(groups.values())

    def _row_sets_of(self, members: list[Member]) -> tuple[list[int], int]:
        """The row set of each member, and that of all of them together (-1 where it would not pay)."""
        row_sets = [int(self.row_set[member]) for member in members]
        if len(members) < 3:
            return row_sets, -1
        return row_sets, self._union(frozenset(row_sets))

    def _union(self, row_sets: frozenset[int]) -> int:
        if row_sets not in self.unions:
            inside = np.zeros(self.given.n_rows, bool)
            for row_set in row_sets:
                inside[self.sets.sets[row_set]] = True
            self.unions[row_sets] = self.sets.number_of(np.flatnonzero(inside).astype(np.int32))
        return self.unions[row_sets]

    def _add_group(self, g: int, members: list[Member], row_sets: list[int], whole: int) -> None:
        group = self.columns["group"][-1] + 1 if self.columns["group"] else 0
        anchor = -1

        def add(cost: float, member: Member, row_set: int) -> int:
            fold, link = member
            links = self.given.links[fold]
            line = self.weight_lines[member]
            gamma = self.grid.gammas[g]
            values = (links.target[link], row_set, gamma, cost, links.context[link], line, group, anchor)
            for name, value in zip(_COLUMNS, values, strict=True):
                self.columns[name].append(value)
            return len(self.columns["target"]) - 1

        # The fold that holds out nothing, where there is one, is where the others start.
        first = row_sets.index(whole) if whole in row_sets else -1
        for c, cost in enumerate(self.grid.costs):
            if whole >= 0:
                anchor = add(cost, members[max(first, 0)], whole)
            for number, ((fold, link), row_set) in enumerate(zip(members, row_sets, strict=True)):
                is_anchor = whole >= 0 and number == first
                self.problem[g, c, fold, link] = anchor if is_anchor else add(cost, (fold, link), row_set)

    def batch(self) -> Batch:
        """The problems, as an engine takes them."""
        given, columns = self.given, dict(self.columns)
        context = np.array(columns.pop("context"), np.uint32).reshape(len(columns["target"]), -1)
        return make_batch(
            given.distances,
            given.targets,
            kernel=given.kernel,
            rows=self.sets.sets,
            words=given.words,
            context=context if given.words is not None else None,
            weights=given.weights,
            target=columns["target"],
            row_set=columns["row_set"],
            gamma=columns["gamma"],
            C=columns["C"],
            weight=columns["weight"],
            group=columns["group"],
            start=columns["start"],
        )

    def decide(self, batch: Batch, walk: Callable[[Longs, Walks], Floats]) -> Floats:
        """Decisions (n_gamma, n_C, n_rows, n_links) from a function that walks rows of the batch."""
        n_gamma, n_cost = self.grid.gammas.size, self.grid.costs.size
        out = np.full((n_gamma, n_cost, self.given.n_rows, self.problem.shape[3]), np.nan)
        for fold, (_, test) in enumerate(self.given.folds):
            links, rows = self.given.links[fold], np.asarray(test, np.int64)
            chains = links.chains
            problems = self.problem[:, :, fold][:, :, chains].reshape(-1, chains.shape[1])
            writes = np.broadcast_to(links.writes[chains], (n_gamma * n_cost, *chains.shape)).reshape(problems.shape)
            if not rows.size or not problems.size:
                continue
            decisions = walk(rows, plan_walks(batch, problems, rows.size, writes=writes))
            decisions = decisions.reshape(n_gamma, n_cost, len(chains), rows.size, chains.shape[1])
            out[:, :, rows[:, None, None], chains] = np.moveaxis(decisions, 2, 3)
        return out
