"""Metrics on the ranking of labels within each row, from scores of shape (n_rows, n_labels); higher = more relevant.

Ties count against the prediction: a label that is not relevant and scores as high as a relevant one stands before it.
With that rule every value is scikit-learn's, and no order of the label columns can matter. Labels that are not known
(NaN in `Y_true`) have no place in the ranking.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from bncc._typing import Bools, Floats, Labels, Longs, ScoreMatrix, Weights
from bncc.metrics._inputs import dense_labels, rank_known
from bncc.metrics._pairs import read_scored
from bncc.metrics.averaging import mean_defined

__all__ = ["coverage_error", "label_ranking_average_precision", "one_error", "ranking_loss"]

# Cells per block of rows; bounds the memory for the sorted copies.
_BLOCK = 1 << 18


def ranking_loss(Y_true: Labels, Y_score: ScoreMatrix, *, sample_weight: Weights | None = None) -> float:
    """Share of (relevant, irrelevant) label pairs of a row in the wrong order, mean over rows; lower is better.

    A row without such a pair counts 0.

    >>> ranking_loss([[1, 0, 0]], [[0.5, 0.9, 0.1]])
    0.5
    """

    def per_row(relevant: Bools, scores: Floats, n_known: Longs) -> Floats:
        ranked = _rank(relevant, scores)
        n_relevant = relevant.sum(axis=1)
        n_pairs = n_relevant * (n_known - n_relevant)
        wrong = ((ranked.rank - ranked.relevant_above) * ranked.relevant).sum(axis=1)
        return wrong / np.maximum(n_pairs, 1)

    return _mean_over_rows(per_row, Y_true, Y_score, sample_weight)


def coverage_error(Y_true: Labels, Y_score: ScoreMatrix, *, sample_weight: Weights | None = None) -> float:
    """How far down the ranking one must go to have all relevant labels, mean over rows; lower is better.

    The best value is the mean number of relevant labels; a row without any counts 0. The multi-label literature often
    subtracts 1 and calls that coverage.

    >>> coverage_error([[1, 0, 0], [0, 1, 1]], [[0.5, 0.9, 0.1], [0.2, 0.7, 0.6]])
    2.0
    """

    def per_row(relevant: Bools, scores: Floats, n_known: Longs) -> Floats:
        lowest = np.where(relevant, scores, np.inf).min(axis=1, keepdims=True)
        return (scores >= lowest).sum(axis=1) * relevant.any(axis=1).astype(np.float64)

    return _mean_over_rows(per_row, Y_true, Y_score, sample_weight)


def one_error(Y_true: Labels, Y_score: ScoreMatrix, *, sample_weight: Weights | None = None) -> float:
    """Share of rows whose highest-scoring label is not relevant; lower is better.

    A row is right only if every label with the highest score is relevant. A row without relevant labels is an error,
    as the definition (Schapire and Singer 2000) has it.

    >>> one_error([[1, 0, 0], [0, 1, 1]], [[0.5, 0.9, 0.1], [0.2, 0.7, 0.6]])
    0.5
    """

    def per_row(relevant: Bools, scores: Floats, n_known: Longs) -> Floats:
        best = scores == scores.max(axis=1, keepdims=True)
        return (best & ~relevant).any(axis=1).astype(np.float64)

    return _mean_over_rows(per_row, Y_true, Y_score, sample_weight)


def label_ranking_average_precision(
    Y_true: Labels, Y_score: ScoreMatrix, *, sample_weight: Weights | None = None
) -> float:
    """Mean over the relevant labels of a row of the precision at their rank, mean over rows.

    This is what the multi-label literature calls average precision. A row without relevant labels counts 1.

    >>> label_ranking_average_precision([[1, 0, 0]], [[0.5, 0.9, 0.1]])
    0.5
    """

    def per_row(relevant: Bools, scores: Floats, n_known: Longs) -> Floats:
        ranked = _rank(relevant, scores)
        n_relevant = relevant.sum(axis=1)
        total = (ranked.relevant_above / ranked.rank * ranked.relevant).sum(axis=1)
        return np.where(n_relevant > 0, total / np.maximum(n_relevant, 1), 1.0)

    return _mean_over_rows(per_row, Y_true, Y_score, sample_weight)


def _mean_over_rows(
    per_row: Callable[[Bools, Floats, Longs], Floats],
    Y_true: Labels,
    Y_score: ScoreMatrix,
    sample_weight: Weights | None,
) -> float:
    """Mean of a value per row, computed on blocks of rows."""
    true, unknown, scores, weight = read_scored(Y_true, Y_score, sample_weight)
    values = np.empty(true.shape[0])
    step = max(1, _BLOCK // true.shape[1])
    for start in range(0, true.shape[0], step):
        block = slice(start, start + step)
        ranked, n_known = scores[block], np.full(min(step, true.shape[0] - start), true.shape[1])
        if unknown is not None:
            hidden = dense_labels(unknown[block])
            ranked, n_known = rank_known(ranked, hidden), n_known - hidden.sum(axis=1)
        values[block] = per_row(dense_labels(true[block]), ranked, n_known)
    return mean_defined(values, weight)


class _RankedLabels(NamedTuple):
    """Rows with their labels from highest to lowest score; arrays of shape (rows, n_labels).

    `rank` is the number of labels that score at least as high, `relevant_above` the relevant ones among them.
    """

    relevant: Bools
    rank: Longs
    relevant_above: Longs


def _rank(relevant: Bools, scores: Floats) -> _RankedLabels:
    order = np.argsort(-scores, axis=1, kind="stable")
    scores, relevant = np.take_along_axis(scores, order, 1), np.take_along_axis(relevant, order, 1)
    n_labels = scores.shape[1]
    # Last place of each run of equal scores, carried back over the run: the worst rank of a tie.
    rank = np.full(scores.shape, n_labels, np.int64)
    ends = scores[:, :-1] != scores[:, 1:]
    rank[:, :-1][ends] = np.nonzero(ends)[1] + 1
    rank = np.minimum.accumulate(rank[:, ::-1], axis=1)[:, ::-1]
    relevant_above = np.take_along_axis(np.cumsum(relevant, axis=1, dtype=np.int64), rank - 1, 1)
    return _RankedLabels(relevant, rank, relevant_above)
