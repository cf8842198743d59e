"""Training seconds of the paper's six methods on one core, beside its Table 5: what takes how many times as long as CC?

One method at a time, on the core given by `--core`, BLAS on one thread, n_jobs = 1, at the sigma that the study chose
for the data set (from its store) and C = 100: the median over the training rows of a few folds (nine tenths of all).
Seconds are those that the process had the core, which on an idle machine are all there are; where it had it for less
than 95 of 100 the row says "busy", and other work has made the figures larger. Every cell is written down when it is
measured: run it again to go on where it was.

`python bench_training_time.py --sets flags emotions --folds 3 --minutes 20`, and with `--record` once all are there.
"""

from __future__ import annotations

import argparse
import json
import lzma
import os
import tempfile
import time
from pathlib import Path

import numpy as np
from harness import RECORDED, ROOT, finish
from scipy import sparse
from threadpoolctl import threadpool_limits

from bncc.analysis import paper
from bncc.datasets import load
from bncc.evaluation.folds import deal_repeat
from bncc.experiment import Store, load_protocol
from bncc.experiment.method_estimators import make_estimator
from bncc.multilabel.scaling import RangeScaler
from bncc.svm import KernelSVC

SETS = (
    *("flags", "virusgo", "gpositivego", "chd49", "emotions", "genbase", "plantgo", "medical", "waterquality"),
    *("gnegativego", "enron", "scene", "yeast"),
)
PARTS = ROOT / "out" / "training_time_parts.json"


def chosen_sigmas() -> dict[str, float]:
    """By data set, from the store of the study."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "paper.sqlite"
        path.write_bytes(lzma.decompress((RECORDED / "paper.sqlite.xz").read_bytes()))
        with Store.read(path) as store:
            return {record.dataset: record.sigma for record in store.records() if record.sigma is not None}


def measure(name: str, method: str, sigma: float, n_folds: int) -> dict[str, float]:
    """Median seconds of the core to train, and the share of a core that the process got meanwhile."""
    protocol, data = load_protocol("paper"), load(name)
    X = sparse.csr_array(data.X) if sparse.issparse(data.X) else data.X
    X, Y = RangeScaler().fit(X).transform(X), np.asarray(data.Y)
    folds = deal_repeat(Y, 10, dataset=name, repeat=0, seed=protocol.seed, stratified=False)
    seconds, share = [], []
    for train, _ in folds[:n_folds]:
        model = make_estimator(protocol.method(method), name, seed=0, engine="cpu")
        model.set_params(estimator=KernelSVC(C=100, sigma=sigma, engine="cpu"), n_jobs=1)
        wall, cpu = time.perf_counter(), time.process_time()
        with threadpool_limits(1):
            model.fit(X[train], Y[train])
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        seconds.append(cpu)
        share.append(cpu / wall)
    return {"seconds": float(np.median(seconds)), "share": float(min(share))}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", nargs="+", default=SETS)
    parser.add_argument("--folds", type=int, default=3)
    parser.add_argument("--core", type=int, default=min(os.sched_getaffinity(0)))
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--again", action="store_true", help="forget what was measured before")
    options, _ = parser.parse_known_args()
    os.sched_setaffinity(0, {options.core})
    begin, sigmas = time.perf_counter(), chosen_sigmas()
    PARTS.parent.mkdir(exist_ok=True)
    done = json.loads(PARTS.read_text()) if PARTS.exists() and not options.again else {}
    cells = [(name, method) for name in options.sets for method in paper.METHODS]
    measure(options.sets[0], "BR", sigmas[options.sets[0]], 1)  # what is loaded on first use is loaded
    for name, method in cells:
        if time.perf_counter() - begin > 60 * options.minutes:
            print("time is up")
            break
        if f"{name} {method}" not in done:
            done[f"{name} {method}"] = measure(name, method, sigmas[name], options.folds)
            PARTS.write_text(json.dumps(done, indent=1))
    finish("training_time", rows_of(options.sets, done), folds=options.folds, core="one, by affinity")


def rows_of(sets: list[str], done: dict[str, dict[str, float]]) -> list[dict[str, object]]:
    """A row per data set that is complete: seconds, and the two ratios of the claim beside the printed ones."""
    rows: list[dict[str, object]] = []
    printed = paper.seconds("train")
    for name in sets:
        if any(f"{name} {method}" not in done for method in paper.METHODS):
            continue
        found = {method: done[f"{name} {method}"]["seconds"] for method in paper.METHODS}
        theirs = {method: printed.cell(name, method)[0] for method in paper.METHODS}
        row: dict[str, object] = {"data set": name, **found, "BNCC/CC": found["BNCC"] / found["CC"]}
        row["printed BNCC/CC"] = theirs["BNCC"] / theirs["CC"] if theirs["CC"] else "-"
        row |= {"ECC/BNCC": found["ECC"] / found["BNCC"], "printed ECC/BNCC": theirs["ECC"] / theirs["BNCC"]}
        row["core"] = "idle" if min(done[f"{name} {m}"]["share"] for m in paper.METHODS) > 0.95 else "busy"
        rows.append(row)
    return rows


if __name__ == "__main__":
    main()
