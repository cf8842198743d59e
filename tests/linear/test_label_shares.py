import numpy as np
import pytest
from scipy import sparse

from bncc.linear import chain_context, make_batch, native, plan_blocks, solve
from bncc.linear.engine_native import NativeSettings, solve_plan
from bncc.linear.label_shares import batch_of_share, join_solutions, share_out, without_problems
from linear_problems import text_like

needs_extension = pytest.mark.skipif(native.extension() is None, reason="the native engine is not built")
TEXT, LABELS = text_like(120, 80, 70)


def path(n_values=3):
    """Labels with contexts, along values of C: a unit has several blocks."""
    n = LABELS.shape[1]
    return make_batch(
        TEXT.astype(np.float32),
        LABELS,
        C=np.repeat(np.geomspace(0.1, 10.0, n_values), n),
        target=np.tile(np.arange(n), n_values),
        labels=sparse.csr_array(LABELS),
        context=np.tile(chain_context(np.arange(n)), (n_values, 1)),
        start=np.concatenate([np.full(n, -1), np.arange(n * (n_values - 1))]),
    )


@pytest.mark.parametrize("n_shares", [1, 2, 4, 5, 1000])
def test_every_problem_is_in_one_share(n_shares):
    batch = path()
    plan = plan_blocks(batch)
    shares = share_out(batch, plan, n_shares)
    assert len(shares) == min(n_shares, len(plan.unit_ptr) - 1)
    assert sorted(np.concatenate([share.problems for share in shares])) == list(range(len(batch)))
    assert sorted(np.concatenate([share.blocks for share in shares])) == list(range(len(plan.problems)))


def test_a_share_has_the_blocks_and_problems_of_the_batch():
    batch = path()
    plan = plan_blocks(batch)
    features, common = without_problems(batch)
    assert len(common) == 0
    for share in share_out(batch, plan, 2):
        part = batch_of_share(features, common, share)
        assert part.features is batch.features
        lanes = share.plan.problems
        assert (np.where(lanes >= 0, share.problems[lanes], -1) == plan.problems[share.blocks]).all()
        for own, problem in enumerate(share.problems):
            assert (part.signs(own) == batch.signs(problem)).all()
            assert (part.costs(own) == batch.costs(problem)).all()
            assert (part.sees(own) == batch.sees(problem)).all()
            start = batch.start[problem]
            assert part.start[own] == (-1 if start < 0 else list(share.problems).index(start))


@needs_extension
@pytest.mark.parametrize("drop", [None, 0.0, 0.05])
def test_shares_have_the_solutions_of_the_batch(drop):
    batch = path()
    settings = NativeSettings.here(1e-3, 1000, drop)
    shares = share_out(batch, plan_blocks(batch), 3)
    rows = without_problems(batch)
    solved = [solve_plan(batch_of_share(*rows, share), share.plan, settings, 1) for share in shares]
    joined, whole = join_solutions(batch, shares, solved), solve(batch, drop=drop)
    difference = abs(joined.weights - whole.weights)
    assert difference.max() == 0
    assert (joined.bias == whole.bias).all()
    assert (joined.iterations == whole.iterations).all()
    assert (joined.costs.updates == whole.costs.updates).all()
    if drop is not None:
        assert (joined.weights.indptr == whole.weights.indptr).all()
        assert (joined.weights.indices == whole.weights.indices).all()


def test_a_batch_without_problems_has_no_shares():
    batch = make_batch(TEXT, LABELS[:, :0])
    plan = plan_blocks(batch)
    assert share_out(batch, plan, 4) == []
