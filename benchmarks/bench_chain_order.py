"""Whether the order of a chain matters, and which child limit of the label network orders it best.

For each real set: 10 stratified folds, min-max features, C = 100, sigma chosen for a chain in a random order by example
F1 on the same folds (a little optimistic, the same for all orders). Then chains in ten random orders, in the order of
the network for several child limits (learned from the training rows of each fold), by decreasing entropy and its
reverse. How often is an order better than the mean of the random ones, and by how much?
"""

from __future__ import annotations

import time

import numpy as np
from harness import finish
from scipy import sparse
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler

from bncc.datasets import MultilabelStratifiedKFold, load
from bncc.metrics import get_scorer, paper_scores
from bncc.multilabel import BNCC, ClassifierChain
from bncc.multilabel.crossval import out_of_fold_scores
from bncc.multilabel.targets import read_targets
from bncc.structure import entropy_order
from bncc.svm import KernelSearchCV, KernelSVC

SETS = (
    *("flags", "virusgo", "gpositivego", "emotions", "chd49", "genbase", "plantgo", "medical", "humanpseaac"),
    *("waterquality", "gnegativego", "enron", "scene", "yeast", "humango"),
)
LIMITS = (1, 2, 3, 5, None)
METRICS = ("hamming_loss", "example_f1", "macro_f1", "micro_f1")


def models(base: KernelSVC) -> dict[str, object]:
    out: dict[str, object] = {f"random {seed}": ClassifierChain(base, random_state=seed) for seed in range(10)}
    out |= {f"network, n={limit}": BNCC(base, max_children=limit) for limit in LIMITS}
    out["entropy"] = ClassifierChain(base, order="entropy")
    out["entropy reversed"] = ClassifierChain(base, order=lambda Y: entropy_order(Y)[::-1])
    return out


def one_set(name: str) -> dict[str, dict[str, float]]:
    data = load(name)
    X = MaxAbsScaler().fit_transform(data.X) if sparse.issparse(data.X) else MinMaxScaler().fit_transform(data.X)
    targets = read_targets(data.Y)
    folds = list(MultilabelStratifiedKFold(10, random_state=0).split(X, data.Y))
    grid = {"sigma": [2.0**k for k in range(-3, 10)]}
    chain = ClassifierChain(KernelSVC(C=100), random_state=0)
    search = KernelSearchCV(chain, grid, cv=folds, scoring=get_scorer("example_f1"), refit=False).fit(X, data.Y)
    base = KernelSVC(C=100, sigma=search.best_params_["sigma"])
    found = {}
    for label, model in models(base).items():
        found[label] = paper_scores(data.Y, out_of_fold_scores(model, X, targets, folds, None) > 0)
    return found


def main() -> None:
    gains: dict[str, list[dict[str, float]]] = {}
    for name in SETS:
        start = time.perf_counter()
        found = one_set(name)
        mean = {m: np.mean([found[f"random {seed}"][m] for seed in range(10)]) for m in METRICS}
        for label in [key for key in found if not key.startswith("random")]:
            sign = {m: -1 if m == "hamming_loss" else 1 for m in METRICS}
            gains.setdefault(label, []).append({m: sign[m] * (found[label][m] - mean[m]) for m in METRICS})
        print(
            f"{name}: {time.perf_counter() - start:.1f} s", {k: round(float(v), 4) for k, v in mean.items()}, flush=True
        )
    rows = [
        {"order": label}
        | {f"better {m}": f"{sum(g[m] > 0 for g in per_set)} of {len(per_set)}" for m in METRICS}
        | {f"gain {m}": 100 * float(np.mean([g[m] for g in per_set])) for m in METRICS}
        for label, per_set in gains.items()
    ]
    finish("chain_order", rows, sets=len(SETS), gain="mean difference to random orders, in points")


if __name__ == "__main__":
    main()
