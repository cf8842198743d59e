"""The methods that `bench_recommended.py` compares, each tuned for a metric, and their data."""

from __future__ import annotations

import copy
import os
import time
import zlib
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import partial
from unittest import mock

import numpy as np
from shared_trials import SharedTrials
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.pipeline import make_pipeline

from bncc.analysis import paper
from bncc.datasets import MultilabelStratifiedKFold, load
from bncc.metrics import evaluate, get_metric, get_scorer
from bncc.multilabel import (
    BNCC,
    BinaryRelevance,
    Blend,
    BlendPlan,
    ClassifierChain,
    EnsembleClassifierChain,
    RangeScaler,
    TunedThresholds,
    recommended_kernels,
)
from bncc.multilabel.blending import settling
from bncc.multilabel.blending.clock import Clock
from bncc.multilabel.blending.leaderboard import PlannedFamily
from bncc.multilabel.blending.stacking import STACKED
from bncc.selection import BatchSearchCV
from bncc.svm import KernelSVC

#: Versions of the blend. Add one when `recommended` tries other families, or weighs or decides in another way: a table
#: is made of one of them.
BLENDS = {
    1: "before kernel ridge regression and the trees on top",
    2: "with kernel ridge regression and the trees on top",
    3: "with kernel ridge regression, the trees on top and the sizes of label sets",
}
BLEND_VERSION = max(BLENDS)
MOST_ROWS = 6000
#: Sets of words, handed over as they are loaded, sparse; all other features are dense arrays.
SPARSE_SETS = ("bibtex", "enron")
GRID = {"sigma": [0.5, 1.0, 2.0, 4.0, 8.0, 16.0], "C": [1.0, 10.0]}
FOREST_GRID = [
    {"max_features": features, "min_samples_leaf": leaf} for leaf in (1, 3) for features in ("sqrt", 0.3, 0.6)
]
LIGHTGBM_GRID = [{"learning_rate": rate, "num_leaves": leaves} for rate in (0.1, 0.05) for leaves in (31, 7, 63)]
CATBOOST_GRID = [{"depth": depth, "learning_rate": rate} for rate in (None, 0.1) for depth in (6, 4, 8)]
#: What one fit of a blend answers for, beside the blend: its best family alone, and the average of all of them.
OF_BLEND = ("best_family", "plain_average")


@dataclass(frozen=True)
class Answer:
    """A prediction, what it took, and what there is to tell."""

    predicted: np.ndarray
    seconds: float
    weights: dict[str, float] | None = None


class WatchedBlend(Blend):
    """A blend that keeps what it has tried, so that other blends can be made of it."""

    def _keep(self, problem, trials, settled, clock):
        self.seen_ = problem, trials
        super()._keep(problem, trials, settled, clock)

    def with_weights(self, weights):
        """A blend of the same trials with these weights, the same for all labels."""
        problem, trials = self.seen_
        families = [
            PlannedFamily(tried.family, (), weights.get(tried.family, 0.0))
            for tried in trials.tried
            if tried.family != STACKED
        ]
        plan = BlendPlan(tuple(families), limited=False)
        with mock.patch.object(settling, "weights_of_labels", _same_for_all_labels):
            settled = settling.settle(problem, trials, plan, Clock())
        other = copy.copy(self)
        Blend._keep(other, problem, trials, settled, Clock())
        return other


def _same_for_all_labels(rates, truth, known, weights, row_weight=None):
    return np.repeat(weights[:, None], truth.shape[1], axis=1)


def blend_answers(metric, seed, limit, X, Y, X_test, shared=None):
    """Answers of a blend, of its best family by held-out score, and of the average of its families.

    `shared` are trials on the same rows for another metric; with a time limit nothing is shared.
    """
    shared, fold = (SharedTrials(), None) if shared is None or limit is not None else shared
    start = time.perf_counter()
    with nullcontext() if fold is None else shared.on(fold):
        blend = WatchedBlend(metric, time_limit=limit, random_state=seed).fit(X, Y)
    seconds = time.perf_counter() - start + shared.saved
    scores = {tried.family: score for tried, score in zip(blend.seen_[1].tried, blend.seen_[1].scores, strict=True)}
    names = [name for name in scores if name != STACKED]
    best = max(names, key=lambda name: scores[name]) if names else None
    out = {"blend": Answer(blend.predict(X_test), seconds, blend.weights_)}
    if names:
        alone = blend.with_weights({best: 1.0})
        average = blend.with_weights(dict.fromkeys(names, 1.0 / len(names)))
        out["best_family"] = Answer(alone.predict(X_test), seconds, alone.weights_)
        out["plain_average"] = Answer(average.predict(X_test), seconds, average.weights_)
    return out


def kernel_method(method, metric):
    """A chain or binary relevance with its kernel searched and its thresholds tuned for the metric."""
    model = TunedThresholds(method, metric, how="per_label")
    folds = MultilabelStratifiedKFold(3, shuffle=False)
    return make_pipeline(RangeScaler(), BatchSearchCV(model, GRID, scoring=get_scorer(metric), cv=folds))


