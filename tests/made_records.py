"""Made-up records of studies, for tests of everything that reads a study's results."""

from __future__ import annotations

import numpy as np

from bncc.experiment import WHOLE, Candidate, Record

METRICS = ("hamming_loss", "example_f1", "macro_f1", "micro_f1")
LEVELS = {"BR": 0.60, "CLR": 0.55, "CC": 0.62, "GCC": 0.54, "ECC": 0.64, "BNCC": 0.65}


def make_records(
    datasets=("emotions", "flags", "yeast"),
    methods=tuple(LEVELS),
    *,
    n_repeats=2,
    n_folds=3,
    metrics=METRICS,
    noise=0.02,
    seed=0,
):
    """One record per data set, method, repeat and fold; methods differ by a constant, folds and data sets by noise."""
    random = np.random.default_rng(seed)
    out = []
    for dataset in datasets:
        ease = random.uniform(-0.1, 0.1)
        for place, method in enumerate(methods):
            level = LEVELS.get(method, 0.5 + 0.01 * place) + ease
            for repeat in range(n_repeats):
                for fold in range(n_folds):
                    draw = level + noise * random.standard_normal(len(metrics))
                    scores = {
                        name: float(0.5 * (1 - value) if name == "hamming_loss" else value)
                        for name, value in zip(metrics, draw, strict=True)
                    }
                    out.append(
                        Record(
                            dataset,
                            method,
                            repeat,
                            fold,
                            scores,
                            sigma=float(2.0 ** random.integers(-3, 10)),
                            C=100.0,
                            order=tuple(random.permutation(4).tolist()),
                            select_seconds=float(random.uniform(1, 9)),
                            train_seconds=float(random.uniform(0.01, 5)),
                            test_seconds=float(random.uniform(0.001, 0.5)),
                            seed=seed + repeat,
                            engine="native",
                            versions={"bncc": "0.1.0", "numpy": "2.0.0"},
                        )
                    )
    return out


def make_candidates(
    datasets=("emotions",), methods=("BNCC",), *, metrics=METRICS, sigmas=range(-3, 10), Cs=range(-3, 11)
):
    """A smooth hill over log2 sigma and log2 C for the whole of each data set, as in the paper's Fig. 6."""
    out = []
    for dataset in datasets:
        for method in methods:
            for s in sigmas:
                for c in Cs:
                    hill = 0.65 * np.exp(-(((s - 2 - 0.2 * c) / 4) ** 2)) * (1 - 0.3 * np.exp(-(c + 3) / 3))
                    scores = {n: float(0.5 - 0.4 * hill if n == "hamming_loss" else hill) for n in metrics}
                    out.append(Candidate(dataset, method, WHOLE, WHOLE, 2.0**s, 2.0**c, scores))
    return out
