import numpy as np
import pytest

from bncc.linear import Status, make_batch, solve

random = np.random.default_rng(0)
X, Y = random.normal(size=(40, 3)), random.random((40, 5)) < 0.5


def test_solutions_are_read_one_by_one(engine):
    for drop in (None, 0.0):
        solutions = solve(make_batch(X, Y), engine=engine, drop=drop)
        assert len(solutions) == 5
        assert [solution.bias for solution in solutions] == solutions.bias.tolist()
        assert solutions[2].weights.shape == (3,)
        assert solutions[2].status is Status.CONVERGED
        for wrong in (-1, 5):
            with pytest.raises(IndexError, match=r"problem must lie in 0..4"):
                solutions[wrong]


def test_costs_are_counted():
    costs = solve(make_batch(X, Y), engine="auto").costs
    assert (costs.seconds >= 0).all()
    assert (costs.updates >= 1).all()
    assert ((costs.active >= 0) & (costs.active <= 1)).all()
