"""What moving a threshold would do: true and false positives of a label at a bounded number of thresholds.

Precision, recall, F1 and the precision-recall curve follow from these counts.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bncc._typing import Bools, Floats, Longs
from bncc.analysis.quality.predictions import Predictions

__all__ = ["ThresholdCurve", "threshold_curves"]


@dataclass(frozen=True)
class ThresholdCurve:
    """Counts of one label at falling thresholds; a cell is predicted where its score is above.

    Attributes
    ----------
    support : int
        Rows with the label.
    thresholds, tp, fp : tuples
        The first threshold predicts nothing, the last one every row.
    current : int
        Position of the threshold in use.
    best : int
        Position of the highest F1 on these rows; of ties the highest threshold. Its F1 flatters: it was picked here.
    """

    support: int
    thresholds: tuple[float, ...]
    tp: tuple[int, ...]
    fp: tuple[int, ...]
    current: int
    best: int

    def precision(self) -> Floats:
        """At each threshold; NaN where nothing is predicted."""
        tp, fp = np.array(self.tp, np.float64), np.array(self.fp, np.float64)
        return np.divide(tp, tp + fp, out=np.full(tp.shape, np.nan), where=tp + fp > 0)

    def recall(self) -> Floats:
        """At each threshold; NaN without support."""
        return np.array(self.tp, np.float64) / (self.support or np.nan)

    def f1(self) -> Floats:
        """At each threshold; NaN where nothing is true or predicted."""
        tp, fp = np.array(self.tp, np.float64), np.array(self.fp, np.float64)
        total = tp + fp + self.support
        return np.divide(2 * tp, total, out=np.full(tp.shape, np.nan), where=total > 0)


def threshold_curves(found: Predictions, points: int = 64) -> tuple[ThresholdCurve, ...]:
    """A curve for each label, of at most `points` thresholds; none where there are no scores.

    >>> from bncc.analysis.quality.predictions import read_predictions
    >>> curve, = threshold_curves(read_predictions([[1], [0], [1]], [[0.9], [0.6], [0.3]]))
    >>> curve.tp, curve.fp, curve.current
    ((0, 1, 1, 1, 2), (0, 0, 1, 1, 1), 2)
    """
    if points < 8:
        raise ValueError(f"`points` must be at least 8; got {points}.")
    if found.scores is None:
        return ()
    return tuple(
        _curve(
            found.truth[found.known[:, label], label],
            found.scores[found.known[:, label], label],
            float(found.thresholds[label]),
            points,
        )
        for label in range(found.n_labels)
    )


def _curve(true: Bools, scores: Floats, threshold: float, points: int) -> ThresholdCurve:
    cuts, tp, fp = _all_cuts(true, scores, threshold)
    support = int(true.sum())
    total = tp + fp + support
    f1 = np.divide(2.0 * tp, total, out=np.zeros(tp.size), where=total > 0)
    current, best = int(np.flatnonzero(cuts == threshold)[0]), int(np.argmax(f1))
    kept = _thin(tp, tp + fp, [0, cuts.size - 1, current, best], points)
    return ThresholdCurve(
        support,
        tuple(cuts[kept].tolist()),
        tuple(tp[kept].tolist()),
        tuple(fp[kept].tolist()),
        int(np.searchsorted(kept, current)),
        int(np.searchsorted(kept, best)),
    )


def _all_cuts(true: Bools, scores: Floats, threshold: float) -> tuple[Floats, Longs, Longs]:
    """Falling thresholds that part the scores in every way, with that in use, and the counts above each."""
    distinct = np.unique(scores)[::-1]
    halfway = distinct[1:] + (distinct[:-1] - distinct[1:]) / 2
    # Between neighbours in floating point the middle may be the upper one: the lower one parts them then.
    halfway = np.where(halfway < distinct[:-1], halfway, distinct[1:])
    ends = (distinct[:1], np.nextafter(distinct[-1:], -np.inf))
    cuts = np.unique(np.concatenate([ends[0], halfway, ends[1], [threshold]]))[::-1]
    order = np.argsort(-scores, kind="stable")
    falling = -scores[order]
    above = np.searchsorted(falling, -cuts, side="left")
    summed = np.concatenate([[0], np.cumsum(true[order])]).astype(np.int64)
    tp = summed[above]
    return cuts, tp, above.astype(np.int64) - tp


def _thin(tp: Longs, predicted: Longs, wanted: list[int], points: int) -> Longs:
    """Positions to keep: those wanted, and others even in recall and even in the logarithm of what is predicted."""
    if tp.size <= points:
        return np.arange(tp.size)
    room = (points - len(wanted)) // 2
    by_recall = np.searchsorted(tp, np.linspace(0, tp[-1], room))
    by_size = np.searchsorted(predicted, np.geomspace(1, max(2, predicted[-1]), room))
    return np.unique(np.minimum(np.concatenate([by_recall, by_size, wanted]), tp.size - 1).astype(np.int64))
