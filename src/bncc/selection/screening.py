"""Screening: settings that are far behind in a rough search need not be tried in full.

Where problems can be solved roughly, a rough search is on all rows and folds, to a coarse tolerance. Signs of decisions
settle long before their values, so this holds for scorers that see labels alone. For others it is on some of the rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from bncc._typing import Array, Bools, Features, Floats, Fold, Integers
from bncc.selection.tasks import Decided

__all__ = [
    "ROUGHLY",
    "SOME_ROWS",
    "FoldSample",
    "Margin",
    "draw_sample",
    "half_of",
    "sees_labels_alone",
    "worth_trying",
]

# Below so many rows trying everything takes no longer than trying it roughly.
_FEWEST_ROUGH_ROWS = 500
# One row of so many is looked at, in so many of the folds.
_THINNING = 3
_FOLDS = 3
# Below so many rows trying everything takes no time, and a third of the rows tells little.
_FEWEST_ROWS = 900


@dataclass(frozen=True)
class Margin:
    """A setting stays if it trails the best by less than this share of the range of scores, or so many errors.

    Errors are standard errors of the difference over the folds.
    """

    share_of_range: float
    standard_errors: float


SOME_ROWS = Margin(0.25, 3.0)
#: For half of the folds: the best setting of the whole search stays in all 200 cases of ten real sets
#: (`benchmarks/bench_selection.py --margins`).
ROUGHLY = Margin(0.1, 3.0)


@dataclass(frozen=True, eq=False)
class FoldSample:
    """Some rows, and folds among them that divide rows as the folds of all rows do."""

    rows: Integers
    folds: tuple[Fold, ...]


def half_of(folds: tuple[Fold, ...], n_rows: int) -> tuple[Fold, ...] | None:
    """The first half of the folds, two at least; None where that would save nothing, or tell nothing.

    >>> fold = np.arange(400), np.arange(400, 500)
    >>> [len(half_of((fold,) * n, 500)) for n in (2, 3, 5, 10)], half_of((fold,), 500), half_of((fold,) * 5, 499)
    ([2, 2, 3, 5], None, None)
    """
    if len(folds) < 2 or n_rows < _FEWEST_ROUGH_ROWS:
        return None
    return folds[: max(2, -(-len(folds) // 2))]


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


def worth_trying(tables: Iterable[Floats], margin: Margin) -> Bools:
    """Which settings are not far behind the best by one of the scorers.

    Parameters
    ----------
    tables : arrays of shape (n_candidates, n_folds)
        Scores of the rough search, of one scorer each; more is better.
    margin : how far a setting may trail

    >>> worth_trying([np.array([[0.50, 0.52], [0.70, 0.71], [0.68, 0.70], [0.49, 0.50]])], SOME_ROWS).tolist()
    [False, True, True, False]
    """
    kept = [_not_far_behind(table, margin) for table in tables]
    return np.logical_or.reduce(kept)


def _not_far_behind(table: Floats, margin: Margin) -> Bools:
    if not np.isfinite(table).all():
        return np.ones(len(table), bool)  # where some have no score, nothing is known of how they compare
    means = table.mean(axis=1)
    best = int(means.argmax())
    behind = means[best] - means
    errors = _standard_errors(table[best] - np.delete(table, best, axis=0))
    errors = np.insert(np.maximum(errors, np.median(errors)), best, 0.0)
    out: Bools = behind <= np.maximum(margin.share_of_range * np.ptp(means), margin.standard_errors * errors)
    return out


def _standard_errors(differences: Floats) -> Floats:
    """Of the mean over folds. Scores of few rows may differ by the same in every fold: see where it is made larger."""
    n_folds = differences.shape[1]
    return differences.std(axis=1, ddof=1) / np.sqrt(n_folds) if n_folds > 1 else np.full(len(differences), np.inf)


def sees_labels_alone(scorer: Callable[..., float], X: Features, truth: Array) -> bool:
    """Whether a scorer looks at predicted labels and not at decisions: it is shown rows that are predicted as they are.

    >>> from sklearn.metrics import get_scorer
    >>> rows, truth = np.zeros((4, 1)), np.array([0, 1, 0, 1])
    >>> [sees_labels_alone(get_scorer(name), rows, truth) for name in ("f1", "roc_auc")]
    [True, False]
    """
    known = np.nan_to_num(truth) if isinstance(truth, np.ndarray) and truth.dtype.kind == "f" else truth
    decided = Decided(np.unique(known), known, known)
    try:
        scorer(decided, X, truth)
    except Exception:  # whatever it is, it will be met again, where it can be told of
        return False
    return not decided.was_asked_for_decisions
