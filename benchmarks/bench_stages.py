"""Where the time of `recommended` goes: search, final fit, thresholds, probabilities, and how often each thing is paid.

    python benchmarks/bench_stages.py [--record] [names of data sets]

For each set: seconds of the stages of one `fit`, how often squared distances were computed and labels read, what the
same stages cost when nothing is handed on (every stage on a copy of the data, as separate calls), and the time of one
chain beside it.
"""

from __future__ import annotations

import sys
import time
from typing import Any
from unittest.mock import patch

import numpy as np
from harness import finish
from sklearn.base import clone

from bncc.datasets import load
from bncc.multilabel import (
    BNCC,
    EnsembleClassifierChain,
    RangeScaler,
    TunedThresholds,
    recommended_kernels,
    tuned_thresholds,
)
from bncc.multilabel import base as linked
from bncc.multilabel.targets import read_targets
from bncc.svm import KernelSVC, distances

SETS = ("flags", "emotions", "chd49", "virusgo", "scene")


def dense(matrix: Any) -> np.ndarray:
    return matrix.toarray() if hasattr(matrix, "toarray") else np.asarray(matrix)


class Counter:
    """A function that counts its calls of interest and the seconds in them."""

    def __init__(self, function: Any, counts: Any = lambda *given: True) -> None:
        self.function, self.counts = function, counts
        self.calls, self.seconds = 0, 0.0

    def __call__(self, *given: Any, **named: Any) -> Any:
        start = time.perf_counter()
        try:
            return self.function(*given, **named)
        finally:
            if self.counts(*given):
                self.calls += 1
                self.seconds += time.perf_counter() - start


def measure(name: str) -> dict[str, Any]:
    data = load(name)
    X, Y = RangeScaler().fit_transform(dense(data.X).astype(float)), dense(data.Y)
    # Distances between all rows of one set, as opposed to those of new rows.
    matrix = Counter(distances._distances, lambda left, right, jobs: left is right)
    reading = Counter(read_targets)
    with (
        patch.object(distances, "_distances", matrix),
        patch.object(linked, "read_targets", reading),
        patch.object(tuned_thresholds, "read_targets", reading),
    ):
        model = recommended_kernels(n_chains=5, random_state=0)
        start = time.perf_counter()
        model.fit(X, Y)
        whole = time.perf_counter() - start
    search = model["search"]
    row = {
        "data": name,
        "rows": len(X),
        "labels": Y.shape[1],
        "fit s": whole,
        "search s": search.search_time_,
        "final fit and thresholds s": search.refit_time_,
        "distances s": matrix.seconds,
        "times distances": matrix.calls,
        "times y read": reading.calls,
    }
    best = KernelSVC(**search.best_params_)
    start = time.perf_counter()
    chains = EnsembleClassifierChain(best, n_chains=5, random_state=0)
    clone(TunedThresholds(chains, how="per_label")).fit(X.copy(), Y)
    row["thresholds alone s"] = time.perf_counter() - start
    start = time.perf_counter()
    BNCC(clone(best)).fit(X, Y)
    row["one chain s"] = time.perf_counter() - start
    row["of one chain"] = row["fit s"] / row["one chain s"]
    return row


def main() -> None:
    names = [name for name in sys.argv[1:] if not name.startswith("-")] or SETS
    finish("stages", [measure(name) for name in names])


if __name__ == "__main__":
    main()
