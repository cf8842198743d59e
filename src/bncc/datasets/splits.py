"""Stratified splits of multi-label data that work wherever scikit-learn takes ``cv=``."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from numbers import Integral, Real

import numpy as np
from numpy.typing import ArrayLike
from sklearn.model_selection import BaseCrossValidator

from bncc._rows import take_rows
from bncc._typing import CSR, Features, Labels, Random, Rowwise
from bncc.datasets.stratification import Rows, deal_rows, n_groups, random_source, read_strata, whole_number

__all__ = [
    "MultilabelStratifiedKFold",
    "MultilabelStratifiedShuffleSplit",
    "RepeatedMultilabelStratifiedKFold",
    "multilabel_train_test_split",
]


class _Splitter(BaseCrossValidator):
    """What the splitters share: `split` reads rows, labels and groups once, then asks for folds."""

    # Groups are used when given, also where scikit-learn routes metadata.
    __metadata_request__split = {"groups": True}  # noqa: RUF012 (the name is scikit-learn's)

    n_splits: int

    def get_n_splits(self, X: Features | None = None, y: Labels | None = None, groups: ArrayLike | None = None) -> int:
        """Number of splits; the arguments are there for compatibility."""
        return int(self.n_splits)

    def split(
        self, X: Features | None, y: Labels | None = None, groups: ArrayLike | None = None
    ) -> Iterator[tuple[Rows, Rows]]:
        """Train and test rows of each split, in ascending order.

        Parameters
        ----------
        X : array of shape (n_rows, ...) or None
            Only its length counts.
        y : label matrix of shape (n_rows, n_labels), or 1-D classes
        groups : sequence of length n_rows, optional
            Rows with the same value are never parted.
        """
        targets = read_strata(y)
        n_rows = targets.shape[0] if X is None else _length(X)
        if n_rows != targets.shape[0]:
            raise ValueError(f"`X` and `y` must have the same number of rows; got {n_rows} and {targets.shape[0]}.")
        return self._splits(targets, groups)

    def _splits(self, targets: CSR, groups: ArrayLike | None) -> Iterator[tuple[Rows, Rows]]:
        raise NotImplementedError


class MultilabelStratifiedKFold(_Splitter):
    """K folds that each have their share of the rows and of every label; every row is tested once.

    Parameters
    ----------
    n_splits : int, default 5
    shuffle : bool, default True
        Shuffle the rows (groups) before they are dealt out. False: the same folds for the same data.
    random_state : int, RandomState, Generator or None
        Seed of the shuffle; an int gives the same folds on every call.

    >>> Y = [[1, 0], [1, 0], [0, 1], [0, 1], [1, 1], [1, 1]]
    >>> [test.tolist() for train, test in MultilabelStratifiedKFold(2, shuffle=False).split(Y, Y)]
    [[0, 2, 4], [1, 3, 5]]
    """

    def __init__(self, n_splits: int = 5, *, shuffle: bool = True, random_state: Random = None) -> None:
        self.n_splits = n_splits
        self.shuffle = shuffle
        self.random_state = random_state

    def _splits(self, targets: CSR, groups: ArrayLike | None) -> Iterator[tuple[Rows, Rows]]:
        n_splits = whole_number(self.n_splits, "n_splits", least=2)
        if not self.shuffle and self.random_state is not None:
            raise ValueError("`random_state` has no effect with `shuffle=False`; leave one of them out.")
        n_units = targets.shape[0] if groups is None else n_groups(groups, targets.shape[0])
        if n_splits > n_units:
            what = "rows" if groups is None else "groups"
            raise ValueError(f"`n_splits` must be at most the number of {what} ({n_units}); got {n_splits}.")
        rng = random_source(self.random_state) if self.shuffle else None
        folds = deal_rows(targets, [1] * n_splits, groups, rng)
        return ((np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)) for fold in range(n_splits))


class RepeatedMultilabelStratifiedKFold(_Splitter):
    """`MultilabelStratifiedKFold` with shuffled rows, several times over.

    Parameters
    ----------
    n_splits : int, default 5
    n_repeats : int, default 10
    random_state : int, RandomState, Generator or None
        Seed of all the shuffles.
    """

    def __init__(self, n_splits: int = 5, n_repeats: int = 10, *, random_state: Random = None) -> None:
        self.n_splits = n_splits
        self.n_repeats = n_repeats
        self.random_state = random_state

    def get_n_splits(self, X: Features | None = None, y: Labels | None = None, groups: ArrayLike | None = None) -> int:
        """Number of splits, folds times repeats; the arguments are there for compatibility."""
        return int(self.n_splits * self.n_repeats)

    def _splits(self, targets: CSR, groups: ArrayLike | None) -> Iterator[tuple[Rows, Rows]]:
        n_repeats = whole_number(self.n_repeats, "n_repeats", least=1)
        once = MultilabelStratifiedKFold(self.n_splits, random_state=random_source(self.random_state))
        return (split for _ in range(n_repeats) for split in once._splits(targets, groups))


class MultilabelStratifiedShuffleSplit(_Splitter):
    """Independent random splits into train and test rows that each have their share of every label.

    Parameters
    ----------
    n_splits : int, default 10
    test_size, train_size : float in (0, 1), int or None
        Share or number of rows. One that is not given is what the other leaves; if none is, a tenth is tested.
        With groups the sizes are met as nearly as the groups allow.
    random_state : int, RandomState, Generator or None
        Seed of all the shuffles.
    """

    def __init__(
        self,
        n_splits: int = 10,
        *,
        test_size: float | None = None,
        train_size: float | None = None,
        random_state: Random = None,
    ) -> None:
        self.n_splits = n_splits
        self.test_size = test_size
        self.train_size = train_size
        self.random_state = random_state

    def _splits(self, targets: CSR, groups: ArrayLike | None) -> Iterator[tuple[Rows, Rows]]:
        n_splits = whole_number(self.n_splits, "n_splits", least=1)
        n_rows = targets.shape[0]
        n_train, n_test = _split_sizes(n_rows, self.train_size, self.test_size, default_test=0.1)
        sizes = [n_train, n_test, n_rows - n_train - n_test]
        shares = [size // math.gcd(*sizes) for size in sizes if size]
        rng = random_source(self.random_state)
        for _ in range(n_splits):
            folds = deal_rows(targets, shares, groups, rng)
            train, test = np.flatnonzero(folds == 0), np.flatnonzero(folds == 1)
            if train.size == 0 or test.size == 0:
                raise ValueError("The groups are too few or too large for these sizes: no group is left for one side.")
            yield train, test


def multilabel_train_test_split(
    *arrays: Rowwise,
    test_size: float | None = None,
    train_size: float | None = None,
    random_state: Random = None,
    stratify: Labels | None = None,
    groups: ArrayLike | None = None,
) -> list[Rowwise]:
    """Split arrays into train and test rows that each have their share of every label.

    Parameters
    ----------
    *arrays : arrays, sparse matrices, DataFrames or lists of equal length
        Each comes back as what it is; a sparse format that has no rows to take (COO, BSR, DIA, DOK) as CSR.
    test_size, train_size : float in (0, 1), int or None
        As in `MultilabelStratifiedShuffleSplit`, but a quarter is tested by default.
    random_state : int, RandomState, Generator or None
    stratify : label matrix or classes, optional
        By default the last of `arrays`.
    groups : sequence of length n_rows, optional
        Rows with the same value are never parted.

    Returns
    -------
    list: train and test part of each array in turn, rows in their original order

    >>> X, Y = [[10], [20], [30], [40]], [[1, 0], [0, 1], [1, 0], [0, 1]]
    >>> X_train, X_test, Y_train, Y_test = multilabel_train_test_split(X, Y, test_size=0.5, random_state=0)
    >>> sorted(Y_train), sorted(Y_test)
    ([[0, 1], [1, 0]], [[0, 1], [1, 0]])
    """
    if not arrays:
        raise ValueError("Give at least one array to split.")
    targets = arrays[-1] if stratify is None else stratify
    default = 0.25 if train_size is None and test_size is None else test_size
    splitter = MultilabelStratifiedShuffleSplit(1, test_size=default, train_size=train_size, random_state=random_state)
    lengths = [_length(array) for array in arrays]
    if len(set(lengths)) > 1:
        raise ValueError(f"All arrays must have the same number of rows; got {lengths}.")
    train, test = next(splitter.split(arrays[0], targets, groups))
    return [take_rows(array, rows) for array in arrays for rows in (train, test)]


def _length(array: Rowwise) -> int:
    return int(array.shape[0]) if hasattr(array, "shape") else len(array)


def _split_sizes(
    n_rows: int, train_size: float | None, test_size: float | None, default_test: float
) -> tuple[int, int]:
    """Rows to train and to test on; the test share is rounded up, as in scikit-learn."""
    if train_size is None and test_size is None:
        test_size = default_test
    n_test = None if test_size is None else _rows_of(test_size, n_rows, "test_size", math.ceil)
    n_train = None if train_size is None else _rows_of(train_size, n_rows, "train_size", math.floor)
    n_test = n_rows - n_train if n_test is None and n_train is not None else n_test
    n_train = n_rows - n_test if n_train is None and n_test is not None else n_train
    if n_train is None or n_test is None or n_train < 1 or n_test < 1 or n_train + n_test > n_rows:
        raise ValueError(
            f"`train_size` and `test_size` must leave rows on both sides and need at most {n_rows} rows; "
            f"got {train_size!r} and {test_size!r}, which make {n_train} and {n_test} rows."
        )
    return n_train, n_test


def _rows_of(size: object, n_rows: int, name: str, rounded: Callable[[float], int]) -> int:
    if isinstance(size, Integral) and not isinstance(size, bool) and int(size) > 0:
        return int(size)
    if isinstance(size, Real) and not isinstance(size, Integral) and 0 < float(size) < 1:
        return rounded(n_rows * float(size))
    raise ValueError(f"`{name}` must be a share between 0 and 1 or a number of rows; got {size!r}.")
