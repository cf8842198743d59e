"""Choose sigma for a chain on yeast: 13 values x 10 folds in one batch, against GridSearchCV(n_jobs=2).

    python benchmarks/bench_selection.py [--record] [--whole] [--choices] [--margins]

GridSearchCV's time is extrapolated unless --whole is given: it runs over all 13 values on two of the ten folds, and the
time is multiplied by five. Scores are compared on those folds. "cores alike" is the ratio of CPU seconds, which moves
less than wall-clock time when other processes run. "screened" is BatchSearchCV(screen=True), which drops settings that
are far behind in a rough search; --choices shows on seven sets, by four metrics and two deals of the folds, how often
it chooses something else, and what that costs in cross-validated score. macro_auc looks at decisions. --margins is how
its margins were settled, on other folds of ten sets, three of those seven among them (plantgo, scene, yeast): how often
the best setting of the whole search stays, what is lost where it does not, and how many settings stay.
"""

from __future__ import annotations

import argparse
import resource
import time
from itertools import product

import numpy as np
from harness import best_of, finish
from joblib.externals.loky import get_reusable_executor
from sklearn.metrics import f1_score
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.multioutput import ClassifierChain
from sklearn.svm import SVC

from bncc.datasets import MultilabelStratifiedKFold, load
from bncc.metrics import get_scorer
from bncc.multilabel import ClassifierChain as OurChain
from bncc.multilabel import RangeScaler
from bncc.selection import BatchSearchCV
from bncc.selection.screening import Margin, worth_trying
from bncc.svm import KernelSVC, chain_links, cross_val_decisions, engines, make_batch, pack_labels, squared_distances
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


def screened(X, Y, folds):
    """The same search by BatchSearchCV, with hopeless settings dropped."""
    chain = OurChain(KernelSVC(C=C), order=np.arange(Y.shape[1]))
    return BatchSearchCV(chain, {"sigma": SIGMAS.tolist()}, scoring="f1_micro", cv=folds, refit=False, screen=True).fit(
        X, Y
    )


def compare_choices():
    """With and without screening: is the same setting chosen, and if not, how much worse is it?"""
    grid = {"sigma": [0.5, 1.0, 2.0, 4.0, 8.0, 16.0], "C": [1.0, 10.0]}
    for name in ("plantgo", "gnegativego", "scene", "yeast", "genbase", "enron", "humanpseaac"):
        data = load(name)
        X, Y = (matrix.toarray() if hasattr(matrix, "toarray") else np.asarray(matrix) for matrix in (data.X, data.Y))
        X, Y = RangeScaler().fit_transform(X), Y[:, Y.any(axis=0)]
        for metric in ("example_f1", "macro_f1", "subset_accuracy", "macro_auc"):
            for deal in range(2):
                cv = MultilabelStratifiedKFold(5, shuffle=True, random_state=deal)
                whole, quick = (
                    BatchSearchCV(OurChain(KernelSVC(), random_state=0), grid, scoring=get_scorer(metric), cv=cv,
                                  refit=False, screen=screen).fit(X, Y)
                    for screen in (False, True)
                )  # fmt: skip
                scores = whole.cv_results_["mean_test_score"]
                yield {
                    "data": name,
                    "metric": metric,
                    "deal": deal,
                    "same choice": quick.best_params_ == whole.best_params_,
                    "points lost": 100 * float(scores.max() - scores[quick.best_index_]),
                    "tried on all rows": int(np.isfinite(quick.cv_results_["mean_test_score"]).sum()),
                    "of": len(scores),
                    "times as fast": whole.search_time_ / quick.search_time_,
                }


SETTLED_ON = ("emotions", "plantgo", "yeast", "scene", "flags", "virusgo", "medical", "chd49", "gpositivego",
              "waterquality")  # fmt: skip
GRIDS = {
    "wide": {"sigma": [0.5, 1.0, 2.0, 4.0, 8.0, 16.0], "C": [1.0, 10.0, 100.0]},
    "narrow": {"sigma": [1.0, 1.4, 2.0, 2.8], "C": [2.0, 5.0, 10.0]},
}
METRICS = ("example_f1", "macro_f1", "micro_f1", "subset_accuracy", "hamming_loss")
MARGINS = [Margin(share, errors) for share in (0.05, 0.1) for errors in (1.0, 2.0, 3.0)]


def compare_margins():
    """Rough and whole searches of both grids, by all margins, on half of the folds and on all."""
    found = {}
    for name, (grid_name, grid), n_folds in product(SETTLED_ON, GRIDS.items(), (5, 10)):
        whole, rough = (tables_of(name, grid, n_folds, tol) for tol in (1e-3, 0.1))
        for metric, margin, half in product(METRICS, MARGINS, (True, False)):
            shown = -(-n_folds // 2) if half else n_folds
            kept = worth_trying([rough[metric][:, :shown]], margin)
            means = whole[metric].mean(axis=1).round(12)
            key = (grid_name, n_folds, shown, margin.share_of_range, margin.standard_errors)
            found.setdefault(key, []).append((means.max() - means[kept].max(), kept.mean()))
    for (grid_name, n_folds, shown, share, errors), cases in sorted(found.items()):
        lost, kept = np.array(cases).T
        yield {
            "grid": grid_name, "folds": n_folds, "tried roughly on": shown, "share of range": share,
            "errors": errors, "best stays": int((lost == 0).sum()), "of": len(cases),
            "points lost at most": 100 * float(lost.max()), "share kept": float(kept.mean()),
        }  # fmt: skip


def tables_of(name, grid, n_folds, tol):
    """Scores (n_settings, n_folds) by metric, of a chain solved to a tolerance."""
    data = load(name)
    X, Y = (matrix.toarray() if hasattr(matrix, "toarray") else np.asarray(matrix) for matrix in (data.X, data.Y))
    chain = OurChain(KernelSVC(tol=tol), random_state=0)
    scoring = {metric: get_scorer(metric) for metric in METRICS}
    cv = MultilabelStratifiedKFold(n_folds, shuffle=True, random_state=n_folds)
    search = BatchSearchCV(chain, grid, scoring=scoring, cv=cv, refit=False)
    results = search.fit(RangeScaler().fit_transform(X), Y[:, Y.any(axis=0)]).cv_results_
    return {m: np.array([results[f"split{fold}_test_{m}"] for fold in range(n_folds)]).T for m in METRICS}


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
    parser.add_argument("--choices", action="store_true", help="how often screening chooses something else")
    parser.add_argument("--margins", action="store_true", help="how the margins of screening were settled")
    arguments = parser.parse_args()
    if arguments.margins:
        finish("screening_margins", list(compare_margins()), sets=", ".join(SETTLED_ON))
        return
    if arguments.choices:
        rows = list(compare_choices())
        finish("screening", rows, same=f"{sum(row['same choice'] for row in rows)} of {len(rows)}")
        return
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
    screened_seconds, search_screened = best_of(lambda: screened(X, Y, folds))
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
            "screened s": screened_seconds,
            "ratio, screened": theirs / screened_seconds,
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
        best_sigma_screened=float(search_screened.best_params_["sigma"]),
        tried_on_all_rows=int(np.isfinite(search_screened.cv_results_["mean_test_score"]).sum()),
        targets=f"100: {'met' if theirs / screened_seconds >= 100 else 'missed'} with screening; aim 150",
    )


if __name__ == "__main__":
    main()
