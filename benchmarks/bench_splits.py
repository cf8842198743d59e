"""Stratified k-fold against the `iterative-stratification` package: seconds and balance, real and synthetic labels.

Balance, mean over seeds: `deviation` is the mean over folds and labels of |share of the label in the fold - share of
the label in all rows|, in units of 1e-4; `gaps` is the number of (fold, label) pairs without a positive beyond those
that no split can avoid; `sizes` is largest minus smallest fold.
"""

from __future__ import annotations

import time

import numpy as np
from harness import finish
from iterstrat.ml_stratifiers import MultilabelStratifiedKFold as ReferenceKFold

from bncc.datasets import load
from bncc.datasets.splits import MultilabelStratifiedKFold

N_SPLITS = 10
REAL = ["emotions", "yeast", "enron", "medical", "genbase", "bibtex", "education", "delicious", "mediamill"]


def power_law(n_rows, n_labels, cardinality=3.0):
    """Independent labels whose frequencies fall like 1 / rank."""
    odds = 1 / np.arange(1, n_labels + 1)
    chances = np.minimum(odds * cardinality / odds.sum(), 0.6)
    return (np.random.default_rng(0).random((n_rows, n_labels)) < chances).astype(np.uint8)


def balance(Y, folds):
    counts = np.array([Y[folds == fold].sum(axis=0) for fold in range(N_SPLITS)], float)
    sizes = np.bincount(folds, minlength=N_SPLITS)
    unavoidable = np.maximum(N_SPLITS - Y.sum(axis=0, dtype=int), 0).sum()
    deviation = np.abs(counts / sizes[:, None] - Y.mean(axis=0)).mean() * 1e4
    return deviation, (counts == 0).sum() - unavoidable, sizes.max() - sizes.min()


def measure(kind, Y, seeds):
    seconds, found = [], []
    for seed in seeds:
        folds = np.empty(len(Y), int)
        start = time.perf_counter()
        for fold, (_, test) in enumerate(kind(n_splits=N_SPLITS, shuffle=True, random_state=seed).split(Y, Y)):
            folds[test] = fold
        seconds.append(time.perf_counter() - start)
        found.append(balance(Y, folds))
    return min(seconds), *np.mean(found, axis=0).tolist()


def row(name, Y):
    seeds = range(3 if Y.size < 2e7 else 1)
    ours, theirs = measure(MultilabelStratifiedKFold, Y, seeds), measure(ReferenceKFold, Y, seeds)
    return {
        "labels": name,
        "shape": f"{Y.shape[0]} x {Y.shape[1]}",
        "bncc_s": ours[0],
        "reference_s": theirs[0],
        "ratio": theirs[0] / ours[0],
        "deviation": ours[1],
        "reference_deviation": theirs[1],
        "gaps": ours[2],
        "reference_gaps": theirs[2],
        "sizes": ours[3],
        "reference_sizes": theirs[3],
    }


if __name__ == "__main__":
    rows = [row(name, np.asarray(load(name).Y)) for name in REAL]
    rows.append(row("power law", power_law(100_000, 100)))
    rows.append(row("power law, 10 labels per row", power_law(100_000, 100, 10.0)))
    finish("splits", rows, folds=N_SPLITS)
