"""Learns networks with pyAgrum and pgmpy, for `bench_network_edges.py`: run by a Python that has them.

Reads label matrices (``NAME.npz``, array Y) from a folder and writes ``NAME.METHOD.json``: edges (parent, child) and
seconds, without the time to import, and with the time to hand the data over. One method that takes longer than the
limit is stopped, which is kept too (edges: null). Cells that are there are not learned again; after so many minutes the
script ends with the status 75, and goes on when it is called again.
"""

from __future__ import annotations

import json
import multiprocessing
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd


def frame_of(Y: np.ndarray) -> pd.DataFrame:
    return pd.DataFrame(Y.astype(str), columns=[str(label) for label in range(Y.shape[1])])


def pyagrum_climbing(Y: np.ndarray) -> list[tuple[int, int]]:
    return _pyagrum(Y, lambda learner: learner.useGreedyHillClimbing())


def pyagrum_k2(Y: np.ndarray) -> list[tuple[int, int]]:
    return _pyagrum(Y, lambda learner: learner.useK2(list(range(Y.shape[1]))))


def _pyagrum(Y: np.ndarray, choose: Callable) -> list[tuple[int, int]]:
    import pyagrum

    learner = pyagrum.BNLearner(frame_of(Y))
    learner.useScoreBIC()
    choose(learner)
    dag = learner.learnDAG()
    label = {node: int(learner.nameFromId(node)) for node in dag.nodes()}
    return [(label[parent], label[child]) for parent, child in dag.arcs()]


def pgmpy_climbing(Y: np.ndarray) -> list[tuple[int, int]]:
    return _pgmpy(Y, "bic-d")


def pgmpy_k2(Y: np.ndarray) -> list[tuple[int, int]]:
    return _pgmpy(Y, "k2")


def _pgmpy(Y: np.ndarray, score: str) -> list[tuple[int, int]]:
    from pgmpy.estimators import HillClimbSearch

    dag = HillClimbSearch(frame_of(Y)).estimate(scoring_method=score, show_progress=False)
    return [(int(parent), int(child)) for parent, child in dag.edges()]


METHODS = {
    "pyAgrum, hill climbing": pyagrum_climbing,
    "pyAgrum, K2": pyagrum_k2,
    "pgmpy, hill climbing": pgmpy_climbing,
    "pgmpy, hill climbing with K2's score": pgmpy_k2,
}
LEFT = 75  # the status of an end before all is done
IMPORTED = {"pyAgrum": "pyagrum", "pgmpy": "pgmpy.estimators"}


def keep(target: Path, content: dict) -> None:
    part = target.with_name(f"part-{target.name}")
    part.write_text(json.dumps(content))
    part.replace(target)


def work(method: str, source: Path, target: Path) -> None:
    __import__(IMPORTED[method.split(",")[0]])
    Y = np.load(source)["Y"]
    METHODS[method](Y[:50, :3])  # what is loaded at the first call is not measured
    start = time.perf_counter()
    edges = METHODS[method](Y)
    keep(target, {"edges": edges, "seconds": time.perf_counter() - start})


def learn(method: str, source: Path, target: Path, limit: float) -> str:
    """One cell in a process of its own: what came of it."""
    process = multiprocessing.get_context("spawn").Process(target=work, args=(method, source, target))
    process.start()
    process.join(limit)
    if process.is_alive():
        process.terminate()
        process.join()
        keep(target, {"edges": None, "seconds": limit})
        return "stopped"
    return "done" if target.exists() else "failed"


def main() -> None:
    folder, limit, deadline = Path(sys.argv[1]), float(sys.argv[2]), time.monotonic() + 60 * float(sys.argv[3])
    failed = set()
    for name in (folder / "cells.txt").read_text().splitlines():
        for method in METHODS:
            target = folder / f"{name}.{method}.json"
            if target.exists() or method in failed:
                continue
            if time.monotonic() > deadline:
                sys.exit(LEFT)
            outcome = learn(method, folder / f"{name}.npz", target, limit)
            print(name, method, outcome, flush=True)
            failed |= {method} if outcome == "failed" else set()
    if failed:
        sys.exit(f"These failed, see above: {', '.join(sorted(failed))}.")


if __name__ == "__main__":
    main()
