import numpy as np
import pytest
from scipy import sparse

from bncc.linear import dense_scores as module
from bncc.linear import make_batch, prepare_features, solve
from bncc.linear.dense_scores import dense_scores
from bncc.linear.native import extension
from linear_problems import text_like

needs_extension = pytest.mark.skipif(extension() is None, reason="the native engine is not built")

X, Y = text_like(300, 120, 40)
SOLUTIONS = solve(make_batch(X, Y))


@needs_extension
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("problems", [np.arange(40), np.array([7]), np.array([39, 0, 3, 3] * 5)], ids=len)
@pytest.mark.parametrize("rows", [(0, 300), (17, 30), (290, 999), (300, 301)])
def test_scores_are_products(dtype, problems, rows):
    features = prepare_features(sparse.csr_array(X, dtype=dtype))
    expected = X.toarray()[slice(*rows)] @ SOLUTIONS.weights[problems].T + SOLUTIONS.bias[problems]
    alone, together = (dense_scores(SOLUTIONS, features, problems).of_rows(*rows, n_jobs=n) for n in (1, 3))
    np.testing.assert_allclose(alone, expected, atol=1e-5)
    np.testing.assert_array_equal(alone, together)


@needs_extension
def test_more_rows_than_a_unit_has():
    many = sparse.vstack([X] * 60, format="csr")
    scores = dense_scores(SOLUTIONS, prepare_features(many), np.arange(40)).of_rows(0, many.shape[0])
    np.testing.assert_array_equal(scores, np.tile(scores[:300], (60, 1)))
    np.testing.assert_allclose(scores[:300], X @ SOLUTIONS.weights.T + SOLUTIONS.bias, atol=1e-5)


def test_where_there_is_nothing_to_gain(monkeypatch):
    thin, dense = prepare_features(X), prepare_features(X.toarray())
    assert dense_scores(SOLUTIONS, dense, np.arange(40)) is None
    assert dense_scores(solve(make_batch(X, Y), drop=0.0), thin, np.arange(40)) is None
    monkeypatch.setattr(module, "extension", lambda: None)
    assert dense_scores(SOLUTIONS, thin, np.arange(40)) is None
