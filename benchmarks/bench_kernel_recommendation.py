"""What `recommended_kernels` is made of, settled on real sets: BR, CC, BNCC and ECC with and without tuned thresholds.

Three stratified folds (one where a set has more than 900 rows); features by their ranges; sigma and C are chosen for
every method by the same search inside the training rows, for `example_f1`, on which thresholds are tuned too. The last
rows are `recommended_kernels` itself, and the same with another scaling or with C fixed.

    python benchmarks/bench_kernel_recommendation.py [names of data sets] [--record]
"""

from __future__ import annotations

import sys
import time

import numpy as np
from harness import finish
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, MaxAbsScaler, StandardScaler

from bncc.datasets import MultilabelStratifiedKFold, load
from bncc.metrics import evaluate, get_scorer
from bncc.multilabel import (
    BNCC,
    BinaryRelevance,
    ClassifierChain,
    EnsembleClassifierChain,
    RangeScaler,
    TunedThresholds,
    recommended_kernels,
)
from bncc.svm import KernelSearchCV, KernelSVC

SETS = (
    "flags", "emotions", "chd49", "virusgo", "gpositivego", "plantgo", "waterquality", "genbase", "medical", "scene",
)  # fmt: skip
METRICS = ("example_f1", "macro_f1", "micro_f1", "hamming_loss", "subset_accuracy")
GRID = {"sigma": [0.5, 1.0, 2.0, 4.0, 8.0, 16.0], "C": [1.0, 10.0]}

METHODS = {
    "BR": BinaryRelevance(KernelSVC()),
    "CC": ClassifierChain(KernelSVC(), random_state=0),
    "BNCC": BNCC(KernelSVC()),
    "ECC": EnsembleClassifierChain(KernelSVC(), n_chains=10, random_state=0),
}
SCALINGS = {"raw": FunctionTransformer(), "max-abs": MaxAbsScaler(), "z-scores": StandardScaler()}


def dense(matrix):
    return matrix.toarray() if hasattr(matrix, "toarray") else np.asarray(matrix)


def search(estimator, grid=GRID):
    folds = MultilabelStratifiedKFold(3, shuffle=False)
    return KernelSearchCV(estimator, grid, scoring=get_scorer("example_f1"), cv=folds)


def candidates():
    """Pipelines by name; a tuned method shares the search of its thresholds, so each is searched on its own."""
    for name, method in METHODS.items():
        yield name, make_pipeline(RangeScaler(), search(clone(method)))
        for how in ("global", "per_label"):
            yield f"{name} {how}", make_pipeline(RangeScaler(), search(TunedThresholds(clone(method), how=how)))
    yield "recommended_kernels", recommended_kernels(random_state=0)
    yield "recommended_kernels, 20 chains", recommended_kernels(n_chains=20, random_state=0)
    yield "recommended_kernels, C 10", recommended_kernels(C=[10.0], random_state=0)
    for name, scaler in SCALINGS.items():
        model = recommended_kernels(random_state=0)
        yield f"recommended_kernels, {name}", model.set_params(scale=scaler)


def measure(name, only):
    data = load(name)
    X, Y = dense(data.X), dense(data.Y)
    folds = list(MultilabelStratifiedKFold(3, shuffle=True, random_state=1).split(X, Y))
    folds = folds if len(X) <= 900 else folds[:1]
    out = {}
    for method, model in candidates():
        if only and method not in only:
            continue
        start, values = time.perf_counter(), []
        for train, test in folds:
            fitted = clone(model).fit(X[train], Y[train])
            values.append(evaluate(Y[test], fitted.predict(X[test]), metrics=METRICS))
        seconds = (time.perf_counter() - start) / len(folds)
        out[method] = {m: 100 * float(np.mean([v[m] for v in values])) for m in METRICS} | {"seconds": seconds}
        print(name, method, {key: round(value, 2) for key, value in out[method].items()}, flush=True)
    return out


def main() -> None:
    names = [name for name in SETS if name in sys.argv] or list(SETS)
    only = [method for method, _ in candidates() if method in sys.argv]
    start = time.perf_counter()
    tables = {name: measure(name, only) for name in names}
    methods = list(next(iter(tables.values())))
    rows = [
        {
            "method": method,
            **{m: float(np.mean([t[method][m] for t in tables.values()])) for m in (*METRICS, "seconds")},
        }
        for method in methods
    ]
    for row in rows:
        row["best on"] = sum(
            t[row["method"]]["example_f1"] >= max(values["example_f1"] for values in t.values()) - 1e-9
            for t in tables.values()
        )
    by_set = {name: {m: round(v["example_f1"], 2) for m, v in t.items()} for name, t in tables.items()}
    finish(
        "kernel_recommendation",
        rows,
        sets=names,
        example_f1=by_set,
        minutes=round((time.perf_counter() - start) / 60, 1),
    )


if __name__ == "__main__":
    main()
