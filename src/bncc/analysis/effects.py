"""Sizes of effects: how much two methods differ, beside whether they do."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

__all__ = ["WinTieLoss", "cliffs_delta", "rank_biserial", "win_tie_loss"]


@dataclass(frozen=True)
class WinTieLoss:
    """On how many data sets the first method is better than, equal to, and worse than the second."""

    wins: int
    ties: int
    losses: int

    def __str__(self) -> str:
        return f"{self.wins}/{self.ties}/{self.losses}"


def win_tie_loss(
    first: ArrayLike, second: ArrayLike, *, greater_is_better: bool = True, decimals: int | None = None
) -> WinTieLoss:
    """Count wins, ties and losses of `first` over pairs of scores, rounded to `decimals` where given.

    >>> str(win_tie_loss([0.8, 0.7, 0.70001], [0.7, 0.8, 0.7], decimals=4))
    '1/1/1'
    """
    gains = _gains(first, second, greater_is_better, decimals)
    return WinTieLoss(int((gains > 0).sum()), int((gains == 0).sum()), int((gains < 0).sum()))


def rank_biserial(
    first: ArrayLike, second: ArrayLike, *, greater_is_better: bool = True, decimals: int | None = None
) -> float:
    """Matched-pairs rank-biserial correlation, the effect size of Wilcoxon's signed-rank test (Kerby 2014).

    The sum of ranks in favour of `first` minus the sum against it, over their total: 1 where it is better on every
    pair that differs, -1 where it is worse, 0 where nothing differs.

    >>> rank_biserial([0.9, 0.8, 0.5], [0.7, 0.7, 0.55])
    0.6666666666666666
    """
    gains = _gains(first, second, greater_is_better, decimals)
    gains = gains[gains != 0]
    if not len(gains):
        return 0.0
    ranks = stats.rankdata(np.abs(gains))
    return float((ranks[gains > 0].sum() - ranks[gains < 0].sum()) / ranks.sum())


def cliffs_delta(first: ArrayLike, second: ArrayLike, *, greater_is_better: bool = True) -> float:
    """Cliff's delta of two unpaired samples: P(first better) - P(first worse) over all pairs (Cliff 1993).

    >>> cliffs_delta([3, 4], [1, 3])
    0.75
    """
    one, other = _sample(first, "first"), np.sort(_sample(second, "second"))
    below = np.searchsorted(other, one, side="left").sum()
    above = (len(other) - np.searchsorted(other, one, side="right")).sum()
    delta = float(below - above) / (len(one) * len(other))
    return delta if greater_is_better else -delta


def _gains(first: ArrayLike, second: ArrayLike, greater_is_better: bool, decimals: int | None) -> NDArray[np.float64]:
    one, other = _sample(first, "first"), _sample(second, "second")
    if len(one) != len(other):
        raise ValueError(f"Paired samples must have equal lengths; got {len(one)} and {len(other)} scores.")
    gains = one - other if greater_is_better else other - one
    return gains if decimals is None else np.round(gains, decimals)


def _sample(values: ArrayLike, argument: str) -> NDArray[np.float64]:
    array = np.asarray(values, np.float64)
    if array.ndim != 1 or not len(array) or not np.isfinite(array).all():
        raise ValueError(f"`{argument}` must be a non-empty vector of finite scores; got shape {array.shape}.")
    return array
