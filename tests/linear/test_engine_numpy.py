"""What only the NumPy engine does; test_engines.py runs both."""

import numpy as np
import pytest
from scipy.optimize import minimize

from bncc.linear import make_batch
from bncc.linear.engine_numpy import solve_batch
from linear_problems import LOSSES, objective, text_like


@pytest.mark.parametrize("loss", LOSSES)
def test_nothing_lower_is_found_by_a_general_minimiser(loss):
    X, Y = text_like(80, 10, 3)
    batch = make_batch(X, Y, loss=loss, C=0.5)
    solutions = solve_batch(batch, tol=1e-7, max_iter=2000)
    for problem in range(3):
        start = np.append(solutions.weights[problem], solutions.bias[problem])
        minimum = minimize(lambda w, p=problem: objective(batch, p, w), start, method="Powell", options={"maxiter": 50})
        assert solutions.objective[problem] <= minimum.fun * (1 + 1e-6)
