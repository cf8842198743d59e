"""Iterative stratification: dealing rows out to folds so that each gets its share of every label.

The method is that of Sechidis, Tsoumakas and Vlahavas (2011): the label with the fewest rows left (the
lowest of several) is dealt out first, each of its rows to the fold that wants that label most. Departures:

1. Among folds that want the label equally, the row goes to the one that wants all its labels most (sum over them of
   wanted rows / rows of the label); then to the one with most room; then to the lowest fold. The paper asks for room at
   once and then draws. This betters the balance on every real set tried.
2. A full fold takes no more rows, so that sizes differ by one row at most.
3. A label that a fold lacks at the end, while another has it to spare, comes there by a swap of rows.
4. Rows of a group stay together: a group is dealt like one row with counts for labels, where it fits.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from numbers import Integral
from operator import add
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from sklearn.utils import check_random_state

from bncc._checks import as_label_matrix, is_missing, split_unknown
from bncc._label_forms import read_label_forms
from bncc._typing import CSR, Array, Floats, Labels, Longs, Random

__all__ = [
    "Rows",
    "assign_folds",
    "deal_rows",
    "n_groups",
    "number_groups",
    "random_source",
    "read_strata",
    "whole_number",
]

Rows: TypeAlias = Longs

_CLOSED = float("-inf")
# Wanted shares of labels are whole numbers of this unit, and sums that differ by less than the tolerance (1e-6 of the
# label's rows) are equal: rounding cannot decide.
_UNIT = 1 << 46
_TOLERANCE = _UNIT >> 20
# Rows tried as givers when labels are spread, rarest labels first: a bound on time where labels and folds are many.
_MAX_TRIALS = 4096


def assign_folds(
    Y: Labels, shares: Sequence[int], *, groups: ArrayLike | None = None, random_state: Random = None
) -> Rows:
    """Deal the rows of a label matrix out to folds, so that each fold gets its share of rows and of every label.

    Parameters
    ----------
    Y : label matrix of shape (n_rows, n_labels), or 1-D classes
        Array, sparse or DataFrame. Classes are dealt as one label each.
    shares : sequence of int
        Relative sizes of the folds, ``[1, 1, 1]`` for three equal ones.
    groups : sequence of length n_rows, optional
        Rows with the same value go to the same fold.
    random_state : int, RandomState, Generator or None
        Shuffles the rows (groups) first; None leaves them in the given order.

    Returns
    -------
    array of shape (n_rows,): the fold of each row
        Without groups, fold f has ``n_rows * shares[f] / sum(shares)`` rows, rounded up or down.

    >>> assign_folds([[1, 0], [1, 0], [0, 1], [0, 1], [1, 1], [1, 1]], [1, 1]).tolist()
    [0, 1, 0, 1, 0, 1]
    """
    if not len(shares):
        raise ValueError("`shares` must name at least one fold; got none.")
    shares = [whole_number(share, "shares", least=1) for share in shares]
    rng = None if random_state is None else random_source(random_state)
    return deal_rows(read_strata(Y), shares, groups, rng)


def deal_rows(values: CSR, shares: Sequence[int], groups: ArrayLike | None, rng: np.random.RandomState | None) -> Rows:
    """`assign_folds` for a checked csr array."""
    unit_of_row, counts, sizes = _units(values, groups)
    order = np.arange(sizes.size) if rng is None else rng.permutation(sizes.size)
    counts = sparse.csr_array(counts[order])
    dealt = _deal(counts, sizes[order], shares)
    if groups is None:
        _spread(counts, dealt, shares)
    fold_of_unit = np.empty(sizes.size, np.int64)
    fold_of_unit[order] = dealt
    return fold_of_unit[unit_of_row]


def random_source(random_state: Random) -> np.random.RandomState:
    """What scikit-learn makes of a `random_state`; a NumPy `Generator` gives the seed of a RandomState."""
    if isinstance(random_state, np.random.Generator):
        return np.random.RandomState(int(random_state.integers(2**32)))
    return check_random_state(random_state)


def whole_number(value: object, name: str, least: int) -> int:
    """A parameter that must be a whole number."""
    if not isinstance(value, Integral) or isinstance(value, bool) or value < least:
        raise ValueError(f"`{name}` must be a whole number >= {least}; got {value!r}.")
    return int(value)


class _Folds:
    """What each fold still wants: rows of every label, and room.

    Wanted is `shares` of the label's rows minus those the fold has, divided by the label's rows (in `_UNIT`s).
    """

    def __init__(self, positives: list[int], shares: Sequence[int], n_rows: int) -> None:
        self.total = sum(shares)
        unit = [max(1, _UNIT // (max(count, 1) * self.total)) for count in positives]
        self.step = [float(u * self.total) for u in unit]
        self.wanted = [[float(u * count * share) for share in shares] for u, count in zip(unit, positives, strict=True)]
        self.room = [n_rows * share for share in shares]
        self.left = [n_rows * share // self.total for share in shares]
        self.spare = n_rows - sum(self.left)

    def choose(self, label: int, labels: list[int], size: int) -> int:
        """The fold for a unit of `size` rows, dealt for `label`, that carries `labels`."""
        wanted = self.wanted[label] if size == 1 else self._where_it_fits(label, size)
        most = max(wanted)
        if wanted.count(most) == 1:
            return wanted.index(most)
        tied = [fold for fold, value in enumerate(wanted) if value == most]
        if len(labels) > 1:
            sums = self.wanted[labels[0]]
            for other in labels[1:]:
                sums = list(map(add, sums, self.wanted[other]))
            most = max([sums[fold] for fold in tied]) - _TOLERANCE
            tied = [fold for fold in tied if sums[fold] >= most]
        return tied[0] if len(tied) == 1 else max(tied, key=self.room.__getitem__)

    def _where_it_fits(self, label: int, size: int) -> list[float]:
        fits = [room >= size * self.total for room in self.room]
        if not any(fits):
            return list(self.room)
        return [value if fit else _CLOSED for value, fit in zip(self.wanted[label], fits, strict=True)]

    def take(self, fold: int, labels: list[int], amounts: list[float], size: int) -> None:
        """Put a unit into a fold; `amounts` are what its labels take off the fold's wants."""
        for label, amount in zip(labels, amounts, strict=True):
            self.wanted[label][fold] -= amount
        self.room[fold] -= size * self.total
        self.left[fold] -= size
        if self.left[fold] <= 0:
            self.spare += max(self.left[fold], -size)
            self._close()

    def _close(self) -> None:
        """Full folds want nothing; one whose share was rounded down may take one of the rows that this leaves over."""
        for fold, (left, room) in enumerate(zip(self.left, self.room, strict=True)):
            if left <= 0 and (room <= 0 or self.spare <= 0):
                for wanted in self.wanted:
                    wanted[fold] = _CLOSED


