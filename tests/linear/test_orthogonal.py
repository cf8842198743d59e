import numpy as np
import pytest

from bncc.linear.orthogonal import orthogonal_direction, pays


def problem(shape, spread, seed=0):
    """Rows, forces and the rest of a direction."""
    random = np.random.default_rng(seed)
    B = random.normal(size=shape) * np.geomspace(1.0, spread, shape[0])[:, None]
    return B, random.normal(size=shape[0]), random.normal(size=shape[1])


@pytest.mark.parametrize("shape", [(30, 7), (7, 7), (7, 30), (1, 1)])
def test_the_direction_solves_the_system(shape):
    B, force, rest = problem(shape, 10.0)
    hessian = np.eye(shape[1]) + B.T @ B
    direction = orthogonal_direction(B, force, rest)
    np.testing.assert_allclose(hessian @ direction.step, B.T @ force - rest, atol=1e-9)
    vector = np.linspace(-1.0, 1.0, shape[1])
    length = np.sqrt(vector @ np.linalg.solve(hessian, vector))
    assert direction.measure(vector, np.zeros(shape[1])) == pytest.approx(length, rel=1e-9)
    assert direction.measure(vector, np.full(shape[1], 1e-3)) > length


@pytest.mark.parametrize("shape", [(30, 7), (7, 30)])
def test_rows_of_very_different_sizes_keep_their_precision(shape):
    """Products of such rows have condition numbers beyond 1e20."""
    B, force, _ = problem(shape, 1e11)
    w = np.linspace(1.0, 2.0, shape[1])
    rest = np.zeros(shape[1])
    if shape[0] > shape[1]:
        step = orthogonal_direction(B, B @ w, -w).step
        np.testing.assert_allclose(step, w, rtol=1e-9)
    else:
        step = orthogonal_direction(B, force, rest).step
        np.testing.assert_allclose((B @ step)[-3:], force[-3:], rtol=1e-3)


def test_large_systems_do_not_pay():
    assert pays(50, 10**4)
    assert pays(10**4, 50)
    assert not pays(3000, 3000)
