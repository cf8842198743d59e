"""Is a label independent of another, given others? (Definitions 1 and 2 of the paper, tested on rows.)

The rows fall into strata, one for each configuration of the given labels. In each the two labels form a table of two by
two counts; the G statistic is twice the log-likelihood that dependence adds, summed over the strata. A stratum counts
one degree of freedom if both labels take both values in it, and none otherwise. Where every expected count is at least
5, G follows a chi-square. Where one is smaller, the distribution of that stratum is taken as it is: with the margins
held fixed the count of both labels is hypergeometric, and these distributions are added up over the strata.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.special import chdtrc, gammaln, xlogy

from bncc._checks import check_label
from bncc._typing import Floats, Labels
from bncc.labels.counts import LabelCounts, count_labels

__all__ = ["IndependenceTest", "Strata", "independence_test", "sidak", "strata_test"]

FEWEST_EXPECTED = 5.0
_MOST_GIVEN = 60  # a configuration is one bit per label of a 64-bit integer
_MOST_SUMS = 4096  # different sums of G over small strata; beyond, they are rounded


@dataclass(frozen=True)
class IndependenceTest:
    """What the rows say of the independence of two labels given others.

    Attributes
    ----------
    statistic : float
        G, 0 for counts that are exactly independent.
    degrees_of_freedom : int
        Strata in which both labels take both values; 0 where the rows cannot tell.
    p_value : float
        How often independent labels show such a G or a larger one; rows with exactly this G count half (mid-p), so
        that the value is uniform as nearly as counts allow. 1 where the rows cannot tell.
    small_strata : int
        How many strata had an expected count below 5, and were counted exactly.
    """

    statistic: float
    degrees_of_freedom: int
    p_value: float
    small_strata: int


@dataclass(frozen=True, eq=False)
class Strata:
    """Two labels in each stratum: its rows, those with the first label, with the second, and with both."""

    rows: Floats
    first: Floats
    second: Floats
    both: Floats


def independence_test(
    Y: Labels | LabelCounts, first: int | str, second: int | str, given: Sequence[int | str] = ()
) -> IndependenceTest:
    """Test whether two labels are independent given others, by the rows of a label matrix.

    Parameters
    ----------
    Y : label matrix of shape (n_rows, n_labels), or its `LabelCounts`
    first, second : int or str
        Labels by index, or by name where `Y` has names.
    given : sequence of int or str
        Labels that are held fixed; none for plain independence (Definition 1).

    >>> Y = [[0, 0, 0], [0, 1, 0], [1, 0, 0], [1, 1, 1]] * 50
    >>> independence_test(Y, 0, 1).p_value, independence_test(Y, 0, 1, given=[2]).p_value < 0.001
    (1.0, True)
    """
    counts = count_labels(Y)
    labels = [check_label(label, counts.n_labels, counts.label_names) for label in (first, second, *given)]
    if len(set(labels)) != len(labels):
        raise ValueError(f"`first`, `second` and `given` must be different labels; got {[first, second, *given]}.")
    if len(given) > _MOST_GIVEN:
        raise ValueError(f"`given` may hold up to {_MOST_GIVEN} labels; got {len(given)}.")
    return strata_test(_strata(counts, labels[0], labels[1], labels[2:]))


def strata_test(strata: Strata) -> IndependenceTest:
    """The test of independence within strata that were counted already."""
    n, r, c = strata.rows, strata.first, strata.second
    telling = (r > 0) & (r < n) & (c > 0) & (c < n)
    n, r, c, both = n[telling], r[telling], c[telling], strata.both[telling]
    if not n.size:
        return IndependenceTest(0.0, 0, 1.0, 0)
    statistics = _g(n, r, c, both)
    total = float(statistics.sum())
    small = np.minimum(r, n - r) * np.minimum(c, n - c) < FEWEST_EXPECTED * n
    n_large = int((~small).sum())
    margins = tuple(zip(n[small].tolist(), r[small].tolist(), c[small].tolist(), strict=True))
    p_value = _tail(margins, total, n_large) if margins else float(chdtrc(n_large, total))
    return IndependenceTest(total, int(n.size), min(1.0, p_value), int(small.sum()))


def sidak(p_value: Floats | float, n_tests: int) -> Floats:
    """p-values corrected for the number of tests looked at: how often the smallest of so many is as small.

    At most the p-value times `n_tests` (Bonferroni), and uniform for the smallest of independent ones.

    >>> sidak(0.001, 190).round(4).item()
    0.1731
    """
    clipped = np.minimum(np.asarray(p_value, np.float64), 1.0)
    with np.errstate(divide="ignore"):
        return np.asarray(-np.expm1(n_tests * np.log1p(-clipped)) + 0.0)


def _strata(counts: LabelCounts, first: int, second: int, given: Sequence[int]) -> Strata:
    code = np.zeros(counts.n_rows, np.int64)
    for bit, label in enumerate((first, second, *given)):
        code[counts.matrix.indices[counts.matrix.indptr[label] : counts.matrix.indptr[label + 1]]] |= 1 << bit
    stratum = np.unique(code >> 2, return_inverse=True)[1].ravel() if len(given) else np.zeros_like(code)
    counted = np.bincount(4 * stratum + (code & 3), minlength=4 * (int(stratum.max()) + 1))
    cells: Floats = counted.reshape(-1, 4).astype(np.float64)
    return Strata(cells.sum(axis=1), cells[:, 1] + cells[:, 3], cells[:, 2] + cells[:, 3], cells[:, 3])


def _g(n: Floats | float, r: Floats | float, c: Floats | float, both: Floats) -> Floats:
    """Twice the log-likelihood that dependence adds, in each stratum."""
    cells = xlogy(both, both) + xlogy(r - both, r - both) + xlogy(c - both, c - both)
    cells = cells + xlogy(n - r - c + both, n - r - c + both)
    margins = xlogy(r, r) + xlogy(n - r, n - r) + xlogy(c, c) + xlogy(n - c, n - c)
    return np.asarray(np.maximum(2.0 * (cells - margins + xlogy(n, n)), 0.0))


def _distribution(n: float, r: float, c: float) -> tuple[Floats, Floats]:
    """Every G that a stratum with these margins can show, and how likely it is (hypergeometric)."""
    both = np.arange(max(0.0, r + c - n), min(r, c) + 1.0)
    logs = _log_choose(r, both) + _log_choose(n - r, c - both) - _log_choose(n, c)
    return _g(n, r, c, both), np.exp(logs)


def _log_choose(n: Floats | float, k: Floats | float) -> Floats:
    return np.asarray(gammaln(n + 1.0) - gammaln(k + 1.0) - gammaln(n - k + 1.0))


@lru_cache(maxsize=8192)
def _tail(margins: tuple[tuple[float, float, float], ...], observed: float, n_large: int) -> float:
    """How often the sum over small strata, and a chi-square for the large ones, is as large as the one observed.

    Remembered, since edges that are tested before they are shown are tested again when they are.
    """
    values, chances = np.zeros(1), np.ones(1)
    beyond, blur = 0.0, 1e-9 * max(observed, 1.0)
    for stratum in margins:
        more, likely = _distribution(*stratum)
        values, chances = (values[:, None] + more).ravel(), (chances[:, None] * likely).ravel()
        outside = values > observed + blur
        beyond += float(chances[outside].sum())
        values, chances = values[~outside], chances[~outside]
        if values.size > _MOST_SUMS:
            values, chances = _thinned(values, chances, observed / _MOST_SUMS)
            blur += observed / _MOST_SUMS
    if n_large:
        return float(beyond + chances @ chdtrc(n_large, np.maximum(observed - values, 0.0)))
    return float(beyond + chances[values >= observed - blur].sum() / 2)


def _thinned(values: Floats, chances: Floats, step: float) -> tuple[Floats, Floats]:
    """Sums on a grid, so that there are not too many of them."""
    summed = np.bincount(np.rint(values / step).astype(np.int64), weights=chances)
    at = np.flatnonzero(summed)
    return np.asarray(at * step, np.float64), np.asarray(summed[at], np.float64)