def _deal(counts: CSR, sizes: Longs, shares: Sequence[int]) -> Rows:
    """Folds of units (rows or groups) from their label counts, a csr array of shape (n_units, n_labels)."""
    columns = counts.tocsc()
    remaining = np.asarray(counts.sum(axis=0), np.int64)
    folds = _Folds(remaining.tolist(), shares, int(sizes.sum()))
    out = np.full(sizes.size, -1, np.int64)
    amounts = (np.asarray(folds.step)[counts.indices] * counts.data).tolist()
    labels, ends, size_of = counts.indices.tolist(), counts.indptr.tolist(), sizes.tolist()
    while (label := _rarest(remaining)) is not None:
        column = slice(columns.indptr[label], columns.indptr[label + 1])
        free = out[columns.indices[column]] < 0
        # Most of the label first; units with as much of it stay in their order.
        units = columns.indices[column][free][np.argsort(-columns.data[column][free], kind="stable")]
        fold_of_unit = []
        for unit in units.tolist():
            start, stop = ends[unit], ends[unit + 1]
            unit_labels, size = labels[start:stop], size_of[unit]
            fold = folds.choose(label, unit_labels, size)
            folds.take(fold, unit_labels, amounts[start:stop], size)
            fold_of_unit.append(fold)
        out[units] = fold_of_unit
        dealt = counts[units]
        np.subtract.at(remaining, dealt.indices, dealt.data)
    without_labels = np.flatnonzero(out < 0)
    for unit in without_labels[np.argsort(-sizes[without_labels], kind="stable")].tolist():
        out[unit] = max(range(len(shares)), key=folds.room.__getitem__)
        folds.take(int(out[unit]), [], [], size_of[unit])
    return out


def _rarest(remaining: Longs) -> int | None:
    """The label with the fewest rows left, the lowest of several; None when no row is left."""
    left = np.flatnonzero(remaining > 0)
    return int(left[np.argmin(remaining[left])]) if left.size else None


def _spread(Y: CSR, fold_of_row: Rows, shares: Sequence[int]) -> None:
    """Swap rows so that a label missing in one fold comes there from a fold that has it to spare; changes the folds.

    Dealing cannot do this when the fold is full before the last rows of the label are dealt. A swap keeps the sizes and
    takes no label away from a fold altogether.
    """
    n_folds, (n_rows, _) = len(shares), Y.shape
    one_hot = sparse.csr_array((np.ones(n_rows, np.int64), (fold_of_row, np.arange(n_rows))), (n_folds, n_rows))
    have = (one_hot @ Y.astype(np.int64)).toarray()
    positives = have.sum(axis=0)
    fair = np.outer(np.asarray(shares) / sum(shares), positives)
    columns = Y.tocsc()
    surplus = np.where(have > 1, have - fair, _CLOSED).max(axis=0)
    trials = _MAX_TRIALS
    missing = np.argwhere((have == 0) & (surplus + fair > 1))
    for fold, label in missing[np.argsort(positives[missing[:, 1]], kind="stable")].tolist():
        donors = (have[:, label] > 1) & (have[:, label] - fair[:, label] + fair[fold, label] > 1)
        if have[fold, label] or not donors.any() or trials <= 0:
            continue
        carriers = columns.indices[columns.indptr[label] : columns.indptr[label + 1]]
        givers, takers = carriers[donors[fold_of_row[carriers]]], np.flatnonzero(fold_of_row == fold)
        trials -= givers.size
        swap = _best_swap(Y, fold_of_row, have, fair, givers, takers) if takers.size else None
        if swap is not None:
            giver, taker = swap
            change = (Y[[giver]] - Y[[taker]]).toarray()[0]
            have[fold] += change
            have[fold_of_row[giver]] -= change
            fold_of_row[taker], fold_of_row[giver] = fold_of_row[giver], fold


