"""Labels that a chain predicts on the GPU and on the CPU: how many differ, and how close to 0 their decisions are.

    python benchmarks/bench_cuda_agreement.py [--record]

Every set below 10,000 rows: ten folds of a chain in the order of the labels, C = 100, sigma from the variance of the
features. Both engines stop within a tolerance of 1e-3, so a decision nearer to 0 may take either sign, and the rest of
the row's chain follows it: "first" counts the rows in which that happens, "nearest" is the largest such decision.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from harness import finish
from sklearn.model_selection import KFold
from sklearn.preprocessing import MaxAbsScaler

from bncc.datasets import available, load
from bncc.svm import chain_links, cross_val_decisions, pack_labels, resolve_gamma, squared_distances
from bncc.svm.cuda.device import current_device

MOST_ROWS = 10_000


def decisions_of(data: Any, engine: str) -> np.ndarray:
    X = MaxAbsScaler().fit_transform(data.X)
    Y = data.Y_sparse.toarray()
    n_labels = Y.shape[1]
    return cross_val_decisions(
        squared_distances(X),
        np.where(Y.T > 0, 1, -1),
        chain_links(np.arange(n_labels), n_labels),
        list(KFold(10, shuffle=True, random_state=0).split(Y)),
        gamma=resolve_gamma(X),
        C=100.0,
        words=pack_labels(Y),
        engine=engine,
    )[0, 0]


def compare(name: str, data: Any) -> dict[str, Any]:
    cpu, cuda = (decisions_of(data, engine) for engine in ("cpu", "cuda"))
    differs = (cpu > 0) != (cuda > 0)
    rows = np.flatnonzero(differs.any(axis=1))
    first = differs.argmax(axis=1)[rows]
    nearest = np.abs(np.stack([cpu, cuda])[:, rows, first]).min(axis=0)
    return {
        "data": name,
        "labels": differs.size,
        "differ": int(differs.sum()),
        "first": rows.size,
        "nearest": float(nearest.max(initial=0.0)),
        "same %": 100.0 * (1.0 - float(differs.mean())),
    }


def main() -> None:
    rows = []
    for name in available():
        data = load(name)
        if data.X.shape[0] < MOST_ROWS:
            rows.append(compare(name, data))
            print(rows[-1], flush=True)
    total, differ = (sum(row[key] for row in rows) for key in ("labels", "differ"))
    finish(
        "cuda_agreement",
        rows,
        device=current_device().name,
        total=f"{differ} of {total:,} labels differ: {100 * (1 - differ / total):.5f} % are the same",
    )


if __name__ == "__main__":
    main()
