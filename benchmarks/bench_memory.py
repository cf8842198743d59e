"""Peak memory and time of the kernel engine under several budgets, each in a process of its own.

    python benchmarks/bench_memory.py [--record] [--mediamill]

`cache_size` is the budget in MB. Where the distances fit into half of it they are held, otherwise rows are computed on
demand; solutions are the same to the bit. Mediamill (39,516 training rows, its most frequent label with the 67 labels
before it as context) takes a minute or two.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time

from harness import finish, peak_memory_gb


def child(name: str, cache_size: float, sigma: float, first: int, last: int) -> None:
    import hashlib

    import numpy as np

    from bncc.datasets import load
    from bncc.svm import chain_links, make_batch, pack_labels, solve, squared_distances

    data = load(name)
    train = np.arange(data.n_rows) % 10 != 0
    X, Y = data.X[train], data.Y[train]
    links = chain_links(np.arange(Y.shape[1]), Y.shape[1])
    before = peak_memory_gb()
    start = time.perf_counter()
    distances = squared_distances(X, cache_size=cache_size)
    batch = make_batch(
        distances,
        np.where(Y.T > 0, 1, -1)[first:last],
        gamma=0.5 / sigma**2,
        C=100.0,
        words=pack_labels(Y),
        context=links.context[first:last],
    )
    solutions = solve(batch, cache_size=cache_size)
    seconds = time.perf_counter() - start
    print(
        json.dumps(
            {
                "held": "yes" if distances.matrix is not None else "no",
                "seconds": seconds,
                "data GB": before,
                "peak GB": peak_memory_gb(),
                "kernel rows": float(solutions.costs["rows"]),
                "iterations": float(solutions.costs["iterations"]),
                "solution": hashlib.sha256(solutions.coef.tobytes()).hexdigest()[:12],
            }
        )
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--mediamill", action="store_true")
    parser.add_argument("--child", nargs=5)
    arguments = parser.parse_args()
    if arguments.child:
        name, *numbers = arguments.child
        return child(name, float(numbers[0]), float(numbers[1]), int(numbers[2]), int(numbers[3]))
    runs = [("yeast", budget, 0.5, 0, 14) for budget in (2000, 30, 10)]
    runs += [("bibtex", budget, 16.0, 0, 8) for budget in (2000, 100)]
    if arguments.mediamill:
        runs += [("mediamill", budget, 1.0, 67, 68) for budget in (14000, 2000)]
    rows = []
    for run in runs:
        command = [sys.executable, __file__, "--child", *map(str, run)]
        found = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
        rows.append({"data": run[0], "budget MB": str(run[1]), **found})
        print(rows[-1], file=sys.stderr)
    same = all(len({r["solution"] for r in rows if r["data"] == name}) == 1 for name in {r["data"] for r in rows})
    finish("memory", rows, same_solutions_under_every_budget=same)


if __name__ == "__main__":
    main()
