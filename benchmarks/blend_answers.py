"""What the families of a blend answer, kept in files, so that ways to blend and to decide can be compared in seconds.

    python benchmarks/blend_answers.py [--sets emotions,flags] [--rows 1000] [--splits 2] [--candidates "NAME;NAME"]

Of every set at most so many rows are drawn; two thirds are learned from, with held-out answers for each of them, and
the rest is answered by the fitted parts. `bench_blend_variants.py` reads the files. What a file has is not made again.

A set of 1,200 rows takes about half a minute on two cores (medical, yeast) without the neural networks and "linear
sets", which take minutes: all 18 sets and three splits about half an hour. To try the kernel candidates, which nobody
has recorded:

    K="kernel chains in network orders;kernel label powerset;kernel RAkEL;kernel RAkEL on the network"
    K="$K;kernel block powerset;kernel label powerset, for exact matches;kernel block powerset, for exact matches"
    python benchmarks/blend_answers.py --rows 1200 --splits 3 --candidates "$K"
    python benchmarks/bench_blend_variants.py --splits 3 --metrics example_f1,subset_accuracy --name blend_kernels
        --only "with kernel ridge and stacked trees;with kernel ridge and stacked trees and kernel RAkEL;..." --record

Settings are searched for example F1, of all families here; of the powersets "for exact matches" for those.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from pathlib import Path

import numpy as np
from blend_candidates import CANDIDATES, KERNEL_CANDIDATES, STACKS, dense, stacked
from harness import ROOT
from sklearn.ensemble import ExtraTreesRegressor

from bncc import MLkNN, NetworkMLkNN
from bncc.datasets import MultilabelStratifiedKFold, load
from bncc.metrics import get_metric
from bncc.multilabel.backend import TrainingRows
from bncc.multilabel.blending.clock import Clock
from bncc.multilabel.blending.families import FAMILIES
from bncc.multilabel.blending.forests import as_tree_features, fill_rates, grow_forest
from bncc.multilabel.blending.problem import BlendProblem, deal_held_out
from bncc.multilabel.blending.rate_sigmoids import fit_sigmoids, log_odds
from bncc.multilabel.targets import read_targets

FOLDER = ROOT / "out" / "blend_answers"
HALVES = json.loads((Path(__file__).resolve().parent / "recommended_halves.json").read_text())
#: Extra trees with other settings than the family's own.
OTHER_TREES = {
    "extra trees, leaf 3": {"min_samples_leaf": 3, "max_features": "sqrt"},
    "extra trees, 0.3": {"min_samples_leaf": 1, "max_features": 0.3},
    "extra trees, leaf 3, 0.3": {"min_samples_leaf": 3, "max_features": 0.3},
}
ALL_CANDIDATES = {**CANDIDATES, **KERNEL_CANDIDATES}
#: Nearest neighbours, which are no family of a blend.
NEIGHBOURS = {"neighbours": MLkNN, "neighbours on the network": NetworkMLkNN}


def read_rows(name, most):
    data = load(name)
    X, Y = data.X, dense(data.Y).astype(np.int8)
    kept = np.arange(X.shape[0])
    if kept.size > most:
        kept = np.sort(np.random.default_rng(0).choice(kept.size, most, replace=False))
    Y = Y[kept]
    return dense(X[kept]), Y[:, Y.sum(axis=0) >= 2]


def other_trees(settings, problem, X_test):
    """Held-out answers and answers for the test rows of extra trees with other settings."""
    forest = ExtraTreesRegressor(bootstrap=True, n_jobs=-1, random_state=problem.seed, **settings)
    target = np.asarray(problem.rows.targets.positives.toarray(), np.float64)
    grown = grow_forest(forest, as_tree_features(problem.rows.X), target, None, 200, Clock(None), 0.0)
    scores = log_odds(fill_rates(grown.out_of_bag)[problem.tested])
    sigmoids = fit_sigmoids(scores, problem.truth)
    return sigmoids(scores), sigmoids(log_odds(grown.forest.predict(as_tree_features(X_test))))


def neighbours(kind, problem, Y, X_test):
    """Held-out answers and answers for the test rows of nearest neighbours."""
    X, held = problem.rows.X, np.empty(Y.shape)
    for learned, tested in problem.folds:
        held[tested] = kind(k=10).fit(X[learned], Y[learned]).predict_proba(X[tested])
    scores = log_odds(held[problem.tested])
    sigmoids = fit_sigmoids(scores, problem.truth)
    return sigmoids(scores), sigmoids(log_odds(kind(k=10).fit(X, Y).predict_proba(X_test)))


def answer(name, split, most, out, candidates=tuple(ALL_CANDIDATES)):
    """What is missing in `out`, of the candidates those that are named."""
    X, Y = read_rows(name, most)
    train, test = next(MultilabelStratifiedKFold(3, shuffle=True, random_state=split).split(X, Y))
    targets = read_targets(Y[train].astype(float))
    folds = deal_held_out(targets, None, limited=False)
    problem = BlendProblem(TrainingRows(X[train], targets, None), folds, get_metric("example_f1"), None, split, None)
    out |= {"truth": Y[train], "test_truth": Y[test]}
    for family in FAMILIES.values():
        if f"held {family.name}" in out or not family.suits(problem):
            continue
        start = time.perf_counter()
        tried = family.try_out(problem, Clock(None), 0.0)
        part = tried.part or family.fit(problem, tried, Clock(None))
        out[f"held {family.name}"], out[f"test {family.name}"] = tried.rates, part.rates(X[test])
        if tried.set_rates is not None:
            out |= {"sets": tried.sets, "held sets": tried.set_rates, "test sets": part.set_rates(X[test])}
        print(f"  {family.name} {time.perf_counter() - start:.1f} s", flush=True)
    for label, settings in OTHER_TREES.items():
        if f"held {label}" not in out:
            out[f"held {label}"], out[f"test {label}"] = other_trees(settings, problem, X[test])
    for label, kind in NEIGHBOURS.items():
        if f"held {label}" not in out:
            out[f"held {label}"], out[f"test {label}"] = neighbours(kind, problem, Y[train], X[test])
    for label in candidates:
        start = time.perf_counter()
        if f"held {label}" not in out and (found := ALL_CANDIDATES[label](problem, Y[train], X[test])) is not None:
            out[f"held {label}"], out[f"test {label}"] = found
            print(f"  {label} {time.perf_counter() - start:.1f} s", flush=True)
    below = [name for name in FAMILIES if f"held {name}" in out]
    means = [np.mean([out[f"{part} {name}"] for name in below], axis=0) for part in ("held", "test")]
    for label in STACKS:
        if f"held {label}" not in out:
            out[f"held {label}"], out[f"test {label}"] = stacked(label, problem, Y[train], X[test], *means)
    return out


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", type=lambda text: text.split(","), default=[*HALVES["A"], *HALVES["B"]])
    parser.add_argument("--rows", type=int, default=1000)
    parser.add_argument("--splits", type=int, default=2)
    parser.add_argument("--candidates", type=lambda text: text.split(";"), default=list(ALL_CANDIDATES))
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    FOLDER.mkdir(parents=True, exist_ok=True)
    for split in range(options.splits):
        for name in options.sets:
            path = FOLDER / f"{name}-{split}.npz"
            print(name, split, flush=True)
            before = dict(np.load(path)) if path.exists() else {}
            after = answer(name, split, options.rows, dict(before), options.candidates)
            if len(after) > len(before):
                np.savez_compressed(path, **after)


if __name__ == "__main__":
    main()
