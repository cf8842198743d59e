"""What scores are worth for a metric, before any threshold is settled: what searches and weights go by."""

from __future__ import annotations

import numpy as np

from bncc._typing import Bools, Floats
from bncc.metrics import Metric, UndefinedMetricError, get_metric
from bncc.multilabel.backend import TrainingRows
from bncc.multilabel.blending.rate_sigmoids import log_odds
from bncc.multilabel.thresholds import Objective, counts_thresholds

__all__ = ["score_candidate", "score_rates"]

# Predicted labels per true one that are tried.
_CUTS = (0.75, 1.0, 1.35, 1.8)


def score_rates(
    metric: Metric,
    scores: Floats,
    truth: Bools,
    known: Bools | None = None,
    weight: Floats | None = None,
    sets: Bools | None = None,
) -> float:
    """Value of scores for a metric, higher being better; scores cut at 0 suit Hamming loss and exact matches.

    For metrics on probabilities, scores are these less one half. For other metrics on label sets, the best of a few
    cuts: scores differ in scale, and thresholds come later. With `sets`, scores are probabilities less one half, and
    for exact matches the most probable of the sets counts.
    """
    if metric.needs == "probabilities":
        return _score_probabilities(metric, scores + 0.5, truth, known, weight)
    if metric.needs == "scores":
        return _score_ranking(metric, scores, truth, known, weight)
    objective = Objective(metric, truth, weight, known)
    values = [objective(scores > 0.0)]
    if metric.name == "subset_accuracy" and sets is not None:
        likely = log_odds(scores + 0.5) @ sets.T.astype(np.float64)
        values.append(objective(sets[likely.argmax(axis=1)]))
    if metric.name not in ("hamming_loss", "subset_accuracy"):
        cells, positives = objective.known_scores(scores), float(truth.sum())
        cuts = counts_thresholds(cells, positives * np.array(_CUTS))
        values += [objective(scores > cut) for cut in cuts]
    return float(max(values))


def score_candidate(metric: Metric, scores: Floats, rows: TrainingRows) -> float:
    """`score_rates` for rows that were held out."""
    targets = rows.targets
    if metric.needs == "probabilities":  # scores of candidates are not calibrated yet: how well they rank cells counts
        metric = get_metric("micro_average_precision")
    known = None if targets.unknown is None else targets.unknown.toarray() == 0
    return score_rates(metric, scores, targets.positives.toarray() != 0, known, rows.weight)


def _score_probabilities(
    metric: Metric, rates: Floats, truth: Bools, known: Bools | None, weight: Floats | None
) -> float:
    labels: Floats | Bools = truth if known is None else np.where(known, truth, np.nan)
    value = float(metric.function(labels, np.clip(rates, 0.0, 1.0), sample_weight=weight))
    return value if metric.greater_is_better else -value


def _score_ranking(metric: Metric, scores: Floats, truth: Bools, known: Bools | None, weight: Floats | None) -> float:
    labels: Floats | Bools = truth if known is None else np.where(known, truth, np.nan)
    if truth.shape[1] == 1 and metric.name not in ("macro_auc", "micro_auc", "macro_average_precision"):
        metric = get_metric("micro_average_precision")  # a row with one label has no ranking
    try:
        value = float(metric.function(labels, scores, sample_weight=weight))
    except UndefinedMetricError:
        return 0.0
    return value if metric.greater_is_better else -value
