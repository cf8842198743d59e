import numpy as np
import pytest
from scipy import sparse

from bncc.linear import chain_context, decide, decisions, make_batch, solve, walk
from linear_problems import text_like

X, Y = text_like(200, 100, 12)
ORDER = np.random.default_rng(0).permutation(12)
BATCH = make_batch(X, Y, C=3.0, labels=Y, context=chain_context(ORDER))


@pytest.fixture(params=[None, 0.0, 0.05], ids=["dense", "sparse", "pruned"])
def solutions(request):
    return solve(BATCH, drop=request.param)


def weights_of(solutions):
    weights = solutions.weights
    return weights.toarray() if sparse.issparse(weights) else weights


@pytest.mark.parametrize("container", [sparse.csr_array, lambda X: X.toarray()], ids=["sparse", "dense"])
@pytest.mark.parametrize("block_bytes", [1.0, 5000.0, 64e6])
def test_scores_are_products(solutions, container, block_bytes, monkeypatch):
    monkeypatch.setattr(decisions, "_BLOCK_BYTES", block_bytes)
    weights = weights_of(solutions)
    plain = X @ weights[:, :100].T + solutions.bias
    known = plain + Y @ weights[:, 100:].T
    np.testing.assert_allclose(decide(solutions, container(X)), plain, atol=1e-5)
    np.testing.assert_allclose(decide(solutions, container(X), Y), known, atol=1e-5)
    np.testing.assert_allclose(decide(solutions, X, sparse.csr_array(Y), problems=[3, 1]), known[:, [3, 1]], atol=1e-5)


def test_a_walk_sees_what_it_has_decided(solutions):
    """Row by row, link by link."""
    weights = weights_of(solutions)
    expected = np.zeros((200, 12))
    for row in range(200):
        labels = np.zeros(12)
        for link, label in enumerate(ORDER):
            score = (X[[row]] @ weights[label, :100])[0] + labels @ weights[label, 100:] + solutions.bias[label]
            expected[row, link] = score
            labels[label] = score > 0
    np.testing.assert_allclose(walk(solutions, X, ORDER, ORDER), expected, atol=1e-5)
    alone = walk(solutions, X, ORDER, np.full(12, -1))
    np.testing.assert_allclose(alone, decide(solutions, X, problems=ORDER), atol=1e-6)


def test_no_rows_and_no_problems(solutions):
    assert decide(solutions, X[:0]).shape == (0, 12)
    assert decide(solutions, X, problems=[]).shape == (200, 0)
    assert walk(solutions, X[:0], ORDER, ORDER).shape == (0, 12)


def test_other_shapes_are_refused(solutions):
    with pytest.raises(ValueError, match="X must have 100 features, as in training; got 99"):
        decide(solutions, X[:, :99])
    with pytest.raises(ValueError, match=r"`labels` must have shape \(200, 12\); got \(200, 11\)"):
        decide(solutions, X, Y[:, :11])
    with pytest.raises(ValueError, match="`writes` must have one label per link"):
        walk(solutions, X, ORDER, ORDER[:3])
    with pytest.raises(ValueError, match=r"`writes` must lie in -1..11; got 0..12"):
        walk(solutions, X, [0, 1], [0, 12])
