"""Which thresholds to use: none, one for all labels, label counts, or one per label with more or less shrinkage.

An ensemble of five kernel chains on min-max features, three stratified folds; thresholds are chosen on out-of-fold
scores of the training rows for the metric that is then taken on the test rows. `shrinkage` of `TunedThresholds` was
settled by this table.
"""

from __future__ import annotations

import sys
import time

import numpy as np
from harness import finish
from sklearn.preprocessing import MinMaxScaler

from bncc.datasets import MultilabelStratifiedKFold, load
from bncc.metrics import get_metric
from bncc.multilabel import EnsembleClassifierChain
from bncc.multilabel.crossval import deal_folds, out_of_fold_scores
from bncc.multilabel.targets import read_targets
from bncc.multilabel.thresholds import Objective, best_threshold, best_thresholds, counts_threshold, shrink
from bncc.svm import KernelSVC

SIGMA = {
    "emotions": 2, "yeast": 2, "scene": 4, "medical": 8, "enron": 8, "genbase": 4, "flags": 2, "chd49": 2,
    "virusgo": 4, "gpositivego": 4, "waterquality": 2, "plantgo": 8,
}  # fmt: skip
METRICS = ("example_f1", "macro_f1", "micro_f1")
SHRINKAGE = (0, 10, 30, 100, 300, 1000)


def dense(matrix):
    return matrix.toarray() if hasattr(matrix, "toarray") else np.asarray(matrix)


def cuts(scores, truth, metric):
    """The thresholds of every strategy."""
    objective = Objective(metric, truth)
    shared = best_threshold(scores, objective)
    own = best_thresholds(scores, objective, shared)
    positive = truth.sum(axis=0)
    per_label = {f"per label {s}": shrink(own, shared, positive, s) for s in SHRINKAGE}
    return {"none": 0.0, "counts": counts_threshold(scores, positive.sum()), "global": shared, **per_label}


def compare(name):
    data = load(name)
    X, Y = MinMaxScaler().fit_transform(dense(data.X)), dense(data.Y)
    values: dict[tuple[str, str], list[float]] = {}
    for train, test in MultilabelStratifiedKFold(3, shuffle=True, random_state=0).split(X, Y):
        model = EnsembleClassifierChain(KernelSVC(C=10, sigma=SIGMA[name]), n_chains=5, random_state=0)
        targets = read_targets(Y[train])
        held_out = out_of_fold_scores(model, X[train], targets, deal_folds(targets), None)
        scores = model.fit(X[train], Y[train]).decision_function(X[test])
        for metric in METRICS:
            for how, cut in cuts(held_out, Y[train] > 0, metric).items():
                found = get_metric(metric).function(Y[test], scores > cut)
                values.setdefault((metric, how), []).append(100 * found)
    return {key: float(np.mean(found)) for key, found in values.items()}


def main() -> None:
    names = [name for name in SIGMA if name in sys.argv] or list(SIGMA)
    start = time.perf_counter()
    tables = {name: compare(name) for name in names}
    keys = list(next(iter(tables.values())))
    means = {key: float(np.mean([table[key] for table in tables.values()])) for key in keys}
    rows = [
        {"data": name, "metric": metric, **{how: table[metric, how] for m, how in keys if m == metric}}
        for metric in METRICS
        for name, table in [*tables.items(), ("mean", means)]
    ]
    finish("thresholds", rows, seconds=round(time.perf_counter() - start, 1))


if __name__ == "__main__":
    main()