def tuned_in(make, grid, metric, seconds, X, Y):
    """The first settings fitted to all rows; where the seconds allow, the best of more of them by a held-out fifth."""
    fit = partial(_fit_tuned, make, metric)
    start = time.perf_counter()
    model = fit(grid[0], X, Y, folds=5)
    # A try has four fits of four fifths of the rows, and the last fit six.
    whole = time.perf_counter() - start
    n_tries = min(int((seconds - 2 * whole) / (0.6 * whole)), len(grid))
    if n_tries < 2:
        return model
    train, held_out = next(MultilabelStratifiedKFold(5, shuffle=False).split(X, Y))
    sign = 1 if get_metric(metric).greater_is_better else -1
    scores = []
    for settings in grid[:n_tries]:
        predicted = np.asarray(fit(settings, X[train], Y[train], folds=3).predict(X[held_out]))
        scores.append(sign * evaluate(Y[held_out], predicted, metrics=[metric])[metric])
        if time.perf_counter() - start + 1.6 * whole > seconds:
            break
    best = int(np.argmax(scores))
    return model if best == 0 else fit(grid[best], X, Y, folds=5)


def _fit_tuned(make, metric, settings, X, Y, *, folds):
    return TunedThresholds(make(**settings), metric, how="per_label", cv=folds).fit(X, Y)


def lightgbm(seed, **settings):
    from lightgbm import LGBMClassifier

    # As many threads as OpenMP would take, so that OMP_NUM_THREADS can say fewer where cores are busy.
    return BinaryRelevance(LGBMClassifier(verbose=-1, random_state=seed, n_jobs=0, **settings), n_jobs=1)


def catboost(seed, **settings):
    from catboost import CatBoostClassifier

    # As many trees as the forests have: a thousand, its default, take minutes where all others take seconds.
    options = {"iterations": 300, "thread_count": len(os.sched_getaffinity(0)), "allow_writing_files": False}
    return CatBoostClassifier(loss_function="MultiLogloss", verbose=0, random_seed=seed, **options, **settings)


#: Methods with settings that are searched within the seconds that the blend took: how to make one, and what to try.
TUNED = {
    "extra_trees": (lambda seed, **settings: ExtraTreesClassifier(300, n_jobs=-1, random_state=seed, **settings),
                    FOREST_GRID),
    "random_forest": (lambda seed, **settings: RandomForestClassifier(300, n_jobs=-1, random_state=seed, **settings),
                      FOREST_GRID),
    "lightgbm": (lightgbm, LIGHTGBM_GRID),
    "catboost": (catboost, CATBOOST_GRID),
}  # fmt: skip
#: Methods with searches of their own.
WHOLE = {
    "br": lambda metric, seed: kernel_method(BinaryRelevance(KernelSVC()), metric),
    "cc": lambda metric, seed: kernel_method(ClassifierChain(KernelSVC(), random_state=seed), metric),
    "bncc": lambda metric, seed: kernel_method(BNCC(KernelSVC()), metric),
    "ecc": lambda metric, seed: kernel_method(EnsembleClassifierChain(KernelSVC(), random_state=seed), metric),
    "recommended_kernels": lambda metric, seed: recommended_kernels(metric, random_state=seed),
}
METHODS = ("blend", *OF_BLEND, *WHOLE, *TUNED)


def installed(method):
    """Whether the package that the method is of is there."""
    try:
        if method in ("lightgbm", "catboost"):
            __import__(method)
    except ImportError:
        return False
    return True


def other_answer(method, metric, seed, seconds, X, Y, X_test):
    """Answer of any method but the blend; `seconds` are what methods with a search in time may take for it."""
    start = time.perf_counter()
    if method in WHOLE:
        model = WHOLE[method](metric, seed).fit(X, Y)
    else:
        make, grid = TUNED[method]
        model = tuned_in(partial(make, seed), grid, metric, seconds, X, Y)
    return Answer(np.asarray(model.predict(X_test)), time.perf_counter() - start)


def dense(matrix):
    return matrix.toarray() if hasattr(matrix, "toarray") else np.asarray(matrix)


def most_rows(part, name, n_rows):
    """How many rows of a set a part is made on; "paper" and "paper, whole set" are two readings of the paper."""
    if part == "paper, whole set":
        return n_rows
    if part == "paper":
        printed = paper.datasets().get(name)
        return n_rows if printed is None or printed.n_test is None else printed.n_train
    return MOST_ROWS


def read_set(name, part):
    """Features and labels, of as many rows as the part is made on."""
    data = load(name)
    X, Y = data.X if name in SPARSE_SETS else dense(data.X), dense(data.Y)
    most = most_rows(part, name, X.shape[0])
    if X.shape[0] > most:
        kept = np.sort(np.random.default_rng(0).choice(X.shape[0], most, replace=False))
        X, Y = X[kept], Y[kept]
    return X, Y[:, Y.any(axis=0)]


def seed_of(task):
    # CRC, since hashes of text change from run to run.
    return zlib.crc32(f"{task['set']} {task['repeat']} {task['fold']}".encode()) % 2**31


def paper_metric(name):
    """A metric by the paper's own definition: 0/0 is 0."""
    metric = get_metric(name)
    return replace(metric, function=partial(metric.function, zero_division=0.0))
