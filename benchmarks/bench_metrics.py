"""Metrics against scikit-learn's: the paper's four on dense and sparse predictions, and the ones on scores.

Every row checks that both give the same values. Predictions are synthetic, with the shape and density of the set.
"""

from __future__ import annotations

import warnings
from functools import partial

import numpy as np
import sklearn.metrics as reference
from harness import best_of, finish
from scipy import sparse

import bncc.metrics as metrics


def reference_four(true, pred):
    return {
        "hamming_loss": reference.hamming_loss(true, pred),
        "example_f1": reference.f1_score(true, pred, average="samples", zero_division=0),
        "macro_f1": reference.f1_score(true, pred, average="macro", zero_division=0),
        "micro_f1": reference.f1_score(true, pred, average="micro", zero_division=0),
    }


def our_four(true, pred):
    return metrics.evaluate(true, pred, metrics=["hamming_loss", "example_f1", "macro_f1", "micro_f1"])


def labels(n_rows, n_labels, cardinality, seed=0):
    """A truth and a prediction that is right four times in five."""
    rng = np.random.default_rng(seed)
    true = rng.random((n_rows, n_labels)) < cardinality / n_labels
    noise = rng.random((n_rows, n_labels)) < cardinality / n_labels
    pred = np.where(rng.random((n_rows, n_labels)) < 0.8, true, noise)
    return true.astype(np.uint8), pred.astype(np.uint8)


def row(case, shape, ours, theirs, repeats):
    seconds, mine = best_of(ours, repeats)
    reference_seconds, expected = best_of(theirs, min(repeats, 3))
    np.testing.assert_allclose(list(mine.values()), list(expected.values()), rtol=1e-9)
    return {
        "case": case,
        "shape": " x ".join(map(str, shape)),
        "bncc_ms": seconds * 1e3,
        "sklearn_ms": reference_seconds * 1e3,
        "ratio": reference_seconds / seconds,
    }


def set_rows():
    shapes = {
        "yeast": (2417, 14, 4.2),
        "yeast fold": (242, 14, 4.2),
        "bibtex fold": (740, 159, 2.4),
        "delicious": (16105, 983, 19.0),
    }
    for name, (n, m, card) in shapes.items():
        true, pred = labels(n, m, card)
        repeats = 3 if n * m > 1e6 else 20
        for form, pair in {
            "dense": (true, pred),
            "sparse": (sparse.csr_array(true), sparse.csr_array(pred)),
        }.items():
            yield row(
                f"four, {name}, {form}", (n, m), partial(our_four, *pair), partial(reference_four, *pair), repeats
            )


def stack_row():
    """130 predictions of one fold, as a search over sigma and folds makes them."""
    true, pred = labels(242, 14, 4.2)
    stack = np.repeat(pred[None], 130, axis=0)

    def theirs():
        found = [reference_four(true, p) for p in stack]
        return {key: np.array([f[key] for f in found]) for key in found[0]}

    return row("four, 130 yeast folds", stack.shape, lambda: metrics.paper_scores(true, stack), theirs, 3)


def score_rows():
    theirs = {
        "ranking_loss": reference.label_ranking_loss,
        "coverage_error": reference.coverage_error,
        "label_ranking_average_precision": reference.label_ranking_average_precision_score,
        "macro_auc": reference.roc_auc_score,
        "macro_average_precision": reference.average_precision_score,
    }
    for n, m, card in [(2417, 14, 4.2), (7395, 159, 2.4)]:
        true, _ = labels(n, m, card)
        scores = np.random.default_rng(1).random((n, m)) + 0.3 * true
        for name, function in theirs.items():
            ours = partial(metrics.evaluate, true, Y_score=scores, metrics=[name])
            yield row(name, (n, m), ours, partial(named, name, function, true, scores), 3)


def named(name, function, *arguments):
    return {name: function(*arguments)}


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    finish("metrics", [*set_rows(), stack_row(), *score_rows()])
