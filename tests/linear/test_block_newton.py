from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

from bncc.linear import Status, chain_context, engine_numpy, make_batch
from bncc.linear.block_arithmetic import host_arithmetic
from bncc.linear.block_engine import newton, signed_costs, solve_in_blocks
from linear_problems import gradient, objective, text_like, weights_of

TEXT, LABELS = text_like(200, 120, 12)
SMOOTH = ("squared_hinge", "logistic")


def in_blocks(batch, width, tol=1e-8, drop=None, **options):
    return solve_in_blocks(
        batch, host_arithmetic(batch), width, lambda task: newton(task, tol, 100), drop=drop, **options
    )


@pytest.mark.parametrize("container", [sparse.csr_array, lambda X: X.toarray()], ids=["sparse", "dense"])
@pytest.mark.parametrize("loss", SMOOTH)
def test_gradients_vanish(loss, container):
    batch = make_batch(
        container(TEXT),
        LABELS,
        loss=loss,
        C=np.geomspace(0.1, 5.0, 12),
        labels=LABELS,
        context=chain_context(range(12)),
    )
    solutions = in_blocks(batch, 5)
    for problem in range(12):
        w = weights_of(batch, solutions, problem)
        value = objective(batch, problem, w)
        assert value == pytest.approx(solutions.objective[problem], rel=1e-9)
        assert np.linalg.norm(gradient(batch, problem, w) * seen(batch, problem)) <= np.sqrt(2e-8 * value) * 1.001


def seen(batch, problem):
    """Which weights a problem has."""
    return np.concatenate([np.ones(batch.features.n_features), batch.sees(problem), [1.0]])


@pytest.mark.parametrize("loss", SMOOTH)
def test_blocks_of_any_width_give_the_same(loss):
    batch = make_batch(TEXT, LABELS, loss=loss)
    one, all_of_them = in_blocks(batch, 1), in_blocks(batch, 100)
    np.testing.assert_allclose(one.weights, all_of_them.weights, atol=1e-5)
    np.testing.assert_allclose(
        one.objective, engine_numpy.solve_batch(batch, tol=1e-9, max_iter=100).objective, rtol=1e-7
    )


@pytest.mark.parametrize("loss", SMOOTH)
@pytest.mark.parametrize("offset", [1e3, 1e6])
def test_what_is_called_solved_is_solved(loss, offset):
    """Columns far from zero: a step that promises little may be one with a residual, and then it is not the end."""
    random = np.random.default_rng(0)
    X = random.normal(size=(100, 4))
    y = X[:, 0] + 0.3 * random.normal(size=100) > 0
    batch = make_batch(X + offset, y, loss=loss, intercept_scaling=0.0)
    found, exact = in_blocks(batch, 1, tol=1e-3), engine_numpy.solve_batch(batch, tol=1e-9, max_iter=100)
    assert found.status[0] == Status.CONVERGED
    assert found.objective[0] <= 1.002 * exact.objective[0]


@pytest.mark.parametrize(("C", "minimum"), [(1e2, 7.426659), (1e4, 7.469685), (1e6, 7.470118), (1e8, 7.470122)])
def test_no_failure_is_silent(C, minimum):
    random = np.random.default_rng(1)
    X = random.normal(size=(100, 20))
    y = X @ random.normal(size=20) > 0
    found = in_blocks(make_batch(X + 1e5, y, C=C), 1, tol=1e-3)
    if found.status[0] == Status.CONVERGED:
        assert found.objective[0] <= 1.001 * minimum
        assert found.objective[0] - found.dual_objective[0] <= 1.001e-3 * minimum


def test_starts_are_followed_and_problems_of_one_class_are_told():
    Y = np.column_stack([LABELS[:, 0], np.ones(200), LABELS[:, 0]])
    batch = make_batch(TEXT, Y, C=[0.1, 1.0, 1.0], target=[0, 1, 0], start=[-1, -1, 0])
    done = []
    solutions = in_blocks(batch, 8, progress=done.append)
    assert solutions.status.tolist() == [Status.CONVERGED, Status.ONE_CLASS, Status.CONVERGED]
    assert solutions.bias[1] == 1.0
    assert done[-1] == 3
    alone = in_blocks(make_batch(TEXT, LABELS[:, 0], C=1.0), 1)
    np.testing.assert_allclose(solutions.weights[2], alone.weights[0], atol=1e-3)


def test_signed_costs_are_those_of_the_batch():
    random = np.random.default_rng(0)
    batch = make_batch(
        TEXT,
        LABELS,
        C=2.0,
        class_weights=(0.5, 3.0),
        rows=[np.flatnonzero(random.random(200) < 0.5)],
        row_set=np.arange(12) % 2 - 1,
        weights=random.random((2, 200)),
        weight=np.arange(12) % 3 - 1,
    )
    problems = np.array([3, 7, 8, 0])
    costs = signed_costs(batch, np, problems)
    for column, problem in zip(costs.T, problems, strict=True):
        np.testing.assert_allclose(column, batch.signs(problem) * batch.costs(problem))


def test_the_limit_of_steps_is_kept():
    batch = make_batch(TEXT, LABELS, C=10.0)
    solutions = solve_in_blocks(batch, host_arithmetic(batch), 4, lambda task: newton(task, 1e-14, 2))
    assert (solutions.status == Status.ITERATION_LIMIT).all()
    assert (solutions.iterations == 2).all()


def test_single_precision_reaches_its_tolerance():
    batch = make_batch(TEXT, LABELS)
    batch = replace(batch, features=batch.features.astype(np.float32))
    solutions = in_blocks(batch, 6, tol=1e-3)
    assert solutions.weights.dtype == np.float32
    assert (solutions.objective - solutions.dual_objective <= 1e-3 * solutions.objective).all()
