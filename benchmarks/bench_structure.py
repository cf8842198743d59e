"""Label networks: against pyAgrum's K2 on real labels, and how the cost grows with rows and labels.

Scale runs are power-law labels with about five labels per row. Each size runs in a process of its own, so that its peak
memory is its own; sampled children of the run without a child limit are checked against scoring every candidate.
Writes a log-log plot of the times to out/structure.png.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
from harness import ROOT, best_of, finish, peak_memory_gb

SIZES = [(10**6, 10**3), (10**6, 10**4), (10**6, 10**5), (10**5, 10**4), (3 * 10**5, 10**4)]


def against_pyagrum() -> dict:
    import pandas as pd
    import pyagrum

    from bncc import learn_network
    from bncc.datasets import load
    from bncc.structure import entropy_order

    Y = load("bibtex").Y_sparse
    order = entropy_order(Y)
    frame = pd.DataFrame(Y.toarray().astype(str), columns=[f"l{j}" for j in range(Y.shape[1])])

    def theirs():
        learner = pyagrum.BNLearner(frame)
        learner.useNoPrior()
        learner.useScoreBIC()
        learner.setMaxIndegree(4)
        learner.useK2([learner.idFromName(f"l{j}") for j in order])
        return learner, learner.learnDAG()

    their_seconds, (learner, dag) = best_of(theirs, repeats=1)
    our_seconds, _ = best_of(lambda: learn_network(Y, max_children=2, max_parents=4), repeats=7)
    k2 = learn_network(Y, search="k2", score="bic", max_children=None, max_parents=4)
    names = [learner.nameFromId(i) for i in range(Y.shape[1])]
    same = sum(
        {int(names[p][1:]) for p in dag.parents(learner.idFromName(f"l{j}"))} == set(k2.parents[j])
        for j in range(Y.shape[1])
    )
    return {
        "what": "bibtex labels, 7395 x 159",
        "seconds": our_seconds,
        "pyAgrum K2 seconds": their_seconds,
        "ratio": their_seconds / our_seconds,
        "same K2 parents": f"{same} of {Y.shape[1]}",
    }


def delicious() -> dict:
    from bncc import learn_network
    from bncc.datasets import load

    Y = load("delicious").Y_sparse
    seconds, net = best_of(lambda: learn_network(Y, max_children=2, max_parents=4), repeats=3)
    return {"what": "delicious labels, 16105 x 983", "seconds": seconds, "edges": len(net.edges)}


def one_size(n_rows: int, n_labels: int) -> dict:
    """Runs in a child process."""
    from bncc import learn_network
    from bncc.datasets import make_power_law_labels

    Y = make_power_law_labels(n_rows, n_labels, random_state=0)
    row = {"what": f"power law, {n_rows} x {n_labels}", "positives": int(Y.nnz)}
    for limit in (2, None):
        start = time.perf_counter()
        net = learn_network(Y, max_children=limit)
        seconds = time.perf_counter() - start
        name = "max_children=2" if limit else "no limit"
        row |= {f"{name} s": seconds, f"{name} us/positive": seconds / Y.nnz * 1e6}
    row["peak GB"] = peak_memory_gb()
    row["checked children"] = check_sample(Y, net, 20 if n_labels <= 10**4 else 8)
    return row


def hierarchy(n_rows: int = 10**6, n_labels: int = 10**5, branching: int = 10) -> dict:
    """Labels of a tree, each of which implies its parent: the search asks for many edges that close long cycles."""
    from bncc import learn_network
    from bncc.graph import break_cycles, edges_of
    from bncc.labels import dependence_of

    Y = make_tree_labels(n_rows, n_labels, branching)
    seconds, net = best_of(lambda: learn_network(Y, max_children=2), repeats=1)
    edges = edges_of(net.cyclic_parents)
    weights = dependence_of(net.counts, edges[:, ::-1])
    breaking_seconds, kept = best_of(lambda: break_cycles(edges, weights, n_labels), repeats=3)
    return {
        "what": f"hierarchy, {n_rows} x {n_labels}",
        "seconds": seconds,
        "break_cycles seconds": breaking_seconds,
        "edges": len(edges),
        "kept": len(kept),
    }


def make_tree_labels(n_rows: int, n_labels: int, branching: int):
    """One random label per row, and all labels above it in a tree where each has `branching` below."""
    from scipy import sparse

    rows, labels = np.arange(n_rows), np.random.default_rng(0).integers(0, n_labels, n_rows)
    entries = [(rows, labels)]
    while (inner := labels > 0).any():
        rows, labels = rows[inner], (labels[inner] - 1) // branching
        entries.append((rows, labels))
    index = tuple(np.concatenate(parts) for parts in zip(*entries, strict=True))
    return sparse.coo_array((np.ones(len(index[0]), np.int8), index), shape=(n_rows, n_labels)).tocsr()


def check_sample(Y, net, n_sampled: int) -> str:
    """Score every candidate of sampled children at every step, in NumPy, and compare the choices."""
    columns = Y.tocsc()
    n_rows, n_labels = Y.shape
    sampled = np.random.default_rng(1).choice(n_labels, n_sampled, replace=False).tolist()
    right = sum(brute_force(Y, columns, child, n_rows) == net.cyclic_parents[child] for child in sampled)
    if right != n_sampled:
        sys.exit(f"only {right} of {n_sampled} sampled children agree with brute force")
    return f"{right} of {n_sampled}"


def brute_force(Y, columns, child: int, n_rows: int) -> tuple[int, ...]:
    """Algorithm 3 for one child by ``one-hot(group)' @ Y`` over all rows and all candidates."""
    from scipy import sparse

    def column(label):
        out = np.zeros(n_rows, np.int64)
        out[columns.indices[columns.indptr[label] : columns.indptr[label + 1]]] = 1
        return out

    def xlog(x):
        return x * np.log2(np.maximum(x, 1))

    y, code, chosen, best = column(child), np.zeros(n_rows, np.int64), [], -np.inf
    wide = Y.astype(np.float64)
    while len(chosen) <= np.log2(n_rows):
        _, group = np.unique(code * 2 + y, return_inverse=True)
        sizes = np.bincount(group)
        values = np.unique(code * 2 + y)
        hot = sparse.csr_array((np.ones(n_rows), (group, np.arange(n_rows))), shape=(len(sizes), n_rows))
        ones = np.asarray((hot @ wide).todense())
        rest = sizes[:, None] - ones
        data = xlog(ones).sum(0) + xlog(rest).sum(0)
        for configuration in np.unique(values >> 1):
            rows = values >> 1 == configuration
            data -= xlog(ones[rows].sum(0)) + xlog(rest[rows].sum(0))
        score = np.round(n_rows + data - 2 ** (len(chosen) + 1) / 2 * np.log2(n_rows), 6)
        score[[child, *chosen]] = -np.inf
        star = int(np.argmax(score))
        if not score[star] > best:
            break
        best = score[star]
        chosen.append(star)
        code = code * 2 + column(star)
    return tuple(chosen)


