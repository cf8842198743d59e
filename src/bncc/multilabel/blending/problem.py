"""What all families of a blend are tried on: the same rows, the same folds, features made into numbers once."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy import sparse
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import Normalizer

from bncc._rows import take_rows
from bncc._typing import CSR, Bools, EngineName, Floats, Fold, Matrix, Rows, Weights
from bncc.datasets.stratification import deal_rows, n_groups
from bncc.metrics import Metric
from bncc.multilabel.backend import TrainingRows
from bncc.multilabel.blending.copies import are_all_equal
from bncc.multilabel.blending.frequent_sets import frequent_sets
from bncc.multilabel.blending.selection_score import score_rates
from bncc.multilabel.feature_rows import narrow
from bncc.multilabel.scaling import RangeScaler
from bncc.multilabel.targets import Targets

__all__ = ["BlendProblem", "counted_rows", "deal_held_out", "rows_in_time"]

# Up to this many rows every row is held out by one of five folds; beyond, one part of the rows is held out once.
_MOST_FOLDED_ROWS = 8000
_MOST_FOLDED_ROWS_IN_TIME = 4000
_N_FOLDS = 5
# Cells (rows x labels) of held-out answers that are kept.
_MOST_CELLS = 1 << 24
_MOST_CELLS_IN_TIME = 1 << 20
_MOST_HELD_OUT = 8000
_MOST_NUMBERS_IN_TIME = 20_000_000
# Rows by which features are scaled.
_MOST_MEASURED = 50_000
# Dense features of so many columns, of which so few numbers are not 0, are handled as sparse ones.
_WIDE = 100
_FULL_SHARE = 0.1
# Beyond so many labels trees are slow, small and poor.
_MANY_LABELS = 500
# Rows whose lengths differ by no more than this share are of one length.
_SAME_LENGTH = 0.01


def counted_rows(rows: TrainingRows, groups: Weights | None) -> tuple[TrainingRows, Weights | None]:
    """The rows that weigh something, and their groups; weights have a mean of 1, and equal ones are none.

    What learns by C or a penalty would take the size of weights for a lack or plenty of rows.
    """
    if rows.weight is not None:
        kept = np.flatnonzero(rows.weight > 0)
        if kept.size < rows.weight.size:
            rows, groups = rows.take(kept), None if groups is None else take_rows(groups, kept)
        weight = np.asarray(rows.weight, np.float64)
        weight = weight / weight.max()  # their sum stays a number
        rows = replace(rows, weight=None if np.ptp(weight) == 0 else weight / weight.mean())
    never_known = np.flatnonzero(rows.targets.n_known == 0)
    if never_known.size == rows.targets.n_labels:
        raise ValueError("y must have a label that is known, in a row of positive weight; all are missing.")
    if never_known.size:
        names = rows.targets.label_names or range(rows.targets.n_labels)
        shown = ", ".join(str(names[label]) for label in never_known[:5])
        warnings.warn(
            f"No value of {never_known.size} label(s) is known ({shown}): each is answered with the mean rate of the "
            "others. Give some values, or leave such labels out of y.",
            UserWarning,
            stacklevel=3,
        )
    if groups is not None and rows.targets.n_rows > 1 and n_groups(groups, rows.targets.n_rows) < 2:
        raise ValueError(
            "`groups` must have two values at least, so that one group can be held out; got one. Leave `groups` out "
            "where rows do not come in groups."
        )
    return rows, groups


def deal_held_out(targets: Targets, groups: Weights | None, *, limited: bool) -> tuple[Fold, ...]:
    """Stratified folds that hold out each row once; for many rows a single one. Rows of a group stay together.

    With a limit of time, a single one is drawn at random: to stratify many rows takes longer than it is worth.
    """
    n = targets.n_rows
    cells = n * targets.n_labels
    most = _MOST_FOLDED_ROWS_IN_TIME if limited else _MOST_FOLDED_ROWS
    most_cells = _MOST_CELLS_IN_TIME if limited else _MOST_CELLS
    folded = n <= most and cells <= most_cells
    if folded:
        shares = [1] * min(_N_FOLDS, n if groups is None else n_groups(groups, n))
    else:
        held = int(min(max(1, n // 5), _MOST_HELD_OUT, max(200, most_cells // targets.n_labels)))
        shares = [held, n - held]
    if limited and not folded:
        fold = np.where(_draw_some(n, shares[0], groups), 0, 1)
    else:
        fold = deal_rows(targets.positives.tocsr(), shares, groups, None)
    parts = np.unique(fold)
    if not folded:
        parts = parts[:1]
    folds = [(np.flatnonzero(fold != part), np.flatnonzero(fold == part)) for part in parts]
    return tuple((train, test) for train, test in folds if train.size and test.size)


def rows_in_time(X: Matrix) -> int:
    """Rows that are looked at where there is a limit of time: 20 million stored numbers, at least 20,000 rows.

    >>> rows_in_time(np.zeros((10, 100)))
    200000
    """
    per_row = getattr(X, "nnz", X.shape[0] * X.shape[1]) / max(X.shape[0], 1)
    return max(20_000, int(_MOST_NUMBERS_IN_TIME / max(per_row, 1.0)))


def _draw_some(n_rows: int, wanted: int, groups: Weights | None) -> Bools:
    """About so many rows at random, whole groups of them; always the same ones."""
    group_of_row = (
        np.arange(n_rows) if groups is None else np.unique(np.asarray(groups), return_inverse=True)[1].ravel()
    )
    sizes = np.bincount(group_of_row)
    order = np.random.default_rng(0).permutation(sizes.size)
    before = np.concatenate([[0], np.cumsum(sizes[order])[:-1]])
    return np.isin(group_of_row, order[before < wanted])


@dataclass(frozen=True, eq=False)
class BlendProblem:
    """Rows to learn from, and the folds that every family answers on.

    Attributes
    ----------
    rows : TrainingRows
        Features as they came, with missing values.
    folds : tuple of (training rows, test rows)
        One fold alone: the families that were tried on it are the answer, without another fit.
    metric : Metric
    groups : array of shape (n_rows,) or None
        What no fold divides: rows of one value stay together.
    seed : int
    n_jobs, engine : as in the estimators
    """

    rows: TrainingRows
    folds: tuple[Fold, ...]
    metric: Metric
    groups: Weights | None = None
    seed: int = 0
    n_jobs: int | None = None
    engine: EngineName = "auto"

    @cached_property
    def tested(self) -> Rows:
        """Rows that are held out by a fold, ascending."""
        return np.sort(np.concatenate([test for _, test in self.folds]))

    @property
    def grouped(self) -> bool:
        """Whether rows come in groups that no fold divides."""
        return self.groups is not None

    @property
    def needs_folds(self) -> bool:
        """Whether what trees have not seen says nothing of new rows.

        Of a group, a tree has seen other rows. By unequal weights, it has seen nearly all rows that weigh much.
        """
        return self.grouped or self.rows.weight is not None

    @cached_property
    def tells_nothing(self) -> bool:
        """Whether all rows have the same features."""
        return are_all_equal(self.rows.X)

    @cached_property
    def group_of_tested(self) -> Rows | None:
        """A number from 0 of the group of each tested row; None where there are no groups."""
        if self.groups is None:
            return None
        return np.unique(np.asarray(take_rows(self.groups, self.tested)), return_inverse=True)[1].ravel()

    @property
    def held_out_once(self) -> bool:
        """Whether one part of the rows is held out, and the rest is what the answer learns from."""
        return len(self.folds) == 1

    @property
    def linear_first(self) -> bool:
        """Whether linear models are what learns most in little time: of sparse features or many labels."""
        return sparse.issparse(self.rows.X) or self.rows.targets.n_labels > _MANY_LABELS

    @cached_property
    def truth(self) -> Bools:
        """Labels of the tested rows."""
        return np.asarray(self.rows.targets.positives.tocsr()[self.tested].toarray() != 0)

    @cached_property
    def known(self) -> Bools | None:
        """Where labels of the tested rows are known; None: everywhere."""
        unknown = self.rows.targets.unknown
        return None if unknown is None else np.asarray(unknown.tocsr()[self.tested].toarray() == 0)

    @cached_property
    def weight(self) -> Floats | None:
        """Weights of the tested rows."""
        return None if self.rows.weight is None else self.rows.weight[self.tested]

    @cached_property
    def sets(self) -> Bools | None:
        """The label sets that occur most often, where the metric is about whole sets."""
        if self.metric.name != "subset_accuracy" or self.rows.targets.n_labels < 2:
            return None
        sets, _ = frequent_sets(self.rows.targets)
        return sets if len(sets) else None

    def score(self, rates: Floats, rows: Rows | None = None) -> float:
        """Value of probabilities for the tested rows (or some of them, by place), higher being better."""
        truth, known, weight = self.truth, self.known, self.weight
        if rows is not None:
            truth = truth[rows]
            known, weight = None if known is None else known[rows], None if weight is None else weight[rows]
        if weight is not None and not weight.any():
            return 0.0
        return score_rates(self.metric, rates - 0.5, truth, known, weight, self.sets)

    def likelihood(self, rates: Floats, rows: Rows) -> float:
        """Mean log-likelihood of the labels of some tested rows (by place)."""
        likely = np.log(np.clip(np.where(self.truth[rows], rates, 1.0 - rates), 1e-4, 1.0))
        counted = np.ones(likely.shape) if self.known is None else self.known[rows].astype(np.float64)
        if self.weight is not None:
            counted = counted * self.weight[rows][:, None]
        return float((likely * counted).sum() / max(counted.sum(), 1e-12))

    @cached_property
    def to_numbers(self) -> Pipeline:
        """Missing values filled in, with a column that says so, then every feature divided by its range.

        By the median, and by 0 in sparse features, of which it is the median nearly always. New rows may miss values
        where none of these does. Of more than 50,000 rows every second, third, ... is looked at.
        """
        how = {"strategy": "constant", "fill_value": 0} if sparse.issparse(self.rows.X) else {"strategy": "median"}
        fill = SimpleImputer(**how, add_indicator=True, keep_empty_features=True)
        measured = self.rows.X[:: -(-self.rows.X.shape[0] // _MOST_MEASURED)]
        if not (sparse.issparse(measured) and self.held_out_once):
            return make_pipeline(fill, RangeScaler()).fit(measured)
        # Linear models of many sparse rows are better, several times as fast and as small on rows of unit length.
        # Where rows have one length, somebody has weighed their words: ranges would undo that.
        ranges = () if _have_one_length(measured) else (RangeScaler(),)
        return make_pipeline(fill, *ranges, Normalizer()).fit(measured)

    @cached_property
    def numbers(self) -> TrainingRows:
        """The rows with features that any family can take; sparse where nearly all numbers are 0."""
        made = _without_zeros(narrow(self.to_numbers.transform(self.rows.X)))
        return TrainingRows(made, self.rows.targets, self.rows.weight)


def _have_one_length(X: CSR) -> bool:
    """Whether rows that are not empty have the same Euclidean length, nearly."""
    squares = np.asarray(X.multiply(X).sum(axis=1), np.float64).ravel()
    lengths = np.sqrt(squares[squares != 0])
    return bool(lengths.size and np.ptp(lengths) <= _SAME_LENGTH * lengths.max())


def _without_zeros(X: Matrix) -> Matrix:
    """Features as they are, or as a sparse matrix where that is much less work; models answer for either."""
    if sparse.issparse(X) or X.shape[1] < _WIDE or np.count_nonzero(X) > _FULL_SHARE * X.size:
        return X
    return narrow(sparse.csr_array(X))
