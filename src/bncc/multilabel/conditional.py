"""Probabilities of links given their context, from the kernel engine's decisions for held-out rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from bncc.multilabel.calibration import fit_slopes
from bncc.multilabel.crossval import Calibration, Fold, deal_folds
from bncc.multilabel.kernel import kernel_problems, link_weights
from bncc.multilabel.links import Links
from bncc.multilabel.targets import Targets
from bncc.svm import (
    Batch,
    KernelSVC,
    make_batch,
    pack_labels,
    resolve_gamma,
    solve,
    squared_distances,
    walk_known,
)

__all__ = ["LinkCalibration", "conditional_decisions"]


class LinkCalibration(Calibration):
    """Slopes that turn the decisions of each link into probabilities given its context, shape (n_links, 2).

    Fitted, when first asked for, to decisions for held-out rows under their true context: at training time that is
    the context a link has learned from, and what conditional probabilities are about.
    """

    def __init__(
        self,
        links: Links,
        X: Any,
        targets: Targets,
        svc: KernelSVC,
        sample_weight: NDArray[np.float64] | None,
        n_jobs: int | None,
    ) -> None:
        self._source = (links, X, targets, clone(svc), sample_weight, n_jobs)
        self._slopes = None

    @staticmethod
    def _settle(*source: Any) -> NDArray[np.float64]:
        return _calibrate_links(*source)


def _calibrate_links(
    links: Links, X: Any, targets: Targets, svc: KernelSVC, sample_weight: Any, n_jobs: int | None
) -> NDArray[np.float64]:
    if targets.n_rows < 2:
        return np.ones((len(links), 2))
    folds = deal_folds(targets)
    decisions = conditional_decisions(links, X, targets, svc, folds, sample_weight=sample_weight, n_jobs=n_jobs)
    out = np.empty((len(links), 2))
    for place, link in enumerate(links.links):
        rows = link.training_rows()
        weight = None if sample_weight is None else sample_weight[rows]
        out[place] = fit_slopes(decisions[rows, place], link.target[rows] == 1, weight)
    return out


def conditional_decisions(
    links: Links,
    X: Any,
    targets: Targets,
    svc: KernelSVC,
    folds: Sequence[Fold],
    *,
    sample_weight: NDArray[np.float64] | None = None,
    n_jobs: int | None = None,
) -> NDArray[np.float64]:
    """Decisions of links for rows held out by the folds, given the true labels as context: (n_rows, n_links).

    Every link is solved on all its rows first; its folds share kernel rows and start from that solution. NaN for rows
    that no fold tests.
    """
    jobs = svc.n_jobs if n_jobs is None else n_jobs
    batch = _fold_batch(links, X, targets, svc, folds, sample_weight, jobs)
    options: dict[str, Any] = {"tol": svc.tol, "max_iter": svc.max_iter, "cache_size": svc.cache_size, "n_jobs": jobs}
    solutions = solve(batch, engine=svc.engine, **options)
    out = np.full((targets.n_rows, len(links)), np.nan)
    for fold, (_, test) in enumerate(folds):
        rows = np.asarray(test)
        problems = (np.arange(len(links)) * (len(folds) + 1) + fold + 1)[:, None]
        words = np.ascontiguousarray(batch.words[:, rows])
        sizes: dict[str, Any] = {"cache_size": svc.cache_size, "n_jobs": jobs}
        out[rows] = walk_known(batch, solutions, rows, problems, words=words, engine=svc.engine, **sizes)[:, :, 0].T
    return out


def _fold_batch(
    links: Links, X: Any, targets: Targets, svc: KernelSVC, folds: Sequence[Fold], sample_weight: Any, jobs: int | None
) -> Batch:
    """For each link a problem on all its rows, then one per fold that starts from it."""
    (problems,), table = kernel_problems([links], targets.n_labels)
    weights = link_weights(links, svc.class_weight, sample_weight)
    sets: list[NDArray[np.int64]] = []
    for link in links.links:
        own = link.training_rows()
        sets.append(own)
        for train, _ in folds:
            part = own[np.isin(own, train)]
            sets.append(part if part.size else own)
    size = len(folds) + 1
    index = np.repeat(np.arange(len(links)), size)
    return make_batch(
        squared_distances(X, cache_size=svc.cache_size, n_jobs=jobs),
        table,
        gamma=resolve_gamma(X, sigma=svc.sigma, gamma=svc.gamma),
        C=svc.C,
        kernel=svc.kernel,  # type: ignore[arg-type]
        rows=sets,
        row_set=np.arange(len(sets)),
        target=problems.target[index],
        words=pack_labels(targets.positives),
        context=problems.context[index],
        weights=weights,
        weight=None if weights is None else index,
        group=index,
        start=np.where(np.arange(len(sets)) % size == 0, -1, index * size),
    )
