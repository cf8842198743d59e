"""The rows with the worst errors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bncc._typing import Bools, Floats
from bncc.analysis.quality.predictions import Predictions

__all__ = ["RowErrors", "worst_rows"]


@dataclass(frozen=True)
class RowErrors:
    """What went wrong in a row.

    Attributes
    ----------
    row : int
        Its number.
    missed, wrong, right : tuples of int
        Labels that hold and were not predicted, that were predicted and do not hold, and that are both; of the first
        two the most confident error comes first.
    missed_by, wrong_by : tuples of float or None
        How far the scores lie from their thresholds, in standard deviations of the label's scores (of probabilities:
        as they are); None without scores.
    surprise : float
        Their sum: how confident the errors are. Without scores, the number of errors.
    """

    row: int
    missed: tuple[int, ...]
    wrong: tuple[int, ...]
    right: tuple[int, ...]
    missed_by: tuple[float, ...] | None
    wrong_by: tuple[float, ...] | None
    surprise: float


def worst_rows(found: Predictions, most: int = 20) -> tuple[RowErrors, ...]:
    """Rows with most wrong labels, of those with as many the most confident errors first, then by position.

    >>> from bncc.analysis.quality.predictions import read_predictions
    >>> rows = worst_rows(read_predictions([[1, 0], [1, 1], [0, 1]], [[0.1, 0.9], [0.4, 0.8], [0.2, 0.7]]))
    >>> [(row.row, row.missed, row.wrong) for row in rows]
    [(0, (0,), (1,)), (1, (0,), ())]
    """
    wrong = (found.truth != found.predicted) & found.known
    far = _distances(found)
    surprise = np.where(wrong, far, 0.0).sum(axis=1)
    count = wrong.sum(axis=1)
    order = np.lexsort((np.arange(found.n_rows), -surprise, -count))
    return tuple(_row(found, far, row, float(surprise[row])) for row in order[:most].tolist() if count[row])


def _distances(found: Predictions) -> Floats:
    if found.scores is None:
        return np.ones(found.truth.shape)
    far = np.abs(found.scores - found.thresholds)
    if found.scores is found.probabilities:
        return far
    spread = found.scores.std(axis=0)
    return far / np.where(spread > 0, spread, 1.0)


def _row(found: Predictions, far: Floats, row: int, surprise: float) -> RowErrors:
    truth, predicted = found.truth[row], found.predicted[row]
    missed, missed_by = _labels(truth & ~predicted, far[row])
    wrong, wrong_by = _labels(predicted & ~truth, far[row])
    right, _ = _labels(truth & predicted, far[row])
    told = found.scores is not None
    return RowErrors(
        int(found.rows[row]),
        missed,
        wrong,
        right,
        missed_by if told else None,
        wrong_by if told else None,
        surprise,
    )


def _labels(cells: Bools, far: Floats) -> tuple[tuple[int, ...], tuple[float, ...]]:
    labels = np.flatnonzero(cells)
    labels = labels[np.argsort(-far[labels], kind="stable")]
    return tuple(labels.tolist()), tuple(far[labels].tolist())
