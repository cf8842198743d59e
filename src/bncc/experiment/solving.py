"""Predictions of a method for the test rows of folds: all together where they can share, or by fit and predict."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from sklearn.base import clone

from bncc._typing import Array, Classifier, Floats, Fold, Pulse
from bncc.experiment.features import Features
from bncc.multilabel.tuned_thresholds import label_scores
from bncc.selection import BatchOptions, FoldAnswer, SearchTask
from bncc.svm import KernelSVC, check_engine

__all__ = ["Clock", "Pair", "Tested", "describe", "fit_folds", "has_kernel", "solve_folds"]

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
    labels: Array
    scores: Floats
    model: Classifier


def has_kernel(estimator: Classifier) -> bool:
    """Whether sigma and C mean something to this estimator.

    >>> from bncc import BNCC, MLkNN
    >>> has_kernel(BNCC()), has_kernel(MLkNN())
    (True, False)
    """
    return hasattr(estimator, "search_names") and set(KernelSVC().search_names()) <= set(estimator.search_names())


def describe(estimator: Classifier, feats: Features, Y: Array, folds: Sequence[Fold], clock: Clock) -> SearchTask:
    """The links of all folds, on the distances at hand; nothing is solved yet."""
    begin = time.perf_counter()
    task: SearchTask = clone(estimator).search_task(feats.X, Y, folds, prepared=feats.distances)
    clock.train += time.perf_counter() - begin
    return task


def solve_folds(
    task: SearchTask,
    pairs: Sequence[Pair],
    *,
    engine: str,
    clock: Clock,
    pulse: Pulse,
) -> Iterator[Tested]:
    """Predictions for every pair of sigma and C and every fold, the links of all of them handed over together."""
    candidates = [{"sigma": sigma, "C": cost} for sigma, cost in pairs]
    for part in task.solve(candidates, BatchOptions(engine=check_engine(engine), pulse=pulse)):
        clock.train += part.train_seconds
        clock.test += part.test_seconds
        clock.engine = "" if part.engine is None else part.engine.name
        answers = iter(part.answers)
        while (answer := _next(answers, clock)) is not None:
            decided = answer.decided
            scores = np.asarray(decided.decisions).reshape(decided.predictions.shape[0], -1)
            yield Tested(answer.fold, pairs[answer.candidate], decided.predictions, scores, answer.model)


def _next(answers: Iterator[FoldAnswer], clock: Clock) -> FoldAnswer | None:
    """The next answer, whose making counts as testing."""
    begin = time.perf_counter()
    answer = next(answers, None)
    clock.test += time.perf_counter() - begin
    return answer


def fit_folds(
    estimator: Classifier,
    feats: Features,
    Y: Array,
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
            model.set_base_params(sigma=pair[0], C=pair[1])
        begin = time.perf_counter()
        model.fit(feats.X[train], Y[train])
        clock.engine = _engine_of(model)
        middle = time.perf_counter()
        labels = model.predict(feats.X[rows])
        clock.train += middle - begin
        clock.test += time.perf_counter() - middle
        yield Tested(fold, pair, labels, label_scores(model, feats.X[rows], Y.shape[1]), model)
        pulse(fold + 1)


def _engine_of(model: Classifier) -> str:
    """The engine of ours that solved the links of a fitted model, or of the one whose thresholds it tunes."""
    used = getattr(model, "engine_", None) or getattr(getattr(model, "estimator_", None), "engine_", None)
    return "" if used is None else str(used.name)
