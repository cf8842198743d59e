"""Metrics on the k labels with the highest scores, plain and propensity-scored.

`Y_score` has the shape of `Y_true`: a dense array, or a sparse matrix of the best scores per row, where a cell that is
not stored scores below every stored one. Ties count against the prediction, as in the other ranking metrics. Every
metric is a mean over rows. With more places than labels (k > n_labels) the places left over are misses.

A row without relevant labels has precision 0; its recall and nDCG are undefined and count `zero_division` (0.0, 1.0, or
nan, which leaves the row out).

The propensity-scored forms (Jain, Prabhu and Varma 2016) count a hit as 1/p instead of 1, p being the label's
propensity. With ``normalize=True``, what the Extreme Classification repository reports, the mean over rows is divided
by that of the best ranking there is, so that 1 is the best value; rows without relevant labels add nothing to either.
With ``normalize=False`` it is the plain mean of the paper, which may exceed 1.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from numbers import Integral

import numpy as np

from bncc._typing import CSR, Array, Bools, Floats, Labels, ScoreMatrix, Sparse, Weights, ZeroDivision
from bncc.metrics._inputs import read_filler
from bncc.metrics._pairs import read_ranked, scores_by_name
from bncc.metrics.averaging import mean_defined
from bncc.metrics.curves import UndefinedMetricError
from bncc.metrics.propensities import read_propensities
from bncc.metrics.top_gains import best_gains, top_gains

__all__ = [
    "MetricAtK",
    "metric_at_k",
    "ndcg_at_1",
    "ndcg_at_3",
    "ndcg_at_5",
    "ndcg_at_k",
    "precision_at_1",
    "precision_at_3",
    "precision_at_5",
    "precision_at_k",
    "ps_ndcg_at_1",
    "ps_ndcg_at_3",
    "ps_ndcg_at_5",
    "ps_ndcg_at_k",
    "ps_precision_at_1",
    "ps_precision_at_3",
    "ps_precision_at_5",
    "ps_precision_at_k",
    "ps_recall_at_1",
    "ps_recall_at_3",
    "ps_recall_at_5",
    "ps_recall_at_k",
    "recall_at_1",
    "recall_at_3",
    "recall_at_5",
    "recall_at_k",
]


def precision_at_k(
    Y_true: Labels, Y_score: ScoreMatrix | Sparse, *, k: int = 5, sample_weight: Weights | None = None
) -> float:
    """Share of the first k labels that are relevant, mean over rows.

    >>> precision_at_k([[1, 0, 1], [0, 1, 0]], [[0.9, 0.5, 0.1], [0.3, 0.2, 0.8]], k=2)
    0.25
    """
    true, scores, weight = read_ranked(Y_true, Y_score, sample_weight)
    hits = top_gains(true, scores, np.ones(true.shape[1]), _read_k(k))
    return mean_defined(hits.sum(axis=1) / k, weight)


def recall_at_k(
    Y_true: Labels,
    Y_score: ScoreMatrix | Sparse,
    *,
    k: int = 5,
    zero_division: ZeroDivision = 0.0,
    sample_weight: Weights | None = None,
) -> float:
    """Share of the relevant labels that are among the first k, mean over rows.

    >>> recall_at_k([[1, 0, 1], [0, 1, 0]], [[0.9, 0.5, 0.1], [0.3, 0.8, 0.2]], k=2)
    0.75
    """
    true, scores, weight = read_ranked(Y_true, Y_score, sample_weight)
    hits = top_gains(true, scores, np.ones(true.shape[1]), _read_k(k)).sum(axis=1)
    return mean_defined(_ratio(hits, _n_relevant(true), zero_division), weight)


def ndcg_at_k(
    Y_true: Labels,
    Y_score: ScoreMatrix | Sparse,
    *,
    k: int = 5,
    zero_division: ZeroDivision = 0.0,
    sample_weight: Weights | None = None,
) -> float:
    """Discounted gain of the first k labels, 1 / log2(place + 1) for each hit, over that of the best ranking.

    Without ties it is scikit-learn's `ndcg_score`.

    >>> round(ndcg_at_k([[1, 0, 1]], [[0.9, 0.5, 0.1]], k=3), 4)
    0.9197
    """
    true, scores, weight = read_ranked(Y_true, Y_score, sample_weight)
    gained = _discounted(top_gains(true, scores, np.ones(true.shape[1]), _read_k(k)))
    return mean_defined(_ratio(gained, _best_discounts(true, k), zero_division), weight)


def ps_precision_at_k(
    Y_true: Labels,
    Y_score: ScoreMatrix | Sparse,
    *,
    k: int = 5,
    propensities: Array | None = None,
    normalize: bool = True,
    sample_weight: Weights | None = None,
) -> float:
    """Propensity-scored precision (PSP@k): ``sum of 1/p over the hits / k``, mean over rows.

    `propensities` are those of `label_propensities` on the training rows; None takes them from `Y_true`. With
    `normalize` the mean is divided by that of the best ranking.

    >>> true, scores = [[1, 0, 1]], [[0.9, 0.5, 0.1]]
    >>> ps_precision_at_k(true, scores, k=1, propensities=[0.5, 0.5, 0.2])
    0.4
    >>> ps_precision_at_k(true, scores, k=1, propensities=[0.5, 0.5, 0.2], normalize=False)
    2.0
    """

    def per_row(gains: Floats, true: Bools | CSR) -> Floats:
        return gains.sum(axis=1) / k

    return _propensity_scored(per_row, Y_true, Y_score, k, propensities, normalize, sample_weight)


def ps_recall_at_k(
    Y_true: Labels,
    Y_score: ScoreMatrix | Sparse,
    *,
    k: int = 5,
    propensities: Array | None = None,
    normalize: bool = True,
    sample_weight: Weights | None = None,
) -> float:
    """Propensity-scored recall (PSR@k): ``sum of 1/p over the hits / number of relevant labels``, mean over rows.

    Options as in `ps_precision_at_k`; a row without relevant labels counts 0.

    >>> ps_recall_at_k([[1, 0, 1]], [[0.9, 0.5, 0.1]], k=2, propensities=[0.5, 0.5, 0.2], normalize=False)
    1.0
    """

    def per_row(gains: Floats, true: Bools | CSR) -> Floats:
        return _ratio(gains.sum(axis=1), _n_relevant(true), 0.0)

    return _propensity_scored(per_row, Y_true, Y_score, k, propensities, normalize, sample_weight)


def ps_ndcg_at_k(
    Y_true: Labels,
    Y_score: ScoreMatrix | Sparse,
    *,
    k: int = 5,
    propensities: Array | None = None,
    normalize: bool = True,
    sample_weight: Weights | None = None,
) -> float:
    """Propensity-scored nDCG (PSnDCG@k): discounted gains of 1/p for each hit, mean over rows.

    With `normalize` each row is divided by the discounts of its first min(k, number of relevant labels) places, and
    the mean by that of the best ranking, as the Extreme Classification repository does; without, each row is divided
    by the discounts of all k places, as the paper does. Options as in `ps_precision_at_k`.

    >>> ps_ndcg_at_k([[1, 0, 1]], [[0.9, 0.5, 0.1]], k=1, propensities=[0.5, 0.5, 0.2])
    0.4
    """

    def per_row(gains: Floats, true: Bools | CSR) -> Floats:
        if normalize:
            return _ratio(_discounted(gains), _best_discounts(true, k), 0.0)
        return _discounted(gains) / _discounts(k).sum()

    return _propensity_scored(per_row, Y_true, Y_score, k, propensities, normalize, sample_weight)


def _propensity_scored(
    per_row: Callable[[Floats, Bools | CSR], Floats],
    Y_true: Labels,
    Y_score: ScoreMatrix | Sparse,
    k: int,
    propensities: Array | None,
    normalize: bool,
    sample_weight: Weights | None,
) -> float:
    Y_true, Y_score = scores_by_name(Y_true, Y_score)
    true, scores, weight = read_ranked(Y_true, Y_score, sample_weight)
    gain_of_label = 1.0 / read_propensities(propensities, Y_true, true.shape[1])
    value = mean_defined(per_row(top_gains(true, scores, gain_of_label, _read_k(k)), true), weight)
    if not normalize:
        return value
    best = mean_defined(per_row(best_gains(true, gain_of_label, k), true), weight)
    if best == 0:
        raise UndefinedMetricError(
            "a propensity-scored metric needs a row with a relevant label. Use more rows, or `normalize=False`."
        )
    return value / best


def _read_k(k: int) -> int:
    if isinstance(k, bool | np.bool_) or not isinstance(k, Integral) or k < 1:
        raise ValueError(f"`k` must be a whole number >= 1; got {k!r}.")
    return int(k)


def _n_relevant(true: Bools | CSR) -> Floats:
    return np.asarray(true.sum(axis=1), np.float64).ravel()


def _ratio(top: Floats, bottom: Floats, zero_division: ZeroDivision) -> Floats:
    filler = read_filler(zero_division)
    return np.divide(top, bottom, out=np.full(len(top), filler), where=bottom > 0)


def _discounts(n_places: int) -> Floats:
    return 1.0 / np.log2(np.arange(2.0, n_places + 2.0))


def _discounted(gains: Floats) -> Floats:
    discounted: Floats = gains @ _discounts(gains.shape[1])
    return discounted


def _best_discounts(true: Bools | CSR, k: int) -> Floats:
    """The discounts of the places that relevant labels take in the best ranking, summed per row."""
    n_hits = np.minimum(_n_relevant(true), k).astype(np.int64)
    return np.concatenate([[0.0], np.cumsum(_discounts(min(k, true.shape[1])))])[n_hits]


@dataclass(frozen=True)
class MetricAtK:
    """A metric at a fixed k, as the registry and scorers want one; it takes the options of its function but k."""

    function: Callable[..., float]
    k: int

    @property
    def __name__(self) -> str:
        return self.function.__name__.removesuffix("k") + str(self.k)

    @property
    def __signature__(self) -> inspect.Signature:
        whole = inspect.signature(self.function)
        return whole.replace(parameters=[each for name, each in whole.parameters.items() if name != "k"])

    def __call__(
        self,
        Y_true: Labels,
        Y_score: ScoreMatrix | Sparse,
        *,
        sample_weight: Weights | None = None,
        **options: float | Array,
    ) -> float:
        """The value; see the function of the same name that takes k."""
        return self.function(Y_true, Y_score, k=self.k, sample_weight=sample_weight, **options)


#: By the first part of its name, what makes a metric ``<stem>_at_<k>``.
_STEMS: dict[str, Callable[..., float]] = {
    "precision": precision_at_k,
    "recall": recall_at_k,
    "ndcg": ndcg_at_k,
    "ps_precision": ps_precision_at_k,
    "ps_recall": ps_recall_at_k,
    "ps_ndcg": ps_ndcg_at_k,
}


@cache
def metric_at_k(name: str) -> MetricAtK | None:
    """The metric that a name such as ``precision_at_10`` says; None if it says none.

    >>> metric_at_k("ndcg_at_10").k, metric_at_k("ndcg_at_0")
    (10, None)
    """
    parts = re.fullmatch(r"([a-z_]+)_at_([1-9][0-9]{0,5})", name)
    if parts is None or parts[1] not in _STEMS:
        return None
    return MetricAtK(_STEMS[parts[1]], int(parts[2]))


precision_at_1, precision_at_3, precision_at_5 = (MetricAtK(precision_at_k, k) for k in (1, 3, 5))
recall_at_1, recall_at_3, recall_at_5 = (MetricAtK(recall_at_k, k) for k in (1, 3, 5))
ndcg_at_1, ndcg_at_3, ndcg_at_5 = (MetricAtK(ndcg_at_k, k) for k in (1, 3, 5))
ps_precision_at_1, ps_precision_at_3, ps_precision_at_5 = (MetricAtK(ps_precision_at_k, k) for k in (1, 3, 5))
ps_recall_at_1, ps_recall_at_3, ps_recall_at_5 = (MetricAtK(ps_recall_at_k, k) for k in (1, 3, 5))
ps_ndcg_at_1, ps_ndcg_at_3, ps_ndcg_at_5 = (MetricAtK(ps_ndcg_at_k, k) for k in (1, 3, 5))
