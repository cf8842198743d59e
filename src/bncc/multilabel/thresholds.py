"""Where to cut label scores: one threshold, one per label, or the one that predicts as many labels as there are."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

from bncc._typing import Bools, Floats, Longs
from bncc.metrics import Comparison, Metric, compare, get_metric
from bncc.metrics.confusion import Margins, compare_dense, compare_known
from bncc.multilabel.cut_sweeps import LabelColumn, values_of_cuts

__all__ = [
    "MOST_TIMES",
    "Objective",
    "best_shared_cut",
    "best_threshold",
    "best_thresholds",
    "candidate_cuts",
    "counts_threshold",
    "counts_thresholds",
    "metric_for_labels",
    "shrink",
    "sweep_cuts",
    "value_of_counts",
]

# Thresholds that are tried predict between 1/8 and 8 times as many labels as there are.
MOST_TIMES = 8
_STEPS = 96


class Objective:
    """What thresholds are chosen for: a set-based metric of `bncc.metrics`, or a function of truth and prediction.

    Parameters
    ----------
    metric : str, Metric or callable
        A callable ``metric(Y_true, Y_pred) -> float`` on boolean arrays, higher being better.
    truth : array of shape (n_rows, n_labels), bool
    weight : array of shape (n_rows,), optional
        Not for callables.
    known : array of shape (n_rows, n_labels), bool, optional
        Cells whose label is known; the others count nowhere (for callables: as absent from truth and prediction).
    """

    def __init__(
        self,
        metric: str | Metric | Callable[..., float],
        truth: Bools,
        weight: Floats | None = None,
        known: Bools | None = None,
    ) -> None:
        self.truth, self.weight, self.known = truth, weight, known
        self.record = None if callable(metric) else metric_for_labels(metric, truth.shape[1])
        self.function: Any = metric

    def of_comparison(self, counts: Comparison) -> float:
        """Value of a prediction by its counts; higher is better."""
        assert self.record is not None
        return value_of_counts(self.record, counts)

    def __call__(self, predicted: Bools) -> float:
        """Value of a prediction; higher is better."""
        if self.record is None:
            seen = predicted if self.known is None else predicted & self.known
            return float(self.function(self.truth, seen))
        return self.of_comparison(self.counts(predicted))

    def counts(self, predicted: Bools) -> Comparison:
        """The truth against a prediction, where it is known."""
        if self.known is None:
            return compare_dense(self.truth, predicted, self._of_truth.row_weight, self._of_truth.actual)
        return compare_known(self.truth, predicted, ~self.known, self.weight)

    @cached_property
    def _of_truth(self) -> Comparison:
        """The truth against itself: checked, and counted once for all predictions."""
        return compare(self.truth, self.truth, sample_weight=self.weight)

    def known_scores(self, scores: Floats) -> Floats:
        """The scores of cells whose label is known."""
        return scores if self.known is None else scores[self.known]

    def known_rows(self, label: int) -> Bools | slice:
        """The rows where one label is known."""
        return slice(None) if self.known is None else self.known[:, label]


def metric_for_labels(metric: str | Metric, n_labels: int) -> Metric:
    """A set-based metric by its name or record, for so many labels."""
    metric = get_metric(metric)
    if metric.needs != "labels":
        raise ValueError(f"{metric.name!r} ranks scores and does not depend on thresholds. Use one on label sets.")
    if n_labels == 1 and metric.name.startswith("example_"):
        # Over the one label of a row, F1 is 1 or 0, and predicting it always is best; the label-wise metric is meant.
        return get_metric(metric.name.replace("example_", "macro_"))
    return metric


def value_of_counts(metric: Metric, counts: Comparison) -> float:
    """Value of a prediction by its counts; higher is better."""
    value = float(metric.function(counts))
    return value if metric.greater_is_better else -value


def best_threshold(scores: Floats, objective: Objective) -> float:
    """The threshold for all labels that is best for the objective; of equally good ones the nearest to 0.

    A coarse sweep over how many labels are predicted, then a fine one around the best. Costs about 120 evaluations.

    >>> truth = np.array([[1, 0], [1, 1], [0, 0]], bool)
    >>> scores = np.array([[-0.1, -0.9], [0.5, -0.2], [-0.8, -0.7]])
    >>> bool(-0.7 < best_threshold(scores, Objective("micro_f1", truth)) < -0.2)
    True
    """
    known = objective.known_scores(scores)
    return best_shared_cut(known, int(objective.truth.sum()), lambda cut: objective(scores > cut))


def best_shared_cut(scores: Floats, n_positive: int, value: Callable[[float], float]) -> float:
    """The threshold with the best value, by the scores of all cells that are known, or of the highest of them."""
    coarse = candidate_cuts(scores, n_positive, 0.0)
    threshold, best = sweep_cuts(coarse, value)
    around = coarse[max(best - 1, 0)], coarse[min(best + 1, len(coarse) - 1)]
    fine = np.unique(np.concatenate([np.linspace(*around, 17), [threshold, 0.0]]))
    return sweep_cuts(fine, value)[0]


def best_thresholds(scores: Floats, objective: Objective, start: float, *, max_rounds: int = 2) -> Floats:
    """A threshold per label, moved in turn, each to where the objective is best given the others.

    For metrics that are means over labels one round settles it. Means of `bncc.metrics` are known for all thresholds of
    a label from one pass over its rows by falling score; with others, trying one costs O(n_rows), as only one column of
    the prediction changes.
    """
    cuts = np.full(scores.shape[1], start)
    predicted = scores > cuts
    best = objective(predicted)
    for _ in range(max_rounds):
        before = best
        for label in range(scores.shape[1]):
            column = scores[:, label]
            tried = candidate_cuts(
                column[objective.known_rows(label)], int(objective.truth[:, label].sum()), cuts[label]
            )
            values = _values_of_cuts(objective, predicted, label, column, tried)
            cuts[label] = tried[_first_of_best(tried, values, cuts[label])]  # it stays unless another place is better
            predicted[:, label] = column > cuts[label]
        best = objective(predicted)
        if best <= before:
            break
    return cuts


def shrink(of_labels: Floats, shared: float, n_positive: Longs, shrinkage: float) -> Floats:
    """Thresholds between a label's own and the shared one: ``n / (n + shrinkage)`` of the way for n positive rows.

    >>> shrink(np.array([1.0, 1.0]), 0.0, np.array([0, 30]), 10.0).tolist()
    [0.0, 0.75]
    """
    share = n_positive / np.maximum(n_positive + shrinkage, 1e-12)
    return shared + share * (of_labels - shared)


def counts_threshold(scores: Floats, n_positive: float) -> float:
    """The threshold for all labels with which as many are predicted as there are: a cut in the ranking of all cells.

    >>> counts_threshold(np.array([[0.9, -0.3], [0.2, -0.5]]), 3)
    -0.4
    """
    return float(counts_thresholds(scores, np.array([n_positive]))[0])


def counts_thresholds(scores: Floats, n_positives: Floats) -> Floats:
    """`counts_threshold` for several numbers of labels at once; the scores are ranked once."""
    ranked = _ranked(scores)
    if not ranked.size:
        return np.zeros(len(n_positives))
    return _cuts(ranked, np.minimum(np.round(n_positives).astype(np.int64), ranked.size))


def candidate_cuts(scores: Floats, n_positive: int, current: float) -> Floats:
    """Thresholds to try, ascending: from few labels predicted to many, none at all, and the current one."""
    ranked = _ranked(scores)
    if not ranked.size:
        return np.array([current])
    most = min(ranked.size, max(1.0, n_positive * float(MOST_TIMES)))
    counts = np.geomspace(max(1.0, n_positive / MOST_TIMES), most, _STEPS).round().astype(np.int64)
    return np.unique(np.concatenate([_cuts(ranked, np.unique(counts)), [ranked[0], current]]))


def _ranked(scores: Floats) -> Floats:
    """All scores that are finite, highest first."""
    ranked = np.sort(scores, axis=None)[::-1]
    return ranked[np.isfinite(ranked)]


def _cuts(ranked: Floats, counts: Longs) -> Floats:
    """Thresholds halfway between the last score that is predicted and the first that is not."""
    lowest = np.append(ranked, ranked[-1] - 1.0)
    highest = np.append(ranked[0] + 1.0, ranked)
    return 0.5 * (highest[counts] + lowest[counts])


def sweep_cuts(cuts: Floats, value: Callable[[float], float], near: float = 0.0) -> tuple[float, int]:
    """The best of some thresholds, and its place; of equally good ones the nearest to `near`, then the lower."""
    best = _first_of_best(cuts, np.array([value(float(cut)) for cut in cuts]), near)
    return float(cuts[best]), best


def _first_of_best(cuts: Floats, values: Floats, near: float) -> int:
    rounded = values.round(12)
    places = np.flatnonzero(rounded == rounded.max())
    return int(places[np.abs(cuts[places] - near).argmin()])


def _values_of_cuts(objective: Objective, predicted: Bools, label: int, column: Floats, cuts: Floats) -> Floats:
    """The objective at each threshold of one label, the others as they are."""
    if objective.record is not None:
        counts = objective.counts(predicted)
        cells = LabelColumn(label, column, objective.truth[:, label], predicted[:, label], objective.known_rows(label))
        values = values_of_cuts(objective.record.function, counts, cells, cuts)
        if values is not None:
            return values
    value = _column_value(objective, predicted, label)
    return np.array([value(column > cut) for cut in cuts.tolist()])


def _column_value(objective: Objective, predicted: Bools, label: int) -> Callable[[Bools], float]:
    """The objective as a function of one column of the prediction."""
    if objective.record is None:

        def whole(column: Bools) -> float:
            changed = predicted.copy()
            changed[:, label] = column
            return objective(changed)

        return whole
    counts = objective.counts(predicted)
    truth, old, known = objective.truth[:, label], predicted[:, label], None
    if objective.known is not None:
        known = objective.known[:, label]
        old = old & known

    def value(column: Bools) -> float:
        new = column if known is None else column & known
        hits = _replace(counts.hits, label, truth & old, truth & new, counts.row_weight)
        made = _replace(counts.predicted, label, old, new, counts.row_weight)
        return objective.of_comparison(Comparison(hits, counts.actual, made, counts.row_weight, counts.known))

    return value


def _replace(margins: Margins, label: int, old: Bools, new: Bools, weight: Floats | None) -> Margins:
    per_label = margins.per_label.copy()
    per_label[label] = new.sum() if weight is None else weight @ new
    return Margins(per_label, margins.per_example - old + new)
