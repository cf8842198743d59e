"""The linear engine: against scikit-learn, LibMultiLabel and napkinXC, at a million rows, and how its cost grows.

Every part runs in a process of its own, so that its peak memory is its own. Each line states how equal the results
are: `excess` is how far our objectives lie above the other's (as a share, at most over some labels), `f1` and
`peer_f1` are points on new rows. Parts: ``--only NAME`` (again for several; with ``--record`` the other parts stay as
they were recorded); ``--small`` runs all of them on small sizes. LibMultiLabel and napkinXC run in an environment of
their own (see linear_peers.py): ``--peers PYTHON``.
One part prices a pass over a row in bytes touched per second, beside what the memory streams. `linear_page.py` puts the
recorded run into the pages, and draws how cost grows.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from harness import RECORDED, ROOT, best_of, finish, peak_memory_gb
from linear_data import REAL_TEXT, real_text, text_like, top_f1
from scipy import sparse
from sklearn.kernel_approximation import Nystroem
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import ClassifierChain
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

import bncc
from bncc import BNCC, BinaryRelevance, learn_network
from bncc.datasets import make_scenes
from bncc.linear import make_batch, prepare_features, solve
from bncc.metrics import micro_f1
from bncc.selection import BatchSearchCV

N_JOBS = 2
DROP = 0.01  # share of a label's largest weight up to which weights are dropped where models are large
PEERS = ROOT / "build" / "peers" / "bin" / "python"


def objective(X, w, b, y):
    """Of the squared hinge loss at C = 1."""
    signs = np.where(y, 1.0, -1.0)
    return 0.5 * (w @ w + b * b) + (np.maximum(0, 1 - signs * (X @ w + b)) ** 2).sum()


def costs_of(solutions):
    costs = solutions.costs
    return {name: float(getattr(costs, name).mean()) for name in ("updates", "checks", "active")}


def some(n, most=8):
    return range(0, n, max(1, n // most))


def text_cases(small):
    """(case, X, Y): the generated sets and the real ones."""
    shapes = [(2_000, 2_000, 20)] if small else [(20_000, 20_000, 100), (100_000, 50_000, 200)]
    for shape in shapes:
        yield " x ".join(f"{size:,}" for size in shape), *text_like(*shape, cardinality=3)
    for name in REAL_TEXT[-1:] if small else REAL_TEXT:
        yield name, *real_text(name)


def relevance(options):
    """Binary relevance against OneVsRestClassifier(LinearSVC(), n_jobs=2)."""
    for case, X, Y in text_cases(options.small):
        seconds, model = best_of(lambda X=X, Y=Y: BinaryRelevance(bncc.LinearSVC(), n_jobs=N_JOBS).fit(X, Y), 2)
        ours = model._solved.solutions
        reference = OneVsRestClassifier(LinearSVC(), n_jobs=N_JOBS)
        truth = Y.toarray().astype(np.int64)  # of more than 127 columns of int8 it mixes up the order
        their_seconds, _ = best_of(lambda X=X, truth=truth, reference=reference: reference.fit(X, truth), 1)
        excess = max(excess_of(X, Y, ours, reference.estimators_[label], label, 0) for label in some(Y.shape[1]))
        yield {"case": case, **against(seconds, their_seconds), "excess": excess, **costs_of(ours)}


def chain(options):
    """A chain against ClassifierChain(LinearSVC()), which sees rows and labels before as one matrix per link."""
    for case, X, Y in text_cases(options.small):
        chained = bncc.ClassifierChain(bncc.LinearSVC(), order=None, n_jobs=N_JOBS)
        seconds, model = best_of(lambda X=X, Y=Y, chained=chained: chained.fit(X, Y), 2)
        ours = model._solved.solutions
        reference = ClassifierChain(LinearSVC())
        their_seconds, _ = best_of(lambda X=X, Y=Y, reference=reference: reference.fit(X, Y.toarray()), 1)
        excess = max(excess_of(X, Y, ours, reference.estimators_[label], label, label) for label in some(Y.shape[1]))
        yield {"case": case, **against(seconds, their_seconds), "excess": excess, **costs_of(ours)}


def excess_of(X, Y, ours, model, label, n_before):
    """How far our objective of a label lies above that of a fitted model that sees the first labels."""
    extended = sparse.hstack([X, Y[:, :n_before]]).tocsr() if n_before else X
    y = Y[:, [label]].toarray().ravel() > 0
    weights = ours[label].weights[: X.shape[1] + n_before].astype(float)
    theirs = objective(extended, model.coef_.ravel(), float(model.intercept_[0]), y)
    return float(objective(extended, weights, ours.bias[label], y) / theirs - 1)


def against(seconds, their_seconds):
    return {"bncc_s": seconds, "peer_s": their_seconds, "ratio": their_seconds / seconds}


def peers(options):
    """Binary relevance and its prediction against LibMultiLabel and napkinXC, two threads each."""
    shapes = [(2_000, 2_000, 20)] if options.small else [(20_000, 20_000, 100), (100_000, 50_000, 200)]
    for shape in shapes:
        n_rows, k = shape[0], 3
        X, Y = text_like(n_rows + n_rows // 5, *shape[1:], cardinality=k)
        seen, new = X[:n_rows], X[n_rows:]
        targets, truth = Y[:n_rows], Y[n_rows:]
        model = BinaryRelevance(bncc.LinearSVC(), n_jobs=N_JOBS)
        seconds, _ = best_of(lambda seen=seen, targets=targets, model=model: model.fit(seen, targets), 2)
        ours_f1 = top_f1(model.predict_top(new, k)[0], truth)
        for peer in ("libmultilabel", "napkinxc"):
            row = {"case": f"{peer}, {' x '.join(f'{size:,}' for size in shape)}"}
            answer = run_peer(options, peer, seen, targets, new, k)
            if isinstance(answer, str):
                yield {**row, "excess": answer}
                continue
            f1 = {"f1": ours_f1, "peer_f1": top_f1(np.array(answer["columns"]), truth)}
            yield {**row, **against(seconds, answer["fit_s"]), **f1}


def run_peer(options, peer, X, Y, X_new, k, *kept):
    """Its answer, or why there is none; `kept` is a folder for its model."""
    if not Path(options.peers).exists():
        return "no environment"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.npz"
        matrices = {"X": X.tocsr(), "Y": Y.tocsr(), "X_new": X_new.tocsr()}
        parts = {f"{name}_{part}": getattr(m, part) for name, m in matrices.items() for part in PARTS}
        np.savez(path, k=k, **parts)
        script = Path(__file__).with_name("linear_peers.py")
        run = subprocess.run([options.peers, script, peer, path, *kept], capture_output=True, text=True, check=False)
    if run.returncode:
        return run.stderr.strip().splitlines()[-1][:80]
    return json.loads(run.stdout.strip().splitlines()[-1])


PARTS = ("data", "indices", "indptr", "shape")


def large(options):
    """Network and chain for a million rows, 10^5 features and 10^4 labels of cardinality 5."""
    n_rows, n_features, n_labels = (20_000, 5_000, 200) if options.small else (10**6, 10**5, 10**4)
    X, Y = text_like(n_rows, n_features, n_labels, cardinality=5)
    start = time.perf_counter()
    learn_network(Y, max_children=2)
    learned = time.perf_counter()
    model = BNCC(bncc.LinearSVC(drop_below=DROP), max_children=2, n_jobs=N_JOBS).fit(X, Y)
    seconds = time.perf_counter() - learned
    solutions = model._solved.solutions
    yield {
        "case": f"{n_rows:,} x {n_features:,} x {n_labels:,}",
        "bncc_s": seconds,
        "network_s": learned - start,
        "seconds_per_block": float(solutions.costs.seconds.mean()),
        **costs_of(solutions),
        "weights_per_label": solutions.weights.nnz / n_labels,
        "stopped": int((solutions.status == 1).sum()),
    }


def growth(options):
    """Seconds for more rows and for more labels; the slopes are those of lines through the log-log points."""
    if options.small:
        rows = [(n, 1_000, 32) for n in (250, 1_000, 4_000)]
        labels = [(1_000, 1_000, m) for m in (16, 64, 256)]
    else:
        rows = [(n, 10**5, 320) for n in (10**4, 10**5, 10**6)]
        labels = [(10**5, 10**5, m) for m in (10**2, 10**3, 10**4)]
    series = {"rows": rows, "labels": labels}
    points = {}
    for name, shapes in series.items():
        points[name] = []
        for shape in shapes:
            X, Y = text_like(*shape, cardinality=5)
            start = time.perf_counter()
            solve(make_batch(X, Y), n_jobs=N_JOBS, drop=DROP)
            points[name].append((shape[0] if name == "rows" else shape[2], time.perf_counter() - start))
            yield {"case": f"{name}: {' x '.join(f'{size:,}' for size in shape)}", "bncc_s": points[name][-1][1]}
        sizes, seconds = np.log(np.array(points[name])).T
        yield {"case": f"{name}: slope", "slope": float(np.polyfit(sizes, seconds, 1)[0])}


def cycles(options):
    """The network of labels in a hierarchy, with a child limit of 2."""
    from bench_structure import hierarchy

    yield {"case": "hierarchy", **hierarchy(*((20_000, 2_000) if options.small else (10**6, 10**5)))}


def search(options):
    """Five values of C on five folds in one batch, each from the solution of the one before, against GridSearchCV."""
    shape = (2_000, 2_000, 10) if options.small else (20_000, 20_000, 100)
    X, Y = text_like(*shape, cardinality=3)
    folds, how = KFold(5), {"scoring": "f1_micro", "refit": False, "n_jobs": N_JOBS}
    grid = {"estimator__C": np.geomspace(0.1, 10, 5).tolist()}
    batched = BatchSearchCV(BinaryRelevance(bncc.LinearSVC()), grid, cv=folds, **how)
    seconds, _ = best_of(lambda: batched.fit(X, Y), 1)
    reference = GridSearchCV(OneVsRestClassifier(LinearSVC()), grid, cv=folds, **how)
    their_seconds, _ = best_of(lambda: reference.fit(X, Y.toarray()), 1)
    ours, theirs = (found.cv_results_["mean_test_score"] for found in (batched, reference))
    yield {
        "case": f"{' x '.join(f'{size:,}' for size in shape)}, 5 values x 5 folds",
        **against(seconds, their_seconds),
        "f1": 100 * float(ours.max()),
        "peer_f1": 100 * float(theirs.max()),
        "excess": float(np.abs(ours - theirs).max()),
    }


def prediction(options):
    """The five best of 10^4 labels for 10^5 rows, by weights learned on as many, against napkinXC."""
    n_rows, n_features, n_labels, k = (2_000, 1_000, 200, 5) if options.small else (10**5, 10**5, 10**4, 5)
    X, Y = text_like(2 * n_rows, n_features, n_labels, cardinality=5)
    base = bncc.LinearSVC(drop_below=DROP, n_jobs=N_JOBS)
    model = BinaryRelevance(base, n_jobs=N_JOBS).fit(X[:n_rows], Y[:n_rows])
    new, truth = X[n_rows:], Y[n_rows:]
    seconds, (columns, _) = best_of(lambda: model.predict_top(new, k), 1)
    row = {"case": f"{n_rows:,} rows, {n_labels:,} labels, best {k}", "bncc_s": seconds, "f1": top_f1(columns, truth)}
    kept = Path(options.peers).parents[1] / f"napkinxc-{n_rows}-{n_labels}"
    answer = run_peer(options, "napkinxc", X[:n_rows], Y[:n_rows], new, k, str(kept))
    if isinstance(answer, str):
        yield {**row, "excess": answer}
        return
    peer_f1 = top_f1(np.array(answer["columns"]), truth)
    yield {**row, **against(seconds, answer["predict_s"]), "peer_f1": peer_f1}


def nystroem(options):
    """RBF by landmarks against scikit-learn's Nystroem with a LinearSVC per label, and against the exact kernel."""
    n_landmarks = 100 if options.small else 1000
    for n_rows in (1_000,) if options.small else (5_000, 20_000):
        data = make_scenes(n_rows + n_rows // 4, noise=2.0)
        (X, Y), (new, truth) = (data.X[:n_rows], data.Y[:n_rows]), (data.X[n_rows:], data.Y[n_rows:])
        gamma = 1.0 / (X.shape[1] * X.var())
        landmarks = {"approximation": "nystroem", "n_components": n_landmarks, "random_state": 0}
        ours = BinaryRelevance(bncc.KernelSVC(gamma=gamma, **landmarks), n_jobs=N_JOBS)
        mapped = make_pipeline(Nystroem(gamma=gamma, n_components=n_landmarks, random_state=0), LinearSVC())
        seconds, predicted = best_of(lambda X=X, Y=Y, new=new, ours=ours: ours.fit(X, Y).predict(new), 1)
        f1 = 100 * micro_f1(truth, predicted)
        others = {"scikit-learn's Nystroem and LinearSVC": OneVsRestClassifier(mapped, n_jobs=N_JOBS)}
        others["the exact kernel"] = BinaryRelevance(bncc.KernelSVC(gamma=gamma), n_jobs=N_JOBS)
        for name, other in others.items():
            fit = best_of(lambda X=X, Y=Y, new=new, other=other: other.fit(X, Y).predict(new), 1)
            case = f"{n_rows:,} rows, {n_landmarks} landmarks, against {name}"
            yield {"case": case, **against(seconds, fit[0]), "f1": f1, "peer_f1": 100 * micro_f1(truth, fit[1])}


def bound(options):
    """Blocks of 16 labels from frequent to rare: bytes touched per second beside what one core streams."""
    n_rows, n_features, n_labels = (20_000, 5_000, 200) if options.small else (10**6, 10**5, 10**4)
    X, Y = text_like(n_rows, n_features, n_labels, cardinality=5)
    features, words = prepare_features(X), X.nnz / n_rows
    stream = stream_gb_per_second()
    for first in np.linspace(0, n_labels - 32, 3).astype(int):
        solutions = solve(make_batch(features, Y[:, first : first + 32]), n_jobs=N_JOBS, drop=DROP)
        costs = solutions.costs
        visits = float((2 * costs.updates + costs.checks).mean()) * n_rows
        seconds = float(costs.seconds.mean())
        yield {
            "case": f"labels {first}..{first + 31} of {n_labels:,}",
            "seconds_per_block": seconds,
            **costs_of(solutions),
            "gb_per_s": visits * words * 72 / seconds / 1e9,
            "stream_gb_per_s": stream,
            "weights_per_label": solutions.weights.nnz / 32,
        }


def stream_gb_per_second():
    """What one core reads from memory."""
    block = np.ones(1 << 25)
    seconds, _ = best_of(block.sum, 5)
    return block.nbytes / seconds / 1e9


PARTS_OF_THE_RUN = (relevance, chain, peers, large, growth, cycles, search, prediction, nystroem, bound)
WORK = {work.__name__: work for work in PARTS_OF_THE_RUN}


def in_its_own_process(name, options):
    command = [sys.executable, __file__, "--part", name, "--peers", str(options.peers)]
    run = subprocess.run([*command, *["--small"] * options.small], stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(run.stdout.strip().splitlines()[-1])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", action="append", choices=WORK, help="this part; again for several")
    parser.add_argument("--small", action="store_true", help="small sizes")
    parser.add_argument("--peers", default=PEERS, help="the Python with LibMultiLabel and napkinXC")
    parser.add_argument("--record", action="store_true", help="make this the recorded run")
    parser.add_argument("--part", choices=WORK, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.part:
        rows = [{"work": options.part, **row} for row in WORK[options.part](options)]
        for row in rows:
            row["peak_gb"] = peak_memory_gb()
        print(json.dumps(rows, default=float))
        return
    made = {name: in_its_own_process(name, options) for name in options.only or WORK}
    before = RECORDED / "linear.json"
    if options.only and options.record and before.exists():  # the other parts stay as they were recorded
        for row in json.loads(before.read_text(encoding="utf-8"))["rows"]:
            if row["work"] not in options.only:
                made.setdefault(row["work"], []).append(row)
    rows = [row for name in WORK for row in made.get(name, [])]
    means = {
        f"mean_ratio_{name}": float(np.exp(np.mean([np.log(row["ratio"]) for row in rows if row["work"] == name])))
        for name in ("relevance", "chain")
        if any(row["work"] == name for row in rows)
    }
    finish("linear", rows, **means)


if __name__ == "__main__":
    main()
