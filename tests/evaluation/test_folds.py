"""Seeds and folds."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bncc.evaluation.folds import deal, draw, seed_of


def test_seeds_depend_on_names_alone():
    assert seed_of(0, "flags", 1) == seed_of(0, "flags", 1)
    seeds = {seed_of(s, name, k) for s in range(3) for name in ("flags", "yeast") for k in range(-1, 5)}
    assert len(seeds) == 3 * 2 * 6
    assert all(0 <= seed < 2**31 for seed in seeds)


@given(st.integers(0, 100), st.booleans(), st.integers(2, 5), st.booleans())
def test_folds_partition_the_rows(seed, stratified, n_folds, part):
    random = np.random.default_rng(seed)
    Y = (random.random((40, 3)) < 0.3).astype(int)
    rows = np.sort(random.choice(40, 25, replace=False)) if part else None
    folds = deal(Y, n_folds, stratified=stratified, seed=seed, rows=rows)
    own = set(range(40) if rows is None else rows.tolist())
    assert sorted(np.concatenate([test for _, test in folds]).tolist()) == sorted(own)
    for train, test in folds:
        assert set(train) | set(test) == own
        assert not set(train) & set(test)
    again = deal(Y, n_folds, stratified=stratified, seed=seed, rows=rows)
    assert all((a[1] == b[1]).all() for a, b in zip(folds, again, strict=True))


def test_too_few_rows():
    with pytest.raises(ValueError, match="5 folds need at least 5 rows; got 3"):
        deal(np.zeros((3, 2)), 5, stratified=True, seed=0)


def test_draw():
    rows = np.arange(100, 200)
    some = draw(rows, 10, 0)
    assert (np.diff(some) > 0).all()
    assert set(some) <= set(rows)
    assert some.size == 10
    assert draw(rows, None, 0) is rows
    assert draw(rows, 100, 0) is rows
