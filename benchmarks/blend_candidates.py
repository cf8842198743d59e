"""Families that were tried for a blend, and trees on top of one: what they answer, held out and for test rows.

`blend_answers.py` keeps their answers beside those of the families that a blend has, and `bench_blend_variants.py` says
what they would change. Those of `KERNEL_CANDIDATES` have not been recorded yet: see blend_answers.py for how long that
takes.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
from sklearn.ensemble import ExtraTreesRegressor
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier
from sklearn.preprocessing import StandardScaler

from bncc import (
    BinaryRelevance,
    BlockPowerset,
    ClassifierChain,
    EnsembleBNCC,
    KernelSVC,
    LabelPowerset,
    RandomKLabelsets,
)
from bncc.metrics import get_metric
from bncc.multilabel.blending.clock import Clock
from bncc.multilabel.blending.families import FAMILIES
from bncc.multilabel.blending.forests import as_tree_features, fill_rates, grow_forest
from bncc.multilabel.blending.frequent_sets import frequent_sets
from bncc.multilabel.blending.rate_sigmoids import fit_sigmoids, log_odds
from bncc.multilabel.blending.stacking import with_answers

MOST_FEATURES, MOST_SETS, MOST_LABELS = 4000, 150, 60
#: Trees on top: rows of a leaf, and the share of the columns that a split looks at (500 at most with "few").
STACKS = {
    "stacked trees, leaf 3, 0.3": (3, 0.3, False),
    "stacked trees, leaf 5, 0.3": (5, 0.3, False),
    "stacked trees, leaf 3, 0.6": (3, 0.6, False),
    "stacked trees, leaf 1, sqrt": (1, "sqrt", False),
    "stacked trees": (3, 0.6, True),
}


def dense(matrix):
    return np.asarray(matrix.toarray() if hasattr(matrix, "toarray") else matrix, float)


def calibrated(problem, held, test):
    sigmoids = fit_sigmoids(held, problem.truth)
    return sigmoids(held), sigmoids(test)


def out_of_folds(problem, answer, width):
    held = np.zeros((problem.rows.targets.n_rows, width))
    for learned, tested in problem.folds:
        held[tested] = answer(learned, tested)
    return held


def neural_networks(problem, Y, X_test, *, standard):
    """Two networks of one hidden layer, on features of unit spread or divided by their range."""
    X, new = dense(problem.numbers.X), dense(problem.to_numbers.transform(X_test))
    if X.shape[1] > MOST_FEATURES:
        return None
    scale = StandardScaler().fit(X).transform if standard else lambda each: 3.0 * each
    X, new = scale(X), scale(new)

    def rates(learned, rows):
        networks = [MLPClassifier((128,), alpha=1e-2, batch_size=64, max_iter=40, random_state=seed) for seed in (0, 1)]
        return np.mean([each.fit(X[learned], Y[learned]).predict_proba(rows) for each in networks], axis=0)

    held = out_of_folds(problem, lambda learned, tested: rates(learned, X[tested]), Y.shape[1])
    return calibrated(problem, log_odds(held), log_odds(rates(np.arange(len(X)), new)))


def linear_sets(problem, Y, X_test):
    """Logistic regression with label sets as classes, the better of two values of C by likelihood."""
    X, new = dense(problem.numbers.X), dense(problem.to_numbers.transform(X_test))
    sets, code = frequent_sets(problem.rows.targets)
    if not 1 < len(sets) <= MOST_SETS:
        return None

    def rates(cost, learned, rows):
        kept = learned[code[learned] >= 0]
        model = LogisticRegression(C=cost, max_iter=60).fit(X[kept], code[kept])
        out = np.zeros((len(rows), len(sets)))
        out[:, model.classes_] = model.predict_proba(rows)
        return out @ sets

    best = None
    for cost in (0.3, 3.0):
        held = out_of_folds(problem, lambda learned, tested, cost=cost: rates(cost, learned, X[tested]), Y.shape[1])
        value = np.log(np.clip(np.where(Y, held, 1 - held), 1e-4, 1)).mean()
        if best is None or value > best[0]:
            best = value, held, cost
    return calibrated(problem, log_odds(best[1]), log_odds(rates(best[2], np.arange(len(X)), new)))


def kernel_family(name, answering, searched=None):
    """A method on the kernel engine where the blend has chains: settings searched and scores calibrated alike."""

    def make(method, problem):
        return method(KernelSVC(n_jobs=problem.n_jobs, engine=problem.engine), problem.seed)

    return replace(
        FAMILIES["kernel chains"],
        name=name,
        searched=partial(make, searched or answering),
        answering=partial(make, answering),
    )


def ask_family(family, suits, problem, Y, X_test):
    """Its answers; None where the data do not suit it."""
    if not suits(problem):
        return None
    tried = family.try_out(problem, Clock(None), 0.0)
    return tried.rates, (tried.part or family.fit(problem, tried, Clock(None))).rates(X_test)


def any_data(problem):
    return True


def few_sets(problem):
    """Whether the label sets that occur are few enough to let each compete with each."""
    seen = np.unique(dense(problem.rows.targets.positives), axis=0)
    return problem.rows.targets.n_labels > 1 and len(seen) <= MOST_SETS


def few_labels(problem):
    return 1 < problem.rows.targets.n_labels <= MOST_LABELS


#: Methods on the kernel engine: how one is made of a base and a seed, of what settings are searched with where that is
#: another, and which data suit it.
KERNEL_METHODS = {
    "kernel relevance": (lambda base, seed: BinaryRelevance(base, n_jobs=1), None, any_data),
    "kernel chains in network orders": (
        lambda base, seed: EnsembleBNCC(base, n_chains=10, n_jobs=1, random_state=seed),
        lambda base, seed: ClassifierChain(base, order="network", n_jobs=1, random_state=seed),
        few_labels,
    ),
    "kernel label powerset": (lambda base, seed: LabelPowerset(base, n_jobs=1, random_state=seed), None, few_sets),
    "kernel RAkEL": (lambda base, seed: RandomKLabelsets(base, n_jobs=1, random_state=seed), None, few_labels),
    "kernel RAkEL on the network": (
        lambda base, seed: RandomKLabelsets(base, labelsets="network", n_jobs=1, random_state=seed),
        None,
        few_labels,
    ),
    "kernel block powerset": (lambda base, seed: BlockPowerset(base, n_jobs=1, random_state=seed), None, few_labels),
}


def kernel_candidate(name):
    answering, searched, suits = KERNEL_METHODS[name]
    return partial(ask_family, kernel_family(name, answering, searched), suits)


def for_exact_matches(candidate, problem, Y, X_test):
    """The candidate with its settings searched for exact matches."""
    return candidate(replace(problem, metric=get_metric("subset_accuracy")), Y, X_test)


CANDIDATES = {
    "neural networks, unit spread": lambda *given: neural_networks(*given, standard=True),
    "neural networks, range": lambda *given: neural_networks(*given, standard=False),
    "linear sets": linear_sets,
    "kernel relevance": kernel_candidate("kernel relevance"),
}
KERNEL_CANDIDATES = {name: kernel_candidate(name) for name in KERNEL_METHODS if name not in CANDIDATES}
#: Whole label sets are what exact matches ask for: these with their settings searched for them.
KERNEL_CANDIDATES |= {
    f"{name}, for exact matches": partial(for_exact_matches, KERNEL_CANDIDATES[name])
    for name in ("kernel label powerset", "kernel block powerset")
}


def stacked(name, problem, Y, X_test, held, test):
    """Trees on features and on the mean of what some families answer."""
    leaf, share, few = STACKS[name]
    X, new = with_answers(dense(problem.rows.X), held), with_answers(dense(X_test), test)
    features = min(int(share * X.shape[1]), 500) if few else share
    forest = ExtraTreesRegressor(
        bootstrap=True, n_jobs=-1, random_state=0, min_samples_leaf=leaf, max_features=features
    )
    grown = grow_forest(forest, as_tree_features(X), Y.astype(float), None, 200, Clock(None), 0.0)
    answers = grown.forest.predict(as_tree_features(new)).reshape(len(new), -1)
    return calibrated(problem, log_odds(fill_rates(grown.out_of_bag)), log_odds(answers))
