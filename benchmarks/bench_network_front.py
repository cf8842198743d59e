"""Fronts of networks: a sweep over the penalty against NSGA-II, and whether predictions depend on the choice.

On ten real label sets: the seconds of both ways (and of the exact one on few labels), and the hypervolume of each front
as a share of the best, above what the network without edges explains and below the highest cost that any reaches. Then
BNCC over networks along the sweep's front on four sets (three folds, networks learned from the training rows): in the
order of the network with all predecessors as context, and with its parents alone.

`python bench_network_front.py --sets flags emotions --along flags` is a part of it; needs pymoo.
"""

from __future__ import annotations

import argparse
import time

import numpy as np
from harness import finish
from scipy import sparse
from sklearn.model_selection import KFold

from bncc.datasets import load
from bncc.metrics import paper_scores
from bncc.multilabel import BNCC
from bncc.multilabel.scaling import RangeScaler
from bncc.structure import NetworkFront, network_front
from bncc.structure.exact_front import MOST_EXACT
from bncc.svm import KernelSVC

SETS = (
    "flags",
    "emotions",
    "gnegativego",
    "plantgo",
    "humango",
    "waterquality",
    "yeast",
    "genbase",
    "medical",
    "enron",
)
ALONG = ("flags", "emotions", "yeast", "plantgo")
PLACES = (0.0, 0.25, 0.5, 1.0)


def timed(Y: np.ndarray, **options: object) -> tuple[NetworkFront, float]:
    start = time.perf_counter()
    front = network_front(Y, **options)
    return front, time.perf_counter() - start


def fronts(name: str, simplicity: str) -> dict[str, object]:
    """One row: seconds and hypervolumes."""
    Y = np.asarray(load(name).Y)
    methods = ["sweep", "nsga2", *(["exact"] if Y.shape[1] <= MOST_EXACT else [])]
    found = {method: timed(Y, method=method, simplicity=simplicity) for method in methods}
    least = found["sweep"][0].explained[0]
    most = max(front.cost[-1] for front, _ in found.values())
    volumes = {method: front.hypervolume(least, most) for method, (front, _) in found.items()}
    best = max(volumes.values())
    row: dict[str, object] = {"data set": name, "simplicity": simplicity, "labels": str(Y.shape[1])}
    for method, (front, seconds) in found.items():
        row |= {f"{method} s": seconds, f"{method} networks": len(front), f"{method} volume": volumes[method] / best}
    return row


def predictions(name: str) -> list[dict[str, object]]:
    """Rows of scores at places of the front: no edges, a quarter and half of all, the knee, all."""
    data = load(name)
    X = sparse.csr_array(data.X) if sparse.issparse(data.X) else data.X
    X, Y = RangeScaler().fit(X).transform(X), np.asarray(data.Y)
    rows = []
    for context in ("predecessors", "parents"):
        scores: dict[str, list[dict[str, float]]] = {}
        for train, test in KFold(3, shuffle=True, random_state=0).split(X):
            front = network_front(Y[train], method="sweep")
            places = {f"{share:.0%} of edges": round(share * (len(front) - 1)) for share in PLACES}
            for place, at in {**places, "knee": front.knee_place}.items():
                model = BNCC(KernelSVC(C=10), network_search=front.parents[at], max_children=None, context=context)
                found = model.fit(X[train], Y[train]).predict(X[test])
                scores.setdefault(place, []).append(paper_scores(Y[test], found))
        for place, folds in scores.items():
            means = {metric: float(np.mean([fold[metric] for fold in folds])) for metric in folds[0]}
            rows.append({"data set": name, "context": context, "network": place} | means)
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", nargs="*", default=SETS)
    parser.add_argument("--along", nargs="*", default=ALONG)
    options, _ = parser.parse_known_args()
    rows = [fronts(name, simplicity) for name in options.sets for simplicity in ("edges", "parameters")]
    finish("network_front", rows, volume="share of the best of the row")
    finish("network_front_predictions", [row for name in options.along for row in predictions(name)], folds=3)


if __name__ == "__main__":
    main()
