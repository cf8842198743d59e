"""Predictions of a method for the test rows of folds: in one batch on the kernel engine, or by fit and predict."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from bncc.experiment.data import Features
from bncc.experiment.rows import Fold
from bncc.multilabel.tuned_thresholds import label_scores
from bncc.svm import Distances, KernelEstimator, KernelSVC, KernelTask, Links, cross_val_decisions, fold_engine

__all__ = ["Clock", "Pair", "Pulse", "Tested", "describe", "fit_folds", "has_kernel", "solve_folds"]

# Decisions held at a time while sigmas are compared (8 bytes each).
_CELLS = 1 << 27

Pulse = Callable[[int], object]
Pair = tuple[float, float]


@dataclass
class Clock:
    """Seconds spent in training and in testing, and the engine that spent them ("" for none of ours)."""

    train: float = 0.0
    test: float = 0.0
    engine: str = ""


@dataclass(frozen=True, eq=False)
class Tested:
    """Labels and scores of one fold's test rows at one (sigma, C), and the model that has its structure.

    `pair` is None for methods without a kernel.
    """

    fold: int
    pair: Pair | None
    labels: NDArray[Any]
    scores: NDArray[np.float64]
    model: Any


def has_kernel(estimator: Any) -> bool:
    """Whether sigma and C mean something to this estimator.

    >>> from bncc import BNCC, MLkNN
    >>> has_kernel(BNCC()), has_kernel(MLkNN())
    (True, False)
    """
    if not isinstance(estimator, KernelEstimator):
        return False
    try:
        estimator.kernel_base()
    except TypeError:
        return False
    return True


def describe(estimator: Any, feats: Features, Y: NDArray[Any], folds: Sequence[Fold], clock: Clock) -> KernelTask:
    """The links of all folds; nothing is solved yet."""
    begin = time.perf_counter()
    task = clone(estimator).kernel_task(feats.X, Y, folds, None)
    clock.train += time.perf_counter() - begin
    return task


def solve_folds(
    task: KernelTask,
    base: KernelSVC,
    distances: Distances,
    folds: Sequence[Fold],
    sigmas: Sequence[float],
    costs: Sequence[float],
    *,
    engine: str,
    clock: Clock,
    pulse: Pulse,
) -> Iterator[Tested]:
    """Predictions for every sigma, C and fold, the links of all of them handed to the engine together."""
    n_links = len(task.links if isinstance(task.links, Links) else task.links[0])
    step = max(1, _CELLS // max(1, n_links * distances.n_rows * len(costs)))
    for start in range(0, len(sigmas), step):
        part, seconds = sigmas[start : start + step], dict[str, float]()
        clock.engine = fold_engine(engine, task.links, folds, len(part) * len(costs)).name
        decisions = cross_val_decisions(
            distances,
            task.targets,
            task.links,
            folds,
            gamma=[1.0 / (2.0 * sigma**2) for sigma in part],
            C=costs,
            words=task.words,
            weights=task.weights,
            kernel=base.kernel,  # type: ignore[arg-type]
            tol=base.tol,
            max_iter=base.max_iter,
            cache_size=base.cache_size,
            engine=clock.engine,
            progress=pulse,
            seconds=seconds,
        )
        clock.train += seconds["train"]
        clock.test += seconds["test"]
        for g, sigma in enumerate(part):
            for c, cost in enumerate(costs):
                yield from _decide(task, folds, (sigma, cost), decisions[g, c], clock)


def _decide(
    task: KernelTask, folds: Sequence[Fold], pair: Pair, decisions: NDArray[np.float64], clock: Clock
) -> Iterator[Tested]:
    for fold, (_, rows) in enumerate(folds):
        begin = time.perf_counter()
        decided = task.decide(fold, decisions[rows])
        clock.test += time.perf_counter() - begin
        scores = np.asarray(decided.decisions).reshape(rows.size, -1)
        yield Tested(fold, pair, decided.predictions, scores, task.models[fold])


def fit_folds(
    estimator: Any,
    feats: Features,
    Y: NDArray[Any],
    folds: Sequence[Fold],
    pair: Pair | None,
    *,
    clock: Clock,
    pulse: Pulse,
) -> Iterator[Tested]:
    """Predictions of methods that cannot be handed over in one batch: fit and predict, fold by fold."""
    for fold, (train, rows) in enumerate(folds):
        model = clone(estimator)
        if pair is not None:
            model.kernel_base().set_params(sigma=pair[0], C=pair[1])
        begin = time.perf_counter()
        model.fit(feats.X[train], Y[train])
        middle = time.perf_counter()
        labels = model.predict(feats.X[rows])
        clock.train += middle - begin
        clock.test += time.perf_counter() - middle
        yield Tested(fold, pair, labels, label_scores(model, feats.X[rows], Y.shape[1]), model)
        pulse(fold + 1)
