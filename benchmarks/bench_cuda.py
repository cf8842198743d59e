"""The CUDA engine on one GPU: problems per second by size, what bounds them, and three cross-validations end to end.

    python benchmarks/bench_cuda.py [--record] [--repeats N] [--mediamill-sigma S] [--profile]

Times are medians of repeats after a warm-up run (mediamill: one run, after the others), with the device idle before
and after. The first rows are what users wait for: distances, batch, solution, decisions and the copy back. The others
solve problems of one size each (rows of yeast and bibtex, C = 100), and hold one of them against LIBSVM. "read" is the
share of the measured copy bandwidth that distances alone would take if every one came from memory (above 1: they come
from the cache); "issue" is the share of all issue slots that 87 instructions per row and kernel row would fill, as
a profiler counted for problems of 2,175 rows (it found 64 % of the slots used, 9 % of the cache's bandwidth and
0.1 % of the memory's: the engine is bound by instructions and their latency, not by memory).

With --profile it solves yeast's problems once and no more, for a profiler to look at:

    ncu --kernel-name solve_problems --launch-count 1 --metrics sm__inst_issued.avg.pct_of_peak_sustained_active,\
lts__t_bytes.avg.pct_of_peak_sustained_elapsed,dram__throughput.avg.pct_of_peak_sustained_elapsed,\
smsp__thread_inst_executed.sum python benchmarks/bench_cuda.py --profile
"""

from __future__ import annotations

import argparse
import time
from functools import cache
from typing import Any

import numpy as np
from harness import finish
from scipy import sparse
from sklearn.model_selection import KFold
from sklearn.svm import SVC

from bncc.datasets import load
from bncc.svm import (
    chain_links,
    cross_val_decisions,
    keep_support,
    make_batch,
    pack_labels,
    solve,
    squared_distances,
)
from bncc.svm.cuda import distances as device_distances
from bncc.svm.cuda.device import current_device

C = 100.0
SIGMAS = 2.0 ** np.arange(-3, 10)
INSTRUCTIONS = 87  # per row and kernel row
TARGETS = {"yeast": 0.5, "bibtex": 1.0, "mediamill": 60.0}


def median_seconds(run: Any, repeats: int) -> tuple[float, Any]:
    """Median after one run that does not count (none where there is but one repeat), and the last result."""
    cupy = current_device().xp
    result, seconds = None, []
    if repeats > 1:
        run()
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


@cache
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
    if sparse.issparse(X):  # scikit-learn wants indices of 32 bits
        X = sparse.csr_matrix((X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32)), X.shape)
    reference = SVC(C=C, gamma=0.5 / sigma**2, cache_size=1000).fit(X[rows], y[rows])
    shown = np.arange(0, X.shape[0], max(1, X.shape[0] // 200))
    found = keep_support(batch, solutions).decide(X[shown], [[0]], engine="cuda")[0][:, 0]
    return float(np.abs(found - reference.decision_function(X[shown])).max())


def cross_validation(name: str, sigmas: np.ndarray, repeats: int) -> dict[str, Any]:
    X, Y = rows_of(name)
    n_labels = Y.shape[1]
    folds = list(KFold(10, shuffle=True, random_state=0).split(Y))
    targets, links, words = np.where(Y.T > 0, 1, -1), chain_links(np.arange(n_labels), n_labels), pack_labels(Y)

    begin = time.perf_counter()

    def watch(done: int) -> None:
        if time.perf_counter() - begin > 2 * TARGETS[name] + 10:
            raise TimeoutError(f"{name}: {done} problems after {time.perf_counter() - begin:.0f} s; stopped.")

    def run() -> np.ndarray:
        device_distances.forget()
        options: dict[str, Any] = {"words": words, "engine": "cuda", "progress": watch}
        return cross_val_decisions(squared_distances(X), targets, links, folds, gamma=0.5 / sigmas**2, C=C, **options)

    try:
        seconds, decisions = median_seconds(run, repeats)
    except TimeoutError as error:
        print(error)
        return {"data": name, "seconds": float("nan"), "target": TARGETS[name]}
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
    parser.add_argument("--mediamill-sigma", type=float, default=0.25)
    parser.add_argument("--profile", action="store_true")
    arguments = parser.parse_args()
    if arguments.profile:
        print(cross_validation("yeast", SIGMAS, 1))
        return
    repeats = arguments.repeats
    whole = [cross_validation("yeast", SIGMAS, repeats), cross_validation("bibtex", np.array([16.0]), repeats)]
    print(whole, flush=True)
    whole.append(cross_validation("mediamill", np.array([arguments.mediamill_sigma]), 1))
    peak = copy_bandwidth(), issue_rate()
    sizes = [("yeast", n, 1.0, count) for n, count in ((90, 20000), (250, 8000), (700, 4000), (2200, 1000))]
    sizes += [("bibtex", n, 16.0, 500) for n in (3000, 6600)]
    rows = []
    for each in sizes:
        try:
            rows.append(by_size(*each, repeats, peak))
        except Exception as error:  # what was measured so far is still written
            print(f"{each}: {error!r}")
    missed = [row["data"] for row in whole if not row["seconds"] <= row["target"]]
    finish(
        "cuda",
        whole + rows,
        device=current_device().name,
        mediamill_sigma=arguments.mediamill_sigma,
        copy_bandwidth_gb_s=round(peak[0], 1),
        targets=f"yeast 0.5 s, bibtex 1 s, mediamill 60 s: {f'missed by {missed}' if missed else 'met'}",
    )


if __name__ == "__main__":
    main()
