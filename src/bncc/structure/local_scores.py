"""Scores of a label with its parents.

Every score here is a sum over the configurations q of the parents, of terms that depend on counts alone:

    offset + sum_q [cell(N_q^1) + cell(N_q^0) - total(N_q)] - penalty

with N_q rows in configuration q, N_q^1 of them with the label. All are in bits (base 2). With Q = 2^|Pa|:

========== ======================================================= ===================================
name       data term                                               penalty
========== ======================================================= ===================================
dependence N (1 - H(l | Pa)), the paper's (Eq. 13)                 Q/2 log2 N
bic        -N H(l | Pa), the log-likelihood                        Q/2 log2 N
aic        the same                                                Q / ln 2
mdl        the same                                                Q/2 log2 N + \\|Pa\\| log2 M
k2         Cooper and Herskovits (1992), uniform prior             none
bdeu       Dirichlet prior, equivalent sample size `prior_rows`    none
========== ======================================================= ===================================

"mdl" is the score of K3 (Bouckaert 1994) with a prior that spends log2 M bits to name each parent.
Anything with a method ``local_score(child, parents) -> float`` can stand in for these.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from bncc._typing import Floats, Labels, Longs, ScoreName
from bncc.labels import LabelCounts, count_labels

__all__ = ["SCORES", "CountScore", "LocalScore", "LocalScorer", "bdeu", "get_score"]

SCORE_DECIMALS = 6
MOST_PARENTS = 62  # a configuration is one bit per parent of a 64-bit integer
_LN2 = float(np.log(2.0))
_ROWS_PER_READ = 32  # passing over so many rows costs as much as sorting one that has the label


@runtime_checkable
class LocalScore(Protocol):
    """Anything that can score a child with a set of parents; larger is better."""

    def local_score(self, child: int, parents: Sequence[int]) -> float:
        """Score of `child` with exactly these `parents`."""
        ...


#: (counts, number of configurations) -> values in bits.
CountTerm: TypeAlias = Callable[[Floats, float], Floats]


@dataclass(frozen=True)
class CountScore:
    """A score that is a sum over counts; see the module's table.

    Attributes
    ----------
    cell, total : function (count, Q) -> value in bits
    penalty : function (n_rows, n_labels, n_parents) -> bits
    informative : bool
        The data term is minus N times the conditional entropy, at most 0 and growing with every split.
    per_row : float
        Added for each row, so that the paper's N (1 - H) comes out.
    depends_on_size : bool
        `cell` and `total` change with Q.
    """

    name: str
    cell: CountTerm
    total: CountTerm
    penalty: Callable[[int, int, int], float]
    informative: bool
    per_row: float = 0.0
    depends_on_size: bool = False


def _entropy_term(count: Floats, _: float) -> Floats:
    return count * np.log2(np.maximum(count, 1.0))


def _log2_factorial(count: Floats, _: float) -> Floats:
    return gammaln(count + 1.0) / _LN2


def _log2_next_factorial(count: Floats, _: float) -> Floats:
    return gammaln(count + 2.0) / _LN2


def _half_log(n_rows: int, n_labels: int, n_parents: int) -> float:
    return 2.0**n_parents / 2.0 * float(np.log2(n_rows))


def _parameters(n_rows: int, n_labels: int, n_parents: int) -> float:
    return 2.0**n_parents / _LN2


def _description(n_rows: int, n_labels: int, n_parents: int) -> float:
    return _half_log(n_rows, n_labels, n_parents) + n_parents * float(np.log2(n_labels))


def _free(n_rows: int, n_labels: int, n_parents: int) -> float:
    return 0.0


def bdeu(prior_rows: float = 1.0) -> CountScore:
    """The BDeu score with a prior worth `prior_rows` rows, spread evenly over all cells."""
    if not prior_rows > 0:
        raise ValueError(f"`prior_rows` must be positive; got {prior_rows}.")

    cell, total = partial(_dirichlet, prior_rows / 2.0), partial(_dirichlet, prior_rows)
    return CountScore("bdeu", cell, total, _free, informative=False, depends_on_size=True)


def _dirichlet(prior_rows: float, count: Floats, n_configurations: float) -> Floats:
    prior = prior_rows / n_configurations
    return (gammaln(count + prior) - gammaln(prior)) / _LN2


SCORES: dict[str, CountScore] = {
    "dependence": CountScore("dependence", _entropy_term, _entropy_term, _half_log, informative=True, per_row=1.0),
    "bic": CountScore("bic", _entropy_term, _entropy_term, _half_log, informative=True),
    "aic": CountScore("aic", _entropy_term, _entropy_term, _parameters, informative=True),
    "mdl": CountScore("mdl", _entropy_term, _entropy_term, _description, informative=True),
    "k2": CountScore("k2", _log2_factorial, _log2_next_factorial, _free, informative=False),
    "bdeu": bdeu(),
}


def get_score(score: object) -> CountScore | LocalScore:
    """A score by its name, or the score itself."""
    if isinstance(score, CountScore | LocalScore):
        return score
    if isinstance(score, str) and score in SCORES:
        return SCORES[score]
    raise ValueError(
        f"`score` must be one of {sorted(SCORES)} or an object with `local_score(child, parents)`; got {score!r}."
    )


@dataclass(frozen=True, eq=False)
class LocalScorer:
    """A count score bound to a label matrix: ``local_score(child, parents)``, remembered by the set of parents.

    >>> scorer = LocalScorer.of([[0, 0], [0, 0], [1, 1], [1, 0]], "bic")
    >>> scorer.local_score(0, [1])
    -4.754888
    """

    counts: LabelCounts
    score: CountScore
    _known: dict[tuple[int, tuple[int, ...]], float] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, Y: Labels | LabelCounts, score: ScoreName | CountScore) -> LocalScorer:
        """Bind a score to a label matrix."""
        count_score = get_score(score)
        if not isinstance(count_score, CountScore):
            raise ValueError(f"`score` must be one of {sorted(SCORES)}; got {score!r}.")
        return cls(count_labels(Y), count_score)

    def local_score(self, child: int, parents: Sequence[int]) -> float:
        """Score of `child` with exactly these `parents`, rounded to 6 decimals."""
        key = (child, tuple(sorted(parents)))
        if key not in self._known:
            self._known[key] = self._compute(*key)
        return self._known[key]

    def _compute(self, child: int, parents: tuple[int, ...]) -> float:
        total, ones = configuration_counts(self.counts, child, parents)[1:]
        size = 2.0 ** len(parents)
        cells = self.score.cell(ones, size) + self.score.cell(total - ones, size) - self.score.total(total, size)
        n, m = self.counts.n_rows, self.counts.n_labels
        value = self.score.per_row * n + cells.sum() - self.score.penalty(n, m, len(parents))
        return round(float(value), SCORE_DECIMALS) + 0.0


def configuration_counts(counts: LabelCounts, child: int, parents: Sequence[int]) -> tuple[Longs, Floats, Floats]:
    """Configurations of the parents that occur, the rows in each, and those of them with the child.

    Bit i of a configuration is the value of ``parents[i]``. Of labels that are rare, and of many parents, only rows
    with the child or a parent are read.
    """
    matrix = counts.matrix
    columns = [matrix.indices[matrix.indptr[label] : matrix.indptr[label + 1]] for label in (*parents, child)]
    n_read = sum(column.size for column in columns)
    if 2 << len(parents) <= counts.n_rows <= _ROWS_PER_READ * n_read:
        return _counts_of_all_rows(columns, counts.n_rows)
    return _counts_of_read_rows(columns, counts.n_rows)


def _counts_of_all_rows(columns: Sequence[NDArray[np.integer]], n_rows: int) -> tuple[Longs, Floats, Floats]:
    """One pass over all rows; the last column is the child."""
    code = np.zeros(n_rows, np.int64)
    for bit, column in enumerate(columns):
        code[column] |= 1 << bit
    cells = np.bincount(code, minlength=1 << len(columns)).reshape(2, -1)
    total = cells.sum(axis=0)
    occurring = np.flatnonzero(total)
    return occurring, total[occurring].astype(np.float64), cells[1, occurring].astype(np.float64)


def _counts_of_read_rows(columns: Sequence[NDArray[np.integer]], n_rows: int) -> tuple[Longs, Floats, Floats]:
    """The same from the rows that have any of the labels alone."""
    n_parents = len(columns) - 1
    rows = np.concatenate(columns)
    bits = np.repeat(1 << np.arange(len(columns), dtype=np.int64), [column.size for column in columns])
    active, row = np.unique(rows, return_inverse=True)
    code = np.zeros(active.size, np.int64)
    np.add.at(code, row, bits)
    has_child = code >> n_parents == 1
    occurring, configuration = np.unique(code & ((1 << n_parents) - 1), return_inverse=True)
    total = np.bincount(configuration, minlength=occurring.size).astype(np.float64)
    ones = np.bincount(configuration[has_child], minlength=occurring.size).astype(np.float64)
    unread = n_rows - active.size
    if unread and (occurring.size == 0 or occurring[0] != 0):
        occurring, total, ones = np.append(0, occurring), np.append(0.0, total), np.append(0.0, ones)
    if unread:
        total[0] += unread
    return occurring, total, ones
