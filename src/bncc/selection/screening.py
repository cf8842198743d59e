"""Screening: settings that are far behind on some of the rows need not be tried on all of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from bncc._typing import Bools, Floats, Fold, Integers

__all__ = ["FoldSample", "draw_sample", "worth_trying"]

# One row of so many is looked at, in so many of the folds.
_THINNING = 3
_FOLDS = 3
# Below so many rows trying everything takes no time, and a third of the rows tells little.
_FEWEST_ROWS = 900
# A setting stays if it trails the best by less than this share of the range of scores, or so many standard errors.
_SHARE_OF_RANGE = 0.25
_STANDARD_ERRORS = 3.0


@dataclass(frozen=True, eq=False)
class FoldSample:
    """Some rows, and folds among them that divide rows as the folds of all rows do."""

    rows: Integers
    folds: tuple[Fold, ...]


def draw_sample(folds: Sequence[Fold], n_rows: int) -> FoldSample | None:
    """A third of the rows, and three of the folds, thinned to these; None where that would save nothing.

    >>> sample = draw_sample([(np.arange(600, 1200), np.arange(600)), (np.arange(600), np.arange(600, 1200))], 1200)
    >>> sample.rows.size, [(train.size, test.size) for train, test in sample.folds]
    (400, [(207, 193), (193, 207)])
    """
    if n_rows < _FEWEST_ROWS:
        return None
    rows = np.sort(np.random.default_rng(0).choice(n_rows, n_rows // _THINNING, replace=False))
    place = np.full(n_rows, -1)
    place[rows] = np.arange(rows.size)
    thinned = [(_kept(train, place), _kept(test, place)) for train, test in folds[:_FOLDS]]
    if not all(train.size and test.size for train, test in thinned):
        return None
    return FoldSample(rows, tuple(thinned))


def _kept(rows: Integers, place: Integers) -> Integers:
    places = place[np.asarray(rows)]
    return places[places >= 0]


def worth_trying(tables: Iterable[Floats]) -> Bools:
    """Which settings are not far behind the best by one of the scorers.

    Parameters
    ----------
    tables : arrays of shape (n_candidates, n_folds)
        Scores on the sample, of one scorer each; more is better.

    >>> worth_trying([np.array([[0.50, 0.52], [0.70, 0.71], [0.68, 0.70], [0.49, 0.50]])]).tolist()
    [False, True, True, False]
    """
    kept = [_not_far_behind(table) for table in tables]
    return np.logical_or.reduce(kept)


def _not_far_behind(table: Floats) -> Bools:
    if not np.isfinite(table).all():
        return np.ones(len(table), bool)  # where some have no score, nothing is known of how they compare
    means = table.mean(axis=1)
    best = int(means.argmax())
    behind = means[best] - means
    differences = table[best] - table
    errors = differences.std(axis=1, ddof=1) / np.sqrt(table.shape[1]) if table.shape[1] > 1 else np.inf
    out: Bools = behind <= np.maximum(_SHARE_OF_RANGE * np.ptp(means), _STANDARD_ERRORS * errors)
    return out
