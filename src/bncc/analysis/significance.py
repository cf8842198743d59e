"""Tests of significance over data sets: Wilcoxon, Friedman, Nemenyi and Holm, and the average ranks behind them.

Scores are given as a matrix with one row per data set and one column per method. Folds of one data set share training
rows, so that tests over folds overstate; tests over data sets do not (Demsar 2006, "Statistical comparisons of
classifiers over multiple data sets", JMLR 7).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from bncc._checks import check_names

__all__ = [
    "FriedmanTest",
    "NemenyiTest",
    "PairedTests",
    "ResampledTest",
    "WilcoxonTest",
    "average_ranks",
    "friedman",
    "holm",
    "nemenyi",
    "pairwise_wilcoxon",
    "resampled_t",
    "wilcoxon",
]

# Up to so many differences the distribution of the signed-rank statistic is counted out where there are no ties.
_EXACT_LIMIT = 25


@dataclass(frozen=True)
class WilcoxonTest:
    """Result of a two-sided Wilcoxon signed-rank test.

    Attributes
    ----------
    p_value : float
    statistic : float
        The smaller of the two rank sums.
    n_pairs : int
        Pairs given; those without a difference are then left out.
    n_used : int
        Pairs with a difference.
    method : {"exact", "asymptotic"}
    """

    p_value: float
    statistic: float
    n_pairs: int
    n_used: int
    method: Literal["exact", "asymptotic"]


def wilcoxon(
    first: ArrayLike,
    second: ArrayLike,
    *,
    decimals: int | None = None,
    method: Literal["auto", "exact", "asymptotic"] = "auto",
) -> WilcoxonTest:
    """Wilcoxon's signed-rank test of paired scores, two-sided, without continuity correction.

    Parameters
    ----------
    first, second : arrays of shape (n_pairs,)
    decimals : int, optional
        Differences are rounded to so many decimals first. Scores that were printed with four decimals want 4:
        otherwise binary noise breaks ties among equal differences.
    method : {"auto", "exact", "asymptotic"}
        "auto" is exact for up to 25 different pairs without ties, else the normal approximation with its correction
        for ties. Pairs without a difference are left out; where none is left, the p-value is 1.

    >>> round(wilcoxon([0.71, 0.64, 0.90, 0.55, 0.81], [0.70, 0.61, 0.85, 0.53, 0.77]).p_value, 4)
    0.0625
    """
    differences = _vector(first, "first") - _vector(second, "second", len(np.ravel(first)))
    if decimals is not None:
        differences = np.round(differences, decimals)
    used = differences[differences != 0]
    tied = len(np.unique(np.abs(used))) < len(used)
    if method == "exact" and tied:
        raise ValueError("`method='exact'` needs differences without ties; use 'auto' or 'asymptotic'.")
    if method not in ("auto", "exact", "asymptotic"):
        raise ValueError(f"`method` must be 'auto', 'exact' or 'asymptotic'; got {method!r}.")
    exact = method == "exact" or (method == "auto" and not tied and len(used) <= _EXACT_LIMIT)
    used_method: Literal["exact", "asymptotic"] = "exact" if exact else "asymptotic"
    if not len(used):
        return WilcoxonTest(1.0, 0.0, len(differences), 0, used_method)
    tested = stats.wilcoxon(used, zero_method="wilcox", correction=False, method="exact" if exact else "approx")
    return WilcoxonTest(float(tested.pvalue), float(tested.statistic), len(differences), len(used), used_method)


@dataclass(frozen=True)
class ResampledTest:
    """Result of a two-sided corrected t-test on one data set; `statistic` is infinite where all differences agree."""

    p_value: float
    statistic: float
    mean: float
    n_pairs: int


def resampled_t(differences: ArrayLike, n_folds: int) -> ResampledTest:
    """Two methods on the folds of (repeated) cross-validation of one data set: the corrected resampled t-test.

    Folds share training rows, so that the plain t-test and Wilcoxon's over folds find too much. Nadeau and Bengio
    (2003) add the share of test to training rows, 1 / (n_folds - 1), to the factor of the variance; Bouckaert and
    Frank (2004) do so for repeated cross-validation.

    Parameters
    ----------
    differences : array of shape (n_pairs,)
        Score of one method minus that of the other, for every fold of every repeat.
    n_folds : int
        Folds per repeat.

    >>> round(resampled_t([0.02, 0.03, 0.01, 0.02, 0.04], n_folds=5).p_value, 4)
    0.0349
    """
    values = _vector(differences, "differences")
    if n_folds < 2:
        raise ValueError(f"`n_folds` must be at least 2; got {n_folds}.")
    if len(values) < 2:
        raise ValueError(f"The test needs at least 2 differences; got {len(values)}.")
    mean, variance = float(values.mean()), float(values.var(ddof=1))
    scale = math.sqrt((1 / len(values) + 1 / (n_folds - 1)) * variance)
    if scale <= 1e-15 * abs(mean) or mean == 0:
        statistic = math.copysign(math.inf, mean) if mean else 0.0
        return ResampledTest(0.0 if mean else 1.0, statistic, mean, len(values))
    statistic = mean / scale
    return ResampledTest(float(2 * stats.t.sf(abs(statistic), len(values) - 1)), statistic, mean, len(values))


@dataclass(frozen=True)
class PairedTests:
    """Wilcoxon's test for every pair of methods.

    Attributes
    ----------
    methods : tuple of str
    pairs : tuple of (int, int)
        Columns compared, in the order of the upper triangle.
    tests : tuple of WilcoxonTest
        One per pair.
    adjusted : tuple of float
        p-values after Holm's correction over all pairs.
    """

    methods: tuple[str, ...]
    pairs: tuple[tuple[int, int], ...]
    tests: tuple[WilcoxonTest, ...]
    adjusted: tuple[float, ...]

    def between(self, first: str, second: str) -> WilcoxonTest:
        """The test of two methods by name, in either order."""
        wanted = sorted((self._place(first), self._place(second)))
        if wanted[0] == wanted[1]:
            raise ValueError(f"A method is not tested against itself; got {first!r} twice.")
        return self.tests[self.pairs.index((wanted[0], wanted[1]))]

    def _place(self, method: str) -> int:
        if method not in self.methods:
            raise ValueError(f"There is no method {method!r} among {list(self.methods)}.")
        return self.methods.index(method)


def pairwise_wilcoxon(
    scores: ArrayLike,
    methods: Sequence[str],
    *,
    decimals: int | None = None,
    method: Literal["auto", "exact", "asymptotic"] = "auto",
) -> PairedTests:
    """Wilcoxon's test between all pairs of columns, each over the rows where both have a score (not NaN).

    >>> test = pairwise_wilcoxon([[0.1, 0.2, 0.2], [0.3, 0.5, 0.3], [0.2, 0.5, 0.1]], ["BR", "CC", "BNCC"])
    >>> test.between("CC", "BR").p_value, test.between("BR", "BNCC").n_used
    (0.25, 2)
    """
    matrix, names = _matrix(scores, methods, missing=True)
    pairs = tuple(itertools.combinations(range(len(names)), 2))
    tests = []
    for one, other in pairs:
        both = ~np.isnan(matrix[:, one]) & ~np.isnan(matrix[:, other])
        tests.append(wilcoxon(matrix[both, one], matrix[both, other], decimals=decimals, method=method))
    return PairedTests(names, pairs, tuple(tests), tuple(holm([test.p_value for test in tests]).tolist()))


def holm(p_values: ArrayLike) -> NDArray[np.float64]:
    """p-values after Holm's step-down correction, in the order given.

    >>> holm([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.06, 0.06]
    """
    given = _vector(p_values, "p_values")
    if ((given < 0) | (given > 1)).any():
        raise ValueError(f"`p_values` must lie between 0 and 1; got {given[(given < 0) | (given > 1)][:5].tolist()}.")
    order = np.argsort(given, kind="stable")
    factors = len(given) - np.arange(len(given))
    out = np.empty(len(given))
    out[order] = np.minimum(np.maximum.accumulate(given[order] * factors), 1.0)
    return out


def average_ranks(scores: ArrayLike, *, greater_is_better: bool = True) -> NDArray[np.float64]:
    """Mean rank of each method (column) over the data sets (rows): 1 is best, tied methods share the mean.

    >>> average_ranks([[0.9, 0.8, 0.8], [0.7, 0.6, 0.5]]).tolist()
    [1.0, 2.25, 2.75]
    """
    matrix, _ = _matrix(scores)
    ranks: NDArray[np.float64] = stats.rankdata(-matrix if greater_is_better else matrix, axis=1)
    return ranks.mean(axis=0)


@dataclass(frozen=True)
class FriedmanTest:
    """Result of Friedman's test that all methods are equal, with Iman and Davenport's less conservative F.

    `chi_square` is corrected for ties. `f_statistic` is infinite where all data sets rank the methods alike.
    """

    chi_square: float
    p_value: float
    f_statistic: float
    f_p_value: float
    n_datasets: int
    n_methods: int


def friedman(scores: ArrayLike) -> FriedmanTest:
    """Friedman's test on complete scores of at least 3 methods (columns) over at least 2 data sets (rows).

    >>> test = friedman([[1, 2, 3], [1, 2, 3], [1, 3, 2], [2, 1, 3]])
    >>> round(test.chi_square, 3), round(test.f_statistic, 3)
    (4.5, 3.857)
    """
    matrix, _ = _matrix(scores)
    n, k = matrix.shape
    if k < 3 or n < 2:
        raise ValueError(f"Friedman's test needs at least 3 methods on 2 data sets; got {k} methods on {n}.")
    if (matrix == matrix[:, :1]).all():
        return FriedmanTest(0.0, 1.0, 0.0, 1.0, n, k)
    tested = stats.friedmanchisquare(*matrix.T)
    chi_square = float(tested.statistic)
    left = n * (k - 1) - chi_square
    f = (n - 1) * chi_square / left if left > 1e-12 * n * k else math.inf
    f_p = float(stats.f.sf(f, k - 1, (k - 1) * (n - 1)))
    return FriedmanTest(chi_square, float(tested.pvalue), f, f_p, n, k)


@dataclass(frozen=True, eq=False)
class NemenyiTest:
    """Average ranks and which of them differ, by Nemenyi's test.

    Attributes
    ----------
    methods : tuple of str
    ranks : array of shape (n_methods,)
    critical_difference : float
        Two ranks that differ by at least this are significantly different at `alpha`.
    p_values : array of shape (n_methods, n_methods)
    alpha : float
    n_datasets : int
    """

    methods: tuple[str, ...]
    ranks: NDArray[np.float64]
    critical_difference: float
    p_values: NDArray[np.float64]
    alpha: float
    n_datasets: int


def nemenyi(
    scores: ArrayLike, methods: Sequence[str], *, greater_is_better: bool = True, alpha: float = 0.05
) -> NemenyiTest:
    """Nemenyi's test of all pairs of methods, on complete scores (data sets x methods).

    The statistic is the difference of ranks over sqrt(k (k + 1) / (6 N)), compared with the studentized range divided
    by sqrt(2), for infinitely many degrees of freedom.

    >>> test = nemenyi([[0.9, 0.8], [0.7, 0.6], [0.5, 0.6]], ["BNCC", "CC"])
    >>> test.ranks.round(2).tolist(), round(test.critical_difference, 3)
    ([1.33, 1.67], 1.132)
    """
    matrix, names = _matrix(scores, methods)
    n, k = matrix.shape
    if k < 2:
        raise ValueError(f"Nemenyi's test compares at least 2 methods; got {k}.")
    if not 0 < alpha < 1:
        raise ValueError(f"`alpha` must lie between 0 and 1; got {alpha}.")
    ranks = average_ranks(matrix, greater_is_better=greater_is_better)
    scale = math.sqrt(k * (k + 1) / (6 * n)) / math.sqrt(2)
    critical = float(stats.studentized_range.ppf(1 - alpha, k, np.inf)) * scale
    # Few pairs have different rank differences, and each costs an integral.
    gaps, where = np.unique(np.abs(ranks[:, None] - ranks[None, :]).round(12), return_inverse=True)
    p_values = stats.studentized_range.sf(gaps / scale, k, np.inf)[where].reshape(k, k)
    np.fill_diagonal(p_values, 1.0)
    return NemenyiTest(names, ranks, critical, np.clip(p_values, 0.0, 1.0), alpha, n)


def _vector(values: ArrayLike, argument: str, length: int | None = None) -> NDArray[np.float64]:
    array = np.asarray(values, np.float64)
    if array.ndim != 1:
        raise ValueError(f"`{argument}` must be one-dimensional; got shape {array.shape}.")
    if not np.isfinite(array).all():
        raise ValueError(
            f"`{argument}` must be finite; got {int((~np.isfinite(array)).sum())} NaN or infinite value(s)."
        )
    if length is not None and len(array) != length:
        raise ValueError(f"`{argument}` must have as many values as the first ({length}); got {len(array)}.")
    return array


def _matrix(
    scores: ArrayLike, methods: Sequence[str] | None = None, *, missing: bool = False
) -> tuple[NDArray[np.float64], tuple[str, ...]]:
    """Scores as a float matrix (data sets x methods) and the names of its columns."""
    matrix = np.asarray(scores, np.float64)
    if matrix.ndim != 2 or 0 in matrix.shape:
        raise ValueError(f"`scores` must be a matrix (data sets x methods) with a cell; got shape {matrix.shape}.")
    if np.isinf(matrix).any():
        raise ValueError("`scores` must be finite; got infinite values.")
    if not missing and np.isnan(matrix).any():
        rows = int(np.isnan(matrix).any(axis=1).sum())
        raise ValueError(f"`scores` must be complete; got {rows} row(s) with missing scores. Drop those data sets.")
    names = check_names(methods, matrix.shape[1], argument="methods", what="column") if methods is not None else ()
    return matrix, names
