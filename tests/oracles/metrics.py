"""Metrics straight from their definitions: Python sets and sums, one row and one label at a time."""

from __future__ import annotations

import math
from itertools import product


def _mean(values):
    kept = [v for v in values if not math.isnan(v)]
    return sum(kept) / len(kept) if kept else math.nan


def _ratio(top, bottom, zero_division):
    return top / bottom if bottom else zero_division


def row_sets(Y):
    return [{j for j, value in enumerate(row) if value} for row in Y]


def label_sets(Y):
    return row_sets(zip(*Y, strict=True))


def hamming_loss(Y_true, Y_pred):
    cells = [a != b for true, pred in zip(Y_true, Y_pred, strict=True) for a, b in zip(true, pred, strict=True)]
    return sum(cells) / len(cells)


def subset_accuracy(Y_true, Y_pred):
    return _mean([float(list(a) == list(b)) for a, b in zip(Y_true, Y_pred, strict=True)])


def set_metric(kind, true, pred, zero_division=0.0):
    """One value for a true and a predicted set."""
    both = len(true & pred)
    if kind == "precision":
        return _ratio(both, len(pred), zero_division)
    if kind == "recall":
        return _ratio(both, len(true), zero_division)
    if kind == "jaccard":
        return _ratio(both, len(true | pred), zero_division)
    return _ratio(2 * both, len(true) + len(pred), zero_division)


def filler(zero_division, average, true=(), pred=()):
    """What 0/0 counts: with "empty", 1 for a row with neither true nor predicted labels, and 0 for all else."""
    if zero_division != "empty":
        return zero_division
    return float(average == "example" and not true and not pred)


def average(kind, average, Y_true, Y_pred, zero_division="empty"):
    if average == "micro":
        everything = [
            {(i, j) for i, row in enumerate(Y) for j, value in enumerate(row) if value} for Y in (Y_true, Y_pred)
        ]
        return set_metric(kind, *everything, filler(zero_division, average))
    make = row_sets if average == "example" else label_sets
    values = [
        set_metric(kind, a, b, filler(zero_division, average, a, b))
        for a, b in zip(make(Y_true), make(Y_pred), strict=True)
    ]
    if average is None:
        return values
    if average == "weighted":
        counts = [0 if math.isnan(v) else len(a) for a, v in zip(label_sets(Y_true), values, strict=True)]
        if sum(counts):
            return sum(c * v for c, v in zip(counts, values, strict=True) if c) / sum(counts)
    return _mean(values)


def ranking_loss(Y_true, scores):
    losses = []
    for true, row in zip(row_sets(Y_true), scores, strict=True):
        pairs = list(product(true, set(range(len(row))) - true))
        losses.append(_ratio(sum(row[b] >= row[a] for a, b in pairs), len(pairs), 0.0))
    return _mean(losses)


def _rank(row, label):
    return sum(other >= row[label] for other in row)


def coverage_error(Y_true, scores):
    rows = zip(row_sets(Y_true), scores, strict=True)
    return _mean([float(max((_rank(row, a) for a in true), default=0)) for true, row in rows])


def one_error(Y_true, scores):
    rows = zip(row_sets(Y_true), scores, strict=True)
    return _mean([float(not {j for j, s in enumerate(row) if s == max(row)} <= true) for true, row in rows])


def label_ranking_average_precision(Y_true, scores):
    values = []
    for true, row in zip(row_sets(Y_true), scores, strict=True):
        precisions = [sum(row[b] >= row[a] for b in true) / _rank(row, a) for a in true]
        values.append(_mean(precisions) if true else 1.0)
    return _mean(values)


def auc(y, scores):
    """Share of (positive, negative) pairs in the right order, ties half."""
    pairs = list(
        product([s for a, s in zip(y, scores, strict=True) if a], [s for a, s in zip(y, scores, strict=True) if not a])
    )
    return _ratio(sum((p > n) + (p == n) / 2 for p, n in pairs), len(pairs), math.nan)


def average_precision(y, scores):
    """Sum over thresholds of (gain in recall) x precision."""
    area, recall_before = 0.0, 0.0
    if not any(y):
        return math.nan
    for threshold in sorted(set(scores), reverse=True):
        chosen = [a for a, s in zip(y, scores, strict=True) if s >= threshold]
        recall = sum(chosen) / sum(y)
        area += (recall - recall_before) * sum(chosen) / len(chosen)
        recall_before = recall
    return area


def ranking_against(true, scores, gains):
    """Labels from first to last; of equal scores the smaller gain (0 where not relevant) first."""
    return sorted(range(len(scores)), key=lambda j: (-scores[j], gains[j] if true[j] else 0.0))


def row_at_k(kind, true, order, k, gains):
    """Precision, recall or nDCG of one row's ranking, hits counting `gains`; NaN where undefined."""
    hits = [gains[j] if true[j] else 0.0 for j in order[:k]]
    n_relevant = sum(map(bool, true))
    if kind == "precision":
        return sum(hits) / k
    if kind == "recall":
        return _ratio(sum(hits), n_relevant, math.nan)
    gained = sum(hit / math.log2(place + 2) for place, hit in enumerate(hits))
    return _ratio(gained, sum(1 / math.log2(place + 2) for place in range(min(k, n_relevant))), math.nan)


def at_k(kind, Y_true, Y_score, k, zero_division=0.0):
    ones = [1.0] * len(Y_true[0])
    rows = [
        row_at_k(kind, true, ranking_against(true, scores, ones), k, ones)
        for true, scores in zip(Y_true, Y_score, strict=True)
    ]
    return _mean([zero_division if math.isnan(value) else value for value in rows])


def propensity(n_with_label, n_rows, A=0.55, B=1.5):
    C = max(0.0, math.log(n_rows) - 1) * (B + 1) ** A
    return 1 / (1 + C * math.exp(-A * math.log(n_with_label + B)))


def ps_at_k(kind, Y_true, Y_score, k, propensities):
    """Sum over rows by score, divided by the sum over rows of the best order; None where that is 0."""
    gains = [1 / p for p in propensities]
    gained = best = 0.0
    for true, scores in zip(Y_true, Y_score, strict=True):
        if any(true):
            gained += row_at_k(kind, true, ranking_against(true, scores, gains), k, gains)
            ideal = sorted(range(len(true)), key=lambda j: -gains[j] if true[j] else 0.0)
            best += row_at_k(kind, true, ideal, k, gains)
    return gained / best if best else None
