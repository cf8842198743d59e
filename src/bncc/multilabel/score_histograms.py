"""Scores of rows held out, counted in bins: calibration without all scores of all labels in memory."""

from __future__ import annotations

import numpy as np

from bncc._typing import Bools, Floats, Longs
from bncc.multilabel.calibration import fit_slopes

__all__ = ["ScoreHistograms"]

# Bins of scores on either side of 0, eight to a doubling, from 2^-10 to 2^6; those beyond are in the outermost.
_PER_DOUBLING = 8
_LEAST_POWER = -10
_BINS = 16 * _PER_DOUBLING
# After those below and above 0, one for 0 itself.
_WIDTH = 2 * _BINS + 1


class ScoreHistograms:
    """Collects held-out scores some rows at a time: those of positives as they are, the others in bins.

    A bin keeps the sum of its weights and their mean score; bins are 9 % wide, and slopes come out as from the scores
    themselves to three digits or so. About 4 kB per label, whatever the number of rows.
    """

    def __init__(self, n_labels: int) -> None:
        self._n_labels = n_labels
        self._weights = np.zeros((n_labels, _WIDTH))
        self._sums = np.zeros((n_labels, _WIDTH))
        self._positives: list[tuple[Longs, Floats, Floats]] = []

    def add(self, scores: Floats, positive: Bools, known: Bools | None = None, weight: Floats | None = None) -> None:
        """Count the scores of some rows (n_rows, n_labels), where labels are known."""
        of_row = np.ones(len(scores)) if weight is None else weight
        rows, labels = np.nonzero(positive if known is None else positive & known)
        self._positives.append((labels, scores[rows, labels], of_row[rows]))
        counted = ~positive if known is None else ~positive & known
        of_cell = np.where(counted, of_row[:, None], 0.0).ravel()
        place = (np.arange(self._n_labels) * _WIDTH + _bins_of(scores)).ravel()
        size = self._n_labels * _WIDTH
        self._weights += np.bincount(place, of_cell, size).reshape(self._weights.shape)
        self._sums += np.bincount(place, of_cell * scores.ravel(), size).reshape(self._sums.shape)

    def slopes(self) -> Floats:
        """Slopes below and above 0 of each label's scores (see `fit_slopes`): (n_labels, 2)."""
        labels, scores, weights = (np.concatenate(part) for part in zip(*self._positives, strict=True))
        order = np.argsort(labels, kind="stable")
        ends = np.cumsum(np.bincount(labels, minlength=self._n_labels))
        own = np.split(order, ends[:-1])
        return np.array([self._fit(label, scores[own[label]], weights[own[label]]) for label in range(self._n_labels)])

    def shared_slopes(self) -> Floats:
        """The same slopes for all labels, by the scores of all of them: (n_labels, 2)."""
        _, scores, weights = (np.concatenate(part) for part in zip(*self._positives, strict=True))
        return np.tile(self._fit(slice(None), scores, weights), (self._n_labels, 1))

    def _fit(self, label: int | slice, positives: Floats, weights: Floats) -> tuple[float, float]:
        in_bins, sums = self._weights[label].reshape(-1), self._sums[label].reshape(-1)
        used = np.flatnonzero(in_bins > 0)
        scores = np.concatenate([sums[used] / in_bins[used], positives])
        holds = np.arange(scores.size) >= used.size
        return fit_slopes(scores, holds, np.concatenate([in_bins[used], weights]))


def _bins_of(scores: Floats) -> Longs:
    size = np.maximum(np.abs(scores), 1e-300)
    power = np.floor(_PER_DOUBLING * (np.log2(size) - _LEAST_POWER))
    place = np.clip(power, 0, _BINS - 1).astype(np.int64) + np.where(scores > 0, _BINS, 0)
    return np.where(scores == 0, 2 * _BINS, place)