def plot(rows: list[dict]) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(9, 3.6), sharey=True, layout="constrained")
    parsed = [(*map(int, row["what"].split(", ")[1].split(" x ")), row) for row in rows if row["what"][:5] == "power"]
    panels = [
        ("labels (1,000,000 rows)", sorted((m, row) for n, m, row in parsed if n == 10**6)),
        ("rows (10,000 labels)", sorted((n, row) for n, m, row in parsed if m == 10**4)),
    ]
    for axis, (title, points) in zip(axes, panels, strict=True):
        for name, marker in (("max_children=2", "o"), ("no limit", "s")):
            axis.loglog([x for x, _ in points], [row[f"{name} s"] for _, row in points], marker=marker, label=name)
        axis.set_xlabel(title)
        axis.grid(True, which="both", alpha=0.3)
    x = np.array([10**5, 10**6])
    base = panels[1][1][0][1]["max_children=2 s"]
    axes[1].loglog(x, base * x / x[0], "--", color="grey", label="linear")
    axes[0].set_ylabel("seconds")
    axes[1].legend(frameon=False)
    figure.savefig(ROOT / "out" / "structure.png", dpi=150)
    print("written: out/structure.png")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--record", action="store_true", help="make this the recorded run")
    parser.add_argument("--size", nargs=2, type=int, metavar=("ROWS", "LABELS"), help="one scale run, as JSON")
    options = parser.parse_args()
    if options.size:
        print(json.dumps(one_size(*options.size)))
        return
    (ROOT / "out").mkdir(exist_ok=True)
    rows = [against_pyagrum(), delicious(), hierarchy()]
    for n_rows, n_labels in SIZES:
        command = [sys.executable, str(Path(__file__)), "--size", str(n_rows), str(n_labels)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(done.stderr)
        rows.append(json.loads(done.stdout))
        print(rows[-1], flush=True)
    plot(rows)
    finish("structure", rows)


if __name__ == "__main__":
    main()
