"""`recommended` against single methods under tuned thresholds on real sets, each tuned for what it is measured in.

Nested: three stratified outer folds, the same for all methods, five repeats of them; sets of more than 6,000 rows are
cut to 6,000. Every answer is appended to a file as one line, and what is there already is not done again, so that the
whole can be done in many sittings. The sets are divided into halves (`recommended_halves.json`; the gene-ontology sets
on one side): defaults that were settled on one are reported on the other.

    python benchmarks/bench_recommended.py [--sets emotions,flags] [--methods blend,extra_trees] [--metrics example_f1]
        [--repeats 5] [--minutes 60] [--time-limit 60] [--runs FILE] [--record]

Differences between methods on a set come with the interval of the corrected resampled t-test (Nadeau and Bengio 2003),
which knows that folds share rows; over sets, with that of the mean of the sets' differences.
"""

from __future__ import annotations

import argparse
import json
import time
import zlib
from pathlib import Path

import numpy as np
from harness import ROOT, finish
from scipy import stats
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.pipeline import make_pipeline

from bncc.datasets import MultilabelStratifiedKFold, load
from bncc.metrics import evaluate, get_metric, get_scorer
from bncc.multilabel import (
    BNCC,
    BinaryRelevance,
    Blend,
    ClassifierChain,
    EnsembleClassifierChain,
    RangeScaler,
    TunedThresholds,
    recommended_kernels,
)
from bncc.selection import BatchSearchCV
from bncc.svm import KernelSVC

HALVES = json.loads((Path(__file__).resolve().parent / "recommended_halves.json").read_text())
METRICS = ("example_f1", "macro_f1", "micro_f1", "hamming_loss", "subset_accuracy")
MOST_ROWS = 6000
N_FOLDS = 3
GRID = {"sigma": [0.5, 1.0, 2.0, 4.0, 8.0, 16.0], "C": [1.0, 10.0]}


def kernel_method(method, metric, seed):
    """A chain or binary relevance with its kernel searched and its thresholds tuned for the metric."""
    folds = MultilabelStratifiedKFold(3, shuffle=False)
    model = TunedThresholds(method, metric, how="per_label")
    return make_pipeline(RangeScaler(), BatchSearchCV(model, GRID, scoring=get_scorer(metric), cv=folds))


def boosted(name, metric, seed):
    """Boosting of another package under tuned thresholds; None where it is not installed."""
    if name == "lightgbm":
        try:
            from lightgbm import LGBMClassifier
        except ImportError:
            return None
        return TunedThresholds(BinaryRelevance(LGBMClassifier(verbose=-1, random_state=seed)), metric, how="per_label")
    try:
        from catboost import CatBoostClassifier
    except ImportError:
        return None
    return TunedThresholds(
        CatBoostClassifier(loss_function="MultiLogloss", verbose=0, random_seed=seed), metric, how="per_label"
    )


def forest(kind, metric, seed):
    return TunedThresholds(kind(300, n_jobs=-1, random_state=seed), metric, how="per_label", cv=5)


METHODS = {
    "blend": lambda metric, seed, limit: Blend(metric, time_limit=limit, random_state=seed),
    "br": lambda metric, seed, limit: kernel_method(BinaryRelevance(KernelSVC()), metric, seed),
    "cc": lambda metric, seed, limit: kernel_method(ClassifierChain(KernelSVC(), random_state=seed), metric, seed),
    "bncc": lambda metric, seed, limit: kernel_method(BNCC(KernelSVC()), metric, seed),
    "ecc": lambda metric, seed, limit: kernel_method(EnsembleClassifierChain(random_state=seed), metric, seed),
    "extra_trees": lambda metric, seed, limit: forest(ExtraTreesClassifier, metric, seed),
    "random_forest": lambda metric, seed, limit: forest(RandomForestClassifier, metric, seed),
    "lightgbm": lambda metric, seed, limit: boosted("lightgbm", metric, seed),
    "catboost": lambda metric, seed, limit: boosted("catboost", metric, seed),
    "recommended_kernels": lambda metric, seed, limit: recommended_kernels(metric, random_state=seed),
}


def dense(matrix):
    return matrix.toarray() if hasattr(matrix, "toarray") else np.asarray(matrix)


def read_set(name):
    data = load(name)
    X, Y = dense(data.X), dense(data.Y)
    if len(X) > MOST_ROWS:
        kept = np.sort(np.random.default_rng(0).choice(len(X), MOST_ROWS, replace=False))
        X, Y = X[kept], Y[kept]
    return X, Y[:, Y.any(axis=0)]


