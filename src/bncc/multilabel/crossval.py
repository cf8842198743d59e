"""Scores of an estimator for rows it did not learn from, all folds solved in one call."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from bncc.datasets.stratification import deal_rows
from bncc.multilabel.calibration import fit_slopes
from bncc.multilabel.kernel import kernel_problems, link_weights
from bncc.multilabel.links import Link, Links, ground
from bncc.multilabel.targets import Targets
from bncc.svm import Decided, KernelTask, cross_val_decisions, pack_labels, resolve_gamma, squared_distances
from bncc.svm import Links as KernelProblems

__all__ = ["Calibration", "Fold", "deal_folds", "describe_folds", "lift_links", "out_of_fold_scores"]

Fold = tuple[NDArray[np.integer[Any]], NDArray[np.integer[Any]]]


def describe_folds(
    estimator: Any, X: Any, targets: Targets, folds: Sequence[Fold], sample_weight: NDArray[np.float64] | None
) -> KernelTask:
    """The links of an estimator on the kernel engine for every fold; structure comes from the training rows alone."""
    shells, links = [], []
    for train, _ in folds:
        shell = clone(estimator)
        shell._remember(targets)
        links.append(lift_links(shell._describe(X[train], targets.take(train)), np.asarray(train), targets))
        shells.append(shell)
    links = _pad(links, folds, targets.n_rows)
    problems, table = kernel_problems(links, targets.n_labels)
    problems, weights = _weigh(links, problems, estimator._base().class_weight, sample_weight)

    def decide(fold: int, decisions: NDArray[np.float64]) -> Decided:
        shell, walks = shells[fold], problems[fold].chains
        scores = shell._assemble(np.moveaxis(decisions[:, walks], 1, 0), X[folds[fold][1]])
        shown = scores[:, 0] if targets.flat else scores
        return Decided(shell.classes_, shown, shell._shape_labels(scores > 0))

    exact = getattr(estimator, "inference", "greedy") == "greedy"
    return KernelTask(X, table, problems, pack_labels(targets.positives), weights, decide, tuple(shells), exact)


def _weigh(
    links: Sequence[Links],
    problems: list[KernelProblems],
    class_weight: Any,
    sample_weight: NDArray[np.float64] | None,
) -> tuple[list[KernelProblems], NDArray[np.float64] | None]:
    """Factors of C; with class weights, a line of their own for each link of each fold."""
    if class_weight is None:
        return problems, sample_weight
    lines = [weights for each in links if (weights := link_weights(each, class_weight, sample_weight)) is not None]
    starts = np.cumsum([0, *map(len, lines)])
    placed = [
        replace(each, weight=np.arange(start, start + len(each), dtype=np.int32))
        for each, start in zip(problems, starts, strict=False)
    ]
    return placed, np.concatenate(lines)


def out_of_fold_scores(
    estimator: Any, X: Any, targets: Targets, folds: Sequence[Fold], sample_weight: NDArray[np.float64] | None
) -> NDArray[np.float64]:
    """Label scores (n_rows, n_labels) for rows held out by the folds; NaN for rows in no test fold."""
    task = describe_folds(estimator, X, targets, folds, sample_weight)
    base = estimator._base()
    options = {"cache_size": base.cache_size, "n_jobs": base.n_jobs if estimator.n_jobs is None else estimator.n_jobs}
    decisions = cross_val_decisions(
        squared_distances(X, **options),
        task.targets,
        task.links,
        folds,
        gamma=resolve_gamma(X, sigma=base.sigma, gamma=base.gamma),
        C=base.C,
        words=task.words,
        weights=task.weights,
        kernel=base.kernel,
        tol=base.tol,
        max_iter=base.max_iter,
        engine=base.engine,
        **options,
    )[0, 0]
    out = np.full((targets.n_rows, targets.n_labels), np.nan)
    for fold, (_, test) in enumerate(folds):
        out[test] = task.decide(fold, decisions[test]).decisions.reshape(len(test), -1)
    return out


def lift_links(links: Links, rows: NDArray[np.integer[Any]], targets: Targets) -> Links:
    """Links that were described on some rows, as links on all rows that learn from those.

    A link whose target is a label keeps the whole column, so that the folds of a label share their kernel rows; other
    targets are lifted once for all links that share them. A link is repeated for every walk that it is part of,
    because its decisions depend on the walk.
    """
    lifted: dict[int, NDArray[np.int8]] = {}
    columns: dict[int, NDArray[np.int8]] = {}

    def target_of(link: Link) -> NDArray[np.int8]:
        if link.label >= 0:
            if link.label not in columns:
                columns[link.label] = np.maximum(targets.column(link.label), 0)
            return columns[link.label]
        if id(link.target) not in lifted:
            lifted[id(link.target)] = _spread(link.target, rows, targets.n_rows)
        return lifted[id(link.target)]

    def lift(link: Link) -> Link:
        own = np.asarray(rows[link.training_rows()], np.int64)
        # Not by `replace`, which takes longer than all the rest: there may be 10^5 links.
        lifted = Link(
            name=link.name,
            target=target_of(link),
            context=link.context,
            rows=own,
            writes=link.writes,
            label=link.label,
            features=link.features,
        )
        return lifted if own.size else ground(lifted, int(rows[0]))

    each = tuple(lift(links.links[place]) for walk in links.walks for place in walk)
    length = len(links.walks[0])
    return Links(each, tuple(tuple(range(start, start + length)) for start in range(0, len(each), length)))


def _spread(target: NDArray[np.int8], rows: NDArray[np.integer[Any]], n_rows: int) -> NDArray[np.int8]:
    out = np.zeros(n_rows, np.int8)
    out[rows] = np.maximum(target, 0)
    return out


def _pad(all_links: Sequence[Links], folds: Sequence[Fold], n_rows: int) -> list[Links]:
    """Links of folds brought to one length, as the engine wants it, by links that nothing walks through."""
    longest = max(len(links) for links in all_links)
    nothing = Link("", np.zeros(n_rows, np.int8), rows=np.zeros(0, np.int64))
    return [
        Links(links.links + (ground(nothing, int(train[0])),) * (longest - len(links)), links.walks)
        for links, (train, _) in zip(all_links, folds, strict=True)
    ]


def deal_folds(targets: Targets, n_folds: int = 5) -> list[Fold]:
    """Folds for calibration and thresholds: stratified, in the given order of rows."""
    fold = deal_rows(targets.positives.tocsr(), [1] * min(n_folds, targets.n_rows), None, None)
    return [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in np.unique(fold)]


class Calibration:
    """Slopes that turn an estimator's scores into probabilities, fitted to out-of-fold scores when first asked for.

    Settled before a model is written, so that no training row travels with it.
    """

    def __init__(self, estimator: Any, X: Any, targets: Targets, sample_weight: NDArray[np.float64] | None) -> None:
        self._source: Any = (clone(estimator), X, targets, sample_weight)
        self._slopes: NDArray[np.float64] | None = None

    @property
    def slopes(self) -> NDArray[np.float64]:
        """Slopes below and above the boundary, shape (n_labels, 2)."""
        if self._slopes is None:
            self._slopes = self._settle(*self._source)
            self._source = None
        return self._slopes

    @staticmethod
    def _settle(*source: Any) -> NDArray[np.float64]:
        return _calibrate(*source)

    def __getstate__(self) -> dict[str, Any]:
        return {"_slopes": self.slopes, "_source": None}


def _calibrate(
    estimator: Any, X: Any, targets: Targets, sample_weight: NDArray[np.float64] | None
) -> NDArray[np.float64]:
    if targets.n_rows < 2:
        return np.ones((targets.n_labels, 2))
    scores = out_of_fold_scores(estimator, X, targets, deal_folds(targets), sample_weight)
    out = np.empty((targets.n_labels, 2))
    for label in range(targets.n_labels):
        column = targets.column(label)
        rows = np.flatnonzero(column >= 0)
        weight = None if sample_weight is None else sample_weight[rows]
        out[label] = fit_slopes(scores[rows, label], column[rows] == 1, weight)
    return out
