"""The linear engine against scikit-learn, link by link: binary relevance and chains on text-like rows.

Rows are drawn as in topic models: half of the words of a row come from its labels, half from a power law. Every line
states how far the objectives lie apart. `ratio` is wall-clock time, with the processes that scikit-learn starts;
`one_core_ratio` is processor time on one core. The last part prices a large set by a few of its blocks: seconds,
updates and checks per row, the share of rows that stay active, and bytes touched per second beside what the memory
streams.

``--large`` adds that part (10^6 rows x 10^5 features x 10^4 labels, 4 GB, minutes).
"""

from __future__ import annotations

import sys
import time

import numpy as np
from harness import best_of, finish, peak_memory_gb
from scipy import sparse
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import ClassifierChain
from sklearn.svm import LinearSVC

from bncc.linear import chain_context, make_batch, prepare_features, solve

N_JOBS = 2
WORDS = 40


def text_like(n_rows, n_features, n_labels, cardinality, seed=0):
    """Rows of unit length (float32, CSR with 32-bit indices) and their labels (CSC); low labels are frequent."""
    random = np.random.default_rng(seed)
    labels = np.minimum((n_labels * random.power(0.5, (n_rows, cardinality))).astype(np.int32), n_labels - 1)
    vocabulary = random.integers(0, n_features, (n_labels, 30), dtype=np.int32)
    columns = np.empty((n_rows, WORDS), np.int32)
    half = WORDS // 2
    source = np.take_along_axis(labels, random.integers(0, cardinality, (n_rows, half)), axis=1)
    columns[:, :half] = vocabulary[source, random.integers(0, 30, (n_rows, half))]
    columns[:, half:] = np.minimum((n_features * random.power(0.3, (n_rows, half))).astype(np.int32), n_features - 1)
    pointer = np.arange(0, n_rows * WORDS + 1, WORDS, dtype=np.int32)
    X = sparse.csr_matrix((np.ones(columns.size, np.float32), columns.ravel(), pointer), shape=(n_rows, n_features))
    X.sum_duplicates()
    X.data /= np.sqrt(np.repeat(np.add.reduceat(X.data**2, X.indptr[:-1]), np.diff(X.indptr)))
    rows = np.repeat(np.arange(n_rows), cardinality)
    Y = sparse.csc_matrix((np.ones(rows.size, np.int8), (rows, labels.ravel())), shape=(n_rows, n_labels))
    Y.data[:] = 1
    return X, Y


def objective(X, w, b, y):
    """Of the squared hinge loss at C = 1."""
    signs = np.where(y, 1.0, -1.0)
    return 0.5 * (w @ w + b * b) + (np.maximum(0, 1 - signs * (X @ w + b)) ** 2).sum()


def worst_excess(X, Y, ours, reference):
    """How far our objectives lie above those of fitted models, at most, as a share."""
    out = []
    for label, model in reference:
        y = Y[:, [label]].toarray().ravel() > 0
        w, b = ours.weights[label, : X.shape[1]].astype(float), ours.bias[label]
        theirs = objective(X, model.coef_.ravel(), float(model.intercept_[0]), y)
        out.append(objective(X, w, b, y) / theirs - 1)
    return max(out)


def one_core_ratio(X, Y, sample):
    """Processor time of one label, theirs over ours, on one core: what is left of the ratio without processes."""
    start = time.process_time()
    solve(make_batch(X, Y), n_jobs=1)
    ours = (time.process_time() - start) / Y.shape[1]
    targets = [Y[:, [label]].toarray().ravel() for label in sample]
    start = time.process_time()
    for y in targets:
        LinearSVC().fit(X, y)
    return (time.process_time() - start) / len(targets) / ours


