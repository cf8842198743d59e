"""Weights of the families in a blend: greedy selection with replacement, repeated on parts of the rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from bncc._typing import Bools, Floats, Rows
from bncc.multilabel.blending.clock import OutOfTime

__all__ = ["blend_rates", "choose_weights", "weights_of_labels"]

_ROUNDS = 15
_BAGS = 4
_LEAST_WEIGHT = 0.08
# Cells (rows x labels) that one evaluation looks at.
_MOST_CELLS = 300_000
_MOST_CELLS_OF_LABELS = 2_000_000

#: Value of blended rates for some rows; higher is better.
RowScore = Callable[[Floats, Rows], float]


def blend_rates(rates: Sequence[Floats], weights: Floats) -> Floats:
    """Weighted mean of probabilities; `weights` has one row per family, and one column or one per label.

    >>> blend_rates([np.array([[0.2]]), np.array([[0.6]])], np.array([[0.5], [0.5]])).tolist()
    [[0.4]]
    """
    out = np.zeros(rates[0].shape)
    for each, weight in zip(rates, weights, strict=True):
        if weight.any():
            out += each * weight
    return out


def choose_weights(
    rates: Sequence[Floats], score: RowScore, seed: int, best: int = 0, groups: Rows | None = None
) -> Floats:
    """Weights (n_families,) that sum to 1: how often each family is taken by greedy selection (Caruana et al. 2004).

    Selection starts from the best family and adds the one that helps the score most, again and again; the best blend
    on the way is kept. That is repeated on random halves of the rows and averaged, which keeps noise out of the
    weights where rows are few; families below 8 % are left out. Of equally good ones the first is taken. When the
    score raises `OutOfTime`, what was selected until then counts, and `best` alone where nothing was. With `groups`
    (a number from 0 per row), parts of the rows are of whole groups.
    """
    n_rows, n_labels = rates[0].shape
    if len(rates) == 1:
        return np.ones(1)
    rng = np.random.default_rng(seed)
    size = max(1, min(n_rows - n_rows // 3, _MOST_CELLS // n_labels))
    total = np.zeros(len(rates))
    for _ in range(_BAGS):
        rows = np.sort(rng.choice(n_rows, size, replace=False)) if groups is None else _whole(groups, size, rng)
        counts, in_time = _greedy([each[rows] for each in rates], partial(_on_rows, score, rows))
        total += counts
        if not in_time:
            break
    weights = total / total.sum() if total.any() else np.eye(len(rates))[best]
    weights[weights < _LEAST_WEIGHT] = 0.0
    return np.asarray(weights / weights.sum(), np.float64)


def _whole(groups: Rows, size: int, rng: np.random.Generator) -> Rows:
    """Rows of groups drawn until there are as many as wanted, but for a last group that would be too many; ascending.

    At least one group, however large.
    """
    sizes = np.bincount(groups)
    order = rng.permutation(sizes.size)
    n_drawn = max(1, int(np.searchsorted(np.cumsum(sizes[order]), size, side="right")))
    return np.flatnonzero(np.isin(groups, order[:n_drawn]))


def _on_rows(score: RowScore, rows: Rows, blended: Floats) -> float:
    return score(blended, rows)


def _greedy(rates: Sequence[Floats], score: Callable[[Floats], float]) -> tuple[Floats, bool]:
    """Shares of the families in the best blend on the way, and whether the way was gone to its end."""
    counts = np.zeros(len(rates))
    summed = np.zeros(rates[0].shape)
    best_counts, best_value = counts, -np.inf
    for done in range(_ROUNDS):
        try:
            values = [score((summed + each) / (done + 1)) for each in rates]
        except OutOfTime:
            return best_counts / max(best_counts.sum(), 1.0), False
        chosen = int(np.argmax(values))
        counts = counts.copy()
        counts[chosen] += 1
        summed = summed + rates[chosen]
        if values[chosen] > best_value + 1e-12:
            best_counts, best_value = counts, values[chosen]
    return best_counts / best_counts.sum(), True


def weights_of_labels(
    rates: Sequence[Floats],
    truth: Bools,
    known: Bools | None,
    weights: Floats,
    row_weight: Floats | None = None,
    prior_rows: float = 100.0,
) -> Floats:
    """Weights (n_families, n_labels): those of all labels, moved to where a label's likelihood is larger.

    Each family is a component of a mixture, whose weights are found by expectation and maximisation; `prior_rows`
    rows that speak for the shared weights are added to those of the label's rarer value. A row counts by its weight
    where `row_weight` gives one, 1 being usual. Of more than two million cells some rows are looked at, of those with
    weight.
    """
    seen = np.arange(len(truth)) if row_weight is None else np.flatnonzero(row_weight)
    seen = seen[:: -(-seen.size * truth.shape[1] // _MOST_CELLS_OF_LABELS) or 1]
    rates, truth, known = [each[seen] for each in rates], truth[seen], None if known is None else known[seen]
    kept = np.flatnonzero(weights)
    out = np.repeat(weights[:, None], truth.shape[1], axis=1)
    if kept.size < 2:
        return out
    counted = np.ones(truth.shape) if known is None else known.astype(np.float64)
    if row_weight is not None:
        counted = counted * row_weight[seen][:, None]
    likelihood = np.stack([np.where(truth, rates[family], 1.0 - rates[family]) for family in kept.tolist()]) + 1e-6
    # Rows of the commoner value say little of a rare label; they count as many as those of the rarer one.
    positive, negative = (counted * truth).sum(axis=0), (counted * ~truth).sum(axis=0)
    rare = np.minimum(positive, negative)
    share = np.where(truth, rare / np.maximum(positive, 1e-12), rare / np.maximum(negative, 1e-12)) * counted
    own = out[kept]
    for _ in range(20):
        mixed = own[:, None, :] * likelihood
        taken = (mixed / mixed.sum(axis=0) * share).sum(axis=1)
        own = (taken + prior_rows * weights[kept, None]) / (2.0 * rare + prior_rows)
        own = own / own.sum(axis=0)
    out[kept] = own
    return out
