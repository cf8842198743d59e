"""KernelSVC on folds, for a search: all pairs of classes of all folds and candidates on the same distances."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from bncc._typing import Array, Floats, Fold, Integers, Matrix, Rows
from bncc.selection import BatchOptions, FoldAnswer, SolvedFolds
from bncc.selection.tasks import Candidate
from bncc.svm.candidate_decisions import decide_candidates
from bncc.svm.distances import Distances
from bncc.svm.fold_problems import disjoint_runs, fold_problems
from bncc.svm.link_table import pair_links

if TYPE_CHECKING:
    from bncc.svm.classifier import KernelSVC

__all__ = ["ClassRows", "ClassifierTask"]


@dataclass(frozen=True, eq=False)
class ClassRows:
    """Checked rows: features, classes, their numbers in `classes_`, and weights."""

    X: Matrix
    y: Array
    codes: Integers
    weight: Floats | None

    def take(self, rows: Rows) -> ClassRows:
        """Some of them."""
        weight = None if self.weight is None else self.weight[rows]
        return ClassRows(self.X[rows], self.y[rows], self.codes[rows], weight)


@dataclass(frozen=True, eq=False)
class ClassifierTask:
    """A KernelSVC on some rows and folds, for a search."""

    svc: KernelSVC
    data: ClassRows
    folds: tuple[Fold, ...]
    distances: Distances
    exact: bool = True

    @property
    def rough_tol(self) -> float | None:
        """See `KernelSVC.rough_tol`."""
        return self.svc.rough_tol()

    def solve(self, candidates: Sequence[Candidate], options: BatchOptions) -> Iterator[SolvedFolds]:
        """All folds and candidates on the same distances; folds that test the same rows one after the other."""
        for run in disjoint_runs(self.folds, self.data.codes.size):
            yield from replace(self, folds=self.folds[run])._solve_run(candidates, options, run.start)

    def _solve_run(self, candidates: Sequence[Candidate], options: BatchOptions, first: int) -> Iterator[SolvedFolds]:
        svc, data = self.svc, self.data
        links, targets = pair_links(data.codes, svc.classes_.size)
        weights = self._fold_weights() if svc.class_weight == "balanced" else svc._weights(data)
        problems = fold_problems(self.distances, targets, links, self.folds, weights=weights, kernel=svc.kernel)
        pairs = [svc.gamma_and_cost(candidate, data.X) for candidate in candidates]
        for part in decide_candidates(problems, pairs, svc.settings(options), options.pulse):
            answers = (
                FoldAnswer(candidate, first + fold, svc._decided(decisions[test]), svc)
                for fold, (_, test) in enumerate(self.folds)
                for candidate, decisions in part.decisions.items()
            )
            yield SolvedFolds(answers, part.train_seconds, part.test_seconds, part.engine)

    def _fold_weights(self) -> Floats:
        """Weights as they would be after fitting on the training rows of each fold alone."""
        out = np.ones((len(self.folds), self.data.codes.size))
        for line, (train, _) in zip(out, self.folds, strict=True):
            line[train] = self.svc._weights(self.data.take(train))
        return out

    def refit(self, candidate: Candidate, options: BatchOptions) -> KernelSVC:
        """Fitted to all rows, on the distances that the search has used."""
        best = copy(self.svc).set_params(**self.svc.changes_for(candidate))  # a copy has what reading the data has left
        asked = {"n_jobs": options.n_jobs, "engine": options.engine}
        best.set_params(**{name: value for name, value in asked.items() if value is not None})
        return best._fit_on(self.data, self.distances)
