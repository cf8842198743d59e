"""On data drawn from known label networks: how many of the shown edges are true, and how many true ones are shown?

Fixed beforehand: 30 networks, ten each of 10, 30 and 100 labels, each label with 0 to 3 parents at random and tables
from a Beta(0.5, 0.5) within 0.05..0.95; labels are shuffled. Each network gives 500, 5,000 and 50,000 rows. Shown edges
are those of `learn_network(...).pruned()`. Precision and recall are of joined pairs, either way round; the structural
Hamming distance is between equivalence classes. Peers are pyAgrum and pgmpy with BIC (and K2's score), run by a Python
that has them (``python -m venv build/peers``, then install pyagrum and pgmpy there): ``--peers PYTHON``; a run that
takes longer than ``--limit`` seconds (300) is left out. ``--small`` takes three networks of each size and no more than
5,000 rows. "SHD less ours" has a 95 % interval over the networks. Every cell (network, rows, method) is kept in
``build/network_edges`` when it is done: ``--minutes M`` ends after that long, and the next run goes on where it ended.
The table is printed and recorded only when all cells are there.

And the noise: networks of 20 independent labels, 2,000 rows, 50 seeds: false edges shown, and the shares that edges of
noise reach in 100 resamples (`NOISE_SHARE` is above 99 % of them).
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from harness import ROOT, finish
from scipy.stats import t as student

from bncc import learn_network
from bncc.graph import Parents, parents_of, structural_hamming_distance

SMALL = "--small" in sys.argv
NETWORKS = 3 if SMALL else 10
LEFT = 75  # how the peers' script ends when cells are left
SIZES, ROWS = (10, 30, 100), (500, 5000) if SMALL else (500, 5000, 50_000)
OURS: dict[str, dict[str, Any]] = {
    "bncc, GES": {"search": "ges"},
    "bncc, hill climbing": {"search": "hill_climbing"},
    "bncc, the paper's search": {"search": "paper"},
}


def option(name: str, default: str) -> str:
    return sys.argv[sys.argv.index(name) + 1] if name in sys.argv else default


def draw_network(random: np.random.Generator, n_labels: int) -> tuple[Parents, list[np.ndarray]]:
    parents: list[tuple[int, ...]] = []
    for label in range(n_labels):
        size = min(label, int(random.integers(0, 4)))
        parents.append(tuple(random.choice(label, size=size, replace=False).tolist()) if size else ())
    return tuple(parents), [0.05 + 0.9 * random.beta(0.5, 0.5, 2 ** len(group)) for group in parents]


def draw_rows(
    random: np.random.Generator, parents: Parents, tables: list[np.ndarray], n_rows: int, shuffled: np.ndarray
) -> np.ndarray:
    Y = np.zeros((n_rows, len(parents)), np.int8)
    for label, (group, table) in enumerate(zip(parents, tables, strict=True)):
        configuration = Y[:, list(group)].astype(np.int64) @ (1 << np.arange(len(group)))
        Y[:, label] = random.random(n_rows) < table[configuration]
    return Y[:, np.argsort(shuffled)]


def make_data(folder: Path) -> dict[str, tuple[Parents, int]]:
    """Writes every label matrix; the true parents and the rows of each, by name."""
    known = {}
    for n_labels in SIZES:
        for number in range(NETWORKS):
            random = np.random.default_rng([n_labels, number])
            parents, tables = draw_network(random, n_labels)
            shuffled = random.permutation(n_labels)  # label -> its column
            edges = [(shuffled[parent], shuffled[child]) for child, group in enumerate(parents) for parent in group]
            for n_rows in ROWS:
                name = f"{n_labels}-{n_rows}-{number}"
                Y = draw_rows(random, parents, tables, n_rows, shuffled)
                if not (folder / f"{name}.npz").exists():
                    np.savez_compressed(folder / f"part-{name}", Y=Y)
                    (folder / f"part-{name}.npz").replace(folder / f"{name}.npz")
                known[name] = parents_of(edges, n_labels), n_rows
    return known


def judge(truth: Parents, edges: list[tuple[int, int]]) -> dict[str, float]:
    true = {frozenset((parent, child)) for child, group in enumerate(truth) for parent in group}
    shown = {frozenset(edge) for edge in edges}
    return {
        "precision": len(true & shown) / len(shown) if shown else 1.0,
        "recall": len(true & shown) / len(true) if true else 1.0,
        "SHD": float(structural_hamming_distance(truth, parents_of(edges, len(truth)))),
    }


def learn(Y: np.ndarray, settings: dict[str, Any]) -> tuple[list[tuple[int, int]], float]:
    start = time.perf_counter()
    net = learn_network(Y, max_children=None, **settings).pruned()
    return list(net.edges), time.perf_counter() - start


def learn_all(folder: Path, known: dict[str, tuple[Parents, int]], deadline: float) -> int:
    """Learns what is not learned yet, until the deadline; how many cells are left."""
    cells = [(name, method) for name in known for method in OURS]
    todo = [cell for cell in cells if not cell_file(folder, *cell).exists()]
    if todo:
        learn(np.load(folder / f"{todo[0][0]}.npz")["Y"], OURS["bncc, hill climbing"])  # what is loaded at first
    for done, (name, method) in enumerate(todo):
        if time.monotonic() > deadline:
            return len(todo) - done
        edges, seconds = learn(np.load(folder / f"{name}.npz")["Y"], OURS[method])
        part = folder / "part.json"
        part.write_text(json.dumps({"edges": [list(map(int, edge)) for edge in edges], "seconds": seconds}))
        part.replace(cell_file(folder, name, method))
    return 0


def cell_file(folder: Path, name: str, method: str) -> Path:
    return folder / f"{name}.{method}.json"


def results_of(folder: Path, known: dict[str, tuple[Parents, int]]) -> dict[tuple[int, int, str], dict[str, dict]]:
    """By labels, rows and method: what was found of each network; peers that were stopped are left out."""
    out: dict[tuple[int, int, str], dict[str, dict]] = {}
    for name, (truth, n_rows) in known.items():
        for file in folder.glob(f"{name}.*.json"):
            content, method = json.loads(file.read_text()), file.name.split(".")[1]
            if content["edges"] is None:
                continue
            edges = [tuple(edge) for edge in content["edges"]]
            judged = {**judge(truth, edges), "seconds": content["seconds"]}
            out.setdefault((len(truth), n_rows, method), {})[name.rsplit("-", 1)[1]] = judged
    return out


def interval(values: np.ndarray) -> str:
    if values.size < 2:
        return f"{values.mean():+.1f}"
    half = student.ppf(0.975, values.size - 1) * values.std(ddof=1) / np.sqrt(values.size)
    return f"{values.mean():+.1f} ({values.mean() - half:+.1f}..{values.mean() + half:+.1f})"


def rows_of(results: dict[tuple[int, int, str], dict[str, dict]]) -> list[dict[str, Any]]:
    out = []
    for (n_labels, n_rows, method), found in sorted(results.items()):
        ours = results[n_labels, n_rows, next(iter(OURS))]
        row: dict[str, Any] = {"labels": n_labels, "rows": n_rows, "method": method, "networks": len(found)}
        for figure in ("precision", "recall", "SHD", "seconds"):
            row[figure] = float(np.mean([one[figure] for one in found.values()]))
        row["SHD less ours"] = interval(np.array([one["SHD"] - ours[number]["SHD"] for number, one in found.items()]))
        row["times ours"] = float(
            np.median([one["seconds"] / ours[number]["seconds"] for number, one in found.items()])
        )
        out.append(row)
    return out


def noise(n_seeds: int) -> dict[str, float]:
    shown, shares = [], []
    for seed in range(n_seeds):
        random = np.random.default_rng(seed)
        Y = (random.random((2000, 20)) < random.uniform(0.05, 0.5, 20)).astype(np.int8)
        for settings in OURS.values():
            net = learn_network(Y, max_children=None, **settings)
            shown.append(len(net.pruned().edges))
            shares += [edge.share for edge in net.edge_table()]
    return {
        "false edges shown, mean": float(np.mean(shown)),
        **{f"share, {100 * at:g} % of edges below": float(np.quantile(shares, at)) for at in (0.5, 0.95, 0.99, 1.0)},
    }


def main() -> None:
    peers, deadline = option("--peers", ""), time.monotonic() + 60 * float(option("--minutes", "1e9"))
    folder = ROOT / "build" / "network_edges"
    folder.mkdir(parents=True, exist_ok=True)
    known = make_data(folder)
    n_left = learn_all(folder, known, deadline)
    if peers:
        names, minutes = folder / "cells.txt", max(0.0, deadline - time.monotonic()) / 60
        names.write_text("\n".join(known))
        script = ROOT / "benchmarks" / "network_peers.py"
        done = subprocess.run([peers, str(script), str(folder), option("--limit", "300"), str(minutes)], check=False)
        n_left += done.returncode == LEFT
        if done.returncode not in (0, LEFT):
            sys.exit(done.returncode)
    if n_left:
        sys.exit("Not all cells are done: run this again to go on.")
    finish("network_edges", rows_of(results_of(folder, known)), noise=noise(5 if SMALL else 50))


if __name__ == "__main__":
    main()
