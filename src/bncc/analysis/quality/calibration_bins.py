"""Calibration: of the cells with a probability near p, how many are true."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bncc._typing import Floats
from bncc.analysis.quality.predictions import Predictions
from bncc.analysis.quality.shares import share_ends

__all__ = ["Calibration", "calibration_curves"]


@dataclass(frozen=True)
class Calibration:
    """Bins of equal width that hold any cells: how many, their mean probability, and the share that is true.

    `low` and `high` are ends of the shares' intervals, which hold for all bins of the curve at once. `error` is the
    mean distance of the two over cells (expected calibration error).
    """

    cells: tuple[int, ...]
    probability: tuple[float, ...]
    share: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    error: float


def calibration_curves(
    found: Predictions, alpha: float = 0.05, bins: int = 10
) -> tuple[Calibration, tuple[Calibration, ...]] | None:
    """Of all labels together, and of each; None where there are no probabilities.

    Cells of one row are not independent, so that the interval over all labels together is too narrow where labels go
    wrong together.

    >>> from bncc.analysis.quality.predictions import read_predictions
    >>> overall, _ = calibration_curves(read_predictions([[1], [0], [1]], [[0.92], [0.91], [0.3]]))
    >>> overall.cells, overall.share
    ((1, 2), (1.0, 0.5))
    """
    if found.probabilities is None:
        return None
    width = np.minimum((found.probabilities * bins).astype(np.int64), bins - 1)
    places = (width + bins * np.arange(found.n_labels))[found.known]
    size = bins * found.n_labels
    cells = np.bincount(places, minlength=size).reshape(-1, bins).astype(np.float64)
    likely = np.bincount(places, found.probabilities[found.known], size).reshape(-1, bins)
    true = np.bincount(places, found.truth[found.known], size).reshape(-1, bins)
    each = tuple(_curve(cells[j], likely[j], true[j], alpha) for j in range(found.n_labels))
    return _curve(cells.sum(axis=0), likely.sum(axis=0), true.sum(axis=0), alpha), each


def _curve(cells: Floats, likely: Floats, true: Floats, alpha: float) -> Calibration:
    full = cells > 0
    n, probability, share = cells[full], likely[full] / cells[full], true[full] / cells[full]
    ends = share_ends(true[full], n, alpha / max(1, n.size))
    error = float((n * np.abs(probability - share)).sum() / max(1.0, n.sum()))
    columns = (tuple(column.tolist()) for column in (n.astype(int), probability, share, ends.low, ends.high))
    names = ("cells", "probability", "share", "low", "high")
    return Calibration(**dict(zip(names, columns, strict=True)), error=error)
