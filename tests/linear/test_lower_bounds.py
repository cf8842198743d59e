import numpy as np
import pytest
from scipy.optimize import minimize

from bncc.linear.lower_bounds import SmoothProblem, gap_of_step, overshoot, rounding_of_gap
from bncc.linear.orthogonal import orthogonal_direction

SMOOTH = ["squared_hinge", "logistic"]


def noisy(loss, cost=1.0):
    random = np.random.default_rng(0)
    signs = np.where(random.random(60) < 0.5, 1.0, -1.0)
    return SmoothProblem(random.normal(size=(60, 5)) * signs[:, None], cost * random.uniform(0.5, 2.0, 60), loss)


def minimum(problem):
    found = minimize(lambda w: problem.at(w).objective, np.zeros(5), jac=lambda w: problem.at(w).gradient, tol=1e-12)
    return found.x


def exact_step(problem, place):
    hessian = np.eye(5) + (problem.rows.T * place.stiffness) @ problem.rows
    return -np.linalg.solve(hessian, place.gradient)


@pytest.mark.parametrize("loss", SMOOTH)
@pytest.mark.parametrize("far", [0.0, 1e-3, 0.1, 3.0])
def test_no_step_makes_the_gap_smaller_than_it_is(loss, far):
    random, problem = np.random.default_rng(1), noisy(loss)
    best = minimum(problem)
    for _ in range(20):
        place = problem.at(best + far * random.normal(size=5))
        distance = place.objective - problem.at(best).objective
        for step in (np.zeros(5), exact_step(problem, place), random.normal(size=5), best - place.weights):
            root = np.sqrt(place.stiffness)
            measure = orthogonal_direction(problem.rows * root[:, None], root, place.weights).measure
            for given in (None, measure):
                assert gap_of_step(problem, place, step, given) >= distance * (1 - 1e-9) - 1e-12


@pytest.mark.parametrize("loss", SMOOTH)
def test_near_the_minimum_an_exact_step_tells_what_it_promises(loss):
    problem = noisy(loss, cost=1e8)
    place = problem.at(minimum(noisy(loss, cost=1e8)) + 1e-7)
    step = exact_step(problem, place)
    promise = -0.5 * place.gradient @ step
    gap = gap_of_step(problem, place, step)
    assert promise * (1 - 1e-6) <= gap <= 2.1 * promise
    assert gap < 1e-3 * 0.5 * place.gradient @ place.gradient


def test_a_row_that_would_pull_the_wrong_way_makes_the_gap_larger():
    """A heavy row lacks next to nothing: the step leads beyond its margin, and promises only what that row costs."""
    problem = SmoothProblem(np.array([[1.0], [-1.0]]), np.array([1e14, 1.0]), "squared_hinge")
    place = problem.at(np.array([1.0 - 1e-10]))
    step = np.array([-1e-3])
    assert gap_of_step(problem, place, step) >= place.objective - problem.at(np.array([1.0])).objective
    root = np.sqrt(place.stiffness)
    direction = orthogonal_direction(problem.rows * root[:, None], place.pull / root, place.weights)
    gap = gap_of_step(problem, place, direction.step, direction.measure)
    assert gap >= place.objective - min(problem.at(np.array([w])).objective for w in np.linspace(-1, 2, 301))


@pytest.mark.parametrize("loss", SMOOTH)
def test_what_is_rounded_off_a_margin_counts_as_often_as_the_row_costs(loss):
    light, heavy = (rounding_of_gap(noisy(loss, cost), noisy(loss, cost).at(np.ones(5))) for cost in (1.0, 1e30))
    assert 0 < light < 1e-27
    assert heavy == pytest.approx(1e30 * light)


def test_weights_grow_until_no_row_is_short_by_rounding():
    rows = np.array([[3.0, 0.1], [-0.3, 0.7], [1.0, 1.0]])
    problem = SmoothProblem(rows, np.full(3, 1e40), "squared_hinge")
    weights = np.linalg.solve(rows[:2], np.ones(2))
    share = overshoot(problem, problem.at(weights), 1e-6)
    assert 0 < share < 1e-14
    grown = problem.at(weights * (1.0 + share))
    assert grown.objective == pytest.approx(0.5 * weights @ weights)
    assert overshoot(problem, problem.at(weights), 1e-20) == 0.0
    assert overshoot(SmoothProblem(rows, np.ones(3), "logistic"), grown, 1.0) == 0.0
