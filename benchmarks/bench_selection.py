"""Choose sigma for a chain on yeast: 13 values x 10 folds in one batch, against GridSearchCV(n_jobs=2).

    python benchmarks/bench_selection.py [--record] [--whole]

GridSearchCV's time is extrapolated unless --whole is given: it runs over all 13 values on two of the ten folds, and the
time is multiplied by five. Scores are compared on those folds. "cores alike" is the ratio of CPU seconds, which moves
less than wall-clock time when other processes run.
"""

from __future__ import annotations

import argparse
import resource
import time

import numpy as np
from harness import best_of, finish
from joblib.externals.loky import get_reusable_executor
from sklearn.metrics import f1_score
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.multioutput import ClassifierChain
from sklearn.svm import SVC

from bncc.datasets import load
from bncc.svm import chain_links, cross_val_decisions, engines, make_batch, pack_labels, squared_distances
from bncc.svm.engine_host import HostEngine

SIGMAS = 2.0 ** np.arange(-3, 10)
GAMMAS = 0.5 / SIGMAS**2
C = 100.0


def ours(X, Y, folds):
    decisions = cross_val_decisions(
        squared_distances(X),
        np.where(Y.T > 0, 1, -1),
        chain_links(np.arange(Y.shape[1]), Y.shape[1]),
        folds,
        gamma=GAMMAS,
        C=C,
        words=pack_labels(Y),
    )[:, 0]
    return decisions


def scores(decisions, Y, folds):
    each = [[f1_score(Y[test], d[test] > 0, average="micro") for _, test in folds] for d in decisions]
    return np.mean(each, axis=1)


def cold_seconds(X, Y, folds):
    """The same problems without shared kernel rows and warm starts: what those save."""
    distances = squared_distances(X)
    links = chain_links(np.arange(Y.shape[1]), Y.shape[1])
    n_links = len(links)
    shape = (len(GAMMAS), len(folds), n_links)
    gamma, fold, link = (index.ravel() for index in np.meshgrid(*map(np.arange, shape), indexing="ij"))
    batch = make_batch(
        distances,
        np.where(Y.T > 0, 1, -1),
        target=link,
        row_set=fold,
        rows=[train for train, _ in folds],
        gamma=GAMMAS[gamma],
        C=C,
        words=pack_labels(Y),
        context=links.context[link],
    )
    start = time.perf_counter()
    solutions = engines.solve(batch)
    return time.perf_counter() - start, int(solutions.iterations.sum())


def children_cpu() -> float:
    """CPU seconds of all worker processes so far; they must have ended to be counted."""
    get_reusable_executor().shutdown(wait=True)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--whole", action="store_true", help="run GridSearchCV on all ten folds")
    arguments = parser.parse_args()
    data = load("yeast")
    X = np.asarray(data.X.toarray() if hasattr(data.X, "toarray") else data.X)
    Y = np.asarray(data.Y.toarray() if hasattr(data.Y, "toarray") else data.Y)
    folds = list(KFold(10, shuffle=True, random_state=0).split(X))

    solved = []
    original = HostEngine.solve

    def watched(self, batch, *settings):
        start = time.perf_counter()
        solutions = original(self, batch, *settings)
        solved.append((time.perf_counter() - start, int(solutions.iterations.sum())))
        return solutions

    HostEngine.solve = watched
    spent = []

    def run():
        start = time.process_time()
        found = ours(X, Y, folds)
        spent.append(time.process_time() - start)
        return found

    seconds, decisions = best_of(run)
    HostEngine.solve = original
    cold, cold_iterations = cold_seconds(X, Y, folds)

    shown = folds if arguments.whole else folds[:2]
    grid = {"estimator__gamma": GAMMAS}
    chain = ClassifierChain(SVC(C=C, cache_size=2000))
    search = GridSearchCV(chain, grid, cv=shown, scoring="f1_micro", n_jobs=2, refit=False)
    before, start = children_cpu(), time.perf_counter()
    search.fit(X, Y)
    measured = time.perf_counter() - start
    parts = len(folds) / len(shown)
    theirs, their_cpu = measured * parts, (children_cpu() - before) * parts
    difference = np.abs(scores(decisions, Y, shown) - search.cv_results_["mean_test_score"]).max()

    rows = [
        {
            "data": "yeast",
            "problems": str(len(SIGMAS) * len(folds) * Y.shape[1]),
            "GridSearchCV s": theirs,
            "bncc s": seconds,
            "ratio": theirs / seconds,
            "cores alike": their_cpu / min(spent),
            "largest difference of F1": float(difference),
            "solve s": min(s for s, _ in solved),
            "solve s, cold": cold,
            "iterations": float(solved[0][1]),
            "iterations, cold": float(cold_iterations),
        }
    ]
    finish(
        "selection",
        rows,
        grid_search="measured whole" if arguments.whole else f"{measured:.1f} s on {len(shown)} folds, times 5",
        best_sigma=float(SIGMAS[int(np.argmax(scores(decisions, Y, folds)))]),
        targets=f"40: {'met' if theirs / seconds >= 40 else 'missed'}; aim 150",
    )


if __name__ == "__main__":
    main()