def relevance_row(case, X, Y, repeats):
    seconds, ours = best_of(lambda: solve(make_batch(X, Y), n_jobs=N_JOBS), repeats)
    reference = OneVsRestClassifier(LinearSVC(), n_jobs=N_JOBS)
    reference_seconds, _ = best_of(lambda: reference.fit(X, Y.toarray()), 1)
    sample = range(0, Y.shape[1], max(1, Y.shape[1] // 8))
    excess = worst_excess(X, Y, ours, [(label, reference.estimators_[label]) for label in sample])
    return {
        "work": "binary relevance",
        "case": case,
        "bncc_s": seconds,
        "sklearn_s": reference_seconds,
        "ratio": reference_seconds / seconds,
        "one_core_ratio": one_core_ratio(X, Y, sample),
        "excess": excess,
        "updates": float(ours.costs.updates.mean()),
        "checks": float(ours.costs.checks.mean()),
        "active": float(ours.costs.active.mean()),
    }


def chain_row(case, X, Y, repeats):
    """The reference sees rows and labels before it as one matrix, as scikit-learn's chain gives them to each link."""
    order = np.arange(Y.shape[1])
    context = chain_context(order)
    seconds, ours = best_of(lambda: solve(make_batch(X, Y, labels=Y, context=context), n_jobs=N_JOBS), repeats)
    reference = ClassifierChain(LinearSVC())
    reference_seconds, _ = best_of(lambda: reference.fit(X, Y.toarray()), 1)
    excess = 0.0
    for label in range(0, Y.shape[1], max(1, Y.shape[1] // 8)):
        extended = sparse.hstack([X, Y[:, :label]]).tocsr()
        weights = np.r_[ours.weights[label, : X.shape[1]], ours.weights[label, X.shape[1] : X.shape[1] + label]]
        y = Y[:, [label]].toarray().ravel() > 0
        model = reference.estimators_[label]
        theirs = objective(extended, model.coef_.ravel(), float(model.intercept_[0]), y)
        excess = max(excess, objective(extended, weights.astype(float), ours.bias[label], y) / theirs - 1)
    return {
        "work": "chain",
        "case": case,
        "bncc_s": seconds,
        "sklearn_s": reference_seconds,
        "ratio": reference_seconds / seconds,
        "excess": excess,
        "updates": float(ours.costs.updates.mean()),
        "checks": float(ours.costs.checks.mean()),
        "active": float(ours.costs.active.mean()),
    }


def stream_gb_per_second():
    """What one core reads from memory."""
    block = np.ones(1 << 25)
    seconds, _ = best_of(block.sum, 5)
    return block.nbytes / seconds / 1e9


def block_rows(n_rows, n_features, n_labels, cardinality, n_blocks=6):
    """Blocks of 16 labels from the most frequent to the rarest, two at a time."""
    X, Y = text_like(n_rows, n_features, n_labels, cardinality)
    features = prepare_features(X)
    words = X.nnz / n_rows
    out = []
    for first in np.linspace(0, n_labels - 32, n_blocks // 2).astype(int):
        labels = np.arange(first, first + 32)
        solutions = solve(make_batch(features, Y[:, labels]), n_jobs=N_JOBS, drop=0.01)
        costs = solutions.costs
        visits = float((2 * costs.updates + costs.checks).mean()) * n_rows
        out.append(
            {
                "work": "blocks",
                "case": f"labels {first}..{first + 31} of {n_labels:,}",
                "seconds_per_block": float(costs.seconds.mean()),
                "updates": float(costs.updates.mean()),
                "checks": float(costs.checks.mean()),
                "active": float(costs.active.mean()),
                "gb_per_s": visits * words * 72 / float(costs.seconds.mean()) / 1e9,
                "weights_per_label": solutions.weights.nnz / 32,
            }
        )
    return out


def main():
    shapes = {"20,000 x 20,000 x 100": (20_000, 20_000, 100), "100,000 x 50,000 x 200": (100_000, 50_000, 200)}
    rows = []
    for case, shape in shapes.items():
        if case.startswith("100,000") and "--quick" in sys.argv:
            continue
        X, Y = text_like(*shape, cardinality=3)
        rows.append(relevance_row(case, X, Y, repeats=2))
        rows.append(chain_row(case, X, Y, repeats=2))
    notes = {"stream_gb_per_s": stream_gb_per_second()}
    if "--large" in sys.argv:
        blocks = block_rows(1_000_000, 100_000, 10_000, cardinality=5)
        per_block = float(np.mean([row["seconds_per_block"] for row in blocks]))
        notes["whole_minutes"] = per_block * 10_000 / 16 / N_JOBS / 60
        rows += blocks
    finish("linear", rows, peak_gb=peak_memory_gb(), **notes)


if __name__ == "__main__":
    main()
