"""What reaches the device code is held against what it indexes."""

from dataclasses import replace

import numpy as np
import pytest

from bncc.svm import context_mask, make_batch, pack_labels, solve, squared_distances
from bncc.svm.cuda.checks import check_batch, check_solutions, check_walks
from bncc.svm.walk_plan import plan_walks

RANDOM = np.random.default_rng(0)
X = RANDOM.standard_normal((30, 3))
Y = (X @ RANDOM.standard_normal((3, 4)) > 0).astype(int)
BATCH = make_batch(
    squared_distances(X), np.where(Y.T > 0, 1, -1), gamma=0.5, C=2.0, weights=np.ones(30),
    words=pack_labels(Y), context=np.stack([context_mask(range(j), 4) for j in range(4)]),
)  # fmt: skip
SOLUTIONS = solve(BATCH, engine="cpu")
WALKS = plan_walks(BATCH, [[0, 1, 2, 3]], 30, writes=[[0, 1, 2, 3]], words=BATCH.words)


def changed(record, name):
    """The record with one array wrong, in many ways."""
    array = getattr(record, name)
    yield replace(record, **{name: array[:-1]})
    yield replace(record, **{name: array.astype(np.int16)})
    yield replace(record, **{name: np.ma.masked_array(array, mask=True)})
    if array.dtype.kind == "i" and name not in ("targets",):
        for number in (-5, 2**30):
            yield replace(record, **{name: np.full_like(array, number)})


@pytest.mark.parametrize(
    "name",
    ["words", "targets", "row_ptr", "row_index", "weights", "target", "row_set", "weight", "gamma", "C", "context"],
)
def test_batches_must_fit_together(name):
    check_batch(BATCH)
    for wrong in changed(BATCH, name):
        with pytest.raises(ValueError, match=r"must|names"):
            check_batch(wrong)


@pytest.mark.parametrize("name", ["support_ptr", "support", "coef", "bias"])
def test_solutions_must_fit_the_batch(name):
    check_solutions(BATCH, SOLUTIONS)
    for wrong in changed(SOLUTIONS, name):
        with pytest.raises(ValueError, match="must"):
            check_solutions(BATCH, wrong)


@pytest.mark.parametrize("name", ["problems", "writes", "words"])
def test_walks_must_fit_the_batch(name):
    check_walks(BATCH, WALKS, 30, None)
    for wrong in changed(WALKS, name):
        with pytest.raises(ValueError, match="must"):
            check_walks(BATCH, wrong, 30, None)
    with pytest.raises(ValueError, match="`rows` must lie in"):
        check_walks(BATCH, WALKS, 20, None)
    with pytest.raises(ValueError, match="`numbers` must lie in"):
        check_walks(BATCH, replace(WALKS, words=None), 20, np.arange(30))
