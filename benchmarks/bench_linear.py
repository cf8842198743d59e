"""The linear engine: against scikit-learn, LibMultiLabel and napkinXC, at a million rows, and how its cost grows.

Every part runs in a process of its own, so that its peak memory is its own. Each line states how equal the results
are: `excess` is how far our objectives lie above the other's (as a share, the largest of all labels), `largest_gap` how
far they may lie above the optimum, `f1` and `peer_f1` are points on new rows. Parts: ``--only NAME`` (again for
several; with ``--record`` the other parts stay as they were recorded, as does a part that fails); ``--small`` runs all
of them on small sizes. LibMultiLabel and napkinXC run in an environment of their own (see linear_peers.py):
``--peers PYTHON``. Date, commit and versions are kept with each part.
One part prices a pass over a row in bytes touched per second, beside what the memory streams; one says what dropping
small weights loses, one what processors with fewer instructions take. `linear_page.py` puts the recorded run into the
pages, and draws how cost grows.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
from harness import RECORDED, ROOT, best_of, best_within, finish, peak_memory_gb, provenance
from linear_data import REAL_TEXT, real_text, split_rows, text_like, text_like_and_new, top_f1
from linear_peer_runs import peer_versions, run_peer
from scipy import sparse
from sklearn.kernel_approximation import Nystroem
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import ClassifierChain
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import normalize
from sklearn.svm import LinearSVC

import bncc
from bncc import BNCC, BinaryRelevance, learn_network
from bncc.datasets import make_scenes
from bncc.linear import make_batch, prepare_features, solve
from bncc.linear.base import AUTO_SHARE
from bncc.linear.native import extension
from bncc.metrics import evaluate, micro_f1
from bncc.selection import BatchSearchCV

N_JOBS = 2
DROP = AUTO_SHARE  # what drop_below="auto" takes where models are large
SHARES = (0.002, 0.005, 0.01, 0.05)  # of a label's largest weight, below which weights are dropped
PEERS = ROOT / "build" / "peers" / "bin" / "python"


def objectives(X, weights, bias, truth):
    """Of the squared hinge loss at C = 1, a problem per row of `weights` and column of `truth`."""
    signs = np.where(truth, 1.0, -1.0)
    losses = np.maximum(0, 1 - signs * (X @ weights.T + bias)) ** 2
    return 0.5 * ((weights**2).sum(axis=1) + bias**2) + losses.sum(axis=0)


def costs_of(solutions):
    costs = solutions.costs
    return {name: float(getattr(costs, name).mean()) for name in ("updates", "checks", "active")}


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
        seconds, model = best_within(lambda X=X, Y=Y: BinaryRelevance(bncc.LinearSVC(), n_jobs=N_JOBS).fit(X, Y))
        ours = model._solved.solutions
        reference = OneVsRestClassifier(LinearSVC(), n_jobs=N_JOBS)
        truth = Y.toarray().astype(np.int64)  # of more than 127 columns of int8 it mixes up the order
        their_seconds, _ = best_within(lambda X=X, truth=truth, reference=reference: reference.fit(X, truth))
        excess = largest_excess(X, Y, ours, reference.estimators_)
        equal = {"excess": excess, "labels": Y.shape[1]}
        yield {"case": case, **against(seconds, their_seconds), **equal, **costs_of(ours)}


def chain(options):
    """A chain against ClassifierChain(LinearSVC()), which sees rows and labels before as one matrix per link."""
    for case, X, Y in text_cases(options.small):
        chained = bncc.ClassifierChain(bncc.LinearSVC(), order=None, n_jobs=N_JOBS)
        seconds, model = best_within(lambda X=X, Y=Y, chained=chained: chained.fit(X, Y))
        ours = model._solved.solutions
        reference = ClassifierChain(LinearSVC())
        their_seconds, _ = best_within(lambda X=X, Y=Y, reference=reference: reference.fit(X, Y.toarray()))
        excess = largest_excess(sparse.hstack([X, Y]).tocsr(), Y, ours, reference.estimators_)
        equal = {"excess": excess, "labels": Y.shape[1]}
        yield {"case": case, **against(seconds, their_seconds), **equal, **costs_of(ours)}


def largest_excess(X, Y, ours, models, width=64):
    """How far our objective lies above that of a fitted model, at most over all labels; some of them at a time.

    A link of a chain sees the first columns of X alone: its other weights are 0.
    """
    excesses = []
    for first in range(0, Y.shape[1], width):
        labels = np.arange(first, min(first + width, Y.shape[1]))
        truth = Y[:, labels].toarray() > 0
        theirs = np.zeros((labels.size, X.shape[1]))
        for row, label in enumerate(labels):
            seen = models[label].coef_.ravel()
            theirs[row, : seen.size] = seen
        their_bias = np.array([float(models[label].intercept_[0]) for label in labels])
        weights = ours.weights[labels]
        weights = (weights.toarray() if sparse.issparse(weights) else weights)[:, : X.shape[1]].astype(float)
        excesses.append(objectives(X, weights, ours.bias[labels], truth) / objectives(X, theirs, their_bias, truth))
    return float(np.concatenate(excesses).max() - 1)


def against(seconds, their_seconds):
    return {"bncc_s": seconds, "peer_s": their_seconds, "ratio": their_seconds / seconds}


def peers(options):
    """Binary relevance and its prediction against LibMultiLabel and napkinXC, two threads each."""
    k = 3
    for case, seen, targets, new, truth in peer_cases(options.small, k):
        model = BinaryRelevance(bncc.LinearSVC(), n_jobs=N_JOBS)
        seconds, _ = best_within(lambda seen=seen, targets=targets, model=model: model.fit(seen, targets))
        ours_f1 = top_f1(model.predict_top(new, k)[0], truth)
        for peer in ("libmultilabel", "napkinxc"):
            row = {"case": f"{peer}, {case}"}
            answer = run_peer(options.peers, peer, seen, targets, new, k)
            if isinstance(answer, str):
                yield {**row, "excess": answer}
                continue
            f1 = {"f1": ours_f1, "peer_f1": top_f1(np.array(answer["columns"]), truth)}
            yield {**row, **against(seconds, answer["fit_s"]), **f1}


def peer_cases(small, cardinality):
    """(case, X, Y, new X, new Y): generated sets, and real ones with rows of unit length, which napkinXC makes them."""
    for shape in [(2_000, 2_000, 20)] if small else [(20_000, 20_000, 100), (100_000, 50_000, 200)]:
        n_rows = shape[0]
        X, Y = text_like(n_rows + n_rows // 5, *shape[1:], cardinality=cardinality)
        yield " x ".join(f"{size:,}" for size in shape), X[:n_rows], Y[:n_rows], X[n_rows:], Y[n_rows:]
    for name in ("medical",) if small else ("bibtex", "delicious"):
        X, Y = real_text(name)
        seen, targets, new, truth = split_rows(normalize(X), Y, X.shape[0] * 5 // 6)
        held = np.diff(targets.indptr) > 0
        yield f"{name} (rows of unit length)", seen, targets[:, held], new, truth[:, held]


def large(options):
    """Network and chain for a million rows, 10^5 features and 10^4 labels of cardinality 5; its best 5 on new rows."""
    n_rows, n_new, n_features, n_labels = (20_000, 1_000, 5_000, 200) if options.small else (10**6, 5_000, 10**5, 10**4)
    X, Y, new, truth = text_like_and_new(n_rows, n_new, n_features, n_labels, cardinality=5)
    start = time.perf_counter()
    learn_network(Y, max_children=2)
    learned = time.perf_counter()
    model = BNCC(bncc.LinearSVC(drop_below=DROP), max_children=2, n_jobs=N_JOBS).fit(X, Y)
    seconds, peak = time.perf_counter() - learned, peak_memory_gb()
    solutions = model._solved.solutions
    gaps = solutions.objective - solutions.dual_objective
    yield {
        "case": f"{n_rows:,} x {n_features:,} x {n_labels:,}",
        "bncc_s": seconds,
        "network_s": learned - start,
        "threads": N_JOBS,
        "seconds_per_block": float(solutions.costs.seconds.mean()),
        **costs_of(solutions),
        "weights_per_label": solutions.weights.nnz / n_labels,
        "stopped": int((solutions.status == 1).sum()),
        "largest_gap": float((gaps / np.maximum(solutions.objective, 1e-300)).max()),
        "new_rows": n_new,
        "f1": top_f1(model.predict_top(new, 5)[0], truth),
        "peak_gb": peak,
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
    seconds, _ = best_of(lambda: batched.fit(X, Y), 2)
    reference = GridSearchCV(OneVsRestClassifier(LinearSVC()), grid, cv=folds, **how)
    their_seconds, _ = best_of(lambda: reference.fit(X, Y.toarray()), 2)
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
    answer = run_peer(options.peers, "napkinxc", X[:n_rows], Y[:n_rows], new, k, str(kept))
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


def drop(options):
    """F1 of real sets, every row held out once, by all weights and without those below a share of the largest."""
    for name in REAL_TEXT[-2:] if options.small else REAL_TEXT:
        X, Y = real_text(name)
        folds = list(KFold(5, shuffle=True, random_state=0).split(X))
        for method in (BinaryRelevance, BNCC):
            for share in (0.0, *SHARES):
                found, weights = held_out_f1(
                    method(bncc.LinearSVC(drop_below=share or None), n_jobs=N_JOBS), X, Y, folds
                )
                yield {
                    "case": f"{name}, {method.__name__}, {share or 'nothing'} dropped",
                    "share": share,
                    **{metric: 100 * float(value) for metric, value in found.items()},
                    "weights_per_label": weights,
                }


def held_out_f1(model, X, Y, folds):
    """Metrics of what is predicted for the rows that folds hold out, and the mean number of weights of a label."""
    truth, predicted, weights = [], [], []
    for train, test in folds:
        model.fit(X[train], Y[train])
        truth.append(Y[test])
        predicted.append(sparse.csr_matrix(model.predict(X[test])))
        weights.append(int((model._solved.solutions.weights != 0).sum()) / Y.shape[1])
    metrics = ["micro_f1", "example_f1", "macro_f1"]
    return evaluate(sparse.vstack(truth), sparse.vstack(predicted), metrics=metrics), float(np.mean(weights))


def bound(options):
    """Blocks of 16 labels from frequent to rare: bytes touched per second and thread beside what memory streams."""
    n_rows, n_features, n_labels = (20_000, 5_000, 200) if options.small else (10**6, 10**5, 10**4)
    X, Y = text_like(n_rows, n_features, n_labels, cardinality=5)
    features, words = prepare_features(X), X.nnz / n_rows
    streams = {"stream_gb_per_s": stream_gb_per_second(1), "stream_all_gb_per_s": stream_gb_per_second(N_JOBS)}
    for first in np.linspace(0, n_labels - 16 * N_JOBS, 3).astype(int):
        end = first + 16 * N_JOBS
        solutions = solve(make_batch(features, Y[:, first:end]), n_jobs=N_JOBS, drop=DROP)
        costs = solutions.costs
        visits = float((2 * costs.updates + costs.checks).mean()) * n_rows
        seconds = float(costs.seconds.mean())
        yield {
            "case": f"labels {first}..{end - 1} of {n_labels:,}",
            "threads": N_JOBS,
            "seconds_per_block": seconds,
            **costs_of(solutions),
            "gb_per_s": visits * words * 72 / seconds / 1e9,
            **streams,
            "weights_per_label": solutions.weights.nnz / (16 * N_JOBS),
        }


def stream_gb_per_second(n_threads):
    """What so many threads read from memory at the same time, together."""
    blocks = [np.ones(1 << 25) for _ in range(n_threads)]
    with ThreadPoolExecutor(n_threads) as threads:
        seconds, _ = best_of(lambda: list(threads.map(np.sum, blocks)), 5)
    return sum(block.nbytes for block in blocks) / seconds / 1e9


def instructions(options):
    """Binary relevance by each set of instructions that this machine has, in which other processors end."""
    shape = (2_000, 2_000, 20) if options.small else (20_000, 20_000, 100)
    X, Y = text_like(*shape, cardinality=3)
    for name in ("avx512", "avx2", "baseline"):
        if extension().simd(name) is None:
            continue
        os.environ["BNCC_SIMD"] = name
        for base in (bncc.LinearSVC(), bncc.LogisticRegression()):
            seconds, _ = best_of(lambda base=base: BinaryRelevance(base, n_jobs=N_JOBS).fit(X, Y), 3)
            yield {
                "case": f"{' x '.join(f'{size:,}' for size in shape)}, {type(base).__name__}",
                "instructions": name,
                "bncc_s": seconds,
            }


PARTS_OF_THE_RUN = (
    relevance,
    chain,
    peers,
    large,
    growth,
    cycles,
    search,
    prediction,
    nystroem,
    drop,
    bound,
    instructions,
)
WORK = {work.__name__: work for work in PARTS_OF_THE_RUN}
WITH_PEERS = {"peers", "prediction"}


def in_its_own_process(name, options):
    """The rows of a part, or none where it fails."""
    print(f"{name} ...", flush=True)
    command = [sys.executable, __file__, "--part", name, "--peers", str(options.peers)]
    run = subprocess.run([*command, *["--small"] * options.small], stdout=subprocess.PIPE, text=True, check=False)
    return None if run.returncode else json.loads(run.stdout.strip().splitlines()[-1])


def print_part(options):
    rows = [{"work": options.part, **row} for row in WORK[options.part](options)]
    peak = peak_memory_gb()
    print(json.dumps([row | {"peak_gb": row.get("peak_gb", peak)} for row in rows], default=float))


def as_recorded():
    """Rows by part and where they come from, of the last recorded run."""
    path = RECORDED / "linear.json"
    if not path.exists():
        return {}, {}
    record = json.loads(path.read_text(encoding="utf-8"))
    rows = {name: [row for row in record["rows"] if row["work"] == name] for name in WORK}
    return rows, record["notes"].get("parts", {})


def refuse_bad_records(parser, options):
    """Before hours of work: a record has full sizes, and the others' figures where its parts have them."""
    if options.record and options.small:
        parser.error("--small is no run to record; leave out --record.")
    if options.record and WITH_PEERS & set(options.only or WORK) and not Path(options.peers).exists():
        parser.error(f"no Python at {options.peers}; make it as linear_peers.py says, or name other parts by --only.")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", action="append", choices=WORK, help="this part; again for several")
    parser.add_argument("--small", action="store_true", help="small sizes")
    parser.add_argument("--peers", default=PEERS, help="the Python with LibMultiLabel and napkinXC")
    parser.add_argument("--record", action="store_true", help="make this the recorded run")
    parser.add_argument("--part", choices=WORK, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.part:
        print_part(options)
        return
    refuse_bad_records(parser, options)
    made, parts = as_recorded() if options.record else ({}, {})
    source = provenance("bncc", "numpy", "scipy", "scikit-learn")
    source_with_peers = source | {"versions": source["versions"] | peer_versions(options.peers)}
    failed = []
    for name in options.only or WORK:
        rows = in_its_own_process(name, options)
        if rows is None:
            failed.append(name)
        else:
            made[name], parts[name] = rows, source_with_peers if name in WITH_PEERS else source
    rows = [row for name in WORK for row in made.get(name, [])]
    finish("linear", rows, **mean_ratios(rows), parts={name: parts[name] for name in WORK if name in parts})
    if failed:
        sys.exit(f"failed, and not in the result unless recorded before: {', '.join(failed)}")


def mean_ratios(rows):
    """Geometric means."""
    ratios = {name: [row["ratio"] for row in rows if row["work"] == name] for name in ("relevance", "chain")}
    return {f"mean_ratio_{name}": float(np.exp(np.mean(np.log(found)))) for name, found in ratios.items() if found}


if __name__ == "__main__":
    main()
