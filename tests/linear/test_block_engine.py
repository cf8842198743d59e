"""What stands around the blocks: costs of classes, problems of one class, lines of weights as one matrix."""

import numpy as np
import pytest

from bncc.linear import make_batch
from bncc.linear.block_arithmetic import host_arithmetic
from bncc.linear.block_engine import _class_costs, _matrix, newton, signed_costs, solve_in_blocks
from bncc.linear.solutions import Status
from linear_problems import text_like

TEXT, LABELS = text_like(90, 40, 6)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("cut", [False, True])
def test_costs_of_classes_are_sums_over_their_rows(weighted, cut):
    random = np.random.default_rng(0)
    weights = {"weights": random.uniform(0.5, 2.0, 90)} if weighted else {}
    rows = {"rows": [np.arange(0, 90, 2)], "row_set": np.zeros(6, int)} if cut else {}
    batch = make_batch(TEXT, LABELS, C=random.uniform(0.1, 3.0, 6), class_weights=(1.0, 2.5), **weights, **rows)
    problems = np.array([4, 0, 5])
    costs = signed_costs(batch, np, problems)
    positive, negative = _class_costs(batch, host_arithmetic(batch), problems, costs)
    np.testing.assert_allclose(positive, np.where(costs > 0, costs, 0).sum(axis=0), rtol=1e-5)
    np.testing.assert_allclose(negative, np.where(costs < 0, -costs, 0).sum(axis=0), rtol=1e-5)


def test_problems_of_one_class_have_a_constant_among_others():
    labels = np.array(LABELS.todense(), bool) if hasattr(LABELS, "todense") else np.array(LABELS, bool)
    labels[:, 1], labels[:, 4] = True, False
    batch = make_batch(TEXT, labels, loss="logistic")
    found = solve_in_blocks(batch, host_arithmetic(batch), 4, lambda task: newton(task, 1e-6, 100))
    assert found.status.tolist() == [0, Status.ONE_CLASS, 0, 0, Status.ONE_CLASS, 0]
    assert found.bias[[1, 4]].tolist() == [1.0, -1.0]
    assert not found.weights[[1, 4]].any()


@pytest.mark.parametrize("n_lines", [0, 1, 63, 64, 200])
def test_lines_become_the_rows_of_a_matrix(n_lines):
    random = np.random.default_rng(n_lines)
    dense = random.normal(size=(n_lines, 30)) * (random.random((n_lines, 30)) < 0.2)
    lines = [(np.flatnonzero(row).astype(np.int32), row[row != 0]) for row in dense]
    made = _matrix(lines, 30)
    assert made.shape == (n_lines, 30)
    np.testing.assert_array_equal(made.toarray(), dense)
    assert made.indices.dtype == np.int32