def _best_swap(
    Y: CSR, fold_of_row: Rows, have: Longs, fair: Floats, givers: Rows, takers: Rows
) -> tuple[int, int] | None:
    """The swap that leaves the least squared deviation from fair counts (per label count); the first of equals.

    A row that is the only one with some label in its fold may go only for a row that brings that label along.
    """
    best, best_cost = None, math.inf
    weight = 1 / np.maximum(have.sum(axis=0), 1)
    error = have - fair
    taken, taken_weight = Y[takers].astype(np.float64), Y[takers] @ weight
    fold = fold_of_row[takers[0]]
    for giver in givers.tolist():
        gift, source = Y[[giver]].toarray()[0].astype(np.float64), fold_of_row[giver]
        slope = weight * (error[fold] - error[source])
        cost = gift @ (slope + weight) - taken @ slope + taken_weight - 2 * (taken @ (weight * gift))
        last_there, last_here = gift * (have[source] == 1), (1 - gift) * (have[fold] == 1)
        n_lost = last_there.sum() + taken @ (last_here - last_there)
        cost[n_lost > 0] = math.inf
        cheapest = int(np.argmin(cost))
        if cost[cheapest] < best_cost:
            best, best_cost = (giver, int(takers[cheapest])), cost[cheapest]
    return best


def read_strata(y: Labels | None) -> CSR:
    """Labels in any form as a csr array of 0/1, unknown ones as 0; 1-D classes become one label each."""
    if y is None:
        raise ValueError("`y` is missing: a stratified split needs the label matrix.")
    named = read_label_forms(y, classes=True)
    if named is not None:
        return named.positives.tocsr()
    y = split_unknown(y)[0]
    if sparse.issparse(y) or hasattr(y, "columns"):  # of the DataFrames, not all have `ndim`
        return as_label_matrix(y, argument="y", names=False).values.tocsr()
    try:
        values = np.asarray(y)
    except ValueError as error:
        raise ValueError(
            "`y` must be a rectangular label matrix; got rows of different lengths. "
            "Turn lists of labels into a matrix with scikit-learn's `MultiLabelBinarizer`."
        ) from error
    if values.ndim != 1:
        return as_label_matrix(y, argument="y", names=False).values.tocsr()
    return _one_label_per_class(values)


def _one_label_per_class(values: Array) -> CSR:
    cells = values.tolist() if values.dtype.kind in "fO" else []
    n_missing = sum(map(is_missing, cells))
    if n_missing:
        raise ValueError(f"`y` must give every row a class; got {n_missing} missing value(s). Drop those rows.")
    if values.dtype.kind == "f" and not (values == np.floor(values)).all():
        raise ValueError("`y` must hold labels or classes; got numbers that are no classes.")
    if values.size == 0:
        raise ValueError("`y` must have at least one row; got none.")
    try:
        classes, class_of_row = np.unique(values, return_inverse=True)
    except TypeError as error:
        kinds = sorted({type(cell).__name__ for cell in cells})
        raise ValueError(f"`y` must hold classes of one kind; got {', '.join(kinds)}.") from error
    return sparse.csr_array(
        (np.ones(values.size, np.int8), (np.arange(values.size), class_of_row)), (values.size, classes.size)
    )


def _units(values: CSR, groups: ArrayLike | None) -> tuple[Rows, CSR, Longs]:
    """What is dealt out: the unit of each row, label counts per unit, and rows per unit."""
    n_rows = values.shape[0]
    if groups is None:
        return np.arange(n_rows), values, np.ones(n_rows, np.int64)
    unit_of_row = number_groups(groups, n_rows)
    sizes = np.bincount(unit_of_row)
    member = sparse.csr_array((np.ones(n_rows, np.int64), (unit_of_row, np.arange(n_rows))), (sizes.size, n_rows))
    return unit_of_row, sparse.csr_array(member @ values.astype(np.int64)), sizes.astype(np.int64)


def n_groups(groups: ArrayLike, n_rows: int) -> int:
    """How many groups there are among the rows.

    >>> n_groups(["a", "b", "a"], 3)
    2
    """
    return len(set(number_groups(groups, n_rows).tolist()))


def number_groups(groups: ArrayLike, n_rows: int) -> Rows:
    """Groups numbered by first appearance."""
    values = np.asarray(groups)
    if values.shape != (n_rows,):
        raise ValueError(f"`groups` must have one value per row, shape ({n_rows},); got {values.shape}.")
    numbers: dict[object, int] = {}
    out = np.array([numbers.setdefault(value, len(numbers)) for value in values.tolist()], np.int64)
    if any(value is None or value != value for value in numbers):
        raise ValueError("`groups` must not have missing values (NaN, None); give each such row a group of its own.")
    return out
