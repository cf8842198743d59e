"""Rows of a study: seeds that depend on names alone, and the folds that follow from them."""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np
from sklearn.model_selection import KFold

from bncc._typing import Fold, Rows
from bncc.datasets import MultilabelStratifiedKFold

__all__ = ["deal", "draw", "seed_of"]


def seed_of(seed: int, *names: str | int) -> int:
    """A seed for something with these names; it does not depend on what else is in the study.

    >>> seed_of(0, "flags", 3) == seed_of(0, "flags", 3) != seed_of(0, "flags", 4)
    True
    """
    words = [zlib.crc32(str(name).encode()) for name in names]
    return int(np.random.SeedSequence([seed, *words]).generate_state(1)[0] >> 1)


def deal(Y: Any, n_folds: int, *, stratified: bool, seed: int, rows: Rows | None = None) -> list[Fold]:
    """Folds of all rows, or of some of them, as (training rows, test rows) in numbers of all rows."""
    own = np.arange(Y.shape[0]) if rows is None else rows
    if own.size < n_folds:
        raise ValueError(f"{n_folds} folds need at least {n_folds} rows; got {own.size}.")
    if stratified:
        splitter: Any = MultilabelStratifiedKFold(n_folds, random_state=seed)
    else:
        splitter = KFold(n_folds, shuffle=True, random_state=seed)
    return [(own[train], own[test]) for train, test in splitter.split(own, Y[own])]


def draw(rows: Rows, limit: int | None, seed: int) -> Rows:
    """At most `limit` of the rows, drawn without replacement, ascending."""
    if limit is None or limit >= rows.size:
        return rows
    return np.sort(np.random.default_rng(seed).choice(rows, limit, replace=False))
