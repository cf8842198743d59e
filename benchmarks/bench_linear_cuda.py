"""The linear engine on a CUDA device: the same objectives as the CPU's, and how long a large batch takes.

    python benchmarks/bench_linear_cuda.py [--rows N] [--features N] [--labels N] [--blocks N] [--record]

Problems are those of a chain of squared hinge links on text-like rows. With --blocks only that many blocks of problems
are solved, spread over the labels; their seconds are scaled to all. The agreement is between objectives at equal
tolerance, with the NumPy engine on small problems of every kind (for the hinge loss with the dual below). The large
batch is solved twice: the first time also compiles what the small ones did not need, and asks for memory.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import replace

import numpy as np
from harness import finish
from linear_data import text_like
from scipy import sparse

from bncc.linear import chain_context, engine_numpy, make_batch
from bncc.linear.cuda.engine import solve_batch

TOL = 1e-3


def agreement(loss, dense, precise):
    """Largest relative distance to the NumPy engine's objectives, on problems with contexts, row sets and weights."""
    X, Y = text_like(2000, 500, 40, 3)
    random = np.random.default_rng(0)
    rows = [np.flatnonzero(random.random(2000) < 0.7), np.arange(2000)]
    batch = make_batch(
        X.toarray() if dense else X,
        Y,
        loss=loss,
        C=np.geomspace(0.1, 10.0, 40),
        labels=Y,
        context=chain_context(np.arange(40)),
        rows=rows,
        row_set=np.arange(40) % 2,
        weights=random.uniform(0.5, 2.0, 2000),
        class_weights=(1.0, 2.0),
    )
    batch = replace(batch, features=batch.features.astype(np.float64 if precise else np.float32))
    tol = 1e-8 if precise else TOL
    found = solve_batch(batch, tol=tol, max_iter=1000, drop=None, progress=None)
    assert (found.status == 0).all()
    assert (found.objective - found.dual_objective <= tol * found.objective * 1.01).all()
    least = found.dual_objective
    if loss != "hinge":  # which takes the NumPy engine too long
        least = engine_numpy.solve_batch(batch, tol=1e-9, max_iter=1000).objective
    return float(np.max((found.objective - least) / found.objective))


def parts(n_labels, n_blocks, width):
    """Labels of some blocks, spread from the frequent to the rare."""
    if n_blocks is None or n_blocks * width >= n_labels:
        return np.arange(n_labels)
    starts = np.linspace(0, n_labels - width, n_blocks).astype(int)
    return np.unique(np.concatenate([np.arange(start, start + width) for start in starts]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--features", type=int, default=50_000)
    parser.add_argument("--labels", type=int, default=1_000)
    parser.add_argument("--blocks", type=int)
    parser.add_argument("--loss", default="squared_hinge")
    parser.add_argument("--record", action="store_true")
    arguments = parser.parse_args()
    rows = []
    for loss in ("squared_hinge", "hinge", "logistic"):
        for dense in (False, True):
            for precise in (False, True):
                what = f"agreement, {loss}, {'dense' if dense else 'sparse'}, {'double' if precise else 'single'}"
                rows.append({"what": what, "relative to optimum": agreement(loss, dense, precise)})
                print(rows[-1], flush=True)
    start = time.perf_counter()
    X, Y = text_like(arguments.rows, arguments.features, arguments.labels, 5)
    print(f"rows made in {time.perf_counter() - start:.1f} s", flush=True)
    chosen = parts(arguments.labels, arguments.blocks, 2048)
    start = time.perf_counter()
    context = np.tril(np.ones((arguments.labels, arguments.labels), bool), -1)[chosen]
    batch = make_batch(X, sparse.csc_matrix(Y), target=chosen, labels=Y.tocsr(), context=context, loss=arguments.loss)
    prepared = time.perf_counter() - start
    seconds = []
    for _ in range(2):
        start = time.perf_counter()
        found = solve_batch(batch, tol=TOL, max_iter=1000, drop=0.005, progress=None)
        seconds.append(time.perf_counter() - start)
    rows.append(
        {
            "what": f"chain links, {arguments.rows} x {arguments.features}, {chosen.size} of {arguments.labels} labels",
            "batch s": prepared,
            "first solve s": seconds[0],
            "solve s": seconds[1],
            "all labels, solve s": seconds[1] * arguments.labels / chosen.size,
            "passes": float(found.iterations.mean()),
            "largest gap": float(np.max((found.objective - found.dual_objective) / found.objective)),
            "objective": float(found.objective.sum()),
            "kept weights": float(found.weights.nnz) / len(batch),
        }
    )
    finish("linear_cuda", rows)


if __name__ == "__main__":
    main()