def answer(task, X, Y, limit):
    """One line of the file: the score of a method on one fold."""
    folds = MultilabelStratifiedKFold(N_FOLDS, shuffle=True, random_state=task["repeat"])
    train, test = list(folds.split(X, Y))[task["fold"]]
    # CRC, since hashes of text change from run to run.
    seed = zlib.crc32(f"{task['set']} {task['repeat']} {task['fold']}".encode()) % 2**31
    model = METHODS[task["method"]](task["metric"], seed, limit)
    if model is None:
        return None
    start = time.perf_counter()
    model.fit(X[train], Y[train])
    seconds = time.perf_counter() - start
    value = evaluate(Y[test], np.asarray(model.predict(X[test])), metrics=[task["metric"]])[task["metric"]]
    out = {**task, "value": 100 * value, "seconds": seconds, "limit": limit}
    if isinstance(model, Blend):
        out["weights"] = model.weights_
    return out


def key_of(line):
    return tuple(line[name] for name in ("set", "repeat", "fold", "method", "metric"))


def tasks_of(options):
    for repeat in range(options.repeats):
        for name in options.sets:
            for metric in options.metrics:
                for fold in range(N_FOLDS):
                    for method in options.methods:
                        yield {"set": name, "repeat": repeat, "fold": fold, "method": method, "metric": metric}


def work_off(options):
    """Do what is not in the file yet, until the minutes are over."""
    path, start = Path(options.runs), time.perf_counter()
    path.parent.mkdir(exist_ok=True, parents=True)
    lines = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    done, held = {key_of(line) for line in lines}, (None, None)
    for task in tasks_of(options):
        if time.perf_counter() - start > 60 * options.minutes:
            print("The minutes are over; run it again to go on.")
            break
        if key_of(task) in done:
            continue
        if held[0] != task["set"]:
            held = task["set"], read_set(task["set"])
        line = answer(task, *held[1], options.time_limit)
        if line is not None:
            lines.append(line)
            with path.open("a") as file:
                file.write(json.dumps(line) + "\n")
            print(*key_of(line), f"{line['value']:.2f} in {line['seconds']:.1f} s", flush=True)
    return lines


def corrected_interval(differences):
    """Mean and half-width of a 95 % interval of differences on folds that share rows."""
    n = len(differences)
    if n < 2:
        return float(np.mean(differences)), float("nan")
    spread = np.var(differences, ddof=1) * (1.0 / n + 1.0 / (N_FOLDS - 1))
    return float(np.mean(differences)), float(stats.t.ppf(0.975, n - 1) * np.sqrt(spread))


def sum_up(lines, metric, names):
    """Mean values, average ranks, and differences of `blend` to each method on some sets."""
    table = {}
    for line in lines:
        if line["metric"] == metric and line["set"] in names:
            table.setdefault(line["set"], {}).setdefault(line["method"], {})[line["repeat"], line["fold"]] = line[
                "value"
            ]
    methods = sorted({method for each in table.values() for method in each})
    sets = [name for name, each in table.items() if all(method in each for method in methods)]
    if not sets or "blend" not in methods:
        return []
    sign = 1 if get_metric(metric).greater_is_better else -1
    means = np.array([[np.mean(list(table[name][method].values())) for method in methods] for name in sets])
    ranks = stats.rankdata(-sign * means, axis=1).mean(axis=0)
    rows = []
    for place, method in enumerate(methods):
        gaps, worst = [], (np.inf, "")
        for name in sets:
            shared = sorted(table[name]["blend"].keys() & table[name][method].keys())
            gap = [sign * (table[name]["blend"][each] - table[name][method][each]) for each in shared]
            mean, half = corrected_interval(gap)
            gaps.append(mean)
            worst = min(worst, (mean + (0 if np.isnan(half) else half), name))
        over_sets = (
            stats.t.ppf(0.975, len(gaps) - 1) * np.std(gaps, ddof=1) / np.sqrt(len(gaps)) if len(gaps) > 1 else np.nan
        )
        rows.append({"metric": metric, "method": method, "sets": len(sets), "mean": float(means[:, place].mean()),
                     "rank": float(ranks[place]), "blend ahead by": float(np.mean(gaps)), "+-": float(over_sets),
                     "most behind": float(worst[0]), "on": worst[1]})  # fmt: skip
    return sorted(rows, key=lambda row: row["rank"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    everything = [*HALVES["A"], *HALVES["B"]]
    for name, known in (("sets", everything), ("methods", list(METHODS)), ("metrics", list(METRICS))):
        parser.add_argument(f"--{name}", type=lambda text: text.split(","), default=known)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--minutes", type=float, default=float("inf"))
    parser.add_argument("--time-limit", type=float, default=None)
    parser.add_argument("--runs", default=str(ROOT / "out" / "recommended_runs.jsonl"))
    parser.add_argument("--record", action="store_true")
    options = parser.parse_args()
    lines = work_off(options)
    rows = []
    for half, names in {**HALVES, "both": everything}.items():
        for metric in options.metrics:
            rows += [{"half": half, **row} for row in sum_up(lines, metric, set(names))]
    if rows:
        finish("recommended", rows, halves=HALVES, folds=N_FOLDS, most_rows=MOST_ROWS, runs=len(lines))


if __name__ == "__main__":
    main()
