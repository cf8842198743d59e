import numpy as np

from bncc.linear import make_batch, plan_blocks
from bncc.linear.plans import N_LANES

random = np.random.default_rng(0)
X, Y = random.normal(size=(50, 3)), random.random((50, 40)) < random.random(40)


def test_every_problem_has_one_lane():
    plan = plan_blocks(make_batch(X, Y))
    assert plan.problems.shape == (3, N_LANES)
    assert sorted(plan.problems[plan.problems >= 0].tolist()) == list(range(40))
    assert plan.unit_ptr.tolist() == [0, 1, 2, 3]
    n_positive = Y.sum(axis=0)[plan.problems[plan.problems >= 0]]
    assert (np.diff(n_positive) <= 0).all()


def test_blocks_share_their_weights():
    weight = np.arange(40) % 3 - 1
    plan = plan_blocks(make_batch(X, Y, weights=np.ones((2, 50)), weight=weight))
    for block in plan.problems:
        assert block[0] >= 0
        assert np.unique(weight[block[block >= 0]]).size == 1


def test_problems_that_start_from_one_another_follow_in_their_lane():
    C = np.tile([1.0, 2.0, 3.0], 20)
    start = np.where(np.arange(60) % 3, np.arange(60) - 1, -1)
    start[59] = -1
    plan = plan_blocks(make_batch(X, Y, C=C, target=np.repeat(np.arange(20), 3), start=start))
    lane_of = {problem: divmod(number, N_LANES) for number, problem in enumerate(plan.problems.ravel().tolist())}
    for problem in np.flatnonzero(start >= 0):
        block, lane = lane_of[problem]
        assert lane_of[start[problem]] == (block - 1, lane)
        assert block not in plan.unit_ptr


def test_nothing_to_plan():
    plan = plan_blocks(make_batch(X, np.zeros((50, 0))))
    assert plan.problems.shape == (0, N_LANES)
    assert plan.unit_ptr.tolist() == [0]
