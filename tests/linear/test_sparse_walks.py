from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

from bncc.linear import chain_context, decisions, make_batch, prepare_features, solve
from bncc.linear.native import extension
from bncc.linear.sparse_walks import sparse_walk
from linear_problems import interrupted_after, text_like

X, Y = text_like(300, 100, 12)
ORDER = np.random.default_rng(0).permutation(12)
SOLUTIONS = solve(make_batch(X, Y, C=3.0, labels=Y, context=chain_context(ORDER)), drop=0.02)

needs_extension = pytest.mark.skipif(extension() is None, reason="the extension is not built")
pytestmark = needs_extension


def by_numpy(monkeypatch, dtype):
    """Scores along the chain without compiled code."""
    monkeypatch.setattr(decisions, "sparse_walk", lambda *args: None)
    return decisions.walk(SOLUTIONS, X.astype(dtype), ORDER, ORDER)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n_jobs", [1, 3])
def test_scores_are_those_of_plain_products(monkeypatch, dtype, n_jobs):
    expected = by_numpy(monkeypatch, dtype)
    compiled = sparse_walk(SOLUTIONS, prepare_features(X.astype(dtype)), ORDER, ORDER)
    np.testing.assert_array_equal(compiled.scores(n_jobs), expected)
    assert np.any((expected > 0) != (decisions.decide(SOLUTIONS, X, problems=ORDER) > 0)), "no label hands anything on"


@pytest.mark.parametrize("k", [1, 3, 12])
def test_the_highest_scores_and_the_positive_ones(k):
    places = np.argsort(ORDER)
    compiled = sparse_walk(SOLUTIONS, prepare_features(X), ORDER, ORDER, places)
    scores = compiled.scores()[:, places]
    columns, highest = compiled.top(k, n_jobs=2)
    np.testing.assert_array_equal(columns, np.argsort(-scores, axis=1, kind="stable")[:, :k])
    np.testing.assert_array_equal(highest, np.take_along_axis(scores, columns, axis=1))
    np.testing.assert_array_equal(compiled.positives(n_jobs=2).toarray(), scores > 0)


def test_of_equal_scores_the_first_columns_are_taken():
    nothing = sparse.csr_array((2, 100))
    flat = solve(make_batch(X, np.repeat(Y[:, [0]], 5, axis=1)), drop=0.0)
    walk = sparse_walk(flat, prepare_features(nothing), np.arange(5), np.full(5, -1), np.arange(5)[::-1])
    assert walk.top(3)[0].tolist() == [[0, 1, 2]] * 2


def test_no_rows_and_no_links():
    nothing = sparse_walk(SOLUTIONS, prepare_features(X[:0]), ORDER, ORDER)
    assert nothing.scores().shape == (0, 12)
    assert nothing.top(3)[0].shape == (0, 3)
    assert nothing.positives().shape == (0, 12)
    none = sparse_walk(SOLUTIONS, prepare_features(X), ORDER[:0], ORDER[:0])
    assert none.scores().shape == (300, 0)


def test_dense_rows_and_dense_weights_are_left_to_products():
    dense = solve(make_batch(X, Y[:, :2]))
    links = np.arange(2)
    assert sparse_walk(dense, prepare_features(X), links, links) is None
    assert sparse_walk(SOLUTIONS, prepare_features(X.toarray()), links, links) is None


def test_weights_are_turned_once_per_chain():
    first, again, other = (
        sparse_walk(SOLUTIONS, prepare_features(X), order, order) for order in (ORDER, ORDER, ORDER[::-1])
    )
    assert first.weights is again.weights
    assert first.weights is not other.weights


@pytest.mark.parametrize("what", ["top", "positives"])
def test_interrupts_arrive_while_rows_walk(what):
    """Two thousand links that every feature weighs in: some seconds for these rows."""
    n_links, n_features, stored = 2000, 200, 100
    weights = sparse.csr_array(np.random.default_rng(0).normal(size=(n_links, n_features)).astype(np.float32))
    solutions = replace(SOLUTIONS, n_features=n_features, weights=weights, bias=np.zeros(n_links))
    columns = np.tile(np.arange(0, n_features, n_features // stored, dtype=np.int32), 50_000)
    pointer = np.arange(0, columns.size + 1, stored)
    rows = sparse.csr_array((np.ones(columns.size, np.float32), columns, pointer), shape=(50_000, n_features))
    links = np.arange(n_links)
    walk = sparse_walk(solutions, prepare_features(rows), links, np.full(n_links, -1), links)
    run = {"top": lambda: walk.top(5, 1), "positives": lambda: walk.positives(1)}
    assert any(interrupted_after(0.3, run[what]) < 1.5 for _ in range(3))  # a machine may stand still for a while
