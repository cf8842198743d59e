"""The CUDA engine on one GPU: problems per second by size, what bounds them, and three cross-validations end to end.

    python benchmarks/bench_cuda.py [--record] [--repeats N] [--skip-mediamill]

Times are medians of repeats after a warm-up run, with the device idle before and after. The first table solves
problems of one size each (yeast and bibtex rows, C = 100), and holds a sample of them against LIBSVM. "read" is the
share of the measured copy bandwidth that distances alone would take if every one came from memory (above 1: they come
from the cache); "issue" is the share of the time in which the arithmetic of an iteration would fill the
multiprocessors, counted as 40 instructions per row and kernel row. The second table is what users wait for: distances,
batch, solution, decisions and the copy back.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np
from harness import finish
from sklearn.model_selection import KFold
from sklearn.svm import SVC

from bncc.datasets import load
from bncc.svm import chain_links, cross_val_decisions, make_batch, pack_labels, solve, squared_distances, walk
from bncc.svm.cuda import distances as device_distances
from bncc.svm.cuda.device import current_device

C = 100.0
SIGMAS = 2.0 ** np.arange(-3, 10)
INSTRUCTIONS = 40  # per row and kernel row
TARGETS = {"yeast": 0.5, "bibtex": 1.0, "mediamill": 60.0}


def median_seconds(run: Any, repeats: int) -> tuple[float, Any]:
    """Median after one run that does not count, and the last result."""
    cupy = current_device().xp
    result, seconds = run(), []
    for _ in range(repeats):
        cupy.cuda.Device().synchronize()
        start = time.perf_counter()
        result = run()
        cupy.cuda.Device().synchronize()
        seconds.append(time.perf_counter() - start)
    return float(np.median(seconds)), result


def copy_bandwidth() -> float:
    """GB/s of a copy within the device, bytes read and written together."""
    cupy = current_device().xp
    a = cupy.random.random(1 << 28, dtype=np.float32)
    b = cupy.empty_like(a)
    seconds, _ = median_seconds(lambda: cupy.copyto(b, a), 5)
    return 2 * a.nbytes / seconds / 1e9


def issue_rate() -> float:
    """Thread instructions per second at the highest clock: 4 warps a cycle on every multiprocessor."""
    cupy = current_device().xp
    properties = cupy.cuda.runtime.getDeviceProperties(cupy.cuda.Device().id)
    khz = cupy.cuda.Device().attributes["ClockRate"]
    return properties["multiProcessorCount"] * 4 * 32 * khz * 1e3


def rows_of(name: str) -> tuple[Any, np.ndarray]:
    data = load(name)
    return (np.asarray(data.X) if name == "yeast" else data.X), data.Y_sparse.toarray()


def by_size(name: str, size: int, sigma: float, n_problems: int, repeats: int, peak: tuple[float, float]) -> Any:
    """Problems of one size: random rows, the label whose share is nearest to a fifth."""
    X, Y = rows_of(name)
    rng = np.random.default_rng(0)
    label = int(np.argmin(np.abs(Y.mean(axis=0) - 0.2)))
    rows = [np.sort(rng.choice(len(Y), size, replace=False)) for _ in range(n_problems)]
    y = np.where(Y[:, label] > 0, 1, -1)
    batch = make_batch(
        squared_distances(X), y, target=0, gamma=0.5 / sigma**2, C=C, rows=rows, row_set=np.arange(n_problems)
    )
    seconds, solutions = median_seconds(lambda: solve(batch, engine="cuda"), repeats)
    iterations = float(solutions.iterations.sum())
    touched = 2.0 * iterations * size
    return {
        "data": name,
        "rows": str(size),
        "problems": str(n_problems),
        "seconds": seconds,
        "problems/s": n_problems / seconds,
        "iterations/s": iterations / seconds,
        "read": 4.0 * touched / seconds / 1e9 / peak[0],
        "issue": INSTRUCTIONS * touched / seconds / peak[1],
        "off LIBSVM": against_libsvm(X, y, rows[0], batch, solutions, sigma),
    }


def against_libsvm(X: Any, y: np.ndarray, rows: np.ndarray, batch: Any, solutions: Any, sigma: float) -> float:
    """Largest difference of decisions on 200 rows for the first problem."""
    reference = SVC(C=C, gamma=0.5 / sigma**2, cache_size=1000).fit(X[rows], y[rows])
    shown = np.arange(0, X.shape[0], max(1, X.shape[0] // 200))
    found = walk(batch, solutions, batch.distances.block(shown), [[0]], engine="cuda")[0][:, 0]
    return float(np.abs(found - reference.decision_function(X[shown])).max())


def cross_validation(name: str, sigmas: np.ndarray, repeats: int) -> dict[str, Any]:
    X, Y = rows_of(name)
    n_labels = Y.shape[1]
    folds = list(KFold(10, shuffle=True, random_state=0).split(Y))
    targets, links, words = np.where(Y.T > 0, 1, -1), chain_links(np.arange(n_labels), n_labels), pack_labels(Y)

    def run() -> np.ndarray:
        device_distances.forget()
        return cross_val_decisions(
            squared_distances(X), targets, links, folds, gamma=0.5 / sigmas**2, C=C, words=words, engine="cuda"
        )

    seconds, decisions = median_seconds(run, repeats)
    predicted = decisions[:, 0] > 0
    micro = [2 * (p & (Y > 0)).sum() / (p.sum() + Y.sum()) for p in predicted]
    return {
        "data": name,
        "sigmas": str(sigmas.size),
        "problems": str(sigmas.size * 10 * n_labels),
        "seconds": seconds,
        "target": TARGETS[name],
        "best micro-F1": float(max(micro)),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--skip-mediamill", action="store_true")
    arguments = parser.parse_args()
    repeats = arguments.repeats
    whole = [cross_validation("yeast", SIGMAS, repeats), cross_validation("bibtex", np.array([16.0]), repeats)]
    if not arguments.skip_mediamill:
        whole.append(cross_validation("mediamill", np.array([1.0]), min(repeats, 1)))
    peak = copy_bandwidth(), issue_rate()
    sizes = [("yeast", n, 1.0, count) for n, count in ((90, 20000), (250, 8000), (700, 4000), (2200, 1000))]
    sizes += [("bibtex", n, 16.0, 500) for n in (4000, 7000)]
    rows = [by_size(*each, repeats, peak) for each in sizes]
    missed = [row["data"] for row in whole if row["seconds"] > row["target"]]
    finish(
        "cuda",
        whole + rows,
        device=current_device().name,
        copy_bandwidth_gb_s=round(peak[0], 1),
        targets=f"yeast 0.5 s, bibtex 1 s, mediamill 60 s: {f'missed by {missed}' if missed else 'met'}",
    )


if __name__ == "__main__":
    main()
