"""Seeds that depend on names alone, and the folds that follow from them: one rule for studies and comparisons."""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np
from sklearn.model_selection import KFold

from bncc._typing import CSR, Array, Fold, Longs, Rows
from bncc.datasets import MultilabelStratifiedKFold

__all__ = ["Fold", "deal", "deal_repeat", "draw", "method_seed", "seed_of"]


def seed_of(seed: int, *names: str | int) -> int:
    """A seed for something with these names; it does not depend on what else is in the study.

    >>> seed_of(0, "flags", 3) == seed_of(0, "flags", 3) != seed_of(0, "flags", 4)
    True
    """
    words = [zlib.crc32(str(name).encode("utf-8", "surrogatepass")) for name in names]
    return int(np.random.SeedSequence([seed, *words]).generate_state(1)[0] >> 1)


def method_seed(seed: int, dataset: str, repeat: int) -> int:
    """The `random_state` of every method in a repeat: the same for all, so that they differ by what they do alone."""
    return seed_of(seed, dataset, repeat)


def deal_repeat(
    Y: Array | CSR,
    n_folds: int,
    *,
    dataset: str,
    repeat: int = 0,
    seed: int = 0,
    stratified: bool = True,
    groups: Longs | None = None,
) -> list[Fold]:
    """The folds of a repeat on a data set: the same for all methods, so that they are tested on the same rows.

    Parameters
    ----------
    Y : array or sparse matrix of shape (n_rows, n_labels)
    n_folds : int
    dataset : str
        Its name; another one means other folds.
    repeat : int, default=0
    seed : int, default=0
        Of the whole study or comparison.
    stratified : bool, default=True
        By labels; False shuffles rows alone.
    groups : array of shape (n_rows,) or None, default=None
        Rows of one value are never divided (stratified folds only).

    Returns
    -------
    list of (training rows, test rows)

    >>> import numpy as np
    >>> [test.size for _, test in deal_repeat(np.eye(6), 3, dataset="six")]
    [2, 2, 2]
    """
    return deal(Y, n_folds, stratified=stratified, seed=seed_of(seed, dataset, "folds", repeat), groups=groups)


def deal(
    Y: Array | CSR,
    n_folds: int,
    *,
    stratified: bool,
    seed: int,
    rows: Rows | None = None,
    groups: Longs | None = None,
) -> list[Fold]:
    """Folds of all rows, or of some of them, as (training rows, test rows) in numbers of all rows."""
    dealt_rows = np.arange(Y.shape[0]) if rows is None else rows
    if dealt_rows.size < n_folds:
        raise ValueError(
            f"{n_folds} folds need at least {n_folds} rows; got {dealt_rows.size}. "
            "`n_folds` must be at most the number of rows."
        )
    if stratified:
        splitter: Any = MultilabelStratifiedKFold(n_folds, random_state=seed)
    else:
        splitter = KFold(n_folds, shuffle=True, random_state=seed)
    if groups is not None and not stratified:
        raise ValueError("groups are kept together by stratified folds; leave `stratified` at True.")
    grouped = () if groups is None else (groups[dealt_rows],)
    splits = splitter.split(dealt_rows, Y[dealt_rows], *grouped)
    return [(dealt_rows[train], dealt_rows[test]) for train, test in splits]


def draw(rows: Rows, limit: int | None, seed: int) -> Rows:
    """At most `limit` of the rows, drawn without replacement, ascending."""
    if limit is None or limit >= rows.size:
        return rows
    return np.sort(np.random.default_rng(seed).choice(rows, limit, replace=False))
